# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_casebook_global_optspecs
    string join \n color= no-color h/help V/version
end

function __fish_casebook_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_casebook_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_casebook_using_subcommand
    set -l cmd (__fish_casebook_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c casebook -n "__fish_casebook_needs_command" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_needs_command" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_needs_command" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_needs_command" -s V -l version -d 'Print version'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "init" -d 'Write a first suite, hello.casebook.yaml'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "run" -d 'Check suites, run their tests, show and record the results'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "check" -d 'Find problems in suites without running them'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "accept" -d 'Write the actual output of failed tests into their suites'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "compile" -d 'Compile a suite to Bats code'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "explain" -d 'Explain a problem that check reports'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "schema" -d 'Print the JSON Schema of suite files, for editors'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "record" -d 'Record the tests that a command runs, or a run from its events or another tool\'s results'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "merge" -d 'Merge the records of shards into one'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "rspec" -d 'Run RSpec examples in several processes, show them as one run and record it'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "recover" -d 'Rebuild run.json from events.jsonl of an interrupted run'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "worker" -d 'Run tests for `casebook run --cluster` and `casebook rspec --cluster`, until Ctrl-C'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "cluster" -d 'Show the runs and workers of a cluster'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "report" -d 'Show a recorded run'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "diff" -d 'Show what changed between two recorded runs'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "judge" -d 'Judge recorded conversations again, without calling the agent'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "history" -d 'Show trends across recorded runs'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "coverage" -d 'Show which states of Ruby methods are tested'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "studio" -d 'Serve a local web page for the runs of a project'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "design" -d 'Design RSpec tests from Ruby code: characteristics, metadata, skeletons, reviews'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "mcp" -d 'Serve coding agents: a Model Context Protocol server on standard input and output'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "lsp" -d 'Serve editors: a language server for suites on standard input and output'
complete -c casebook -n "__fish_casebook_using_subcommand init" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand init" -l agent -d 'Write a conversation, agent.casebook.yaml, and an agent for it, agent.py'
complete -c casebook -n "__fish_casebook_using_subcommand init" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand init" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s j -l jobs -d 'Run up to N tests at once [default: the number of CPUs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -s w -l workers -d 'Run the tests in N worker processes, one test at a time in each' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l worker-program -d 'The program to start as a worker' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l worker-silence -d 'Kill a worker that has been silent for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l cluster -d 'Run the tests on the workers of the NATS server at this URL [default: the one in CASEBOOK_CLUSTER_URL or casebook.toml]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l cluster-name -d 'The name that separates projects on one server [default: default]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l cluster-creds -d 'Log in with this `.creds` file' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l cluster-ca -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l bundle -d 'Send the files below PATH to the workers, which then need no checkout; may be repeated' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l lost-retries -d 'Run a test again N times if its worker died' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l no-worker-timeout -d 'Give up when no worker is connected for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l no-server-timeout -d 'Give up when the connection to the server, once made, is lost for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l run-id -d 'The id of the run; if the command with this id was killed, its run is continued' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l cluster-lease -d 'Give a chunk to another worker if its worker is silent for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l filter -d 'Run only tests whose names contain this text or match /ERE/' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l tag -d 'Run only tests with this tag; `a,b` requires both, `!a` excludes; repeat to match any' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l shard -d 'Run only shard K of N' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l retries -d 'Retry a failed test up to N times; a test that passes on retry is marked flaky' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l repeat -d 'Run each test N times; it fails if a repetition fails' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l stress -d 'Repeat the tests on all jobs for this long, each at least once: 30, 10m' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l trials -d 'Run every conversation N times, instead of the `trials` in its suite' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l k -d 'Show pass@k and pass^k of trials for these numbers: 1,3,5' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l timeout -d 'Set the timeout of tests without a `timeout`: 2, 500ms, 2m' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l seed -d 'Shuffle the tests with this seed' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l engine -d 'Run the tests with this engine' -r -f -a "native\t'Casebook itself'
bats\t'The installed bats, on the compiled suites'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l leaks -d 'Set how to treat a test whose command leaves processes that keep its output open' -r -f -a "warn\t'Mark it as leaky'
fail\t'Fail it'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l max-output -d 'Capture at most this much output per test: 512KB, 10MB [default: 10MB]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l soft-errors -d 'Set how to treat an `evaluate` check that could not be judged because of an error' -r -f -a "warn\t'List them after the results'
fail\t'Fail their tests'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l budget -d 'Start no more tests when the conversations have spent this: cost=5,tokens=100000,calls=200' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l llm-cache -d 'Cache model responses in this directory and reuse them' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l resume -d 'Run the unfinished tests of this run and add to its record [default: the newest]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l failed -d 'Run the tests that failed or did not run in this run, as a new run [default: the newest]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l format -d 'Set the format: pretty, tap, junit, json, jsonl, github, ctrf, csv, allure or sqlite, each to a file with =FILE (allure: a directory); repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l html -d 'Also write an HTML page of the run' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l otlp -d 'Export the run to the OpenTelemetry collector at this URL, such as http://localhost:4318' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l ui -d 'Show the running tests in this way, instead of progress and a line for each file' -r -f -a "interactive\t'Full screen: a tab for each worker with its progress, and keys to navigate'
interleaved\t'A line for each event, with the number of the worker'
quiet\t'A character for each test: . passed, F failed, * skipped'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l keep-temp -d 'Keep the directories of tests, BATS_TEST_TMPDIR, and show their paths' -r -f -a "failed\t'Those of failed tests'
always\t'All'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l record -d 'Write the record to this new directory, or `none` to write nothing [default: a directory in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l redact -d 'Also redact the values of environment variables whose names match' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l upload -d 'Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l fail-fast -d 'Start no more tests after the first failure'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l until-fail -d 'Repeat the tests until one fails; --repeat and --stress limit how often and how long'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l update -d 'Accept the actual output: write it into snapshots and, after the run, into suites, as `casebook accept` does'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l list -d 'List tests without running them'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l json -d 'With --list, print JSON, as --format json does'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l require-all -d 'Fail tests whose `requires` or `skipUnless` is not met, instead of skipping them'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l llm-cache-only -d 'Use cached responses only; fail instead of calling a model'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l otlp-content -d 'Export messages of conversations and data of tools as well'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s T -l timing -d 'Show the duration of each test'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s v -l verbose -d 'Show every test'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s q -l quiet -d 'Show only failures and the summary'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s x -l trace -d 'Show each command with its output, and each conversation'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l watch -d 'Rerun when a file changes, until Ctrl-C'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand check" -l format -d 'Set the format of the problems' -r -f -a "pretty\t'Text for the terminal'
json\t'One JSON document'
github\t'Annotations for GitHub Actions'
sarif\t'SARIF 2.1.0, for code hosts and editors'"
complete -c casebook -n "__fish_casebook_using_subcommand check" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand check" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand accept" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand accept" -l review -d 'Show each difference and ask: accept, skip, edit or quit'
complete -c casebook -n "__fish_casebook_using_subcommand accept" -l dry-run -d 'Print the changes as a patch and write nothing'
complete -c casebook -n "__fish_casebook_using_subcommand accept" -l prune -d 'Delete the snapshots that no test uses, and accept nothing'
complete -c casebook -n "__fish_casebook_using_subcommand accept" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand accept" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand compile" -s o -l output -d 'The file to write, completely or not at all [default: standard output]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand compile" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand compile" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand compile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand explain" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand explain" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand explain" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand schema" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand schema" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand schema" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand record" -l from -d 'The format of the input: event lines, TAP 12 to 14, or JUnit XML' -r -f -a "jsonl\t'Casebook\'s own events, one JSON object per line'
tap\t'The Test Anything Protocol, versions 12 to 14'
junit\t'JUnit XML, as written by pytest, nextest, surefire and others'"
complete -c casebook -n "__fish_casebook_using_subcommand record" -l record -d 'Write the record to this new directory, or `none` to write nothing [default: a directory in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand record" -l redact -d 'Also redact the values of environment variables whose names match' -r
complete -c casebook -n "__fish_casebook_using_subcommand record" -l upload -d 'Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables' -r
complete -c casebook -n "__fish_casebook_using_subcommand record" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand record" -l ack -d 'Print each line\'s number on standard output once its event is on disk (event lines only)'
complete -c casebook -n "__fish_casebook_using_subcommand record" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand merge" -l record -d 'Write the record to this new directory [default: a directory in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand merge" -l upload -d 'Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables' -r
complete -c casebook -n "__fish_casebook_using_subcommand merge" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand merge" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s w -l workers -d 'Run the examples in N processes [default: the number of CPUs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l cluster -d 'Run the tests on the workers of the NATS server at this URL [default: the one in CASEBOOK_CLUSTER_URL or casebook.toml]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l cluster-name -d 'The name that separates projects on one server [default: default]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l cluster-creds -d 'Log in with this `.creds` file' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l cluster-ca -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l bundle -d 'Send the files below PATH to the workers, which then need no checkout; may be repeated' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l lost-retries -d 'Run a test again N times if its worker died' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l no-worker-timeout -d 'Give up when no worker is connected for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l no-server-timeout -d 'Give up when the connection to the server, once made, is lost for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l run-id -d 'The id of the run; if the command with this id was killed, its run is continued' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l cluster-lease -d 'Give a chunk to another worker if its worker is silent for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l command -d 'The command that starts RSpec [default: `bundle exec rspec` with a Gemfile, otherwise `rspec`]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l timeout -d 'Kill a process whose example, or hook between examples, takes longer than this: 30, 500ms, 2m' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l worker-silence -d 'Kill a stopping process that has been silent for this long' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l seed -d 'Run the examples in an order shuffled by this number' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l resume -d 'Run the unfinished examples of a run, with its specs, and append to its record [default: the newest]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l format -d 'Set the format: pretty, tap, junit, json, jsonl, github, ctrf, csv, allure or sqlite, each to a file with =FILE (allure: a directory); repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l html -d 'Also write an HTML page of the run' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l otlp -d 'Export the run to the OpenTelemetry collector at this URL, such as http://localhost:4318' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l ui -d 'Show the running tests in this way, instead of progress and a line for each file' -r -f -a "interactive\t'Full screen: a tab for each worker with its progress, and keys to navigate'
interleaved\t'A line for each event, with the number of the worker'
quiet\t'A character for each test: . passed, F failed, * skipped'"
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l record -d 'Write the record to this new directory, or `none` to write nothing [default: a directory in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l redact -d 'Also redact the values of environment variables whose names match' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l upload -d 'Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l fail-fast -d 'Start no more examples after the first failure'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l list -d 'List examples without running them'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l json -d 'With --list, print JSON, as --format json does'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l otlp-content -d 'Export messages of conversations and data of tools as well'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s T -l timing -d 'Show the duration of each test'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s v -l verbose -d 'Show every test'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s q -l quiet -d 'Show only failures and the summary'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand recover" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand recover" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand recover" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l connect -d 'Take tests from the NATS server at this URL [default: the one in CASEBOOK_CLUSTER_URL or casebook.toml]' -r
complete -c casebook -n "__fish_casebook_using_subcommand worker" -s j -l jobs -d 'Run up to N tests at once [default: the number of CPUs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l cluster-name -d 'The name that separates projects on one server [default: default]' -r
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l cluster-creds -d 'Log in with this `.creds` file' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l cluster-ca -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l slot -d 'The number of this process among those of a worker' -r
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand worker" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and not __fish_seen_subcommand_from status" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and not __fish_seen_subcommand_from status" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and not __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and not __fish_seen_subcommand_from status" -f -a "status" -d 'Show the runs and the workers of a cluster'
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -l cluster-name -d 'The name that separates projects on one server [default: default]' -r
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -l cluster-creds -d 'Log in with this `.creds` file' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -l cluster-ca -d 'Trust the certificates in this PEM file, besides those of the system' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -l json -d 'Print everything as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand cluster; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l format -d 'Set the format: pretty, tap, junit, json, jsonl, github, ctrf, csv, allure or sqlite, each to a file with =FILE (allure: a directory); repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l junit -d 'Write JUnit XML to a file, or to standard output with -: short for --format junit=FILE' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand report" -l html -d 'Write an HTML page to a file, or to standard output with -; without --format, show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand report" -l previous -d 'Link the HTML page to that of the run before: a file name, or an address' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l next -d 'Link the HTML page to that of the run after' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l otlp -d 'Export the run to the OpenTelemetry collector at this URL, such as http://localhost:4318' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l upload -d 'Upload the record to S3-compatible storage; without --format, show nothing else' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l transcripts -d 'Show these conversations' -r -f -a "auto\t'All if they are few, otherwise those of failed tests'
all\t'All'
failed\t'Those of failed tests'
none\t'None'"
complete -c casebook -n "__fish_casebook_using_subcommand report" -l slowest -d 'List this many of the slowest tests' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l k -d 'Show pass@k and pass^k of trials for these numbers: 1,3,5' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand report" -l json -d 'Print the summary and every test as JSON: short for --format json'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l otlp-content -d 'Export messages of conversations and data of tools as well'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l html -d 'Write a self-contained HTML page to a file, or to standard output with -, and show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l fail-on -d 'Exit with code 1 if there is such a change' -r -f -a "regression\t'A test newly fails, or passes significantly fewer of its trials'
criteria\t'A criterion passes significantly less often'
slower\t'A test is slower than noise explains'"
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l json -d 'Print everything as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l markdown -d 'Print Markdown, for a comment on a pull request'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l suite -d 'Take criteria and judge from this suite, instead of the recorded one; repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l criterion -d 'Judge only this criterion' -r
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l calibrate -d 'Compare the recorded verdicts with the labels in this file; with --suite, judge again first' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l min-kappa -d 'Exit with code 1 if Cohen\'s kappa is below this number' -r
complete -c casebook -n "__fish_casebook_using_subcommand judge" -s j -l jobs -d 'Judge N conversations at once [default: the number of CPUs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l llm-cache -d 'Cache model responses in this directory and reuse them' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l record -d 'Write the record to this new directory, or `none` to write nothing [default: a directory in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l redact -d 'Also redact the values of environment variables whose names match' -r
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l upload -d 'Also upload the record to S3-compatible storage, with the credentials in the AWS_* variables' -r
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l llm-cache-only -d 'Use cached responses only; fail instead of calling a model'
complete -c casebook -n "__fish_casebook_using_subcommand judge" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand judge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l test -d 'Show only tests whose names or ids contain this' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l limit -d 'Use at most N runs, newest first' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l slowest -d 'List this many of the slowest tests' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l html -d 'Write a self-contained HTML page to a file, or to standard output with -, and show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l sqlite -d 'Write all tests of all runs to an SQLite database, and show nothing' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l json -d 'Print everything as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -f -a "prune" -d 'Remove recorded runs that are too old, too many or too large'
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l older-than -d 'Remove runs older than this, such as 12h, 30d or 8w' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l keep -d 'Keep at most N runs, newest first' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l max-size -d 'Keep at most this much, newest first, such as 500MB or 1GB' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -s n -l dry-run -d 'Only list the runs that would be removed'
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l run -d 'Use the results of this run; if a test is in several runs, the newest counts [default: the newest record of suites and the newest of specs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l suite -d 'Use the `covers` of these suites: files, directories or globs [default: this directory]' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l min -d 'Exit with code 1 if a smaller percentage of states passed' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l since -d 'With --prove, only methods that changed since this commit' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l html -d 'Write a page to a file, or to standard output with -, and print nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l observe -d 'Run this command, which starts RSpec, and observe which states its examples reach'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l prove -d 'Find out which of the exercised states are checked: invert each, and run the examples that reach it'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l json -d 'Print everything as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand studio" -l port -d 'Listen on this port [default: the last port used, or a free one]' -r
complete -c casebook -n "__fish_casebook_using_subcommand studio" -l host -d 'Listen on this address of the machine, with the token in CASEBOOK_STUDIO_TOKEN; use a proxy for TLS' -r
complete -c casebook -n "__fish_casebook_using_subcommand studio" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand studio" -l open -d 'Open the page in the browser'
complete -c casebook -n "__fish_casebook_using_subcommand studio" -l read-only -d 'Serve no actions: nothing can be started or changed'
complete -c casebook -n "__fish_casebook_using_subcommand studio" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand studio" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "analyze" -d 'Find what varies in a method and write its metadata'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "path" -d 'Print the path of a file\'s metadata'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "cache" -d 'Print as JSON whether a file\'s metadata is up to date'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "dir" -d 'Print the directory of this project\'s metadata'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "validate" -d 'Validate a metadata file and write the result into it'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "factories" -d 'Print the project\'s factories and their traits as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "skeleton" -d 'Write a spec with a context for each state'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "outline" -d 'Print the structure of a spec as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "architect" -d 'Describe the contexts and examples of a skeleton'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "implement" -d 'Fill in what is certain: parameters, values of states, expectations'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "optimize" -d 'Make the factory calls of a unit test cheaper'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "polish" -d 'Check a spec\'s syntax, lint it and run it'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "review" -d 'Review a spec and write a report, without changing the spec'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "pipeline" -d 'Run all steps for one method, from analysis to review'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "status" -d 'Show the progress of each method'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "mark" -d 'Mark a step as done outside Casebook'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "gaps" -d 'List what the specs do not test'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "survey" -d 'List public methods, those most in need of tests first'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "update" -d 'List the specs that a change to the program affects'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark gaps survey update refactor" -f -a "refactor" -d 'Rewrite an old spec in current style'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l level -d 'Set the test level instead of detecting it' -r -f -a "unit\t'One class alone'
integration\t'Several classes, with a database'
request\t'Through HTTP'
e2e\t'Through the user interface'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l format -d 'The format of the metadata' -r -f -a "1.3\t'The analyzed methods of a source file, the last one at the top level'
2.0\t'With setup, thresholds and the states in which the method ends'
plugin\t'Many methods per file'
json\t'2.0 as JSON; only with --print'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l names -d 'Set how names are written [default: full in 1.3, domain in 2.0, short in plugin]' -r -f -a "full\t'Always user_active'
domain\t'active if the method uses only this record and a factory creates it, otherwise user_active'
short\t'active, or user_active if another characteristic has that name'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l all -d 'Analyze every public method; write one metadata file per source file'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l print -d 'Print the document instead of its path'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l force -d 'Analyze even if the metadata is up to date'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l strict -d 'Follow format 1.3 strictly: one parent state each'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l skip-ternaries -d 'Skip the conditions of ternaries, even if the metadata is up to date'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from path" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from path" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from cache" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from cache" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from cache" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from dir" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from dir" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from dir" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l stage -d 'Check a file of the plugin layout after this stage, and print only OK' -r -f -a "discovery-agent\t'The methods'
code-analyzer\t'Their characteristics'
spec-writer\t'The finished spec'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l strict -d 'Also report what the format only recommends; in format 2.0 every when_parent is a list'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from factories" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from factories" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from factories" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l mode -d 'Write a spec, or only print parts of it' -r -f -a "full\t'A spec file; prints its path'
blocks\t'Prints the blocks of the methods, to insert into a spec'
outline\t'Prints the structure as JSON, in the form of `design outline`'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l policy -d 'Set the kind of spec for controllers' -r -f -a "request\t'Request specs'
controller\t'Controller specs'
ask\t'Ask if a controller spec already exists'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l merge -d 'Change only the method\'s block in an existing spec [default: method_mode in the plugin layout]' -r -f -a "insert\t'As a new block'
replace\t'Replacing the existing block'
upsert\t'Replacing an existing block, otherwise as a new one'
missing\t'As a new block, unless one exists'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l conflict -d 'Set how to treat an existing block of a new method, or one with manual edits (plugin layout)' -r -f -a "overwrite\t'Replace it; a backup of the old file is kept in tmp/'
skip\t'Leave it unchanged'
ask\t'Require a decision, also about any block without placeholders, in every layout'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l level -d 'Set the test level of methods for which the rules cannot decide it (plugin layout)' -r -f -a "unit\t'One class alone'
integration\t'Several classes, with a database'
request\t'Through HTTP'
e2e\t'Through the user interface'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l comments -d 'Put placeholders into comments, so that the file is valid Ruby'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l small-not -d 'Write "not" in contexts, as in format 1.3; the reviewer suggests "NOT"'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l suite -d 'Write a Casebook suite instead of a spec, for an executable script'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from outline" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from outline" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from outline" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from architect" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from architect" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from architect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l boundary -d 'Test comparisons with values at the boundary instead of values 5% away from it'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l learn -d 'Search for inputs that reach the other examples by running the code in a sandbox, and write what was observed'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l unsafe-no-sandbox -d 'Run the code without a sandbox: it can do whatever you can do'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from optimize" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from optimize" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from optimize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from polish" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from polish" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from polish" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l format -d 'Print the findings instead, in this format' -r -f -a "json\t'One JSON document'
sarif\t'SARIF 2.1.0, for code hosts and editors'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l guide -d 'Set how strictly the style guide is applied' -r -f -a "lenient\t'A lowercase "not", and "with" or "without" on the first level, are suggestions'
strict\t'They are violations'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l json -d 'Print the findings as JSON: short for --format json'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l level -d 'Set the test level instead of detecting it' -r -f -a "unit\t'One class alone'
integration\t'Several classes, with a database'
request\t'Through HTTP'
e2e\t'Through the user interface'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l names -d 'Set how names are written' -r -f -a "full\t'Always user_active'
domain\t'active if the method uses only this record and a factory creates it, otherwise user_active'
short\t'active, or user_active if another characteristic has that name'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l overwrite -d 'Replace the method\'s block in an existing spec; a backup of the old file is kept in tmp/'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l keep-going -d 'Continue if an optional step (optimize, polish) fails'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l learn -d 'Search for inputs that reach the other examples by running the code in a sandbox, and write what was observed'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l unsafe-no-sandbox -d 'Run the code without a sandbox: it can do whatever you can do'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -l json -d 'Print JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -l set -d 'Set a key of the step to this JSON value or text' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -l since -d 'Only methods that changed since this commit' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -l limit -d 'Show at most this many methods' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -l json -d 'Print JSON: code, characteristics, examples, and the missing states with the conditions that decide them'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -l markdown -d 'Print Markdown'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from gaps" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l limit -d 'List at most N methods' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l json -d 'Print JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l base -d 'The commit to compare with' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l json -d 'Print JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l mode -d 'Set how much is rewritten' -r -f -a "conservative\t'Replace should with expect, correct the wording, freeze string literals, run the linter'
full\t'Also write a block for each method from the code; examples that run are kept'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l discard-handwork -d 'Rewrite blocks even if they contain helper methods, shared examples or CUSTOM comments'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l keep-wording -d 'Leave descriptions unchanged'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand mcp" -l root -d 'Work in this directory, and accept no paths outside of it [default: this directory]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand mcp" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand mcp" -l read-only -d 'Offer only tools that change no files and run no tests'
complete -c casebook -n "__fish_casebook_using_subcommand mcp" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand lsp" -l color -d 'Set when to print colors: always, auto or never (also: set CLICOLOR_FORCE or NO_COLOR) [default: auto]' -r -f -a "always\t'Always, also in files that receive standard output'
auto\t'On a terminal, unless the environment says otherwise'
never\t'Never'"
complete -c casebook -n "__fish_casebook_using_subcommand lsp" -l stdio -d 'Accepted and ignored: standard input and output are the only transport'
complete -c casebook -n "__fish_casebook_using_subcommand lsp" -l no-color -d 'Print without colors, like --color never'
complete -c casebook -n "__fish_casebook_using_subcommand lsp" -s h -l help -d 'Print help (see more with \'--help\')'
