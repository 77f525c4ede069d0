# casebook_phase NAME LINE: notes what is going on. What stands there after a test is what failed; nothing if it passed.
casebook_phase() {
  casebook_phase=$1 casebook_line=$2
  printf '%s' "$1" >|"$casebook_results/phase"
}

# Hooks and commands know the suite by the names that Bats has for this file.
casebook_name_suite() {
  casebook_bats_file=${casebook_bats_file-$BATS_TEST_FILENAME}
  export BATS_TEST_FILENAME=$casebook_folder/$casebook_name BATS_TEST_DIRNAME=$casebook_folder
}

# casebook_begin LINE: the start of a test.
casebook_begin() {
  casebook_results=${CASEBOOK_BATS_RESULTS:-$BATS_RUN_TMPDIR/casebook}
  casebook_results+=/$BATS_SUITE_TEST_NUMBER/${BATS_TEST_TRY_NUMBER:-1}
  unset CASEBOOK_BATS_RESULTS
  PATH=$casebook_path mkdir -p "$casebook_results"
  PATH=$casebook_path mkfifo "$casebook_results/done"
  export TEST_TEMP_DIR=$BATS_TEST_TMPDIR BATS_TEST_DESCRIPTION
  casebook_name_suite
  casebook_phase setup "$1"
}

# casebook_end PHASE LINE [HOOK]: the end of a test or of the suite. Says what failed before, runs the hook, and gives
# back to Bats what it needs for its report.
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
