//! Telling what was wrong with an input.

use casebook_record::Problems;

use super::plural::plural;
use crate::messages::Messages;

/// Warns about each of the first problems and about how many there were.
pub(crate) fn report(name: &str, problems: &Problems, messages: &Messages) {
    for problem in &problems.first {
        match problem.line {
            0 => messages.warn(&format!("{name}: {}", problem.message)),
            line => messages.warn(&format!("{name}:{line}: {}", problem.message)),
        }
    }
    let hidden = problems.count - problems.first.len() as u64;
    if hidden > 0 {
        messages.warn(&format!(
            "{name}: {hidden} more bad {}",
            plural(hidden, "line")
        ));
    }
    if !problems.unknown.is_empty() {
        let kinds: Vec<_> = problems
            .unknown
            .iter()
            .map(|(kind, count)| format!("{kind} ({count})"))
            .collect();
        messages.warn(&format!(
            "{name}: events of unknown kinds were skipped: {}",
            kinds.join(", ")
        ));
    }
    if problems.ignored > 0 {
        let events = plural(problems.ignored, "event");
        messages.warn(&format!(
            "{name}: {} {events} ignored: the example had ended",
            problems.ignored
        ));
    }
    if let Some(line) = problems.torn_line {
        messages.warn(&format!(
            "{name}:{line}: the last line was cut off; everything before it is kept"
        ));
    }
}
