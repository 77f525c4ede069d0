//! `casebook history prune`: removes recorded runs that are too old, too many or too large.

use std::io::Write as _;
use std::time::Duration;

use casebook_record::{Limits, PrunePlan, RunSize, Store, Time};

use crate::arguments::history::Prune;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(arguments: &Prune, context: &mut Context) -> Result<Exit, CommandError> {
    let store = Store::in_project(&context.dir);
    let mut pruning = store.plan_pruning(Limits {
        not_before: arguments.older_than.map(|age| before(Context::now(), age)),
        keep: arguments.keep,
        max_bytes: arguments.max_size,
    });
    let planned = pruning.removed.len();
    if !arguments.dry_run {
        store.prune(&mut pruning);
    }
    for (dir, reason) in &pruning.protected {
        context.messages.warn(&format!("kept {dir}: {reason}"));
    }
    for run in &pruning.removed {
        writeln!(context.stdout, "{}  {}", run.dir, human(run.bytes))?;
    }
    context.stdout.flush()?;
    context.messages.info(&summary(&pruning, arguments.dry_run));
    Ok(if pruning.removed.len() < planned {
        Exit::CouldNotTest
    } else {
        Exit::Passed
    })
}

fn before(now: Time, age: Duration) -> Time {
    now.plus_seconds(-age.as_secs_f64())
}

fn summary(pruning: &PrunePlan, dry_run: bool) -> String {
    let (removed, kept) = (counted(&pruning.removed), counted(&pruning.kept));
    if dry_run {
        format!("would remove {removed} and leave {kept}")
    } else {
        format!("removed {removed}; {kept} left")
    }
}

/// `3 runs (1.2 MB)`
fn counted(runs: &[RunSize]) -> String {
    let bytes = runs
        .iter()
        .map(|run| run.bytes)
        .fold(0, u64::saturating_add);
    match runs.len() {
        0 => "no runs".into(),
        1 => format!("1 run ({})", human(bytes)),
        number => format!("{number} runs ({})", human(bytes)),
    }
}

/// Three significant digits and the unit.
fn human(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    let mut unit = 0;
    let mut thousandths = bytes.saturating_mul(1_000);
    while thousandths >= 1_000_000 && unit + 1 < UNITS.len() {
        thousandths /= 1_000;
        unit += 1;
    }
    let (whole, rest) = (thousandths / 1_000, thousandths % 1_000);
    match (unit, whole) {
        (0, _) | (_, 100..) => format!("{whole} {}", UNITS[unit]),
        (_, 10..) => format!("{whole}.{} {}", rest / 100, UNITS[unit]),
        _ => format!("{whole}.{:02} {}", rest / 10, UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1_234, "1.23 KB"),
            (12_345, "12.3 KB"),
            (123_456_789, "123 MB"),
            (5_000_000_000, "5.00 GB"),
            (u64::MAX, "18446 TB"),
        ] {
            assert_eq!(human(bytes), text);
        }
    }
}
