//! Usage errors, help and version.

use insta::assert_snapshot;

use crate::support::Project;

#[test]
fn no_arguments_show_the_help_and_exit_with_2() {
    let outcome = Project::new().casebook("").run().exits(2);
    assert_eq!(outcome.stdout, "");
    assert!(
        outcome.stderr.contains("Usage: casebook"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn help_goes_to_standard_output_with_examples_and_exit_codes() {
    let project = Project::new();
    for (arguments, expected) in [
        ("--help", "Exit codes:"),
        ("-h", "casebook report"),
        ("help", "Exit codes:"),
        (
            "record --help",
            "bats --tap test | casebook record --from tap",
        ),
        ("recover --help", "casebook recover .casebook/runs/"),
        ("report --help", "casebook report --json | jq .failed_count"),
    ] {
        let outcome = project.casebook(arguments).run().exits(0);
        assert!(
            outcome.stdout.contains(expected),
            "{arguments}: {}",
            outcome.stdout
        );
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn help_that_cannot_be_written_fails_unless_the_pipe_is_closed() {
    let project = Project::new();
    let outcome = project.bash(r#""$CASEBOOK" --help >/dev/full"#).run();
    assert!(
        outcome.exits(2).stderr.contains("no space left on device"),
        "the reason is reported"
    );
    project.casebook("--help").closed_stdout().run().exits(0);
}

#[test]
fn the_version() {
    let project = Project::new();
    for arguments in ["--version", "-V"] {
        let version = format!("casebook {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(project.casebook(arguments).run().exits(0).stdout, version);
    }
}

#[test]
fn typing_errors_get_a_suggestion() {
    let project = Project::new();
    let messages: String = [
        "recrod",
        "report --jsno",
        "record --from jsnol",
        "record",
        "report --slowest many",
        "report a b",
    ]
    .map(|arguments| {
        let outcome = project.casebook(arguments).run().exits(2);
        assert_eq!(outcome.stdout, "");
        format!("$ casebook {arguments}\n{}\n", outcome.stderr)
    })
    .concat();
    assert_snapshot!(messages, @"
    $ casebook recrod
    error: unrecognized subcommand 'recrod'

      tip: some similar subcommands exist: 'rspec', 'recover', 'record'

    Usage: casebook [OPTIONS] <COMMAND>

    For more information, try '--help'.

    $ casebook report --jsno
    error: unexpected argument '--jsno' found

      tip: a similar argument exists: '--json'

    Usage: casebook report --json [RUN]

    For more information, try '--help'.

    $ casebook record --from jsnol
    error: invalid value 'jsnol' for '--from <FORMAT>'
      [possible values: jsonl, tap, junit]

      tip: a similar value exists: 'jsonl'

    For more information, try '--help'.

    $ casebook record
    error: nothing to record: pass a command after `--`, or results with `--from jsonl|tap|junit [FILE]`

    $ casebook report --slowest many
    error: invalid value 'many' for '--slowest <N>': must be a whole number of at least 0

    For more information, try '--help'.

    $ casebook report a b
    error: unexpected argument 'b' found

    Usage: casebook report [OPTIONS] [RUN]

    For more information, try '--help'.
    ");
    assert!(project.files(".").is_empty());
}

#[test]
fn help_into_a_closed_pipe_is_not_an_error() {
    let outcome = Project::new()
        .bash(r#"set -o pipefail; "$CASEBOOK" --help | true"#)
        .run()
        .exits(0);
    assert_eq!(outcome.stderr, "");
}
