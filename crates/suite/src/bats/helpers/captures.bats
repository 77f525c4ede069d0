# casebook_keep NAME HOW ARGUMENT...: captures a value for later steps.
casebook_keep() {
  casebook_found=''
  "casebook_find_$2" "${@:3}" || return 0
  printf -v "casebook_value_$1" %s "$casebook_found"
  printf %s "$casebook_found" >|"$casebook_results/value-$1"
}

# casebook_find_matches STREAM PATTERN: the first group, or the whole match of a pattern without groups.
casebook_find_matches() {
  local LC_ALL=$CASEBOOK_LOCALE
  [[ $(casebook_stream "$1") =~ $2 ]] || return
  casebook_found=${BASH_REMATCH[${#BASH_REMATCH[@]} > 1]}
}

# casebook_find_line STREAM NUMBER: a line; negative numbers count from the end.
casebook_find_line() {
  local lines=() line index
  while IFS= read -r line; do
    lines+=("$line")
  done < <(casebook_stream "$1" && echo)
  index=$(($2 > 0 ? $2 - 1 : ${#lines[@]} + $2))
  [[ $index -ge 0 && $index -lt ${#lines[@]} ]] || return
  casebook_found=${lines[index]}
}

# casebook_find_file PATH: the content of a file.
casebook_find_file() {
  local path=$1
  [[ $path == /* ]] || path=$casebook_workdir/$path
  [[ -f $path ]] && { casebook_found=$(<"$path"); } 2>/dev/null
}

# casebook_find_stream STREAM: the whole stream.
casebook_find_stream() {
  casebook_found=$(casebook_stream "$1")
}

# The exit code of the command.
casebook_find_exitCode() {
  casebook_found=$casebook_exit_code
}

# casebook_stream NAME: prints the text of a stream.
casebook_stream() {
  case $1 in
  stderr) printf %s "$casebook_stderr" ;;
  *) printf %s "$casebook_output" ;;
  esac
}

# casebook_expect_captured LINE NAME...: fails if one of these values was not found, unless an assertion failed before.
casebook_expect_captured() {
  local name line=$1
  [[ $casebook_failures -eq 0 ]] || return 0
  shift
  for name in "$@"; do
    casebook_assertion=$((casebook_assertion + 1))
    [[ -e $casebook_results/value-$name ]] || casebook_fail "$line" capture "$name"
  done
}

# casebook_quoted TEXT: the text as a word of the shell, in single quotes as in the native engine.
casebook_quoted() {
  local quote="'\\''"
  printf "'%s'" "${1//\'/$quote}"
}
