//! `design review`: a report, always written.

use std::fs;
use std::path::{Path, PathBuf};

use super::progress::Step;
use super::skeleton::{root_of, write};
use super::spec_workspace::{SpecWorkspace, spec_of};
use super::{StepContext, StepError, Target};
use crate::metadata::location::{MetadataDir, absolute};
use crate::metadata::read::plans;
use crate::metadata::store::read;
use crate::review::{Review, ReviewContext, report, review as look};

/// A review and where it is written down.
#[derive(Debug)]
pub struct Reviewed {
    /// The report.
    pub path: PathBuf,
    /// What was found.
    pub review: Review,
}

/// Reviews the spec of a method, by its metadata or its source.
pub fn review(target: &Target, world: &StepContext<'_>) -> Result<Reviewed, StepError> {
    let document = read(&target.metadata)?;
    let root = root_of(&target.metadata, world);
    let spec = spec_of(&document, &root)?;
    let plans = plans(&document, target.method.as_deref()).unwrap_or_default();
    let text = text_of(&spec)?;
    let shown = spec
        .strip_prefix(&root)
        .unwrap_or(&spec)
        .to_string_lossy()
        .into_owned();
    let about = ReviewContext {
        path: &shown,
        level: plans.first().and_then(|plan| plan.test_level),
        plans: &plans,
    };
    let review = look(&text, &about);
    let folder = target.metadata.parent().unwrap_or(world.cwd);
    let name = SpecWorkspace::of(target, Step::Reviewer, world)
        .map_or_else(|_| stem(&shown), |opened| opened.slug());
    written(review, &shown, folder, &name, world)
}

/// Reviews any spec, without metadata.
pub fn review_spec(spec: &Path, world: &StepContext<'_>) -> Result<Reviewed, StepError> {
    let path = absolute(spec, world.cwd);
    let text = text_of(&path)?;
    let shown = spec.to_string_lossy().into_owned();
    // Folders like `spec/requests` count, whatever folder the file was named from.
    let place = path.to_string_lossy().into_owned();
    let about = ReviewContext {
        path: &place,
        ..ReviewContext::default()
    };
    let review = look(&text, &about);
    let directory = MetadataDir::of(path.parent().unwrap_or(world.cwd), world.cwd);
    directory.create(world.may_fall_back)?;
    written(review, &shown, &directory.path, &stem(&shown), world)
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

fn written(
    review: Review,
    spec: &str,
    folder: &Path,
    name: &str,
    world: &StepContext<'_>,
) -> Result<Reviewed, StepError> {
    let time: String = world
        .now
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect();
    let path = folder.join(format!("review_report_{time}_{name}.md"));
    write(&path, &report(&review, spec, world.now))?;
    Ok(Reviewed { path, review })
}
