# Runs two hooks and what stands between them in one shell: the setup and teardown of a test around its command, or
# those of a file around all of its tests. The runner is told of each step on descriptor 199 and answers there.
# $1 setup  $2 teardown  $3 command  $4 stdout  $5 stderr, or empty to join stdout  $6 stdin  $7 folder, or empty
# $8 bash itself
exec 199<&0 </dev/null
__casebook=("$@")
__casebook_phase=setup

__casebook_end() {
	__casebook_status=$?
	trap - EXIT TERM
	set +e
	builtin printf 'left %s %s\n' "$__casebook_phase" "$__casebook_status" >&199
	# What a failed setup wrote is read before the teardown writes.
	if [[ $__casebook_phase == setup ]]; then builtin read -r -u 199 __casebook_answer; fi
	teardown
	# Without a number, the exit of a trap has the status from before the trap.
	exit "$?"
}

# A hook is a function, so that `local` and `return` work in it; one that does not parse fails when its turn comes.
eval "teardown() {
:
${__casebook[1]}
}" || teardown() { return 2; }
trap __casebook_end EXIT
trap 'exit 143' TERM
eval "setup() {
:
${__casebook[0]}
}" || exit 2

set -e
setup
set +e

__casebook_phase=command
(
	trap - EXIT TERM
	exec >|"${__casebook[3]}"
	if [[ ${__casebook[4]} ]]; then exec 2>|"${__casebook[4]}"; else exec 2>&1; fi
	builtin printf 'command %s\n' "$BASHPID" >&199
	exec 199>&-
	if [[ ${__casebook[6]} ]]; then builtin cd -- "${__casebook[6]}" || exit; fi
	exec -a bash "${__casebook[7]}" -c -- "${__casebook[2]}" <"${__casebook[5]}"
)
builtin printf 'ended %s\n' "$?" >&199
# The runner looks at what the command has left behind before the teardown removes it.
builtin read -r -u 199 __casebook_answer
exit 0
