# casebook_run [--apart] [--workdir FOLDER] [--stdin TEXT] LINE COMMAND: runs the command in a bash of its own. Its output
# goes through pipes into files: a program that opens /dev/stderr anew would empty a file, and with pipes alone the test
# would wait for whatever the command leaves behind.
casebook_run() {
  casebook_streams=(output) casebook_stdin=/dev/null
  casebook_workdir=. casebook_exit_code=0 casebook_assertion=0 casebook_failures=0
  while [[ $1 == --* ]]; do
    case $1 in
    --apart) casebook_streams=(stdout stderr) ;;
    --workdir) shift && casebook_workdir=$1 ;;
    --stdin) shift && casebook_stdin=$casebook_results/stdin && printf '%s' "$1" >|"$casebook_stdin" ;;
    esac
    shift
  done
  casebook_phase command "$1"
  # Whatever setup has set for itself: upper and lower case differ here.
  shopt -u nocasematch
  if [[ ! -d $casebook_workdir ]]; then
    printf '%s:%s: there is no folder %s\n' "$casebook_file" "$1" "$casebook_workdir"
    exit 1
  fi
  casebook_keep "${casebook_streams[@]}"
  (
    cd -- "$casebook_workdir" || exit
    exec -a bash "$BASH" -c -- "$2"
  ) <"$casebook_stdin" >"$casebook_results/${casebook_streams[0]}.pipe" 2>"$casebook_results/${casebook_streams[1]-output}.pipe" \
    3>&7 4>&- 7>&- 8>&- || casebook_exit_code=$?
  printf '%s' "$casebook_exit_code" >|"$casebook_results/exit-code"
  casebook_wait "${casebook_streams[@]}"
  casebook_output=$(casebook_text "${casebook_streams[0]}")
  casebook_stderr=$(casebook_text "${casebook_streams[1]-output}")
} 8<>"$casebook_results/done"

# casebook_keep STREAM...: from now on, what comes through the stream's pipe goes into its file. A program of its own does
# it, as a part of this shell would keep Bats waiting.
casebook_keep() {
  local PATH=$casebook_path stream
  for stream in "$@"; do
    mkfifo "$casebook_results/$stream.pipe"
    sh -c 'cat <"$0.pipe" >"$0"; echo 1<>"$1"' "$casebook_results/$stream" "$casebook_results/done" \
      2>/dev/null 3>&- 4>&- 7>&- 8>&- &
  done
}

# casebook_wait STREAM...: waits until all is in the files, or for two seconds where something still holds a pipe.
casebook_wait() {
  local stream
  for stream in "$@"; do
    if ! read -r -t 2 -u 8; then
      printf '%s:%s: something that the command left behind holds its output\n' "$casebook_file" "$casebook_line"
      : >|"$casebook_results/leaky"
    fi
  done
}

# casebook_text STREAM: as much of it as a test may write, without the NUL bytes that no text of bash can hold.
casebook_text() {
  local PATH=$casebook_path
  head -c "${CASEBOOK_MAX_OUTPUT:-10485760}" "$casebook_results/$1" | LC_ALL=C tr -d '\000'
}

# casebook_is_whole STREAM: whether the test has not written more than it may.
casebook_is_whole() {
  local PATH=$casebook_path
  [[ $(wc -c <"$casebook_results/$1") -le ${CASEBOOK_MAX_OUTPUT:-10485760} ]]
}
