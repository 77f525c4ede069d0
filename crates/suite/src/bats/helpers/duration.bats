# casebook_now: sets casebook_now to the time in milliseconds. Bash before 5.0 has no such clock, and the `date` of some systems
# has only seconds.
casebook_now() {
  local time=${EPOCHREALTIME-}
  if [[ -n $time ]]; then
    time=${time%[.,]*}${time#*[.,]}
    casebook_now=${time%???}
    return
  fi
  time=$(PATH=$casebook_path date +%s%N)
  case $time in
  *[!0-9]*) casebook_now=$(PATH=$casebook_path date +%s)000 ;;
  *) casebook_now=${time%??????} ;;
  esac
}

# casebook_start_time: starts to measure the duration of a command.
casebook_start_time() {
  casebook_now
  casebook_start=$casebook_now
}

# casebook_stop_time: records the duration of a command.
casebook_stop_time() {
  casebook_now
  casebook_duration=$((casebook_now - casebook_start))
  printf '%s' "$casebook_duration" >|"$casebook_results/duration"
}

# casebook_expect_duration LINE MILLISECONDS: records a failure if the command took longer.
casebook_expect_duration() {
  casebook_assertion=$((casebook_assertion + 1))
  [[ $casebook_duration -le $2 ]] || casebook_fail "$1" maxDuration "$2 ms, but it took $casebook_duration ms"
}
