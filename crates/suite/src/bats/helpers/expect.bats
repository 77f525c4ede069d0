# casebook_expect LINE FIELD VALUE: notes what does not hold, and goes on.
casebook_expect() {
  casebook_assertion=$((casebook_assertion + 1))
  case $2 in
  exitCode) [[ $casebook_exit_code -eq $3 ]] ;;
  stderr) casebook_holds Equals "$casebook_stderr" "$3" "${casebook_streams[1]}" ;;
  stderr*) casebook_holds "${2#stderr}" "$casebook_stderr" "$3" "${casebook_streams[1]}" ;;
  stdout*) casebook_holds "${2#stdout}" "$casebook_output" "$3" "${casebook_streams[0]}" ;;
  output*) casebook_holds "${2#output}" "$casebook_output" "$3" "${casebook_streams[0]}" ;;
  esac || casebook_fail "$1" "$2" "$3"
}

# casebook_holds HOW TEXT EXPECTED [STREAM]: texts are compared as bytes, patterns matched in the locale that the run began
# in. What is not in a text may be in the part of the stream that was cut off.
casebook_holds() {
  case $1 in
  Equals | Not*) [[ -z ${4-} ]] || casebook_is_whole "$4" || return ;;
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

# casebook_fail LINE FIELD VALUE: tells what does not hold.
casebook_fail() {
  casebook_failures=$((casebook_failures + 1))
  printf '%s\n' "$casebook_assertion" >>"$casebook_results/failed"
  printf '%s:%s: %s does not hold: %s\n' "$casebook_file" "$1" "$2" "$3"
}

# The end of a test's command: fails the test if anything did not hold.
casebook_verdict() {
  if [[ $casebook_failures -eq 0 ]]; then
    casebook_phase '' 0
    return
  fi
  printf 'exit code: %s\n' "$casebook_exit_code"
  casebook_show
  # Not `return`, which is no failure where setup has switched errexit off.
  exit 1
}

# What the command wrote, as far as a person wants to read it.
casebook_show() {
  local stream text
  for stream in output stdout stderr; do
    if [[ -f $casebook_results/$stream ]]; then
      text=$(casebook_text "$stream")
      printf '%s: %s\n' "$stream" "${text:0:10000}"
    fi
  done
}
