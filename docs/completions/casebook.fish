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
complete -c casebook -n "__fish_casebook_needs_command" -f -a "check" -d 'Find what is wrong with suites, without running them'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "explain" -d 'Explain a problem that check has found'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "schema" -d 'Print the JSON Schema of suite files, for editors'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "record" -d 'Record a run from its events or from another tool\'s results'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "recover" -d 'Rebuild run.json from the journal of a run that was cut short'
complete -c casebook -n "__fish_casebook_needs_command" -f -a "report" -d 'Show a recorded run'
complete -c casebook -n "__fish_casebook_using_subcommand check" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
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
complete -c casebook -n "__fish_casebook_using_subcommand recover" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand recover" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l junit -d 'Write JUnit XML to a file, or to standard output with -, and show nothing else' -r -F
complete -c casebook -n "__fish_casebook_using_subcommand report" -l transcripts -d 'Which conversations to show' -r -f -a "auto\t'All of them when they are few, else those of failed examples'
all\t'All of them'
failed\t'Those of failed examples'
none\t'None'"
complete -c casebook -n "__fish_casebook_using_subcommand report" -l slowest -d 'How many of the slowest examples to list' -r
complete -c casebook -n "__fish_casebook_using_subcommand report" -l json -d 'Print the summary and every test as JSON'
complete -c casebook -n "__fish_casebook_using_subcommand report" -l no-color -d 'Print without colours (also: set NO_COLOR)'
complete -c casebook -n "__fish_casebook_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
