//! [`SelectedTests`]: the tests that the arguments of `accept` select.

use std::path::{Path, PathBuf};

use casebook_run::SelectedSuite;
use casebook_suite::{LineRange, discover};

use crate::commands::run::check_lines;
use crate::commands::shared::suites;
use crate::context::Context;
use crate::error::CommandError;

/// The tests that the arguments select.
pub(super) struct SelectedTests {
    /// Suites, each once for each selected line; `None` selects all.
    suites: Option<Vec<(PathBuf, Option<LineRange>)>>,
}

impl SelectedTests {
    /// Finds the suites; `None` if an argument matches nothing, which is reported.
    pub(super) fn find(
        paths: &[String],
        context: &Context,
    ) -> Result<Option<SelectedTests>, CommandError> {
        if paths.is_empty() {
            return Ok(Some(SelectedTests { suites: None }));
        }
        let found = discover(paths, &context.dir);
        for unmatched in &found.unmatched {
            context.messages.error(&unmatched.to_string());
        }
        if !found.unmatched.is_empty() {
            return Ok(None);
        }
        let mut suites = Vec::new();
        for found in found.files {
            if let Some(lines) = &found.lines {
                check(&found.path, lines, context)?;
            }
            suites.push((found.path, found.lines));
        }
        Ok(Some(SelectedTests {
            suites: Some(suites),
        }))
    }

    /// Whether tests of this file are selected.
    pub(super) fn has_file(&self, file: &str) -> bool {
        let suites = self.suites.as_ref();
        suites.is_none_or(|suites| suites.iter().any(|(path, _)| path == Path::new(file)))
    }

    /// Whether the test at these lines of this file is selected.
    pub(super) fn includes(&self, file: &str, lines: &LineRange) -> bool {
        let Some(suites) = &self.suites else {
            return true;
        };
        let overlaps = |selected: &LineRange| {
            selected.start() <= lines.end() && lines.start() <= selected.end()
        };
        let mut suites = suites.iter();
        suites.any(|(path, selected)| {
            path == Path::new(file) && selected.as_ref().is_none_or(overlaps)
        })
    }
}

/// A line without a test is an error, as for `run`.
fn check(path: &Path, lines: &LineRange, context: &Context) -> Result<(), CommandError> {
    match suites::read_file(path, context)?.suite {
        None => Ok(()),
        Some(suite) => check_lines(&[SelectedSuite {
            suite,
            lines: vec![lines.clone()],
        }]),
    }
}
