# casebook_seconds MILLISECONDS: the time in seconds.
casebook_seconds() {
  printf '%d.%03d' "$(($1 / 1000))" "$(($1 % 1000))"
}

# casebook_run_limited MILLISECONDS OPTION...: runs a command that is terminated when its time is over.
casebook_run_limited() {
  local limit=$1 started
  casebook_now
  started=$casebook_clock_now
  casebook_limit=(timeout --kill-after=3 "$(casebook_seconds "$limit")")
  casebook_run "${@:2}"
  casebook_limit=()
  casebook_now
  if [[ $casebook_exit_code -ge 124 && $((casebook_clock_now - started)) -ge $limit ]]; then
    : >|"$casebook_results/timed-out"
    casebook_fail "$casebook_line" timeout "$(casebook_seconds "$limit") s"
  fi
}
