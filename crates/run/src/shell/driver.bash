# Runs two hooks and the command between them in one shell: the setup and teardown of a test around its command, or
# those of a suite around all of its tests. Each step is reported to the runner on descriptor 199, which also replies there.
# $1 setup  $2 teardown  $3 command  $4 stdout  $5 stderr, or empty to join stdout  $6 stdin  $7 working directory, or empty
# $8 path of bash
# `__casebook_define NAME SCRIPT`, which defines a hook, precedes this script.
# shellcheck shell=bash
# shellcheck disable=SC2317 # functions called by traps, and hooks that are defined later
exec 199<&0 </dev/null
__casebook=("$@")
__casebook_phase=setup

__casebook_end() {
	__casebook_status=$?
	trap - EXIT TERM
	# A child that is terminated before exec still has these traps.
	[[ $BASHPID == "$$" ]] || exit "$__casebook_status"
	set +e
	builtin printf 'left %s %s\n' "$__casebook_phase" "$__casebook_status" >&199
	# The runner reads the output of a failed setup before the teardown writes.
	if [[ $__casebook_phase == setup ]]; then builtin read -r -u 199 __casebook_answer; fi
	teardown
	__casebook_status=$?
	# A teardown that calls `exit` does not reach this line, and fails with any exit code.
	builtin printf 'done\n' >&199
	exit "$__casebook_status"
}

# The syntax error of a teardown is reported when the teardown runs.
__casebook_define teardown "${__casebook[1]}" 2>/dev/null || teardown() {
	__casebook_define teardown "${__casebook[1]}"
}
# The test may start later. A shell that is never used exits without a teardown.
builtin read -r -u 199 __casebook_answer || exit 0
trap __casebook_end EXIT
trap 'exit 143' TERM
builtin printf 'ready\n' >&199
__casebook_define setup "${__casebook[0]}" || exit 2

set -e
setup
set +e

__casebook_phase='command'
# Replaces a child, whose streams are already redirected, with the command.
__casebook_exec() {
	if [[ ${__casebook[6]} ]] && ! builtin cd -- "${__casebook[6]}"; then
		builtin printf 'nowhere\n' >&199
		exit 1
	fi
	builtin printf 'command %s\n' "$BASHPID" >&199
	exec -a bash "${__casebook[7]}" -c -- "${__casebook[2]}" 199>&-
}
# If the setup used `set -x`, the trace of these lines must not appear in the output of the command.
__casebook_flags=$-
set +x
if [[ ${__casebook[4]} ]]; then
	(__casebook_exec) <"${__casebook[5]}" >|"${__casebook[3]}" 2>|"${__casebook[4]}"
else
	(__casebook_exec) <"${__casebook[5]}" >|"${__casebook[3]}" 2>&1
fi
builtin printf 'ended %s\n' "$?" >&199
[[ $__casebook_flags != *x* ]] || set -x
# The runner checks files that the command left before the teardown removes them.
builtin read -r -u 199 __casebook_answer
exit 0
