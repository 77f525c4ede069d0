//! Parses arguments as Bashi does: from left to right, with options before and after files.

use std::time::Duration;

use crate::arguments::run::duration;
use crate::context::Context;

/// What to do.
#[derive(Debug, PartialEq)]
pub(super) enum BashiAction {
    Help,
    Version,
    Init,
    Tests(BashiOptions),
}

/// How to run the tests.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
#[derive(Debug, Default, PartialEq)]
pub(super) struct BashiOptions {
    pub(super) patterns: Vec<String>,
    pub(super) verbose: bool,
    pub(super) validate_only: bool,
    pub(super) tap: bool,
    pub(super) timing: bool,
    pub(super) trace: bool,
    pub(super) timeout: Timeout,
    pub(super) jobs: Jobs,
    pub(super) no_color: bool,
}

/// The timeout of tests.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Timeout {
    #[default]
    Usual,
    Given(Duration),
    /// As the command `timeout` understands a 0.
    Never,
}

impl Timeout {
    pub(super) fn or(&self, usual: Duration) -> Option<Duration> {
        match self {
            Timeout::Usual => Some(usual),
            Timeout::Given(time) => Some(*time),
            Timeout::Never => None,
        }
    }
}

/// The number of parallel tests.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Jobs {
    #[default]
    One,
    Cpus,
    Number(usize),
}

impl Jobs {
    pub(super) fn number(&self) -> usize {
        match self {
            Jobs::One => 1,
            Jobs::Cpus => Context::cpus(),
            Jobs::Number(number) => *number,
        }
    }
}

/// An invalid command line.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum UsageError {
    #[error("Unknown option: {0}")]
    UnknownOption(String),
    #[error("No test suite file or pattern specified")]
    NoFile,
    #[error("Option --timeout requires an argument")]
    NoTimeout,
    #[error("Option --timeout requires a number of seconds, got: '{0}'")]
    BadTimeout(String),
    #[error("Option --parallel requires a number from 1 on, got: '{0}'")]
    BadJobs(String),
    #[error("--init cannot be combined with other options or arguments")]
    InitAndMore,
}

impl UsageError {
    /// Whether the usage is shown as well.
    pub(super) fn wants_usage(&self) -> bool {
        matches!(self, UsageError::UnknownOption(_) | UsageError::NoFile)
    }
}

/// Parses the arguments. The first one that requests help or the version, or is invalid, decides.
pub(super) fn parse(typed: Vec<String>) -> Result<BashiAction, UsageError> {
    let mut options = BashiOptions::default();
    let mut init = false;
    let mut rest = typed.into_iter().peekable();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-h" | "--help" => return Ok(BashiAction::Help),
            "--version" => return Ok(BashiAction::Version),
            "--init" => init = true,
            "-v" | "--verbose" => options.verbose = true,
            "--validate-only" => options.validate_only = true,
            "-t" | "--tap" => options.tap = true,
            "-T" | "--timing" => options.timing = true,
            "-x" | "--trace" => options.trace = true,
            "--no-color" => options.no_color = true,
            "--timeout" => options.timeout = timeout(rest.next())?,
            "-j" | "--parallel" => options.jobs = jobs(rest.next_if(|next| is_number(next)))?,
            option if option.starts_with('-') => {
                return Err(UsageError::UnknownOption(argument));
            }
            _ => options.patterns.push(argument),
        }
    }
    match (init, options) {
        (true, options) if options == BashiOptions::default() => Ok(BashiAction::Init),
        (true, _) => Err(UsageError::InitAndMore),
        (false, options) if options.patterns.is_empty() => Err(UsageError::NoFile),
        (false, options) => Ok(BashiAction::Tests(options)),
    }
}

fn timeout(typed: Option<String>) -> Result<Timeout, UsageError> {
    let typed = typed.ok_or(UsageError::NoTimeout)?;
    if is_number(&typed) && typed.bytes().all(|digit| digit == b'0') {
        return Ok(Timeout::Never);
    }
    match duration(&typed) {
        Ok(time) => Ok(Timeout::Given(time)),
        Err(_) => Err(UsageError::BadTimeout(typed)),
    }
}

/// The number is optional: the next argument is used only if it consists of digits.
fn jobs(typed: Option<String>) -> Result<Jobs, UsageError> {
    let Some(typed) = typed else {
        return Ok(Jobs::Cpus);
    };
    match typed.parse() {
        Ok(number) if number > 0 => Ok(Jobs::Number(number)),
        _ => Err(UsageError::BadJobs(typed)),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(typed: &str) -> Result<BashiAction, UsageError> {
        parse(typed.split_whitespace().map(str::to_owned).collect())
    }

    fn options(typed: &str) -> BashiOptions {
        match parsed(typed) {
            Ok(BashiAction::Tests(options)) => options,
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn options_may_precede_and_follow_files() {
        let both = options("-t a.yaml --timing b.yaml --no-color -x -v --validate-only");
        let expected = BashiOptions {
            patterns: vec!["a.yaml".into(), "b.yaml".into()],
            verbose: true,
            validate_only: true,
            tap: true,
            timing: true,
            trace: true,
            no_color: true,
            ..BashiOptions::default()
        };
        assert_eq!(both, expected);
    }

    #[test]
    fn the_number_of_jobs_may_be_left_out() {
        for (typed, jobs) in [
            ("a", Jobs::One),
            ("-j a", Jobs::Cpus),
            ("a --parallel", Jobs::Cpus),
            ("-j 4 a", Jobs::Number(4)),
            ("a --parallel 2 -t", Jobs::Number(2)),
        ] {
            assert_eq!(options(typed).jobs, jobs, "{typed}");
        }
        assert_eq!(parsed("-j 0 a"), Err(UsageError::BadJobs("0".into())));
    }

    #[test]
    fn a_timeout_is_given_in_seconds() {
        let seconds = |number| Timeout::Given(Duration::from_secs(number));
        for (typed, timeout) in [
            ("a", Timeout::Usual),
            ("a --timeout 60", seconds(60)),
            ("--timeout 0 a", Timeout::Never),
        ] {
            assert_eq!(options(typed).timeout, timeout, "{typed}");
        }
        assert_eq!(parsed("a --timeout"), Err(UsageError::NoTimeout));
        assert_eq!(
            parsed("--timeout soon a"),
            Err(UsageError::BadTimeout("soon".into()))
        );
    }

    #[test]
    fn the_first_that_decides_decides() {
        assert_eq!(parsed("a -h --nonsense"), Ok(BashiAction::Help));
        assert_eq!(parsed("--version -h"), Ok(BashiAction::Version));
        let unknown = UsageError::UnknownOption("--nonsense".into());
        assert_eq!(parsed("--nonsense -h"), Err(unknown));
    }

    #[test]
    fn init_stands_alone() {
        assert_eq!(parsed("--init"), Ok(BashiAction::Init));
        for typed in ["--init a", "-v --init", "--init --timeout 300"] {
            assert_eq!(parsed(typed), Err(UsageError::InitAndMore), "{typed}");
        }
        assert_eq!(parsed("-v"), Err(UsageError::NoFile));
    }
}
