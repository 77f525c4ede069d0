#!/usr/bin/env bash
# A test runner in shell that tells Casebook what it does: each file named on the command line is a test, which passes if
# it ends with 0. Start it with: casebook record -- ./runner.sh tests/*
set -u

# A shell cannot open a socket, but Perl can, which is part of most systems; `socat -u STDIN "UNIX-CONNECT:$1"` would do
# as well.
connect() {
  exec perl -MIO::Socket::UNIX -e '
    my $socket = IO::Socket::UNIX->new(shift) or die "cannot connect: $!\n";
    syswrite $socket, $_ while <STDIN>;
  ' "$1"
}

# Without CASEBOOK_EVENTS nobody listens, and the events go nowhere.
if [[ -n ${CASEBOOK_EVENTS:-} ]]; then
  exec {events}> >(connect "$CASEBOOK_EVENTS")
  connection=$!
  # Runners that the tests start are no part of this run.
  unset CASEBOOK_EVENTS
else
  exec {events}>/dev/null
fi

# event KIND FIELDS: one line of JSON.
event() {
  printf '{"event_type":"%s","payload":{"time":"%s"%s}}\n' "$1" "$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)" "${2:+,$2}" >&"$events"
}

# A text as JSON has it.
json() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\t'/\\t}
  printf '"%s"' "${text//[$'\001'-$'\037']/?}"
}

failed=0
event SuiteStarted "\"example_count\":$#"
for file in "$@"; do
  name=$(json "$file")
  who="\"example_id\":$name,\"description\":$name,\"full_description\":$name"
  event ExampleStarted "$who,\"location\":$name"
  started=$(date +%s%N)
  output=$("$BASH" "$file" 2>&1)
  status=$?
  took=$(($(date +%s%N) - started))
  printf -v duration '%d.%09d' $((took / 1000000000)) $((took % 1000000000))
  if [[ $status == 0 ]]; then
    echo "ok $file"
    event ExamplePassed "$who,\"duration\":$duration"
  else
    echo "not ok $file"
    failed=1
    event ExampleFailed "$who,\"location\":$name,\"duration\":$duration,\"message\":$(json "exit code $status: $output")"
  fi
done
event SuiteStopped
# The last events are on their way until the connection is closed.
exec {events}>&-
wait ${connection:+"$connection"}
exit "$failed"
