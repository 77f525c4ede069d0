# casebook_begin_suite LINE: starts the suite.
casebook_begin_suite() {
  casebook_results=${CASEBOOK_BATS_RESULTS:-$BATS_RUN_TMPDIR/casebook}
  casebook_test_results=$casebook_results
  mkdir -p "$casebook_results"
  casebook_export_names
  casebook_phase setupFile "$1"
}
