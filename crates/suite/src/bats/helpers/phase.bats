# casebook_phase NAME LINE: records the current phase. After a test it is the phase that failed; empty if the test passed.
casebook_phase() {
  casebook_phase=$1 casebook_line=$2
  printf '%s' "$1" >|"$casebook_results/phase"
}

# Exports the suite's path and directory to hooks and commands, in the variables that Bats uses for this file.
casebook_export_names() {
  casebook_bats_file=${casebook_bats_file-$BATS_TEST_FILENAME}
  export BATS_TEST_FILENAME=$casebook_dir/$casebook_name BATS_TEST_DIRNAME=$casebook_dir
}

# casebook_begin LINE: starts a test.
casebook_begin() {
  casebook_results=${CASEBOOK_BATS_RESULTS:-$BATS_RUN_TMPDIR/casebook}
  casebook_results+=/$BATS_SUITE_TEST_NUMBER/${BATS_TEST_TRY_NUMBER:-1}
  unset CASEBOOK_BATS_RESULTS
  PATH=$casebook_path mkdir -p "$casebook_results"
  PATH=$casebook_path mkfifo "$casebook_results/done"
  export TEST_TEMP_DIR=$BATS_TEST_TMPDIR BATS_TEST_DESCRIPTION
  casebook_export_names
  casebook_phase setup "$1"
}

# casebook_end PHASE LINE [HOOK]: ends a test or the suite. Reports a failed setup, runs the hook and restores the
# variables that Bats needs for its report.
casebook_end() {
  case $casebook_phase in
  '') casebook_phase "$1" "$2" ;;
  setup*) printf '%s:%s: %s failed\n' "$casebook_file" "$casebook_line" "$casebook_phase" ;;
  esac
  "${3:-:}"
  casebook_status=$?
  if [[ $casebook_status -ne 0 ]]; then
    printf '%s:%s: %s failed with exit code %s\n' "$casebook_file" "$2" "$1" "$casebook_status"
  elif [[ $casebook_phase == "$1" ]]; then
    casebook_phase '' 0
  fi
  BATS_TEST_FILENAME=$casebook_bats_file
  BATS_TEST_DIRNAME=${casebook_bats_file%/*}
  PATH=$casebook_path
  return "$casebook_status"
}
