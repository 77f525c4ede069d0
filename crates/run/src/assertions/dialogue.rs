//! The texts that a dialogue expects, as assertions.

use casebook_record::{Comparison, Screen, Stream as RecordedStream};
use casebook_suite::model::{DialogueEntry, ExpectedText};

use super::{AssertionChecker, AssertionResult, CheckResult, quoted, shortened};
use crate::budget::OutputBudget;
use crate::recorded_screen::recorded_screen;
use crate::shell::terminal::TerminalResult;

impl AssertionChecker<'_> {
    /// One result for each text that appeared, and one for the text that did not. The later entries have none.
    pub(crate) fn dialogue(&self, dialogue: &[DialogueEntry]) -> Vec<AssertionResult> {
        let Some(terminal) = &self.ran.terminal else {
            return Vec::new();
        };
        let missing = terminal.problem.as_ref().map(|problem| problem.entry);
        let reached = terminal.matched.iter().copied().chain(missing);
        reached
            .filter_map(|index| {
                let entry = dialogue.get(index)?;
                let is_missing = Some(index) == missing;
                Some(entry_result(entry, is_missing, terminal, self.budget))
            })
            .collect()
    }
}

fn entry_result(
    entry: &DialogueEntry,
    is_missing: bool,
    terminal: &TerminalResult,
    budget: &OutputBudget,
) -> AssertionResult {
    let (comparison, expected, shown) = match &entry.expect {
        Some(ExpectedText::Pattern(pattern)) => {
            let shown = shortened(&format!("/{pattern}/"));
            (Comparison::Matches, pattern.as_str(), shown)
        }
        Some(ExpectedText::Text(text)) => (Comparison::Contains, text.as_str(), quoted(text)),
        None => (Comparison::Contains, "", String::new()),
    };
    let mut result = CheckResult {
        expected: Some(expected.into()),
        ..CheckResult::default()
    };
    let problem = terminal.problem.as_ref().filter(|_| is_missing);
    if let Some(problem) = problem {
        let (text, is_excerpt) = budget.excerpt(terminal.screen.text().as_bytes());
        result.problem = Some(problem.message.clone());
        result.actual = Some(text.into());
        result.is_excerpt = is_excerpt;
        let screen = recorded_screen(&terminal.screen, budget);
        result.more.push((Screen::KEY, screen));
    }
    AssertionResult {
        field: "dialogue",
        span: entry.span,
        description: format!("dialogue expects {shown}"),
        comparison,
        stream: Some(RecordedStream::Screen),
        result,
    }
}
