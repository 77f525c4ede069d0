//! Reports problems in recorded input.

use casebook_record::InputProblems;

use super::plural::plural;
use crate::messages::Messages;

/// Warns about each of the first problems and about the number of the others.
pub(crate) fn report(name: &str, problems: &InputProblems, messages: &Messages) {
    for problem in &problems.first {
        match problem.line {
            0 => messages.warn(&format!("{name}: {}", problem.message)),
            line => messages.warn(&format!("{name}:{line}: {}", problem.message)),
        }
    }
    let hidden = problems.count - problems.first.len() as u64;
    if hidden > 0 {
        messages.warn(&format!(
            "{name}: {hidden} more invalid {}",
            plural(hidden, "line")
        ));
    }
    report_skipped(name, problems, messages);
    if let Some(line) = problems.torn_line {
        messages.warn(&format!(
            "{name}:{line}: the last line is incomplete; everything before it is kept"
        ));
    }
}

/// Reports the events that are valid but not used.
fn report_skipped(name: &str, problems: &InputProblems, messages: &Messages) {
    if !problems.unknown.is_empty() {
        let kinds = problems.unknown.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, count)| format!("{kind} ({count})"))
            .collect();
        messages.warn(&format!(
            "{name}: skipped events of unknown kinds: {}",
            kinds.join(", ")
        ));
    }
    if problems.ignored > 0 {
        let events = plural(problems.ignored, "event");
        messages.warn(&format!(
            "{name}: ignored {} {events} after the end of an example",
            problems.ignored
        ));
    }
}
