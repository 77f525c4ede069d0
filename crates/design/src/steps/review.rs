//! `design review`: writes a report, even if nothing was found.

use std::fs;
use std::path::{Path, PathBuf};

use super::method_document::{method_plans, read_method};
use super::progress::Step;
use super::skeleton::{root_of, write};
use super::spec_workspace::{SpecWorkspace, spec_of};
use super::{StepContext, StepError, Target};
use crate::metadata::document::Document;
use crate::metadata::location::{MetadataDir, absolute};
use crate::metadata::read::{Plan, documented_plans};
use crate::metadata::store::read;
use crate::review::{Guide, Review, ReviewContext, report, review as run_review};

/// Where metadata names the spec.
const SPEC_KEY: &[&str] = &["automation", "skeleton_file"];

/// A review and its report file.
#[derive(Debug)]
pub struct Reviewed {
    /// The report.
    pub path: PathBuf,
    /// The spec, relative to the root of its project, or as given.
    pub spec: String,
    /// The findings.
    pub review: Review,
}

/// Reviews the spec that the metadata names.
pub fn review(
    target: &Target,
    guide: Guide,
    context: &StepContext<'_>,
) -> Result<Reviewed, StepError> {
    let document = read_method(target)?;
    let root = root_of(&target.metadata, context);
    let spec = spec_of(&document, &root)?;
    let plans = reviewed_plans(target, &document);
    let text = text_of(&spec)?;
    let shown = spec
        .strip_prefix(&root)
        .unwrap_or(&spec)
        .to_string_lossy()
        .into_owned();
    let review_context = ReviewContext {
        path: &shown,
        level: plans.first().and_then(|plan| plan.test_level),
        plans: &plans,
        guide,
    };
    let review = run_review(&text, &review_context);
    let dir = target.metadata.parent().unwrap_or(context.cwd);
    let name = SpecWorkspace::of(target, Step::Reviewer, context)
        .map_or_else(|_| stem(&shown), |opened| opened.slug());
    write_report(review, &shown, dir, &name, context)
}

/// The plans of the methods in the spec of this document: the requested one, or all.
fn reviewed_plans(target: &Target, document: &Document) -> Vec<Plan> {
    if target.method().is_some() {
        return method_plans(document, target).unwrap_or_default();
    }
    let spec = document.at(SPEC_KEY);
    let all = read(&target.metadata).ok();
    let all = all.and_then(|all| documented_plans(&all, None).ok());
    let in_spec = all.into_iter().flatten();
    let in_spec = in_spec.filter(|(_, method)| method.at(SPEC_KEY) == spec);
    in_spec.map(|(plan, _)| plan).collect()
}

/// Reviews any spec, without metadata.
pub fn review_spec(
    spec: &Path,
    guide: Guide,
    context: &StepContext<'_>,
) -> Result<Reviewed, StepError> {
    let path = absolute(spec, context.cwd);
    let text = text_of(&path)?;
    let shown = spec.to_string_lossy().into_owned();
    // The review depends on directories such as `spec/requests`, so it needs the full path.
    let full_path = path.to_string_lossy().into_owned();
    let review_context = ReviewContext {
        path: &full_path,
        guide,
        ..ReviewContext::default()
    };
    let review = run_review(&text, &review_context);
    let directory = MetadataDir::of(path.parent().unwrap_or(context.cwd), context.cwd);
    directory.create(context.may_fall_back)?;
    write_report(review, &shown, &directory.path, &stem(&shown), context)
}

fn text_of(spec: &Path) -> Result<String, StepError> {
    let bytes = fs::read(spec).map_err(|source| StepError::Unreadable {
        path: spec.to_owned(),
        source,
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn stem(spec: &str) -> String {
    spec.trim_end_matches(".rb").replace('/', "_")
}

fn write_report(
    review: Review,
    spec: &str,
    dir: &Path,
    name: &str,
    context: &StepContext<'_>,
) -> Result<Reviewed, StepError> {
    let time: String = context
        .now
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    let path = dir.join(format!("review_report_{time}_{name}.md"));
    write(&path, &report(&review, spec, context.now))?;
    Ok(Reviewed {
        path,
        spec: spec.to_owned(),
        review,
    })
}
