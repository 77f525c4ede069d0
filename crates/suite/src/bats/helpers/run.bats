# casebook_run [--separate] [--timed] [--workdir DIR] [--stdin TEXT] [--env NAME=VALUE]... LINE COMMAND: runs the command in a new bash. Its output goes
# through pipes into files: a program that reopens /dev/stderr would truncate a file, and with pipes alone the test would
# wait for processes that the command leaves running.
casebook_run() {
  casebook_streams=(output) casebook_stdin=/dev/null casebook_env=() casebook_timed=''
  casebook_workdir=. casebook_exit_code=0 casebook_assertion=0 casebook_failures=0
  while [[ $1 == --* ]]; do
    case $1 in
    --separate) casebook_streams=(stdout stderr) ;;
    --timed) casebook_timed=1 ;;
    --workdir)
      shift
      case $1 in
      /*) casebook_workdir=$1 ;;
      *) casebook_workdir=$casebook_dir/$1 ;;
      esac
      ;;
    --stdin) shift && casebook_stdin=$casebook_results/stdin && printf '%s' "$1" >|"$casebook_stdin" ;;
    --env) shift && casebook_env+=("$1") ;;
    esac
    shift
  done
  casebook_phase command "$1"
  # Setup may have set nocasematch, which would make comparisons ignore case.
  shopt -u nocasematch
  if [[ ! -d $casebook_workdir ]]; then
    printf '%s:%s: working directory not found: %s\n' "$casebook_file" "$1" "$casebook_workdir"
    exit 1
  fi
  casebook_capture "${casebook_streams[@]}"
  casebook_script "$2"
  [[ -z $casebook_timed ]] || casebook_start_time
  (
    cd -- "$casebook_workdir" || exit
    [[ ${#casebook_env[@]} -eq 0 ]] || export "${casebook_env[@]}"
    [[ -z ${casebook_limit-} ]] || exec "${casebook_limit[@]}" "$BASH" -c -- "$casebook_script"
    exec -a bash "$BASH" -c -- "$casebook_script"
  ) <"$casebook_stdin" >"$casebook_results/${casebook_streams[0]}.pipe" 2>"$casebook_results/${casebook_streams[1]-output}.pipe" \
    3>&7 4>&- 7>&- 8>&- || casebook_exit_code=$?
  [[ -z $casebook_timed ]] || casebook_stop_time
  printf '%s' "$casebook_exit_code" >|"$casebook_results/exit-code"
  casebook_wait "${casebook_streams[@]}"
  casebook_output=$(casebook_text "${casebook_streams[0]}")
  casebook_stderr=$(casebook_text "${casebook_streams[1]-output}")
} 8<>"$casebook_results/done"

# casebook_script COMMAND: sets the argument of `bash -c`. A long command is read from a file, because the length of an
# argument is limited, on Linux to 128 KiB.
casebook_script() {
  casebook_script=$1
  if [[ ${#1} -gt 30000 ]]; then
    printf '%s\n' "$1" >|"$casebook_results/command"
    printf -v casebook_script 'eval "$(<%q)"' "$casebook_results/command"
  fi
}

# casebook_capture STREAM...: copies the stream's pipe into its file in the background. A separate program does it, because
# Bats would wait for a subshell.
casebook_capture() {
  local PATH=$casebook_path stream
  for stream in "$@"; do
    mkfifo "$casebook_results/$stream.pipe"
    sh -c 'cat <"$0.pipe" >"$0"; echo 1<>"$1"' "$casebook_results/$stream" "$casebook_results/done" \
      2>/dev/null 3>&- 4>&- 7>&- 8>&- &
  done
}

# casebook_wait STREAM...: waits until all output is in the files, or two seconds if a process keeps a pipe open.
casebook_wait() {
  local stream
  for stream in "$@"; do
    if ! read -r -t 2 -u 8; then
      printf '%s:%s: a process left by the command keeps its output open\n' "$casebook_file" "$casebook_line"
      : >|"$casebook_results/leaky"
    fi
  done
}

# casebook_text STREAM: the stream up to the output limit, without NUL bytes, which bash variables cannot contain.
casebook_text() {
  local PATH=$casebook_path
  head -c "${CASEBOOK_MAX_OUTPUT:-10485760}" "$casebook_results/$1" | LC_ALL=C tr -d '\000'
}

# casebook_is_complete STREAM: whether the stream is within the output limit.
casebook_is_complete() {
  local PATH=$casebook_path
  [[ $(wc -c <"$casebook_results/$1") -le ${CASEBOOK_MAX_OUTPUT:-10485760} ]]
}
