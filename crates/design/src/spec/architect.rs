//! The architect: writes context words and descriptions of examples.

use super::behavior::{BehaviorResult, LeafBehavior, behaviors};
use super::block::change_blocks;
use super::happy_path::{is_happy, misplaced};
use crate::metadata::read::Plan;
use crate::ruby::Analysis;
use crate::skeleton::{Context, contexts, leaves_of};

/// The result of the architect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchitectResult {
    /// The new text of the spec.
    pub text: String,
    /// One line for each description, with its origin.
    pub notes: Vec<String>,
}

const BEHAVIOR_TOKENS: [&str; 2] = ["{BEHAVIOR_DESCRIPTION}", "{TERMINAL_BEHAVIOR_DESCRIPTION}"];
const WORD_TOKEN: &str = "{CONTEXT_WORD}";

/// Writes the words and descriptions of methods. `analyses` are in the order of `plans`.
pub fn architect(spec: &str, plans: &[Plan], analyses: &[Analysis]) -> ArchitectResult {
    let (lines, notes) = change_blocks(spec, plans, |index, block| {
        described(block, &plans[index], &analyses[index])
    });
    ArchitectResult {
        text: lines.join("\n") + "\n",
        notes: notes.concat(),
    }
}

/// The block of a method with its words and descriptions, and notes about their origin.
fn described(lines: &[String], plan: &Plan, analysis: &Analysis) -> (Vec<String>, Vec<String>) {
    let names: Vec<&str> = plan
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    let tree = contexts(plan);
    let mut words = undecided(&tree, None, plan, analysis).into_iter();
    let mut leaves = leaves_of(&tree).into_iter();
    let mut notes = misplaced(&tree, plan, analysis);
    let mut done: Vec<String> = Vec::with_capacity(lines.len());
    let mut index = 0;
    while index < lines.len() {
        let line = &lines[index];
        if line.contains(WORD_TOKEN) {
            done.push(line.replace(WORD_TOKEN, words.next().unwrap_or("with")));
        } else if BEHAVIOR_TOKENS.iter().any(|token| line.contains(token)) {
            let end = example_end(lines, index);
            let leaf = leaves.next().unwrap_or_default();
            let found = behaviors(analysis, &names, &leaf);
            done.extend(examples(&lines[index..end], &found));
            notes.extend(found.iter().map(|one| note(lines, index, one)));
            index = end;
            continue;
        } else {
            done.push(line.clone());
        }
        index += 1;
    }
    (done, notes)
}

fn note(lines: &[String], index: usize, one: &LeafBehavior) -> String {
    let context = lines[..index]
        .iter()
        .rev()
        .find(|line| line.trim_start().starts_with("context "))
        .map_or("method", |line| line.trim().trim_end_matches(" do"));
    let origin = match one.result {
        BehaviorResult::Ends(_) => "from the code",
        BehaviorResult::Effect => "heuristic",
        BehaviorResult::Unknown => "heuristic: describe it manually",
    };
    format!("{context}: \"{}\" ({origin})", one.description)
}

/// The index after the `end` of an example.
fn example_end(lines: &[String], start: usize) -> usize {
    let indent = super::block::indent_of(&lines[start]);
    let length = lines[start..]
        .iter()
        .position(|line| line.trim() == "end" && super::block::indent_of(line) == indent);
    length.map_or(start + 1, |length| start + length + 1)
}

/// One example per behavior, each a copy of the placeholder example.
fn examples(template: &[String], behaviors: &[LeafBehavior]) -> Vec<String> {
    let mut lines = Vec::new();
    for behavior in behaviors {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let text = behavior
            .description
            .replace('\\', "\\\\")
            .replace('\'', "\\'");
        lines.extend(template.iter().map(|line| {
            BEHAVIOR_TOKENS
                .iter()
                .fold(line.clone(), |line, token| line.replace(token, &text))
        }));
    }
    lines
}

/// The words that the skeleton could not decide: `with` for a happy state, `but` or `without` for any other.
fn undecided(
    contexts: &[Context],
    parent: Option<&str>,
    plan: &Plan,
    analysis: &Analysis,
) -> Vec<&'static str> {
    let mut words = Vec::new();
    let mut last_entry = None;
    for context in contexts {
        let is_first = last_entry != Some(context.entry);
        last_entry = Some(context.entry);
        let word = match context.word {
            Some(word) => word,
            None if is_happy(context, is_first, plan, analysis) => "with",
            None if parent == Some("with") => "but",
            None => "without",
        };
        if context.word.is_none() {
            words.push(word);
        }
        words.extend(undecided(&context.children, Some(word), plan, analysis));
    }
    words
}
