# casebook_expect LINE FIELD VALUE: records a failed assertion and continues.
casebook_expect() {
  casebook_assertion=$((casebook_assertion + 1))
  case $2 in
  exitCode) [[ $casebook_exit_code -eq $3 ]] ;;
  stderr) casebook_compare Equals "$casebook_stderr" "$3" "${casebook_streams[1]}" ;;
  stderr*) casebook_compare "${2#stderr}" "$casebook_stderr" "$3" "${casebook_streams[1]}" ;;
  stdout*) casebook_compare "${2#stdout}" "$casebook_output" "$3" "${casebook_streams[0]}" ;;
  output*) casebook_compare "${2#output}" "$casebook_output" "$3" "${casebook_streams[0]}" ;;
  esac || casebook_fail "$1" "$2" "$3"
}

# casebook_compare HOW TEXT EXPECTED [STREAM]: compares texts as bytes and matches patterns in the initial locale. Equals and
# the negated comparisons fail for a truncated stream, because the rest is unknown.
casebook_compare() {
  case $1 in
  Equals | Not*) [[ -z ${4-} ]] || casebook_is_complete "$4" || return ;;
  esac
  case $1 in
  Equals) [ "$2" = "$3" ] ;;
  Contains) (LC_ALL=C && [[ $2 == *"$3"* ]]) ;;
  NotContains) (LC_ALL=C && [[ $2 != *"$3"* ]]) ;;
  Matches) (LC_ALL=$CASEBOOK_LOCALE && [[ $2 =~ $3 ]]) ;;
  NotMatches) (LC_ALL=$CASEBOOK_LOCALE && [[ ! $2 =~ $3 ]]) ;;
  *) return 1 ;;
  esac
}

# casebook_fail LINE FIELD VALUE: reports a failed assertion.
casebook_fail() {
  casebook_failures=$((casebook_failures + 1))
  printf '%s\n' "$casebook_assertion" >>"$casebook_results/failed"
  printf '%s:%s: %s failed: %s\n' "$casebook_file" "$1" "$2" "$3"
}

# Ends a test: fails it if any assertion failed.
casebook_finish() {
  if [[ $casebook_failures -eq 0 ]]; then
    casebook_phase '' 0
    return
  fi
  printf 'exit code: %s\n' "$casebook_exit_code"
  casebook_show
  # Not `return`, which does not fail the test if setup has switched errexit off.
  exit 1
}

# Prints the beginning of the command's output.
casebook_show() {
  local stream text
  for stream in output stdout stderr; do
    if [[ -f $casebook_results/$stream ]]; then
      text=$(casebook_text "$stream")
      printf '%s: %s\n' "$stream" "${text:0:10000}"
    fi
  done
}
