# casebook_expect_json_matches LINE POINTER KEYS CONDITIONS [ERE]: records a failure if the JSON value in the output does not
# meet the conditions, or the pattern does not match in it.
casebook_expect_json_matches() {
  casebook_assertion=$((casebook_assertion + 1))
  if ! casebook_meets_conditions "$3" "$4" || { [[ $# -ge 5 ]] && ! casebook_json_string_matches "$3" "$5"; }; then
    casebook_fail "$1" outputJsonMatches "$2 $4 ${5-}"
  fi
}

# casebook_meets_conditions KEYS CONDITIONS: whether the value in the output meets the conditions.
casebook_meets_conditions() {
  printf '%s\n' "$1" "$2" "$casebook_output" | PATH=$casebook_path jq -es '
    def step($key):
      if type == "array" then to_entries[] | select((.key | tostring) == $key) | .value
      elif type == "object" then select(has($key)) | .[$key]
      else empty end;
    def at($keys): if $keys == [] then . else step($keys[0]) | at($keys[1:]) end;
    def within($limits): ($limits.min == null or . >= $limits.min) and ($limits.max == null or . <= $limits.max);
    def is_a($name): if $name == "integer" then type == "number" and floor == . else type == $name end;
    def has_length($limits): (type | . == "string" or . == "array" or . == "object") and (length | within($limits));
    def has_part($part):
      if type == "string" then ($part | type) == "string" and contains($part)
      elif type == "array" then any(.[]; . == $part)
      else false end;
    def meets($c):
      ($c.type == null or is_a($c.type))
      and ($c.length == null or has_length($c.length))
      and (($c.min == null and $c.max == null) or (type == "number" and within($c)))
      and (($c | has("equals") | not) or . == $c.equals)
      and ($c.oneOf == null or (. as $value | any($c.oneOf[]; . == $value)))
      and (($c | has("contains") | not) or has_part($c.contains));
    . as [$keys, $c] | length == 3 and ([.[2] | at($keys)]
      | if $c.absent then . == [] else length == 1 and (.[0] | meets($c)) end)
  ' >/dev/null
}

# casebook_json_string_matches KEYS ERE: whether the value in the output is a string and the pattern matches in it. The dot keeps
# the newlines at its end.
casebook_json_string_matches() {
  local text
  text=$(
    printf '%s\n' "$1" "$casebook_output" | PATH=$casebook_path jq -ejs '
      def step($key):
        if type == "array" then to_entries[] | select((.key | tostring) == $key) | .value
        elif type == "object" then select(has($key)) | .[$key]
        else empty end;
      def at($keys): if $keys == [] then . else step($keys[0]) | at($keys[1:]) end;
      . as [$keys] | .[1] | at($keys) | strings
    ' 2>/dev/null && printf .
  ) && casebook_compare Matches "${text%.}" "$2"
}
