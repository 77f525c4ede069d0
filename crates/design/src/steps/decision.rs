//! Decisions that the user has to make before a step can continue: the second meaning of exit code 2 (rule P2).

use std::path::Path;

use serde_json::{Value, json};

use crate::metadata::read::Plan;
use crate::metadata::test_config::choices;
use crate::ruby::TestLevel;

/// With more structural issues than this, rewriting a spec is recommended.
const MANY_STRUCTURAL_ISSUES: usize = 3;

/// The command that requires a decision and has the options to make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecisionSource {
    /// `design skeleton`.
    #[default]
    Skeleton,
    /// `design pipeline`.
    Pipeline,
}

/// The JSON on standard output if decisions are required.
pub(super) fn needs_decision(decisions: &[Value]) -> Value {
    json!({ "status": "needs_decision", "decisions": decisions })
}

pub(super) fn overwrite_or_skip(
    method: &str,
    line: usize,
    path: &Path,
    source: DecisionSource,
) -> Value {
    let (overwrite, skip) = match source {
        DecisionSource::Skeleton => ("--merge upsert", "--merge missing"),
        DecisionSource::Pipeline => ("--overwrite", ""),
    };
    decision(
        "existing_method_block",
        &format!("{method} already has a block"),
        &format!(
            "{}:{line} has a block for {method}. Overwrite it?",
            path.display()
        ),
        "skip",
        &[
            ("overwrite", "Replace the content of the block", overwrite),
            ("skip", "Keep the block unchanged", skip),
        ],
    )
}

/// The decision whether to replace a block that has no placeholders, for callers that ask before anything is lost.
pub(super) fn finished_block(method: &str, line: usize, path: &Path, has_modes: bool) -> Value {
    // With modes, `--merge upsert` would also replace the blocks of unchanged methods.
    let overwrite = if has_modes {
        "--conflict overwrite"
    } else {
        "--merge upsert"
    };
    decision(
        "existing_method_block",
        &format!("{method} already has a block"),
        &format!(
            "{}:{line} has a block for {method} without placeholders. Overwrite it with a skeleton?",
            path.display()
        ),
        "skip",
        &[
            ("overwrite", "Replace the content of the block", overwrite),
            ("skip", "Keep the block unchanged", "--merge missing"),
        ],
    )
}

/// The decision whether to replace an existing block that may contain manual edits.
pub(super) fn block_conflict(method: &str, line: usize, path: &Path, lost: &[String]) -> Value {
    let content = match lost {
        [] => String::new(),
        lost => format!(", which contains {}", lost.join(", ")),
    };
    decision(
        "existing_method_block",
        &format!("{method} already has a block"),
        &format!(
            "{}:{line} has a block for {method}{content}. Overwrite it?",
            path.display()
        ),
        "skip",
        &[
            (
                "overwrite",
                "Replace the content of the block; the old file is kept as a backup",
                "--conflict overwrite",
            ),
            ("skip", "Keep the block unchanged", "--conflict skip"),
        ],
    )
}

/// The decision on which level to test methods for which the rules are not confident. `None` if there are none, or if the
/// user has chosen a level.
pub(super) fn which_level(plans: &[Plan], chosen: Option<TestLevel>) -> Option<Value> {
    let undecided: Vec<&Plan> = plans
        .iter()
        .filter(|plan| plan.undecided.is_some())
        .collect();
    let first = undecided.first().filter(|_| chosen.is_none())?;
    let kind = first
        .undecided
        .as_ref()
        .map_or("", |undecided| &undecided.kind);
    let names: Vec<_> = undecided.iter().map(|plan| plan.id()).collect();
    let levels = choices(kind).iter().map(|level| level.as_str());
    let flags: Vec<_> = levels
        .map(|level| {
            let label = format!("Test it on level {level}");
            (level, label, format!("--level {level}"))
        })
        .collect();
    let choices: Vec<_> = flags
        .iter()
        .map(|(level, label, flag)| (*level, label.as_str(), flag.as_str()))
        .collect();
    Some(decision(
        "test_level",
        "The test level is not clear",
        &format!(
            "On which level should these methods be tested: {}?",
            names.join(", ")
        ),
        first.test_level.map_or("unit", TestLevel::as_str),
        &choices,
    ))
}

pub(super) fn which_spec(request: &str, legacy: &str) -> Value {
    decision(
        "controller_spec",
        "A controller spec already exists",
        &format!("{legacy} exists. Write {request} or continue with the controller spec?"),
        "request",
        &[
            ("request", "Write a request spec", "--policy request"),
            (
                "controller",
                "Continue with the controller spec",
                "--policy controller",
            ),
        ],
    )
}

/// The decision how much of an old spec to change. A rewrite is recommended only if no example runs, so nothing can be lost.
pub(super) fn which_refactoring(spec: &str, structural: usize, running: usize) -> Value {
    let is_bad = structural > MANY_STRUCTURAL_ISSUES;
    let full = if running == 0 {
        "Rewrite it from the code"
    } else {
        "Also write the blocks of methods that have none, from the code; examples that run are kept"
    };
    decision(
        "refactoring",
        "How much of the spec should be changed?",
        &format!(
            "{spec} passes, and the review found {structural} structural {}. How should it be changed?",
            if structural == 1 { "issue" } else { "issues" }
        ),
        if is_bad && running == 0 {
            "full"
        } else {
            "conservative"
        },
        &[
            (
                "conservative",
                "Fix assertions, wording and style",
                "--mode conservative",
            ),
            ("full", full, "--mode full"),
            ("review", "Keep it unchanged", ""),
        ],
    )
}

/// The decision whether manual edits may be lost.
pub(super) fn discard_or_keep(spec: &str, manual_edits: &[String]) -> Value {
    decision(
        "handwork",
        "The spec contains manual edits",
        &format!(
            "{spec} contains {}, which a new spec would not have. Rewrite it?",
            manual_edits.join(", ")
        ),
        "conservative",
        &[
            (
                "discard",
                "Rewrite it; the old file is kept as a backup",
                "--mode full --discard-handwork",
            ),
            (
                "conservative",
                "Fix assertions, wording and style",
                "--mode conservative",
            ),
        ],
    )
}

fn decision(
    name: &str,
    title: &str,
    question: &str,
    recommended: &str,
    choices: &[(&str, &str, &str)],
) -> Value {
    let choices: Vec<Value> = choices
        .iter()
        .map(|(action, label, flag)| json!({ "action": action, "label": label, "flag": flag, "effects": [] }))
        .collect();
    json!({
        "decision": name,
        "title": title,
        "question": question,
        "recommended_action": recommended,
        "context": {},
        "choices": choices,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewrite_is_recommended_only_if_no_example_runs() {
        for (structural, running, expected) in [
            (4, 0, "full"),
            (3, 0, "conservative"),
            (4, 1, "conservative"),
            (90, 47, "conservative"),
        ] {
            let question = which_refactoring("spec/a_spec.rb", structural, running);
            assert_eq!(
                question["recommended_action"], expected,
                "{structural} {running}"
            );
        }
    }
}
