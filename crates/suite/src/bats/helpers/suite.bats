# casebook_begin_suite LINE: the start of the suite.
casebook_begin_suite() {
  casebook_results=${CASEBOOK_BATS_RESULTS:-$BATS_RUN_TMPDIR/casebook}
  mkdir -p "$casebook_results"
  casebook_name_suite
  casebook_phase setupFile "$1"
}
