//! Questions that somebody has to answer before a step can go on: the second meaning of exit code 2 (rule P2).

use std::path::Path;

use serde_json::{Value, json};

use crate::metadata::read::Plan;
use crate::metadata::test_config::choices;
use crate::ruby::TestLevel;

/// More structural issues than this are a reason to write a spec anew.
const MANY: usize = 3;

/// The command that asks, and whose options answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecisionSource {
    /// `design skeleton`.
    #[default]
    Skeleton,
    /// `design pipeline`.
    Pipeline,
}

/// What standard output says when questions are open.
pub(super) fn needed(decisions: &[Value]) -> Value {
    json!({ "status": "needs_decision", "decisions": decisions })
}

pub(super) fn overwrite_or_skip(
    method: &str,
    line: usize,
    path: &Path,
    asker: DecisionSource,
) -> Value {
    let (overwrite, skip) = match asker {
        DecisionSource::Skeleton => ("--merge upsert", "--merge missing"),
        DecisionSource::Pipeline => ("--overwrite", ""),
    };
    decision(
        "existing_method_block",
        &format!("{method} has a block already"),
        &format!(
            "{}:{line} has a block for {method}. Overwrite it?",
            path.display()
        ),
        "skip",
        &[
            ("overwrite", "Replace what the block holds", overwrite),
            ("skip", "Leave the block as it is", skip),
        ],
    )
}

/// The question what becomes of a block that nobody said may be replaced.
pub(super) fn block_conflict(method: &str, line: usize, path: &Path, lost: &[String]) -> Value {
    let holds = match lost {
        [] => String::new(),
        lost => format!(", which holds {}", lost.join(", ")),
    };
    decision(
        "existing_method_block",
        &format!("{method} has a block already"),
        &format!(
            "{}:{line} has a block for {method}{holds}. Overwrite it?",
            path.display()
        ),
        "skip",
        &[
            (
                "overwrite",
                "Replace what the block holds; the old file is kept beside it",
                "--conflict overwrite",
            ),
            ("skip", "Leave the block as it is", "--conflict skip"),
        ],
    )
}

/// The question how methods are to be tested that the rules are not sure of.
pub(super) fn which_level(plans: &[Plan], chosen: Option<TestLevel>) -> Option<Value> {
    let unsure: Vec<&Plan> = plans
        .iter()
        .filter(|plan| plan.undecided.is_some())
        .collect();
    let first = unsure.first().filter(|_| chosen.is_none())?;
    let kind = first
        .undecided
        .as_ref()
        .map_or("", |undecided| &undecided.kind);
    let names: Vec<_> = unsure.iter().map(|plan| plan.id()).collect();
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
            "On which level are they to be tested: {}?",
            names.join(", ")
        ),
        first.test_level.map_or("unit", TestLevel::as_str),
        &choices,
    ))
}

pub(super) fn which_spec(request: &str, legacy: &str) -> Value {
    decision(
        "controller_spec",
        "A controller spec is already there",
        &format!("{legacy} exists. Write {request} or go on with the controller spec?"),
        "request",
        &[
            ("request", "Write a request spec", "--policy request"),
            (
                "controller",
                "Go on with the controller spec",
                "--policy controller",
            ),
        ],
    )
}

/// The question how far an old spec is to be changed.
pub(super) fn which_refactoring(spec: &str, structural: usize) -> Value {
    let is_bad = structural > MANY;
    decision(
        "refactoring",
        "How far is the spec to be changed?",
        &format!(
            "{spec} passes, and the review found {structural} structural {}. Change it how?",
            if structural == 1 { "issue" } else { "issues" }
        ),
        if is_bad { "full" } else { "conservative" },
        &[
            (
                "conservative",
                "Mend assertions, wording and style",
                "--mode conservative",
            ),
            ("full", "Write it anew from the code", "--mode full"),
            ("review", "Leave it as it is", ""),
        ],
    )
}

/// The question whether handwork may be lost.
pub(super) fn discard_or_keep(spec: &str, by_hand: &[String]) -> Value {
    decision(
        "handwork",
        "The spec holds handwork",
        &format!(
            "{spec} holds {}, which a new spec would not have. Write it anew?",
            by_hand.join(", ")
        ),
        "conservative",
        &[
            (
                "discard",
                "Write it anew; the old file is kept beside it",
                "--mode full --discard-handwork",
            ),
            (
                "conservative",
                "Mend assertions, wording and style",
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
