# casebook_require PROGRAM...: skips the test if a program is not installed.
casebook_require() {
  local program
  for program in "$@"; do
    type -P -- "$program" >/dev/null || casebook_skip "$program is not installed"
  done
}

# casebook_skip_unless COMMAND: skips the test if the command fails.
casebook_skip_unless() {
  local status=0
  (exec -a bash "$BASH" -c -- "$1") </dev/null >/dev/null 2>&1 3>&- 4>&- 7>&- || status=$?
  [[ $status -eq 0 ]] || casebook_skip "skipUnless failed with exit code $status: ${1%%$'\n'*}"
}

# casebook_skip REASON: skips the test; with CASEBOOK_REQUIRE_ALL it fails instead.
casebook_skip() {
  casebook_unmet=$1
  casebook_results=${CASEBOOK_BATS_RESULTS:-$BATS_RUN_TMPDIR/casebook}
  casebook_results+=/$BATS_SUITE_TEST_NUMBER/${BATS_TEST_TRY_NUMBER:-1}
  PATH=$casebook_path mkdir -p "$casebook_results"
  printf '%s' "$1" >|"$casebook_results/unmet"
  # The test may have changed it, and Bats needs it.
  PATH=$casebook_path
  if [[ -n ${CASEBOOK_REQUIRE_ALL-} ]]; then
    printf '%s\n' "$1"
    exit 1
  fi
  skip "$1"
}
