//! `design polish`: syntax, linter, a run, and a look at the text (8.5).

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::lint::Linter;
use super::open::Opened;
use super::progress::Step;
use super::skeleton::write;
use super::{StepError, Target, World};
use crate::outline::{Example, Group, Outline, outline};

/// What came of it.
#[derive(Debug)]
pub struct Polished {
    /// The spec.
    pub path: PathBuf,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// The linter that was run.
    pub linter: Option<&'static str>,
}

/// Polishes a spec.
pub fn polish(target: &Target, world: &World<'_>) -> Result<Polished, StepError> {
    let opened = Opened::of(target, Step::Polisher, world)?;
    let in_spec = |source| StepError::Ruby {
        file: opened.spec.clone(),
        source,
    };
    outline(opened.text.as_bytes(), "spec").map_err(in_spec)?;
    let mut warnings = Vec::new();
    let linter = Linter::of(&opened.root);
    if let Some(linter) = linter {
        let (text, told) = linter.mend(&opened.root, &opened.spec, &opened.text, world)?;
        if text != opened.text {
            write(&opened.spec, &text)?;
        }
        warnings.extend(told);
    }
    match world.rspec(&opened.root, &opened.spec) {
        None => warnings.push("rspec is not installed: the spec was not run".to_owned()),
        Some(ran) if !ran.is_success => warnings.push(format!("rspec: {}", ran.summary())),
        Some(_) => {}
    }
    let text = fs::read_to_string(&opened.spec).unwrap_or_else(|_| opened.text.clone());
    let read = outline(text.as_bytes(), "spec").map_err(in_spec)?;
    warnings.extend(look(&text, &read));
    opened.finish(Step::Polisher, &warnings, |document| {
        document.set_in(
            "automation",
            "linter",
            &linter.map_or(Value::Null, |linter| json!(linter.name())),
        );
    })?;
    Ok(Polished {
        path: opened.spec,
        warnings,
        linter: linter.map(Linter::name),
    })
}

/// Empty examples, examples without expectations, descriptions that come twice in one group.
fn look(text: &str, outline: &Outline) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut examples = Vec::new();
    for group in &outline.groups {
        collect(group, &mut examples, &mut warnings);
    }
    let body = |example: &Example| {
        text.get(example.span.0..example.span.1)
            .unwrap_or_default()
            .to_owned()
    };
    for example in examples.iter().filter(|example| example.has_block) {
        let body = body(example);
        let inside: Vec<_> = body
            .lines()
            .skip(1)
            .map(str::trim)
            .filter(|line| !line.is_empty() && *line != "end")
            .collect();
        if inside.is_empty() && body.contains('\n') {
            warnings.push(format!("line {}: the example is empty", example.line));
        }
    }
    let expecting = examples.iter().filter(|example| {
        let body = body(example);
        ["expect", "is_expected", "should", "skip", "pending"]
            .iter()
            .any(|word| body.contains(word))
    });
    let (count, expecting) = (examples.len(), expecting.count());
    if count > expecting {
        warnings.push(format!(
            "{count} examples, {expecting} of them with an expectation"
        ));
    }
    warnings
}

fn collect<'o>(group: &'o Group, examples: &mut Vec<&'o Example>, warnings: &mut Vec<String>) {
    let mut seen: Vec<&str> = Vec::new();
    for example in group.examples() {
        let description = example.description.as_str();
        if description != "unknown" && seen.contains(&description) {
            warnings.push(format!(
                "line {}: '{description}' is described twice",
                example.line
            ));
        }
        seen.push(description);
        examples.push(example);
    }
    for inner in group.groups() {
        collect(inner, examples, warnings);
    }
}
