# Terminates the processes that hooks left running, with their children: Bats waits for every process that has its
# descriptors open. A daemon is not a job of this shell, but has the environment of its hook. A loop that detached itself has
# the environment of this shell, but the descriptor that was open during its hook.
casebook_stop_processes() {
  local PATH=$casebook_path mark=BATS_FILE_TMPDIR=$BATS_FILE_TMPDIR pids=' ' process pid parent
  [[ $casebook_hook == teardownFile ]] || mark=TEST_TEMP_DIR=$TEST_TEMP_DIR
  for process in /proc/[0-9]*; do
    [[ ! $process/fd/198 -ef $casebook_hook_dir ]] || pids+="${process#/proc/} "
  done
  pids+="$(jobs -p | tr '\n' ' ')"
  pids+=$(grep -slzFx "$mark" /proc/[0-9]*/environ 2>/dev/null | tr -cs '0-9' ' ')
  while read -r pid parent; do
    [[ $pids != *" $parent "* ]] || pids+=" $pid "
  done < <(ps -A -o pid= -o ppid= 2>/dev/null)
  # Otherwise bash would report each of them as terminated.
  disown -a
  for pid in $pids; do
    [[ $pid == "$$" || $pid == "$BASHPID" || $pid == "${BATS_killer_pid-}" ]] || kill "$pid" 2>/dev/null
  done
}
