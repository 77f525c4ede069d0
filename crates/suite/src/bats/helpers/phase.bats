# casebook_phase NAME LINE: records the current phase. After a test it is the phase that failed; empty if the test passed.
casebook_phase() {
  casebook_phase=$1 casebook_line=$2
  printf '%s' "$1" >|"$casebook_test_results/phase"
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
  casebook_test_results=$casebook_results
  unset CASEBOOK_BATS_RESULTS
  PATH=$casebook_path mkdir -p "$casebook_results"
  PATH=$casebook_path mkfifo "$casebook_results/done"
  export TEST_TEMP_DIR=$BATS_TEST_TMPDIR BATS_TEST_DESCRIPTION
  casebook_export_names
  casebook_phase setup "$1"
}

# casebook_end PHASE LINE [HOOK]: ends a test or the suite. Reports a failed setup and runs the hook.
casebook_end() {
  case $casebook_phase in
  '') casebook_phase "$1" "$2" ;;
  setup*) printf '%s:%s: %s failed\n' "$casebook_file" "$casebook_line" "$casebook_phase" ;;
  esac
  casebook_hook=$1 casebook_hook_line=$2 casebook_level=$BASH_SUBSHELL
  casebook_hook_dir=$BATS_FILE_TMPDIR
  [[ $1 == teardownFile ]] || casebook_hook_dir=$BATS_TEST_TMPDIR
  # A hook that calls `exit` does not return, so this function ends it.
  # shellcheck disable=SC2317
  exit() {
    casebook_exit "${1-$?}"
  }
  "${3:-:}" 198<"$casebook_hook_dir"
  casebook_status=$?
  if [[ $casebook_status -ne 0 ]]; then
    casebook_hook_failed "$casebook_status" "failed with exit code $casebook_status"
  elif [[ $casebook_phase == "$1" ]]; then
    casebook_phase '' 0
  fi
  casebook_leave
  return "$casebook_status"
}

# casebook_exit STATUS: ends a hook that called `exit`, or a subshell of it.
casebook_exit() {
  if [[ $BASH_SUBSHELL -eq $casebook_level ]]; then
    casebook_hook_failed "$1" "called \`exit $1\`"
    casebook_leave
  fi
  builtin exit "$1"
}

# casebook_hook_failed STATUS REASON: reports a failed hook.
casebook_hook_failed() {
  printf '%s' "$1" >|"$casebook_test_results/hook-exit-code"
  printf '%s:%s: %s %s\n' "$casebook_file" "$casebook_hook_line" "$casebook_hook" "$2"
}

# Stops what hooks left running and restores what Bats needs for its report.
casebook_leave() {
  unset -f exit
  if declare -F casebook_stop_processes >/dev/null; then
    casebook_stop_processes
  fi
  BATS_TEST_FILENAME=$casebook_bats_file
  BATS_TEST_DIRNAME=${casebook_bats_file%/*}
  PATH=$casebook_path
}
