# casebook_read_lines: sets casebook_lines to the lines of the output, as bytes.
casebook_read_lines() {
  local LC_ALL=C line
  casebook_lines=()
  [[ -n $casebook_output ]] || return 0
  while IFS= read -r line; do
    casebook_lines+=("$line")
  done <<<"$casebook_output"
}

# casebook_expect_lines LINE MIN MAX: records a failure if the output has fewer or more lines; `-` is no limit.
casebook_expect_lines() {
  casebook_assertion=$((casebook_assertion + 1))
  casebook_read_lines
  local count=${#casebook_lines[@]}
  if ! casebook_is_complete "${casebook_streams[0]}" || [[ $2 != - && $count -lt $2 || $3 != - && $count -gt $3 ]]; then
    casebook_fail "$1" outputLines "$2 to $3, but it has $count"
  fi
}

# casebook_expect_line LINE NUMBER TEXT: records a failure if that line of the output is different or missing.
casebook_expect_line() {
  casebook_assertion=$((casebook_assertion + 1))
  casebook_read_lines
  local count=${#casebook_lines[@]} index=$(($2 - 1))
  [[ $2 -gt 0 ]] || index=$((count + $2))
  if [[ $index -lt 0 || $index -ge $count ]] || [ "${casebook_lines[index]}" != "$3" ] \
    || { [[ $2 -lt 0 ]] && ! casebook_is_complete "${casebook_streams[0]}"; }; then
    casebook_fail "$1" outputLine "$2 is $3"
  fi
}
