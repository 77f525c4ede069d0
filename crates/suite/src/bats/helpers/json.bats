# casebook_expect_json LINE POINTER KEYS VALUE: records a failure if the JSON in the output has another value or none there.
casebook_expect_json() {
  casebook_assertion=$((casebook_assertion + 1))
  printf '%s\n' "$3" "$4" "$casebook_output" | PATH=$casebook_path jq -es '
    def step($key):
      if type == "array" then to_entries[] | select((.key | tostring) == $key) | .value
      elif type == "object" then select(has($key)) | .[$key]
      else empty end;
    def at($keys): if $keys == [] then . else step($keys[0]) | at($keys[1:]) end;
    . as [$keys, $value] | length == 3 and [.[2] | at($keys)] == [$value]
  ' >/dev/null || casebook_fail "$1" outputJson "$2 is $4"
}
