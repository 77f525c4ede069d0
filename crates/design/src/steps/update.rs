//! `design update`: lists the specs that a change to the program affects (rule P6).

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::files::is_source;
use super::{StepContext, StepError};
use crate::metadata::location::find_root;
use crate::metadata::read::{Entry, Plan};
use crate::ruby::{Analysis, AnalysisOptions, analyze_all};
use crate::skeleton::{Components, project_spec_path};

/// How a method changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The method is new.
    New,
    /// Its characteristics changed; its block has to be rewritten.
    Varies,
    /// Its code changed, but its characteristics did not; expectations may be outdated.
    Expectations,
}

impl Change {
    /// The word in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::New => "new",
            Change::Varies => "varies",
            Change::Expectations => "expectations",
        }
    }
}

/// A method that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `Class#method`.
    pub method: String,
    /// Its file, relative to the root.
    pub file: String,
    /// How it changed.
    pub change: Change,
    /// Its spec, relative to the root; `None` if it does not exist.
    pub spec: Option<String>,
    /// Manual edits in the spec that a new block would lose.
    pub by_hand: Vec<String>,
}

impl Changed {
    /// Converts it to the JSON of `design update`.
    pub fn to_json(&self) -> Value {
        json!({
            "method": self.method,
            "file": self.file,
            "change": self.change.as_str(),
            "spec": self.spec,
            "by_hand": self.by_hand,
        })
    }
}

/// The public methods of the program that differ from a commit, with their specs. Files that cannot be parsed are
/// returned as warnings.
pub fn update(
    base: &str,
    context: &StepContext<'_>,
) -> Result<(Vec<Changed>, Vec<String>), StepError> {
    let root = find_root(context.cwd).ok_or_else(|| {
        StepError::Other(
            "no project was found: no directory above has .git or a Gemfile".to_owned(),
        )
    })?;
    let mut found = Vec::new();
    let mut warnings = Vec::new();
    for file in files(base, &root, context)? {
        let now = fs::read(root.join(&file)).map_err(|source| StepError::Unreadable {
            path: root.join(&file),
            source,
        })?;
        let before = git(&root, &["show", &format!("{base}:{file}")], context).unwrap_or_default();
        match (methods(&now, &file), methods(before.as_bytes(), &file)) {
            (Ok(methods_now), methods_before) => {
                let methods_before = methods_before.unwrap_or_default();
                let sources = (now.as_slice(), before.as_bytes());
                found.extend(changed_methods(
                    &file,
                    &root,
                    &methods_now,
                    &methods_before,
                    sources,
                ));
            }
            (Err(error), _) => warnings.push(format!("{file}: {error}")),
        }
    }
    Ok((found, warnings))
}

/// The changed and new source files, sorted.
fn files(base: &str, root: &Path, context: &StepContext<'_>) -> Result<Vec<String>, StepError> {
    let diff = [
        "diff",
        "--name-only",
        "--relative",
        "--diff-filter=AMR",
        "--end-of-options",
        base,
        "--",
        "*.rb",
    ];
    let untracked = ["ls-files", "--others", "--exclude-standard", "--", "*.rb"];
    let listed = git(root, &diff, context)? + &git(root, &untracked, context)?;
    let mut components = Components::default();
    let mut files: Vec<String> = listed
        .lines()
        .filter(|file| is_source(file, root, &mut components))
        .map(ToOwned::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

fn git(root: &Path, arguments: &[&str], context: &StepContext<'_>) -> Result<String, StepError> {
    match (context.run)(root, "git", arguments) {
        Some(ran) if ran.is_success => Ok(ran.output),
        Some(ran) => {
            let reason = ran.output.trim().lines().next().unwrap_or_default();
            Err(StepError::Other(format!(
                "cannot list the changed files: git reports: {reason}"
            )))
        }
        None => Err(StepError::Other(
            "cannot list the changed files: git is not installed".to_owned(),
        )),
    }
}

fn methods(source: &[u8], file: &str) -> Result<Vec<Analysis>, crate::ruby::RubyError> {
    let found = analyze_all(source, file, AnalysisOptions::default())?;
    Ok(found.into_iter().flatten().collect())
}

fn changed_methods(
    file: &str,
    root: &Path,
    now: &[Analysis],
    before: &[Analysis],
    (now_text, before_text): (&[u8], &[u8]),
) -> Vec<Changed> {
    let spec = project_spec_path(file, root);
    let text = fs::read_to_string(root.join(&spec)).ok();
    let change = |found: &Analysis| {
        let old = before
            .iter()
            .find(|old| old.method.id() == found.method.id());
        let Some(old) = old else {
            return Some(Change::New);
        };
        if lines(found, now_text) == lines(old, before_text) {
            None
        } else if varying(found) == varying(old) {
            Some(Change::Expectations)
        } else {
            Some(Change::Varies)
        }
    };
    now.iter()
        .filter_map(|found| {
            Some(Changed {
                method: found.method.id(),
                file: file.to_owned(),
                change: change(found)?,
                spec: text.as_ref().map(|_| spec.clone()),
                by_hand: text.as_deref().map(manual_edits).unwrap_or_default(),
            })
        })
        .collect()
}

/// The lines of a method.
fn lines<'s>(found: &Analysis, source: &'s [u8]) -> Vec<&'s [u8]> {
    let (first, last) = found.method.lines;
    let all = source.split(|byte| *byte == b'\n');
    all.skip(first - 1).take(last + 1 - first).collect()
}

/// The characteristics, from which contexts are made.
fn varying(found: &Analysis) -> Vec<Entry> {
    Plan::of(found, "").entries
}

/// Signs of manual edits in a spec.
pub(super) fn manual_edits(spec: &str) -> Vec<String> {
    let has = |sign: &dyn Fn(&str) -> bool| spec.lines().any(|line| sign(line.trim()));
    let mut found = Vec::new();
    if has(&|line| line.starts_with('#') && (line.contains("CUSTOM") || line.contains("MANUAL"))) {
        found.push("CUSTOM or MANUAL comments".to_owned());
    }
    if has(&|line| line.starts_with("def ")) {
        found.push("helper methods".to_owned());
    }
    let is_ours = |line: &str| line.contains("__rspec_testing__");
    if has(&|line| line.contains("shared_examples") && !is_ours(line)) {
        found.push("shared examples".to_owned());
    }
    found
}
