//! Options and commands of other tools, and what does the same here.
//!
//! Whoever comes from Bats, pytest, RSpec, Jest, hurl or promptfoo types what was right there. A guess by letters alone
//! leads astray (`--quiet` for `--junit`), so the usual ones are known by what they mean.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// What other tools call it, and what is said then.
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
        "--json --report-json",
        "'--format json' writes JSON, to a file with '=FILE'",
    ),
    (
        "--reporter --reporters --formatter --report-formatter --pretty -F -R",
        "'--format' chooses between pretty, tap, junit, json and github, to a file with '=FILE'",
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
        "'--list' shows what would run, and runs nothing",
    ),
    (
        "--random --shuffle --order --random-order",
        "'--seed N' runs the tests in an order shuffled by this number",
    ),
    (
        "--profile --durations --slowest",
        "'--timing' shows how long each test took; 'casebook report' and 'casebook history' name the slowest",
    ),
    (
        "--silent --summary",
        "'--quiet' shows failures and the summary only, '--ui quiet' a character for each test",
    ),
    (
        "--color --colour --no-colour --colors",
        "colours are for terminals alone; '--no-color' leaves them out there",
    ),
];

/// Options of `casebook run`.
const RUN: [ForeignOption; 13] = [
    (
        "--last-failed --lf --only-failures --failed --filter-status --filter-failing --rerun-failed --retry-failed --rerun",
        "'FILE:LINE' runs a test again, and several may be given; 'casebook report' and its '--json' say where those that failed stand",
    ),
    (
        "--parallel --concurrency --max-concurrency --max-workers --numprocesses --threads -n",
        "'-j N' runs so many tests at once, '--workers N' so many processes",
    ),
    (
        "--no-parallel --no-parallelize-across-files --no-parallelize-within-files --serial --runInBand",
        "'-j 1' runs one test after another, 'parallel: false' in a suite those of the suite",
    ),
    (
        "--grep --name --test-name-pattern --testNamePattern --filter-pattern --match --example --test -k -t -e -f -g",
        "'--filter TEXT' runs tests with this text in their names, '--filter /ERE/' those that it matches",
    ),
    (
        "--only --focus",
        "'FILE:LINE' runs one test, '--filter TEXT' those with this text in their names",
    ),
    (
        "--tags --filter-tags --label --labels --marker -m",
        "'--tag NAME' runs tests with this tag, --tag '!NAME' those without it",
    ),
    (
        "--exclude --skip --ignore --exclude-tags --negative-filter --deselect",
        "--tag '!NAME' leaves out tests with this tag; 'skip: REASON' in the suite skips one",
    ),
    (
        "--retry --reruns --rerun-failures --max-retries",
        "'--retries N' tries a failed test again, so often",
    ),
    (
        "--continue --resume-run",
        "'--resume' runs what the newest run did not finish",
    ),
    (
        "--repeat --epochs --num-trials --repetitions",
        "'trials: N' in a suite holds a conversation so often, a 'matrix' repeats any test",
    ),
    (
        "--update-snapshots --updateSnapshot --snapshot-update --accept --overwrite -u",
        "'--update' accepts the output of tests with snapshots",
    ),
    (
        "--nocapture --no-capture --capture --show-output --show-output-of-passing-tests --print-output-on-failure --debug -s",
        "'--trace' shows each command and its output; that of failed tests is always shown",
    ),
    (
        "--env --env-file --variable --variables-file --var",
        "variables stand in the suite; '{{env.NAME}}' in it is what the environment says: 'NAME=value casebook run'",
    ),
];

/// Options of `casebook rspec`; those of RSpec itself go behind `--`.
const RSPEC: [ForeignOption; 1] = [(
    "--parallel --jobs --processes -n -j",
    "'-w N' shares the examples among so many processes",
)];

/// Options of `casebook report`.
const REPORT: [ForeignOption; 1] = [(
    "--formatter --reporter --output -f -o",
    "'--format' sets pretty, tap, junit, json or github, to a file with '=FILE'; '--html FILE' writes a page",
)];

/// Options of `casebook diff`.
const DIFF: [ForeignOption; 1] = [(
    "--format --formatter --reporter --output -f -o",
    "'--json' and '--markdown' print other forms, '--html FILE' writes a page",
)];

/// Commands.
const COMMANDS: [ForeignOption; 9] = [
    (
        "test tests exec execute eval evaluate start",
        "'casebook run' runs suites",
    ),
    (
        "validate lint verify",
        "'casebook check' finds what is wrong with suites",
    ),
    ("list ls", "'casebook run --list' shows what would run"),
    (
        "view show open results export log logs",
        "'casebook report' shows a recorded run; '--html FILE', '--junit FILE' and '--json' are other forms",
    ),
    (
        "new create generate",
        "'casebook init' writes a first suite",
    ),
    (
        "compare",
        "'casebook diff' shows what changed between two recorded runs",
    ),
    (
        "retry resume continue",
        "'casebook run --resume' runs what the newest run did not finish",
    ),
    (
        "watch",
        "'casebook run --watch' runs again whenever a file changes",
    ),
    (
        "import",
        "'casebook record --from jsonl|tap|junit FILE' records results of another tool",
    ),
];

/// Says what does the same here, where an option or a command is known from foreign_options.
pub(crate) fn add_hint(mut error: Error, typed: &[OsString]) -> Error {
    let command = typed.get(1).and_then(|command| command.to_str());
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
        // Behind `--` stands what is meant for others. Where there are none, it would be a file's name.
        if !matches!(command, Some("rspec" | "record")) {
            error.remove(ContextKind::Suggested);
        }
        return error;
    };
    // What clap has guessed stands in the usage as well.
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

fn option(command: &str, unknown: &str) -> Option<String> {
    let (own, all) = match command {
        "run" => (&RUN[..], &ALL[..]),
        "rspec" => (&RSPEC[..], &ALL[..]),
        "report" => (&REPORT[..], &[][..]),
        "diff" => (&DIFF[..], &[][..]),
        // Before any command, options are most likely meant for this one.
        _ if command.starts_with('-') => {
            return Some(format!(
                "options stand behind the command: 'casebook run {unknown}'"
            ));
        }
        _ => return None,
    };
    among(own.iter().chain(all), unknown)
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

    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::arguments::Arguments;

    fn said(line: &str) -> String {
        let typed: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let error = Arguments::try_parse_from(&typed).unwrap_err();
        add_hint(error, &typed).to_string()
    }

    #[test]
    fn what_other_tools_call_it_is_answered_with_what_it_is_called_here() {
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
    }

    /// A hint that is never said, or that leads to another error, is none.
    #[test]
    fn hints_are_for_options_that_are_not_there_and_lead_to_those_that_are() {
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
                        there.contains(option) || ["--no-color", "--json"].contains(&option);
                    assert!(is_there, "{}: {option}", command.get_name());
                }
            }
        }
    }
}
