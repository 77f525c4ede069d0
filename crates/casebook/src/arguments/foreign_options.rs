//! Hints for options and commands of other tools: what to use instead.
//!
//! Users of Bats, pytest, RSpec, Jest, hurl or promptfoo type the options they know. A suggestion by similar letters is often
//! wrong (`--quiet` for `--junit`), so common options are listed here.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::Arguments;

/// Names in other tools, and the hint for them.
type ForeignOption = (&'static str, &'static str);

/// Options of all commands that run tests.
const ALL: [ForeignOption; 12] = [
    (
        "--junit --junitxml --junit-xml --report-junit --xml",
        "'--format pretty --format junit=FILE' writes JUnit XML to a file, '--format junit' to standard output",
    ),
    (
        "--tap --report-tap",
        "'--format tap' writes TAP, to a file with '=FILE'",
    ),
    (
        "--report-json",
        "'--format json' writes JSON, to a file with '=FILE'",
    ),
    (
        "--reporter --reporters --formatter --report-formatter --pretty -F -R",
        concat!(
            "'--format' sets ",
            format_names!(),
            ", to a file with '=FILE'"
        ),
    ),
    (
        "--html-report --report-html --report",
        "'--html FILE' writes a page of the run",
    ),
    (
        "--output -o --output-dir --output-path",
        "'--format json=FILE', '--format junit=FILE' and '--html FILE' write results, '--record DIR' the record",
    ),
    (
        "--bail --failfast --maxfail --stop-on-failure --exitfirst --abort-on-failure -b",
        "'--fail-fast' starts no more tests after the first failure",
    ),
    (
        "--dry-run --collect-only --list-tests --listTests --count -c",
        "'--list' lists tests without running them",
    ),
    (
        "--random --shuffle --order --random-order",
        "'--seed N' shuffles the tests with this seed",
    ),
    (
        "--profile --durations --slowest",
        "'--timing' shows the duration of each test; 'casebook report' and 'casebook history' list the slowest",
    ),
    (
        "--silent --summary",
        "'--quiet' shows only failures and the summary, '--ui quiet' a character for each test",
    ),
    (
        "--colour --no-colour --colors",
        "'--color always|auto|never' sets when text is colored",
    ),
];

/// Options of `casebook run`.
const RUN: [ForeignOption; 13] = [
    (
        "--last-failed --lf --only-failures --filter-status --filter-failing --rerun-failed --retry-failed --rerun",
        "'--failed' runs the tests that failed or did not run in the newest record; 'FILE:LINE' runs one test",
    ),
    (
        "--parallel --concurrency --max-concurrency --max-workers --numprocesses --threads -n",
        "'-j N' runs up to N tests at once, '--workers N' uses N processes",
    ),
    (
        "--no-parallel --no-parallelize-across-files --no-parallelize-within-files --serial --runInBand",
        "'-j 1' runs one test after another, 'parallel: false' in a suite does so for the suite",
    ),
    (
        "--grep --name --test-name-pattern --testNamePattern --filter-pattern --match --example --test -k -t -e -f -g",
        "'--filter TEXT' runs tests whose names contain this text, '--filter /ERE/' those that match",
    ),
    (
        "--only --focus",
        "'FILE:LINE' runs one test, '--filter TEXT' those whose names contain this text",
    ),
    (
        "--tags --filter-tags --label --labels --marker -m",
        "'--tag NAME' runs tests with this tag, --tag '!NAME' those without it",
    ),
    (
        "--exclude --skip --ignore --exclude-tags --negative-filter --deselect",
        "--tag '!NAME' excludes tests with this tag; 'skip: REASON' in the suite skips one",
    ),
    (
        "--retry --reruns --rerun-failures --max-retries",
        "'--retries N' retries a failed test up to N times",
    ),
    (
        "--continue --resume-run",
        "'--resume' runs the unfinished tests of the newest run",
    ),
    (
        "--epochs --num-trials --repetitions --stress-count",
        "'--repeat N' runs each test N times; 'trials: N' in a suite repeats a conversation",
    ),
    (
        "--update-snapshots --updateSnapshot --snapshot-update --accept --overwrite -u",
        "'--update' accepts the output of tests with snapshots",
    ),
    (
        "--nocapture --no-capture --capture --show-output --show-output-of-passing-tests --print-output-on-failure --debug -s",
        "'--trace' shows each command and its output; the output of failed tests is always shown",
    ),
    (
        "--env --env-file --variable --variables-file --var",
        "define variables in the suite; '{{env.NAME}}' reads the environment, as in 'NAME=value casebook run'",
    ),
];

/// Options of `casebook rspec`; RSpec's own options follow `--`.
const RSPEC: [ForeignOption; 1] = [(
    "--parallel --jobs --processes -n -j",
    "'-w N' runs the examples in N processes",
)];

/// Options of `casebook report`.
const REPORT: [ForeignOption; 1] = [(
    "--formatter --reporter --output -f -o",
    concat!(
        "'--format' sets ",
        format_names!(),
        ", to a file with '=FILE'; '--html FILE' writes a page"
    ),
)];

/// Options of `casebook diff`.
const DIFF: [ForeignOption; 1] = [(
    "--format --formatter --reporter --output -f -o",
    "'--json' and '--markdown' print other formats, '--html FILE' writes a page",
)];

/// Commands.
const COMMANDS: [ForeignOption; 9] = [
    (
        "test tests exec execute eval evaluate start",
        "'casebook run' runs suites",
    ),
    (
        "validate lint verify",
        "'casebook check' finds problems in suites",
    ),
    ("list ls", "'casebook run --list' lists tests"),
    (
        "view show open results export log logs",
        "'casebook report' shows a recorded run; '--format NAME' and '--html FILE' write other formats",
    ),
    (
        "new create generate",
        "'casebook init' writes a first suite",
    ),
    ("compare", "'casebook diff' compares two recorded runs"),
    (
        "retry resume continue",
        "'casebook run --resume' runs the unfinished tests of the newest run",
    ),
    ("watch", "'casebook run --watch' reruns when a file changes"),
    (
        "import",
        "'casebook record --from jsonl|tap|junit FILE' records results of another tool",
    ),
];

/// Adds a hint to the error if the option or command is known from another tool.
pub(crate) fn add_hint(mut error: Error, typed: &[OsString]) -> Error {
    let command = command_of(typed);
    let unknown = |kind| match error.get(kind) {
        Some(ContextValue::String(unknown)) => Some(unknown.as_str()),
        _ => None,
    };
    let meant = match error.kind() {
        ErrorKind::UnknownArgument => unknown(ContextKind::InvalidArg)
            .zip(command)
            .and_then(|(unknown, command)| option(command, unknown)),
        ErrorKind::InvalidSubcommand => {
            unknown(ContextKind::InvalidSubcommand).and_then(self::command)
        }
        _ => None,
    };
    let Some(meant) = meant else {
        // clap suggests `--`, which only these commands use for options of another program.
        if !matches!(command, Some("rspec" | "record")) {
            error.remove(ContextKind::Suggested);
        }
        return error;
    };
    // The usage contains clap's suggestion as well.
    for guess in [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::Usage,
    ] {
        error.remove(guess);
    }
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![meant.into()]),
    );
    error
}

/// The command, or what was typed instead of one. Options of all commands may precede it.
fn command_of(typed: &[OsString]) -> Option<&str> {
    let mut words = typed.iter().skip(1).filter_map(|word| word.to_str());
    words.find(|word| *word != "--no-color")
}

fn option(command: &str, unknown: &str) -> Option<String> {
    let (own, all) = match command {
        "run" => (&RUN[..], &ALL[..]),
        "rspec" => (&RSPEC[..], &ALL[..]),
        "report" => (&REPORT[..], &[][..]),
        "diff" => (&DIFF[..], &[][..]),
        // An option before any command is most likely one of `run`.
        _ if command.starts_with('-') && is_option_of_run(unknown) => {
            return Some(format!(
                "options follow the command: 'casebook run {unknown}'"
            ));
        }
        _ => return None,
    };
    among(own.iter().chain(all), unknown)
}

fn is_option_of_run(unknown: &str) -> bool {
    let arguments = Arguments::command();
    let run = arguments.find_subcommand("run");
    let name = unknown.trim_start_matches('-');
    run.is_some_and(|run| {
        run.get_arguments().any(|argument| {
            argument.get_long() == Some(name)
                || argument
                    .get_short()
                    .is_some_and(|short| name == short.to_string())
        })
    })
}

fn command(unknown: &str) -> Option<String> {
    let is_path = unknown.contains(['/', '.', ':', '*']);
    match is_path.then(|| format!("'casebook run {unknown}' runs suites")) {
        None => among(COMMANDS.iter(), unknown),
        run => run,
    }
}

fn among<'k>(mut known: impl Iterator<Item = &'k ForeignOption>, unknown: &str) -> Option<String> {
    let (_, meant) = known.find(|(names, _)| names.split(' ').any(|name| name == unknown))?;
    Some((*meant).to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser as _;

    use super::*;

    fn said(line: &str) -> String {
        let typed: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let error = Arguments::try_parse_from(&typed).unwrap_err();
        add_hint(error, &typed).to_string()
    }

    #[test]
    fn options_of_other_tools_are_answered_with_ours() {
        for (line, meant) in [
            ("casebook run --junit", "--format junit=FILE"),
            ("casebook run --junit=results.xml", "--format junit=FILE"),
            ("casebook run -k shop tests", "--filter TEXT"),
            ("casebook run --bail", "--fail-fast"),
            ("casebook run --parallel 4", "-j N"),
            ("casebook rspec --junit", "--format junit=FILE"),
            ("casebook rspec --parallel", "-w N"),
            ("casebook report --reporter junit", "'--format'"),
            ("casebook test", "'casebook run'"),
            ("casebook lint", "'casebook check'"),
            (
                "casebook tests/a.yaml --bail",
                "'casebook run tests/a.yaml'",
            ),
            ("casebook --filter x", "'casebook run --filter'"),
        ] {
            let said = said(line);
            assert!(said.contains(meant), "{line}: {said}");
            assert!(!said.contains("similar"), "{line}: {said}");
            assert!(!said.contains("--quiet"), "{line}: {said}");
        }
        assert!(said("casebook run --jbos").contains("similar argument exists: '--jobs'"));
        assert!(said("casebook run --format html=x.html").contains("--html FILE"));
        assert!(!said("casebook check --fix").contains("tip"));
        assert!(said("casebook rspec --tag x").contains("-- --tag"));
        assert!(said("casebook recrod").contains("'record'"));
        assert!(!said("casebook --no-such-option").contains("casebook run"));
        assert!(said("casebook --no-color run --worker 3").contains("'--workers'"));
        assert!(said("casebook run --seed -1").contains("'-1' for '--seed <N>'"));
        assert!(said("casebook studio --port 99999").contains("from 0 to 65535"));
    }

    #[test]
    fn hints_are_for_unknown_options_and_name_existing_ones() {
        let mut arguments = Arguments::command();
        arguments.build();
        for (command, own, all) in [
            ("run", &RUN[..], &ALL[..]),
            ("rspec", &RSPEC[..], &ALL[..]),
            ("report", &REPORT[..], &[][..]),
            ("diff", &DIFF[..], &[][..]),
        ] {
            let command = arguments.find_subcommand(command).unwrap();
            let mut there: BTreeSet<String> = BTreeSet::new();
            for argument in command.get_arguments() {
                there.extend(argument.get_long().map(|long| format!("--{long}")));
                there.extend(argument.get_short().map(|short| format!("-{short}")));
            }
            for (options, meant) in own.iter().chain(all) {
                let known = options.split(' ').find(|option| there.contains(*option));
                assert_eq!(known, None, "{}", command.get_name());
                let words = meant.split(|c: char| c.is_whitespace() || c == '\'' || c == '=');
                for option in words.filter(|word| word.starts_with('-')) {
                    let is_there =
                        there.contains(option) || ["--color", "--json"].contains(&option);
                    assert!(is_there, "{}: {option}", command.get_name());
                }
            }
        }
    }
}
