# casebook_finish_known_failure REASON: ends a step of a test that is expected to fail. If an assertion failed, Bats reports the test as
# skipped, because it has no expected failures. A timeout is not the expected failure.
casebook_finish_known_failure() {
  if [[ $casebook_failures -gt 0 && ! -e $casebook_results/timed-out ]]; then
    casebook_phase '' 0
    skip "expected failure: $1"
  fi
  casebook_finish
}

# casebook_unexpected_pass LINE REASON: fails a test that passed although it is expected to fail.
casebook_unexpected_pass() {
  printf '%s:%s: the test passed, but `fails` marks it as a known failure (%s): remove the mark\n' "$casebook_file" "$1" "$2"
  casebook_phase command "$1"
  casebook_failures=1
  casebook_finish
}
