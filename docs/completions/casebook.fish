# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_casebook_global_optspecs
    string join \n no-color h/help V/version
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

complete -c casebook -n "__fish_casebook_needs_command" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_needs_command" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_needs_command" -s V -l version -d 'Print version'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "init" -d 'Write a first suite, hello.casebook.yaml'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "run" -d 'Check suites, run their tests, show and record what happens'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "check" -d 'Find what is wrong with suites, without running them'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "compile" -d 'Write a suite as Bats code'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "explain" -d 'Explain a problem that check has found'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "schema" -d 'Print the JSON Schema of suite files, for editors'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "record" -d 'Record what a command runs, or a run from its events or another tool\'s results'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "merge" -d 'Join the records of shards into one'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "rspec" -d 'Run RSpec examples in several processes, show them as one run and record it'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "recover" -d 'Rebuild run.json from the journal of a run that was cut short'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "worker" -d 'Run tests for a controller (internal)'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "report" -d 'Show a recorded run'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "diff" -d 'Show what changed between two recorded runs'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "history" -d 'Show what the recorded runs tell together'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "coverage" -d 'Say which states of which characteristics are tested'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "design" -d 'Design RSpec tests from Ruby code: characteristics, metadata, skeletons, reviews'
complete -c casebook -n "__fish_casebook_using_subcommand init" -l agent -d 'One that talks to an agent, agent.casebook.yaml, and an agent to go with it, agent.py'
complete -c casebook -n "__fish_casebook_using_subcommand init" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand init" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s j -l jobs -d 'How many tests to run at once [default: the number of CPUs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -s w -l workers -d 'Run the tests in N processes of their own, one test at a time each' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l worker-program -d 'The program to start as a worker' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l worker-silence -d 'How long a worker may say nothing before it counts as dead' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l filter -d 'Only tests with this text in their names, or names that /ERE/ matches' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l tag -d 'Only tests with this tag; a,b wants both, !a does not want it, given twice either will do' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l shard -d 'Only part K of N, for machines that share the work' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l retries -d 'Try a failed test again, so often; a pass is then marked flaky' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l timeout -d 'How long a test may take that has no timeout of its own: 2, 500ms, 2m' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l seed -d 'Run the tests in an order shuffled by this number' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l engine -d 'What runs the tests: this program, or the installed bats' -r -f -a "native\t'This program itself'
bats\t'The installed bats, on the compiled suites'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l leaks -d 'What becomes of a test whose command leaves processes that hold its output open' -r -f -a "warn\t'It is marked leaky'
fail\t'It fails'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l max-output -d 'How much output of a test is captured: 512K, 10M [default: 10M]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l llm-cache -d 'Record the answers of models there, and take from there what was recorded' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l resume -d 'Run only what this run did not finish, and add to its record [default: the newest]' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l format -d 'How to show results: pretty, tap, junit, json or github, each to a file with =FILE; repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l html -d 'Write an HTML page of the run as well' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l ui -d 'How to show the run while it lasts, instead of progress and a line for each file' -r -f -a "interactive\t'The whole screen: a tab for each worker, what it does, and keys to look around'
interleaved\t'A line for each thing that happens, with the worker\'s number before it'
quiet\t'A character for each test: . passed, F failed, * skipped'"
complete -c casebook -n "__fish_casebook_using_subcommand run" -l record -d 'Where to put the record: a new folder, or `none` to write nothing [default: a folder in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand run" -l redact -d 'Hide the values of environment variables with such names as well' -r
complete -c casebook -n "__fish_casebook_using_subcommand run" -l fail-fast -d 'Start no more tests after the first failure'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l update -d 'Accept the output of tests with snapshots'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l list -d 'List the tests that would be run, and run none'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l llm-cache-only -d 'Take recorded answers only: ask no model, and fail where one is missing'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s T -l timing -d 'Show how long each test took'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s v -l verbose -d 'Show every test'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s q -l quiet -d 'Show failures and the summary only'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s x -l trace -d 'Show each command and its output, and what was said in each conversation'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l watch -d 'Run again whenever a file changes, until Ctrl-C'
complete -c casebook -n "__fish_casebook_using_subcommand run" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand check" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand compile" -s o -l output -d 'The file to write, whole or not at all [default: standard output]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand compile" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand compile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand explain" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand explain" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand schema" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand schema" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand record" -l from -d 'What the input is: event lines, TAP 12 to 14, or JUnit XML' -r -f -a "jsonl\t'Casebook\'s own events, one JSON object per line'
tap\t'The Test Anything Protocol, versions 12 to 14'
junit\t'JUnit XML as pytest, nextest, surefire and others write it'"
complete -c casebook -n "__fish_casebook_using_subcommand record" -l record -d 'Where to put the record: a new folder, or `none` to write nothing [default: a folder in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand record" -l redact -d 'Hide the values of environment variables with such names as well' -r
complete -c casebook -n "__fish_casebook_using_subcommand record" -l ack -d 'Echo each line\'s number on standard output once its event is on the disk (event lines only)'
complete -c casebook -n "__fish_casebook_using_subcommand record" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand merge" -l record -d 'Where to put the record: a new folder [default: a folder in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand merge" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s w -l workers -d 'How many processes share the work [default: the number of CPUs]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l command -d 'What starts RSpec [default: `bundle exec rspec` where there is a Gemfile, else `rspec`]' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l timeout -d 'How long an example may take, or a hook between examples, before its process is ended: 30, 500ms, 2m' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l worker-silence -d 'How long a process that was stopped may say nothing before it counts as dead' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l seed -d 'Run the examples in an order shuffled by this number' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l format -d 'How to show results: pretty, tap, junit, json or github, each to a file with =FILE; repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l html -d 'Write an HTML page of the run as well' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l ui -d 'How to show the run while it lasts, instead of progress and a line for each file' -r -f -a "interactive\t'The whole screen: a tab for each worker, what it does, and keys to look around'
interleaved\t'A line for each thing that happens, with the worker\'s number before it'
quiet\t'A character for each test: . passed, F failed, * skipped'"
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l record -d 'Where to put the record: a new folder, or `none` to write nothing [default: a folder in .casebook/runs]' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l redact -d 'Hide the values of environment variables with such names as well' -r
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l fail-fast -d 'Start no more examples after the first failure'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l list -d 'List the examples that would be run, and run none'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s T -l timing -d 'Show how long each test took'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s v -l verbose -d 'Show every test'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s q -l quiet -d 'Show failures and the summary only'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand rspec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand recover" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand recover" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand worker" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand worker" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l format -d 'Set the format: pretty, tap, junit, json or github, each to a file with =FILE; repeatable' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l junit -d 'Write JUnit XML to a file, or to standard output with -: short for --format junit=FILE' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand report" -l html -d 'Write an HTML page to a file, or to standard output with -; without --format, show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand report" -l transcripts -d 'Which conversations to show' -r -f -a "auto\t'All of them when they are few, else those of failed examples'
all\t'All of them'
failed\t'Those of failed examples'
none\t'None'"
complete -c casebook -n "__fish_casebook_using_subcommand report" -l slowest -d 'How many of the slowest examples to list' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l json -d 'Print the summary and every test as JSON: short for --format json'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l html -d 'Write a page for the browser, which needs nothing else, or - for standard output, and show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l fail-on -d 'End with exit code 1 if there is such a change' -r -f -a "regression\t'A test fails that did not, or passes significantly fewer of its trials'
criteria\t'A criterion holds significantly less often'
slower\t'A test is slower than noise explains'"
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l json -d 'Print all of it as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l markdown -d 'Print Markdown, for a comment on a pull request'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l test -d 'Only tests whose names or ids contain this' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l limit -d 'Only so many runs, the newest' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l slowest -d 'How many of the slowest tests to list' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l html -d 'Write a page for the browser, which needs nothing else, or - for standard output, and show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l json -d 'Print all of it as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand history; and not __fish_seen_subcommand_from prune" -f -a "prune" -d 'Remove recorded runs that are too old, too many or too large'
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l older-than -d 'Remove runs older than this, such as 12h, 30d or 8w' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l keep -d 'Keep so many runs, the newest' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l max-size -d 'Keep so much, the newest, such as 500MB or 1GB' -r
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -s n -l dry-run -d 'Only tell what would be removed'
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand history; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l run -d 'A recorded run whose results count; of a test that is in several, the newest [default: the newest record]' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l suite -d 'Suites whose `covers` count: files, folders or globs [default: this folder]' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l min -d 'End with exit code 1 when fewer states of a hundred have passed' -r
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l html -d 'Write a page to a file, or to standard output with -, and print nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l json -d 'Print everything as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand coverage" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "analyze" -d 'Find what varies in a method and write its metadata'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "path" -d 'Print where a file\'s metadata lives'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "cache" -d 'Say as JSON whether a file\'s metadata is fresh'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "dir" -d 'Print the folder of this project\'s metadata'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "validate" -d 'Check a metadata file and write the verdict into it'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "factories" -d 'Print the project\'s factories and their traits as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "skeleton" -d 'Write a spec whose contexts mirror what varies'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "outline" -d 'Print the structure of a spec as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "architect" -d 'Say what contexts and examples of a skeleton are about'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "implement" -d 'Fill in what is certain: parameters, values of states, expectations'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "optimize" -d 'Make the factory calls of a unit test cheaper'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "polish" -d 'Check a spec\'s syntax, lint it and run it'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "review" -d 'Review a spec and write a report; nothing else is changed'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "pipeline" -d 'All steps for one method: from analysis to review'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "status" -d 'Show how far each method has come'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "mark" -d 'Record a step that was done by somebody else'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "survey" -d 'List every public method by what most deserves a test'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "update" -d 'Say what a change to app/ asks of its specs'
complete -c casebook -n "__fish_casebook_using_subcommand design; and not __fish_seen_subcommand_from analyze path cache dir validate factories skeleton outline architect implement optimize polish review pipeline status mark survey update refactor" -f -a "refactor" -d 'Bring an old spec into the present style'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l level -d 'The test level, instead of the one found' -r -f -a "unit\t'One class alone'
integration\t'Several classes, with a database'
request\t'Through HTTP'
e2e\t'Through the user\'s eyes'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l format -d 'The format of the metadata' -r -f -a "1.3\t'One method per file'
2.0\t'With setup, thresholds and terminal states'
plugin\t'Many methods per file'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l names -d 'How names are written [default: full in 1.3, domain in 2.0, short in plugin]' -r -f -a "full\t'user_active, always'
domain\t'active, where the method asks no other record and a factory makes it'
short\t'active, unless another characteristic would have the same name'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l all -d 'Every public method, one metadata file per source file'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l print -d 'Print the document instead of its path'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l force -d 'Analyze even if the metadata is fresh'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l strict -d 'Keep to the letter of format 1.3: one parent state each'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l skip-ternaries -d 'Leave out the conditions of ternaries, also where the metadata is fresh'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from analyze" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from path" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from cache" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from cache" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from dir" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from dir" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l stage -d 'Check a file of the plugin layout as one of its stages leaves it, and only say OK' -r -f -a "discovery-agent\t'Which methods there are'
code-analyzer\t'What varies in them'
spec-writer\t'The finished spec'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l strict -d 'Also tell what the format only recommends; in format 2.0 every when_parent is a list'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from factories" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from factories" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l mode -d 'Write a spec, or only print what would be in it' -r -f -a "full\t'A spec file; prints its path'
blocks\t'Prints the methods\' blocks, to be put into a spec'
outline\t'Prints the structure as JSON, in the form of `design outline`'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l policy -d 'Where specs of controllers go' -r -f -a "request\t'Request specs'
controller\t'Controller specs'
ask\t'Ask where a controller spec is already there'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l merge -d 'Change only the method\'s block in a spec that is already there [default: by method_mode in the plugin layout]' -r -f -a "insert\t'As a new block'
replace\t'In the place of the block that is there'
upsert\t'Whichever fits'
missing\t'As a new block, unless there is one already'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l conflict -d 'What becomes of a block that is there for a new method, or holds handwork (plugin layout)' -r -f -a "overwrite\t'It is replaced; the old file is kept as .backup'
skip\t'It stays as it is'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l level -d 'The test level of methods of which the rules are not sure (plugin layout)' -r -f -a "unit\t'One class alone'
integration\t'Several classes, with a database'
request\t'Through HTTP'
e2e\t'Through the user\'s eyes'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l comments -d 'Placeholders in comments, so that the file is Ruby at once'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l small-not -d 'Contexts say "not", to the letter of format 1.3; the reviewer asks for "NOT"'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l suite -d 'A Casebook suite instead of a spec, for an executable script'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from skeleton" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from outline" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from outline" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from architect" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from architect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l boundary -d 'Values right at the bounds of comparisons, not 5 % away'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from implement" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from optimize" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from optimize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from polish" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from polish" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l json -d 'Print the findings as JSON instead'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from review" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l level -d 'The test level, instead of the one found' -r -f -a "unit\t'One class alone'
integration\t'Several classes, with a database'
request\t'Through HTTP'
e2e\t'Through the user\'s eyes'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l names -d 'How names are written' -r -f -a "full\t'user_active, always'
domain\t'active, where the method asks no other record and a factory makes it'
short\t'active, unless another characteristic would have the same name'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l overwrite -d 'Replace the method\'s block in a spec that is already there; the old file is kept as .backup'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l keep-going -d 'Go on when an optional step (optimize, polish) fails'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from pipeline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -l json -d 'Print JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -l set -d 'A value for a key that the step owns; JSON, or else a text' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from mark" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l limit -d 'How many to list' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l json -d 'Print JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from survey" -s h -l help -d 'Print help'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l base -d 'The commit to compare with' -r
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l json -d 'Print JSON'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l mode -d 'How far to go' -r -f -a "conservative\t'should becomes expect; wording, frozen literals, linter'
full\t'The spec is written anew from the code'"
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l discard-handwork -d 'Write the spec anew even if it holds helper methods, shared examples or CUSTOM comments'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand design; and __fish_seen_subcommand_from refactor" -s h -l help -d 'Print help (see more with \'--help\')'
