# casebook_find_json KEYS: the value at a path into the JSON of standard output; strings without quotes.
casebook_find_json() {
  local found
  found=$(
    printf '%s\n' "$1" "$casebook_output" | PATH=$casebook_path jq -js '
      def step($key):
        if type == "array" then to_entries[] | select((.key | tostring) == $key) | .value
        elif type == "object" then select(has($key)) | .[$key]
        else empty end;
      def at($keys): if $keys == [] then . else step($keys[0]) | at($keys[1:]) end;
      .[0] as $keys | [.[1:][] | at($keys)] as $found
      | if length == 2 and ($found | length) == 1 then $found[0] else error("not found") end
      | if type == "string" then . else tojson end
    ' 2>/dev/null && printf .
  ) || return
  casebook_found=${found%.}
}
