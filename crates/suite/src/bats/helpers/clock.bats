# The time of a test is over with its command: teardown has time of its own. Bats has no public name for its countdown,
# so it is stopped as far as this version of Bats lets it.
casebook_stop_clock() {
  if [[ -n ${BATS_TIMED_OUT-} ]]; then
    printf '%s:%s: not done after %s s\n' "$casebook_file" "$casebook_line" "$BATS_TEST_TIMEOUT"
    casebook_show
  fi
  [[ -n ${BATS_killer_pid-} ]] || BATS_killer_pid=$casebook_clock
  if declare -F bats_abort_timeout_countdown >/dev/null; then
    bats_abort_timeout_countdown "$BATS_killer_pid"
  fi
}
