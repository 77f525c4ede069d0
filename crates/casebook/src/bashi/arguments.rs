//! What Bashi understands, read as it reads it: from left to right, options also behind files.

use std::time::Duration;

use crate::arguments::run::duration;
use crate::context::Context;

/// What is asked for.
#[derive(Debug, PartialEq)]
pub(super) enum Asked {
    Help,
    Version,
    Init,
    Tests(Wish),
}

/// How tests are to be run.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[derive(Debug, Default, PartialEq)]
pub(super) struct Wish {
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

/// How long a test may take.
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

/// How many tests at once.
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

/// What cannot be understood.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum Misuse {
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

impl Misuse {
    /// Whether it helps to see all the options.
    pub(super) fn wants_usage(&self) -> bool {
        matches!(self, Misuse::UnknownOption(_) | Misuse::NoFile)
    }
}

/// What the arguments ask for. The first that asks for help or a version, or is wrong, decides.
pub(super) fn parse(typed: Vec<String>) -> Result<Asked, Misuse> {
    let mut wish = Wish::default();
    let mut init = false;
    let mut rest = typed.into_iter().peekable();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-h" | "--help" => return Ok(Asked::Help),
            "--version" => return Ok(Asked::Version),
            "--init" => init = true,
            "-v" | "--verbose" => wish.verbose = true,
            "--validate-only" => wish.validate_only = true,
            "-t" | "--tap" => wish.tap = true,
            "-T" | "--timing" => wish.timing = true,
            "-x" | "--trace" => wish.trace = true,
            "--no-color" => wish.no_color = true,
            "--timeout" => wish.timeout = timeout(rest.next())?,
            "-j" | "--parallel" => wish.jobs = jobs(rest.next_if(|next| is_number(next)))?,
            option if option.starts_with('-') => {
                return Err(Misuse::UnknownOption(argument));
            }
            _ => wish.patterns.push(argument),
        }
    }
    match (init, wish) {
        (true, wish) if wish == Wish::default() => Ok(Asked::Init),
        (true, _) => Err(Misuse::InitAndMore),
        (false, wish) if wish.patterns.is_empty() => Err(Misuse::NoFile),
        (false, wish) => Ok(Asked::Tests(wish)),
    }
}

fn timeout(typed: Option<String>) -> Result<Timeout, Misuse> {
    let typed = typed.ok_or(Misuse::NoTimeout)?;
    if is_number(&typed) && typed.bytes().all(|digit| digit == b'0') {
        return Ok(Timeout::Never);
    }
    match duration(&typed) {
        Ok(time) => Ok(Timeout::Given(time)),
        Err(_) => Err(Misuse::BadTimeout(typed)),
    }
}

/// The number is optional, so what follows is one only if it looks like one.
fn jobs(typed: Option<String>) -> Result<Jobs, Misuse> {
    let Some(typed) = typed else {
        return Ok(Jobs::Cpus);
    };
    match typed.parse() {
        Ok(number) if number > 0 => Ok(Jobs::Number(number)),
        _ => Err(Misuse::BadJobs(typed)),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(typed: &str) -> Result<Asked, Misuse> {
        parse(typed.split_whitespace().map(str::to_owned).collect())
    }

    fn wish(typed: &str) -> Wish {
        match asked(typed) {
            Ok(Asked::Tests(wish)) => wish,
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn options_stand_before_and_behind_files() {
        let both = wish("-t a.yaml --timing b.yaml --no-color -x -v --validate-only");
        let expected = Wish {
            patterns: vec!["a.yaml".into(), "b.yaml".into()],
            verbose: true,
            validate_only: true,
            tap: true,
            timing: true,
            trace: true,
            no_color: true,
            ..Wish::default()
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
            assert_eq!(wish(typed).jobs, jobs, "{typed}");
        }
        assert_eq!(asked("-j 0 a"), Err(Misuse::BadJobs("0".into())));
    }

    #[test]
    fn a_timeout_is_given_in_seconds() {
        let seconds = |number| Timeout::Given(Duration::from_secs(number));
        for (typed, timeout) in [
            ("a", Timeout::Usual),
            ("a --timeout 60", seconds(60)),
            ("--timeout 0 a", Timeout::Never),
        ] {
            assert_eq!(wish(typed).timeout, timeout, "{typed}");
        }
        assert_eq!(asked("a --timeout"), Err(Misuse::NoTimeout));
        assert_eq!(
            asked("--timeout soon a"),
            Err(Misuse::BadTimeout("soon".into()))
        );
    }

    #[test]
    fn the_first_that_decides_decides() {
        assert_eq!(asked("a -h --nonsense"), Ok(Asked::Help));
        assert_eq!(asked("--version -h"), Ok(Asked::Version));
        let unknown = Misuse::UnknownOption("--nonsense".into());
        assert_eq!(asked("--nonsense -h"), Err(unknown));
    }

    #[test]
    fn init_stands_alone() {
        assert_eq!(asked("--init"), Ok(Asked::Init));
        for typed in ["--init a", "-v --init", "--init --timeout 300"] {
            assert_eq!(asked(typed), Err(Misuse::InitAndMore), "{typed}");
        }
        assert_eq!(asked("-v"), Err(Misuse::NoFile));
    }
}
