//! `design skeleton`: the spec file of a method.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{StepError, Target, World};
use crate::metadata::place::{absolute, find_root};
use crate::metadata::read::{Plan, plan};
use crate::metadata::store::{read, replace, update};
use crate::skeleton::{
    self as skeletons, Existing, Merge, Policy, SpecPlace, Style, contexts, depth, describe_block,
    merge, spec_place, suite,
};

/// What to do with a spec that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Write the file anew.
    #[default]
    Overwrite,
    /// Put the method's block in or replace it.
    Merge(Merge),
}

/// How to write.
#[derive(Debug, Clone, Default)]
pub struct SkeletonOptions {
    /// Where to, instead of the usual place.
    pub output: Option<PathBuf>,
    /// How placeholders look.
    pub style: Style,
    /// What becomes of controllers.
    pub policy: Policy,
    /// What becomes of a file that is there.
    pub mode: Mode,
    /// A Casebook suite instead of a spec.
    pub as_suite: bool,
}

/// What came of it.
#[derive(Debug)]
pub enum Written {
    /// The file, and what is worth knowing.
    File {
        /// Where it is.
        path: PathBuf,
        /// What is worth knowing.
        warnings: Vec<String>,
    },
    /// Somebody has to decide; nothing was changed.
    Decide(Value),
}

/// Writes the skeleton of a method.
pub fn skeleton(
    target: &Target,
    options: &SkeletonOptions,
    world: &World<'_>,
) -> Result<Written, StepError> {
    let document = read(&target.metadata)?;
    let plan = plan(&document, target.method.as_deref()).map_err(|source| StepError::Read {
        path: target.metadata.clone(),
        source,
    })?;
    let root = target
        .metadata
        .parent()
        .and_then(find_root)
        .unwrap_or_else(|| world.cwd.to_owned());
    let output = match (&options.output, options.as_suite) {
        (Some(output), _) => absolute(output, world.cwd),
        (None, true) => root.join(suite_path(&plan)),
        (None, false) => match spec_place(
            plan.file.as_deref().unwrap_or("unknown.rb"),
            &root,
            options.policy,
        ) {
            SpecPlace::At(path) => root.join(path),
            SpecPlace::Decide { request, legacy } => {
                return Ok(Written::Decide(which_spec(&request, &legacy)));
            }
        },
    };
    let text = if options.as_suite {
        suite(&plan)
    } else {
        skeletons::skeleton(&plan, options.style)
    };
    let text = match (options.mode, fs::read_to_string(&output)) {
        (Mode::Merge(how), Ok(spec)) if !options.as_suite => {
            match merged(&spec, &plan, options.style, how, &output)? {
                Ok(text) => text,
                Err(decision) => return Ok(Written::Decide(decision)),
            }
        }
        _ => text,
    };
    write(&output, &text)?;
    record(&target.metadata, &output, &root)?;
    Ok(Written::File {
        path: output,
        warnings: warnings(&plan),
    })
}

fn suite_path(plan: &Plan) -> String {
    let file = plan.file.clone().unwrap_or_else(|| "script.rb".to_owned());
    let stem = file
        .rsplit('/')
        .next()
        .unwrap_or(&file)
        .trim_end_matches(".rb")
        .to_owned();
    format!("suites/{stem}.casebook.yaml")
}

/// The new text, or the question that has to be answered first.
fn merged(
    spec: &str,
    plan: &Plan,
    style: Style,
    how: Merge,
    path: &Path,
) -> Result<Result<String, Value>, StepError> {
    let method = format!("{}{}", plan.method_type.sign(), plan.method);
    let block = describe_block(plan, style);
    let found = merge(spec, &method, &block, how).map_err(|source| StepError::Merge {
        path: path.to_owned(),
        source,
    })?;
    match found {
        Existing::Merged(text) => Ok(Ok(text)),
        Existing::Conflict { line } => Ok(Err(overwrite_or_skip(&method, line, path))),
        Existing::Absent => Err(StepError::Other(format!(
            "{} has no block for {method} to replace: use --merge upsert",
            path.display()
        ))),
    }
}

fn overwrite_or_skip(method: &str, line: usize, path: &Path) -> Value {
    needs_decision(
        "existing_method_block",
        &format!("{method} has a block already"),
        &format!(
            "{}:{line} has a block for {method}. Overwrite it?",
            path.display()
        ),
        "skip",
        &[
            (
                "overwrite",
                "Replace what the block holds",
                "--merge replace",
            ),
            ("skip", "Leave the file as it is", ""),
        ],
    )
}

fn which_spec(request: &str, legacy: &str) -> Value {
    needs_decision(
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

fn needs_decision(
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
        "status": "needs_decision",
        "decisions": [{
            "decision": name,
            "title": title,
            "question": question,
            "recommended_action": recommended,
            "context": {},
            "choices": choices,
        }],
    })
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), StepError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| {
            StepError::Other(format!("cannot create {}: {source}", folder.display()))
        })?;
    }
    replace(path, text.as_bytes())?;
    Ok(())
}

fn record(metadata: &Path, spec: &Path, root: &Path) -> Result<(), StepError> {
    let shown = spec
        .strip_prefix(root)
        .unwrap_or(spec)
        .to_string_lossy()
        .into_owned();
    update(metadata, |document| {
        let mut document = document?;
        document.set_in("automation", "skeleton_generated", &Value::Bool(true));
        document.set_in("automation", "skeleton_file", &json!(shown));
        Ok(document)
    })?;
    Ok(())
}

fn warnings(plan: &Plan) -> Vec<String> {
    let contexts = contexts(plan);
    let mut warnings = Vec::new();
    if contexts.is_empty() {
        warnings.push("there are no characteristics: the skeleton has one example".to_owned());
    }
    let levels = depth(&contexts);
    if levels >= 4 {
        warnings.push(format!(
            "contexts are nested {levels} levels deep: consider splitting the method"
        ));
    }
    for entry in plan
        .entries
        .iter()
        .filter(|entry| entry.kind.is_none() && entry.depends_on.is_some())
    {
        warnings.push(format!(
            "the type of `{}` is unknown: replace {{CONTEXT_WORD}} yourself",
            entry.name
        ));
    }
    warnings
}
