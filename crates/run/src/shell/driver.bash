# Runs two hooks and what stands between them in one shell: the setup and teardown of a test around its command, or
# those of a file around all of its tests. The runner is told of each step on descriptor 199 and answers there.
# $1 setup  $2 teardown  $3 command  $4 stdout  $5 stderr, or empty to join stdout  $6 stdin  $7 folder, or empty
# $8 bash itself
# shellcheck shell=bash
# shellcheck disable=SC2317 # what traps call, and hooks that are defined later
exec 199<&0 </dev/null
__casebook=("$@")
__casebook_phase=setup

__casebook_end() {
	__casebook_status=$?
	trap - EXIT TERM
	# A child that is ended before it has become something else still has these traps.
	[[ $BASHPID == "$$" ]] || exit "$__casebook_status"
	set +e
	builtin printf 'left %s %s\n' "$__casebook_phase" "$__casebook_status" >&199
	# What a failed setup wrote is read before the teardown writes.
	if [[ $__casebook_phase == setup ]]; then builtin read -r -u 199 __casebook_answer; fi
	teardown
	__casebook_status=$?
	# A teardown that calls `exit` does not come so far, and fails whatever it says.
	builtin printf 'done\n' >&199
	exit "$__casebook_status"
}

# A hook is a function, so that `local` and `return` work in it.
__casebook_define() {
	eval "$1() {
:
$2
}"
}

# A teardown that does not parse says so when its turn comes.
__casebook_define teardown "${__casebook[1]}" 2>/dev/null || teardown() {
	__casebook_define teardown "${__casebook[1]}"
}
# The test may begin later. Whoever is not called for goes without a teardown.
builtin read -r -u 199 __casebook_answer || exit 0
trap __casebook_end EXIT
trap 'exit 143' TERM
builtin printf 'ready\n' >&199
__casebook_define setup "${__casebook[0]}" || exit 2

set -e
setup
set +e

__casebook_phase='command'
# Becomes the command, in a child whose streams are its own by now.
__casebook_become() {
	if [[ ${__casebook[6]} ]] && ! builtin cd -- "${__casebook[6]}"; then
		builtin printf 'nowhere\n' >&199
		exit 1
	fi
	builtin printf 'command %s\n' "$BASHPID" >&199
	exec -a bash "${__casebook[7]}" -c -- "${__casebook[2]}" 199>&-
}
# What `set -x` in the setup shows of these lines is no output of the command.
__casebook_flags=$-
set +x
if [[ ${__casebook[4]} ]]; then
	(__casebook_become) <"${__casebook[5]}" >|"${__casebook[3]}" 2>|"${__casebook[4]}"
else
	(__casebook_become) <"${__casebook[5]}" >|"${__casebook[3]}" 2>&1
fi
builtin printf 'ended %s\n' "$?" >&199
[[ $__casebook_flags != *x* ]] || set -x
# The runner looks at what the command has left behind before the teardown removes it.
builtin read -r -u 199 __casebook_answer
exit 0
