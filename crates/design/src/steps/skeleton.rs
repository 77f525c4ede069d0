//! `design skeleton`: the spec file of a method.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::decision::{overwrite_or_skip, which_level, which_spec};
use super::{StepError, Target, World};
use crate::metadata::document::Document;
use crate::metadata::place::{absolute, find_root};
use crate::metadata::read::{Plan, plan, plans};
use crate::metadata::store::{read, replace, update};
use crate::ruby::TestLevel;
use crate::skeleton::{
    self as skeletons, Existing, Merge, Policy, SpecPlace, Style, contexts, depth, merge,
    method_block, spec_place, suite,
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
    /// The level that somebody chose for methods of which the rules are not sure.
    pub level: Option<TestLevel>,
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

/// Writes the skeleton of a method; of every method of the file where its document holds several.
pub fn skeleton(
    target: &Target,
    options: &SkeletonOptions,
    world: &World<'_>,
) -> Result<Written, StepError> {
    let document = read(&target.metadata)?;
    let method = target.method.as_deref();
    let plans = if options.as_suite {
        plan(&document, method).map(|plan| vec![plan])
    } else {
        plans(&document, method)
    };
    let plans = plans.map_err(|source| StepError::Read {
        path: target.metadata.clone(),
        source,
    })?;
    let root = root_of(&target.metadata, world);
    if let Some(question) = which_level(&plans, options.level) {
        return Ok(Written::Decide(question));
    }
    let output = match output(&plans, &root, options, world) {
        Ok(output) => output,
        Err(question) => return Ok(Written::Decide(question)),
    };
    let text = match text(&plans, &output, options)? {
        Ok(text) => text,
        Err(question) => return Ok(Written::Decide(question)),
    };
    write(&output, &text)?;
    record(target, &plans, &output, &root, options.level)?;
    Ok(Written::File {
        path: output,
        warnings: all_warnings(&plans),
    })
}

/// The project around a metadata file.
pub(super) fn root_of(metadata: &Path, world: &World<'_>) -> PathBuf {
    metadata
        .parent()
        .and_then(find_root)
        .unwrap_or_else(|| world.cwd.to_owned())
}

/// Where the spec goes, or the question that has to be answered first.
fn output(
    plans: &[Plan],
    root: &Path,
    options: &SkeletonOptions,
    world: &World<'_>,
) -> Result<PathBuf, Value> {
    let file = plans.first().and_then(|plan| plan.file.as_deref());
    if let Some(output) = &options.output {
        return Ok(absolute(output, world.cwd));
    }
    if options.as_suite {
        return Ok(root.join(suite_path(file.unwrap_or("script.rb"))));
    }
    match spec_place(file.unwrap_or("unknown.rb"), root, options.policy) {
        SpecPlace::At(path) => Ok(root.join(path)),
        SpecPlace::Decide { request, legacy } => Err(which_spec(&request, &legacy)),
    }
}

/// The new text of the spec, or the question that has to be answered first.
fn text(
    plans: &[Plan],
    output: &Path,
    options: &SkeletonOptions,
) -> Result<Result<String, Value>, StepError> {
    if options.as_suite {
        return Ok(Ok(plans.iter().map(suite).collect()));
    }
    let (Mode::Merge(how), Ok(mut spec)) = (options.mode, fs::read_to_string(output)) else {
        return Ok(Ok(skeletons::skeleton(plans, options.style)));
    };
    for plan in plans {
        match merged(&spec, plan, options.style, how, output)? {
            Ok(text) => spec = text,
            Err(question) => return Ok(Err(question)),
        }
    }
    Ok(Ok(spec))
}

fn suite_path(file: &str) -> String {
    let stem = file.rsplit('/').next().unwrap_or(file);
    format!("suites/{}.casebook.yaml", stem.trim_end_matches(".rb"))
}

/// The new text, or the question that has to be answered first.
fn merged(
    spec: &str,
    plan: &Plan,
    style: Style,
    how: Merge,
    path: &Path,
) -> Result<Result<String, Value>, StepError> {
    let method = plan.short();
    let block = method_block(plan, style);
    let found = merge(spec, plan, &block, how).map_err(|source| StepError::Merge {
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

pub(super) fn write(path: &Path, text: &str) -> Result<(), StepError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| {
            StepError::Other(format!("cannot create {}: {source}", folder.display()))
        })?;
    }
    replace(path, text.as_bytes())?;
    Ok(())
}

fn record(
    target: &Target,
    plans: &[Plan],
    spec: &Path,
    root: &Path,
    level: Option<TestLevel>,
) -> Result<(), StepError> {
    let shown = spec
        .strip_prefix(root)
        .unwrap_or(spec)
        .to_string_lossy()
        .into_owned();
    update(&target.metadata, |document| {
        let mut document = document?;
        for question in plans.iter().filter_map(|plan| plan.undecided.as_ref()) {
            if let Some(level) = level {
                choose(&mut document, question.index, level);
            }
        }
        document.set_in("automation", "skeleton_generated", &Value::Bool(true));
        document.set_in("automation", "skeleton_file", &json!(shown));
        Ok(document)
    })?;
    Ok(())
}

/// Puts down which level somebody chose, and that somebody did.
fn choose(document: &mut Document, index: usize, level: TestLevel) {
    let Some(method) = document.value()["methods"].get(index) else {
        return;
    };
    let mut config = method["test_config"].clone();
    let mut trace = config["decision_trace"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    trace.push(json!(format!("{}: chosen", level.as_str())));
    config["level"] = json!(level.as_str());
    config["chosen"] = json!(true);
    config["decision_trace"] = Value::Array(trace);
    document.set_in_item("methods", index, "test_config", &config);
}

/// What is worth knowing; where there are several methods, with the method.
fn all_warnings(plans: &[Plan]) -> Vec<String> {
    let named = |plan: &Plan, warning: String| match plans.len() {
        1 => warning,
        _ => format!("{}: {warning}", plan.id()),
    };
    let of_plan = |plan| {
        warnings(plan)
            .into_iter()
            .map(move |told| named(plan, told))
    };
    plans.iter().flat_map(of_plan).collect()
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
