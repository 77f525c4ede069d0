# Stops the countdown of a test after its command: the timeout does not include teardown. The countdown is not part of
# Bats' public interface, so it is stopped only if this version has the function.
casebook_stop_clock() {
  if [[ -n ${BATS_TIMED_OUT-} ]]; then
    printf '%s:%s: timed out after %s s\n' "$casebook_file" "$casebook_line" "$BATS_TEST_TIMEOUT"
    casebook_show
  fi
  [[ -n ${BATS_killer_pid-} ]] || BATS_killer_pid=$casebook_clock
  if declare -F bats_abort_timeout_countdown >/dev/null; then
    bats_abort_timeout_countdown "$BATS_killer_pid"
  fi
}
