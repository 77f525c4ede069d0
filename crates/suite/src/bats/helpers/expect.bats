# casebook_expect LINE FIELD VALUE: records a failed assertion and continues.
casebook_expect() {
  casebook_assertion=$((casebook_assertion + 1))
  case $2 in
  exitCode) casebook_has_exit_code "$3" ;;
  signal) [[ $casebook_exit_code -eq $((128 + $(kill -l "$3"))) ]] ;;
  stderr) casebook_compare Equals "$casebook_stderr" "$3" "${casebook_streams[1]}" ;;
  stderr*) casebook_compare "${2#stderr}" "$casebook_stderr" "$3" "${casebook_streams[1]}" ;;
  stdout*) casebook_compare "${2#stdout}" "$casebook_output" "$3" "${casebook_streams[0]}" ;;
  output*) casebook_compare "${2#output}" "$casebook_output" "$3" "${casebook_streams[0]}" ;;
  esac || casebook_fail "$1" "$2" "$3"
}

# casebook_has_exit_code CODES: whether the exit code is one of these, or not 0.
casebook_has_exit_code() {
  case $1 in
  nonzero) [[ $casebook_exit_code -ne 0 ]] ;;
  *) [[ " $1 " == *" $casebook_exit_code "* ]] ;;
  esac
}

# casebook_locale LOCALE: sets the locale of a comparison, and whether it ignores case.
casebook_locale() {
  LC_ALL=$1
  if [[ -n ${casebook_ignore_case-} ]]; then
    LC_ALL=$CASEBOOK_LOCALE
    shopt -s nocasematch
  fi
}

# casebook_compare HOW TEXT EXPECTED [STREAM]: compares texts as bytes and matches patterns in the initial locale. Equals and
# the negated comparisons fail for a truncated stream, because the rest is unknown.
casebook_compare() {
  case $1 in
  Equals* | Not*) [[ -z ${4-} ]] || casebook_is_complete "$4" || return ;;
  esac
  case $1 in
  Equals) casebook_equals "$2" "$3" ;;
  EqualsFile) casebook_equals_file "$2" "$3" ;;
  Contains) (casebook_locale C && [[ $2 == *"$3"* ]]) ;;
  NotContains) (casebook_locale C && [[ $2 != *"$3"* ]]) ;;
  Matches) (casebook_locale "$CASEBOOK_LOCALE" && [[ $2 =~ $3 ]]) ;;
  NotMatches) (casebook_locale "$CASEBOOK_LOCALE" && [[ ! $2 =~ $3 ]]) ;;
  *) return 1 ;;
  esac
}

# casebook_equals_file TEXT FILE: whether the text equals that of a file, relative to the suite's directory.
casebook_equals_file() {
  local file=$2 text
  [[ $file == /* ]] || file=$casebook_dir/$file
  [[ -f $file ]] && { text=$(<"$file"); } 2>/dev/null && casebook_equals "$1" "$text"
}

# casebook_equals TEXT TEXT: whether the texts are equal, or equal after normalizing.
casebook_equals() {
  [ "$1" = "$2" ] && return
  [[ -n ${casebook_normalizers-} ]] && [ "$(casebook_normal "$1")" = "$(casebook_normal "$2")" ]
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
