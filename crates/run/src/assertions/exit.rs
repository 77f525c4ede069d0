//! Assertions on how a command ended: its exit code, its signal and its duration.

use std::time::Duration;

use casebook_suite::model::ExitCodes;
use casebook_suite::signal::Signal;
use serde_json::Value;

use super::CheckResult;
use crate::os::signal_name;
use crate::seconds::seconds;
use crate::shell::CommandResult;

/// `3`, `0 or 2`, `nonzero`.
pub(super) fn describe(codes: &ExitCodes) -> String {
    match codes {
        ExitCodes::OneOf(codes) => {
            let codes: Vec<_> = codes.iter().map(u8::to_string).collect();
            match codes.split_last() {
                Some((last, [])) => last.clone(),
                Some((last, before)) => format!("{} or {last}", before.join(", ")),
                None => "none".to_owned(),
            }
        }
        ExitCodes::Nonzero => "nonzero".to_owned(),
    }
}

/// Checks the exit code.
pub(super) fn code(ran: &CommandResult, expected: &ExitCodes) -> CheckResult {
    let actual = ran.exit_code;
    let problem = (!expected.contains(actual)).then(|| {
        let required = match expected {
            ExitCodes::Nonzero => "a nonzero one".to_owned(),
            codes @ ExitCodes::OneOf(_) => describe(codes),
        };
        format!("exit code {actual}{} instead of {required}", killed(ran))
    });
    CheckResult {
        problem,
        expected: Some(match expected {
            ExitCodes::OneOf(codes) => match codes.as_slice() {
                [code] => (*code).into(),
                codes => Value::from(codes),
            },
            ExitCodes::Nonzero => "nonzero".into(),
        }),
        actual: Some(actual.into()),
        ..CheckResult::default()
    }
}

/// Checks the signal. A shell that ran the killed program has the same exit code as the program.
pub(super) fn signal(ran: &CommandResult, expected: Signal) -> CheckResult {
    let number = ran.signal.unwrap_or(ran.exit_code - 128);
    let problem = (ran.exit_code != expected.exit_code()).then(|| {
        let required = expected.name;
        if number > 0 {
            format!(
                "killed by {} instead of SIG{required}",
                signal_name::name(number)
            )
        } else {
            format!(
                "exit code {} instead of being killed by SIG{required}",
                ran.exit_code
            )
        }
    });
    CheckResult {
        problem,
        expected: Some(format!("SIG{}", expected.name).into()),
        actual: Some(if number > 0 {
            signal_name::name(number).into()
        } else {
            ran.exit_code.into()
        }),
        ..CheckResult::default()
    }
}

fn killed(ran: &CommandResult) -> String {
    ran.signal.map_or_else(String::new, |signal| {
        format!(" (killed by {})", signal_name::name(signal))
    })
}

/// Checks the duration, in whole milliseconds.
pub(super) fn duration(ran: &CommandResult, limit: Duration) -> CheckResult {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let actual = Duration::from_millis(millis(ran.duration));
    let problem = (actual > limit).then(|| {
        format!(
            "took {} instead of at most {}",
            seconds(actual),
            seconds(limit)
        )
    });
    CheckResult {
        problem,
        expected: Some(limit.as_secs_f64().into()),
        actual: Some(actual.as_secs_f64().into()),
        ..CheckResult::default()
    }
}
