# casebook_attempt WITHIN EVERY: whether the command is run again: at first, and until its assertions pass or the time is over. Sets the
# time that the attempt may take. Times are in milliseconds.
casebook_attempt() {
  casebook_now
  if [[ -z ${casebook_attempts-} ]]; then
    casebook_attempts=1 casebook_started=$casebook_clock_now
  elif [[ $casebook_failures -eq 0 || $((casebook_clock_now - casebook_started + $2)) -ge $1 ]]; then
    printf '%s %s' "$casebook_attempts" "$((casebook_clock_now - casebook_started))" >|"$casebook_results/attempts"
    unset casebook_attempts
    return 1
  else
    casebook_attempts=$((casebook_attempts + 1))
    PATH=$casebook_path sleep "$(casebook_seconds "$2")"
    PATH=$casebook_path rm -f "$casebook_results"/{failed,*.pipe,leaky,timed-out}
    casebook_now
  fi
  casebook_left=$(($1 - (casebook_clock_now - casebook_started)))
}
