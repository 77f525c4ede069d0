# casebook_finish_known_failure LINE REASON: ends a test that is expected to fail. If an assertion failed, Bats reports it as
# skipped, because it has no expected failures; otherwise the test fails.
casebook_finish_known_failure() {
  if [[ $casebook_failures -gt 0 ]]; then
    casebook_phase '' 0
    skip "expected failure: $2"
    return
  fi
  printf '%s:%s: the test passed, but `fails` marks it as a known failure (%s): remove the mark\n' "$casebook_file" "$1" "$2"
  exit 1
}
