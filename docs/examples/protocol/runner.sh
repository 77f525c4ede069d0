#!/usr/bin/env bash
# A test runner in shell that sends events to Casebook. Each file on the command line is a test, which passes if it
# exits with 0. Start it with: casebook record -- ./runner.sh tests/*
set -u

# A shell cannot open a socket, but Perl can, which most systems have; `socat -u STDIN "UNIX-CONNECT:$1"` would also
# work.
connect() {
  exec perl -MIO::Socket::UNIX -e '
    my $socket = IO::Socket::UNIX->new(shift) or die "cannot connect: $!\n";
    syswrite $socket, $_ while <STDIN>;
  ' "$1"
}

# Without CASEBOOK_EVENTS the events are discarded.
if [[ -n ${CASEBOOK_EVENTS:-} ]]; then
  exec {events}> >(connect "$CASEBOOK_EVENTS")
  connection=$!
  # Runners started by the tests are not part of this run.
  unset CASEBOOK_EVENTS
else
  exec {events}>/dev/null
fi

# event KIND FIELDS: writes one line of JSON.
event() {
  printf '{"event_type":"%s","payload":{"time":"%s"%s}}\n' "$1" "$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)" "${2:+,$2}" >&"$events"
}

# Encodes a text as JSON.
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
  identity="\"example_id\":$name,\"description\":$name,\"full_description\":$name"
  event ExampleStarted "$identity,\"location\":$name"
  started=$(date +%s%N)
  output=$("$BASH" "$file" 2>&1)
  status=$?
  elapsed=$(($(date +%s%N) - started))
  printf -v duration '%d.%09d' $((elapsed / 1000000000)) $((elapsed % 1000000000))
  if [[ $status == 0 ]]; then
    echo "ok $file"
    event ExamplePassed "$identity,\"duration\":$duration"
  else
    echo "not ok $file"
    failed=1
    event ExampleFailed "$identity,\"location\":$name,\"duration\":$duration,\"message\":$(json "exit code $status: $output")"
  fi
done
event SuiteStopped
# Closing the connection ensures that the last events are sent.
exec {events}>&-
wait ${connection:+"$connection"}
exit "$failed"
