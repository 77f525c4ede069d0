//! `design architect` and `design implement`: write descriptions, setup and expectations into a spec.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::block_lines::BlockLines;
use super::progress::Step;
use super::spec_workspace::{SpecWorkspace, fail};
use super::verify::{verify, without_run};
use super::{StepContext, StepError, Target};
use crate::factories::factories as read_factories;
use crate::learn::{LearnMethod, LearnedMethod};
use crate::metadata::read::Plan;
use crate::metadata::write::camel;
use crate::review::{ReviewContext, review};
use crate::ruby::{Analysis, ModelFacts, Table, is_plain_base, model_facts, tables};
use crate::skeleton::{Distance, MergeError, find_blocks};
use crate::spec::{
    Implemented, OBSERVED, Records, architect as describe, implement as fill, leftovers_of,
};

/// The result of `design architect` or `design implement`.
#[derive(Debug)]
pub struct SpecStep {
    /// The spec.
    pub path: PathBuf,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The numbers of examples.
    pub examples: ExampleCounts,
    /// The text of the spec, if it was run and no example failed.
    pub(super) green_text: Option<String>,
}

/// The numbers of the examples that were written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExampleCounts {
    /// Those with an expectation that follows from the code and passed.
    pub implemented: usize,
    /// Those with a result that was observed by running the code, and passed.
    pub observed: usize,
    /// Those without an expectation.
    pub pending: usize,
    /// Those with an expectation that could not be run.
    pub not_run: usize,
}

/// Writes the descriptions of contexts and examples.
pub fn architect(target: &Target, context: &StepContext<'_>) -> Result<SpecStep, StepError> {
    let workspace = SpecWorkspace::of(target, Step::Architect, context)?;
    let done = record_failure(&workspace, Step::Architect, || {
        let written = describe(&workspace.text, &workspace.plans, &workspace.analyses()?);
        workspace.write(&written.text)?;
        Ok(written.notes)
    })?;
    workspace.finish(Step::Architect, &[], |document| {
        document.set_in("automation", "architect_notes", &json!(done));
    })?;
    Ok(SpecStep {
        path: workspace.spec,
        warnings: Vec::new(),
        examples: ExampleCounts::default(),
        green_text: None,
    })
}

/// Writes the setup and expectations that are certain, and runs the spec. An example that fails becomes pending.
pub fn implement(
    target: &Target,
    distance: Distance,
    context: &StepContext<'_>,
) -> Result<SpecStep, StepError> {
    implement_with(target, distance, SpecRun::Now, context)
}

/// When the examples that the implementer wrote are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpecRun {
    /// At the end of the step.
    Now,
    /// By the caller, who discards the complete spec if one of them fails.
    ByCaller,
}

/// `implement` for a caller that may run the spec itself.
pub(super) fn implement_with(
    target: &Target,
    distance: Distance,
    spec_run: SpecRun,
    context: &StepContext<'_>,
) -> Result<SpecStep, StepError> {
    let workspace = SpecWorkspace::of(target, Step::Implementer, context)?;
    let done = record_failure(&workspace, Step::Implementer, || {
        let (plans, analyses) = (&workspace.plans, workspace.analyses()?);
        // All plans have the same factories, those of the project.
        let factories = plans.first().map(|plan| plan.factories.as_slice());
        let records = records(&workspace, factories.unwrap_or_default());
        let learned = learn(&workspace, &analyses, context)?;
        let mut written = fill(
            &workspace.text,
            plans,
            &analyses,
            &records,
            distance,
            &learned,
        );
        require_complete(&written.text, &workspace)?;
        workspace.write(&written.text)?;
        let forbidden = forbidden(&written.text, plans);
        written.warnings.extend(forbidden);
        let examples = run_examples(&workspace, &mut written, spec_run, context)?;
        Ok((written.warnings, examples))
    })?;
    let (warnings, (examples, green_text)) = done;
    workspace.finish(Step::Implementer, &warnings, |document| {
        let pending = json!(examples.pending);
        document.set_in("automation", "implementer_pending", &pending);
    })?;
    Ok(SpecStep {
        path: workspace.spec,
        warnings,
        examples,
        green_text,
    })
}

/// Fails if a placeholder is left.
fn require_complete(text: &str, workspace: &SpecWorkspace) -> Result<(), StepError> {
    match leftovers_of(text, &workspace.plans).into_iter().next() {
        Some((line, token)) => Err(StepError::Other(format!(
            "{}:{line} still contains {token}; run `casebook design architect` first, or fill it in",
            workspace.spec.display()
        ))),
        None => Ok(()),
    }
}

/// What running the methods showed, in the order of the plans; nothing without a learner. A method without placeholders is
/// finished, and is not run.
fn learn(
    workspace: &SpecWorkspace,
    analyses: &[Analysis],
    context: &StepContext<'_>,
) -> Result<Vec<LearnedMethod>, StepError> {
    let Some(learner) = context.learner else {
        return Ok(Vec::new());
    };
    let plans = workspace.plans.iter().zip(analyses);
    let open = plans
        .filter(|(plan, _)| !leftovers_of(&workspace.text, std::slice::from_ref(*plan)).is_empty());
    let methods: Vec<_> = open
        .map(|(plan, analysis)| {
            let file = plan.file.as_deref().unwrap_or_default();
            LearnMethod::new(file, analysis.clone(), plan)
        })
        .collect();
    if methods.is_empty() {
        return Ok(workspace
            .plans
            .iter()
            .map(|_| LearnedMethod::default())
            .collect());
    }
    let mut found = learner
        .learn(&workspace.root, &methods)
        .map_err(|error| StepError::Other(error.to_string()))?;
    let take = |plan: &Plan| {
        let at = found.iter().position(|method| method.id == plan.id());
        at.map(|at| found.swap_remove(at)).unwrap_or_default()
    };
    Ok(workspace.plans.iter().map(take).collect())
}

/// The numbers of examples, and the text of the spec if no example failed.
type RunExamples = (ExampleCounts, Option<String>);

/// Runs the finished spec and counts its examples. Those that do not pass become pending.
fn run_examples(
    workspace: &SpecWorkspace,
    written: &mut Implemented,
    spec_run: SpecRun,
    context: &StepContext<'_>,
) -> Result<RunExamples, StepError> {
    let (text, expectations) = (&written.text, &written.expectations);
    let (root, spec) = (&workspace.root, &workspace.spec);
    let done = match spec_run {
        SpecRun::Now if !expectations.is_empty() => verify(root, spec, text, expectations, context),
        SpecRun::Now | SpecRun::ByCaller => without_run(text, expectations),
    };
    if done.text != *text {
        workspace.write(&done.text)?;
    }
    let passed = expectations.len() - done.pending;
    let is_run = done.not_run.is_none();
    let before = workspace.text.matches(OBSERVED).count();
    let observed = done.text.matches(OBSERVED).count().saturating_sub(before);
    let examples = ExampleCounts {
        implemented: if is_run { passed - observed } else { 0 },
        observed,
        pending: written.pending + done.pending,
        not_run: if is_run { 0 } else { passed },
    };
    if done.wrong > 0 {
        written.warnings.push(failed_warning(done.wrong));
    }
    if let Some(reason) = done.not_run {
        let warning = not_run_warning(&reason, passed, done.pending);
        written.warnings.push(warning);
    }
    Ok((examples, Some(done.text).filter(|_| done.is_green)))
}

/// The written examples follow from the code; only a run could have confirmed those that are pending now.
fn not_run_warning(reason: &str, written: usize, pending: usize) -> String {
    let counted = |count: usize, what: &str| {
        let examples = if count == 1 {
            "example is"
        } else {
            "examples are"
        };
        (count > 0).then(|| format!("; {count} {examples} {what}"))
    };
    let written = counted(written, "written, but not verified").unwrap_or_default();
    let pending = counted(pending, "pending because of that").unwrap_or_default();
    format!("not run: {reason}{written}{pending}")
}

fn failed_warning(failed: usize) -> String {
    if failed == 1 {
        "1 example failed and is pending now".to_owned()
    } else {
        format!("{failed} examples failed and are pending now")
    }
}

/// Warnings for stubs in the blocks of these methods that no spec should have.
fn forbidden(spec: &str, plans: &[Plan]) -> Vec<String> {
    let blocks = BlockLines::of(spec, plans);
    let findings = review(spec, &ReviewContext::default()).findings.into_iter();
    findings
        .filter(|finding| matches!(finding.check.slug, "any-instance" | "stub-own-method"))
        .filter(|finding| blocks.contains(finding.line))
        .map(|finding| format!("line {}: {}", finding.line, finding.issue))
        .collect()
}

/// What is known about the project's records.
fn records(workspace: &SpecWorkspace, factories: &[(String, Vec<String>)]) -> Records {
    if factories.is_empty() {
        return Records::default();
    }
    // The analyzer reports factories that cannot be read.
    let own = read_factories(&workspace.home(), None).unwrap_or_default();
    let found = if own.found.is_empty() {
        read_factories(&workspace.root, None).unwrap_or_default()
    } else {
        own
    };
    Records {
        models: models(workspace, factories),
        traits: found.traits,
        are_fabricated: found.are_fabricators,
    }
}

/// The facts about the project's models, for those in the usual files.
fn models(
    workspace: &SpecWorkspace,
    factories: &[(String, Vec<String>)],
) -> Vec<(String, ModelFacts)> {
    let tables = columns_of(&workspace.root);
    let facts = |name: &String| {
        let file = format!("app/models/{name}.rb");
        let homes = [workspace.home(), workspace.root.clone()];
        let source = homes
            .iter()
            .find_map(|home| fs::read(home.join(&file)).ok())?;
        let facts = model_facts(&source, &file, &camel(name), &tables).ok()?;
        Some((name.clone(), facts))
    };
    factories
        .iter()
        .filter_map(|(name, _)| facts(name))
        .collect()
}

/// The tables of the database. Empty if the base class of all models may change how columns are read.
fn columns_of(root: &Path) -> Vec<Table> {
    let base = fs::read(root.join("app/models/application_record.rb"));
    let schema = fs::read(root.join("db/schema.rb"));
    match (base, schema) {
        (Ok(base), _) if !is_plain_base(&base) => Vec::new(),
        (_, Ok(schema)) => tables(&schema),
        (_, Err(_)) => Vec::new(),
    }
}

/// Runs a step and records its failure in the metadata.
fn record_failure<T>(
    workspace: &SpecWorkspace,
    step: Step,
    work: impl FnOnce() -> Result<T, StepError>,
) -> Result<T, StepError> {
    let done = require_ruby(workspace).and_then(|()| work());
    done.inspect_err(|error| fail(&workspace.target, step, error))
}

/// Fails if the spec is not valid Ruby apart from its placeholders, because blocks can only be found in valid Ruby.
fn require_ruby(workspace: &SpecWorkspace) -> Result<(), StepError> {
    match find_blocks(&workspace.text, &workspace.plans) {
        Err(source @ MergeError::Ruby(_)) => Err(StepError::Merge {
            path: workspace.spec.clone(),
            source,
        }),
        Ok(_) | Err(MergeError::NoGroup) => Ok(()),
    }
}
