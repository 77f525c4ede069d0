# casebook_expect_json LINE POINTER KEYS VALUE: records a failure if the JSON in the output has another value or none there.
casebook_expect_json() {
  casebook_assertion=$((casebook_assertion + 1))
  casebook_json_equals "$3" "$4" "$casebook_output" || casebook_fail "$1" outputJson "$2 is $4"
}

# casebook_json_equals KEYS VALUE TEXT: whether the text is JSON with this value at these keys.
casebook_json_equals() {
  printf '%s\n' "$@" | PATH=$casebook_path jq -es '
    def step($key):
      if type == "array" then to_entries[] | select((.key | tostring) == $key) | .value
      elif type == "object" then select(has($key)) | .[$key]
      else empty end;
    def at($keys): if $keys == [] then . else step($keys[0]) | at($keys[1:]) end;
    . as [$keys, $value] | length == 3 and [.[2] | at($keys)] == [$value]
  ' >/dev/null
}
