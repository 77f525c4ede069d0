# casebook_start_time: starts to measure the duration of a command.
casebook_start_time() {
  casebook_now
  casebook_start=$casebook_clock_now
}

# casebook_stop_time: records the duration of a command.
casebook_stop_time() {
  casebook_now
  casebook_duration=$((casebook_clock_now - casebook_start))
  printf '%s' "$casebook_duration" >|"$casebook_results/duration"
}

# casebook_expect_duration LINE MILLISECONDS: records a failure if the command took longer.
casebook_expect_duration() {
  casebook_assertion=$((casebook_assertion + 1))
  [[ $casebook_duration -le $2 ]] || casebook_fail "$1" maxDuration "$2 ms, but it took $casebook_duration ms"
}
