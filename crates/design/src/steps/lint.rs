//! The project's own linter: rule W9.

use std::fs;
use std::path::Path;

use super::draft_dir::DraftDir;
use super::{StepContext, StepError};
use crate::outline::outline;

/// A linter that can fix what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Linter {
    Rubocop,
    Standard,
}

impl Linter {
    /// The linter that the project uses.
    pub(super) fn of(root: &Path) -> Option<Linter> {
        let has = |name: &str| root.join(name).is_file();
        if has(".rubocop.yml") || has(".rubocop_todo.yml") {
            Some(Linter::Rubocop)
        } else if has(".standard.yml") || is_in_bundle(root, "standard") {
            Some(Linter::Standard)
        } else if is_in_bundle(root, "rubocop") {
            Some(Linter::Rubocop)
        } else {
            None
        }
    }

    /// The name of its program.
    pub(super) fn name(self) -> &'static str {
        match self {
            Linter::Rubocop => "rubocop",
            Linter::Standard => "standardrb",
        }
    }

    /// Corrects a spec's text; returns the new text and a warning. The linter works on a copy, so the spec is intact if the
    /// process is killed.
    pub(super) fn autocorrect(
        self,
        root: &Path,
        spec: &Path,
        text: &str,
        context: &StepContext<'_>,
    ) -> Result<(String, Option<String>), StepError> {
        let draft = DraftDir::of(spec)?;
        let copy = draft.path();
        let unwritable = |source| StepError::Unreadable {
            path: copy.clone(),
            source,
        };
        fs::write(&copy, text).map_err(unwritable)?;
        let warning = self.run(root, &copy, context);
        let corrected = fs::read_to_string(&copy).map_err(unwritable)?;
        let is_valid = outline(corrected.as_bytes(), "spec").is_ok();
        Ok((if is_valid { corrected } else { text.to_owned() }, warning))
    }

    fn run(self, root: &Path, spec: &Path, context: &StepContext<'_>) -> Option<String> {
        let option = match self {
            Linter::Rubocop => "--autocorrect",
            Linter::Standard => "--fix",
        };
        let name = self.name();
        match (context.run)(root, name, &[option, &spec.to_string_lossy()]) {
            None => Some(format!("{name} is not installed; the spec was not linted")),
            // Exit code 0: no offenses, or all corrected. 1: offenses remain. Otherwise the linter failed.
            Some(ran) if ran.is_success => None,
            Some(ran) if ran.code == Some(1) => Some(format!(
                "{name}: offenses remain: {}",
                last_line(&ran.output)
            )),
            Some(ran) => Some(format!("{name} failed: {}", error_line(&ran.output))),
        }
    }
}

/// Whether the Gemfile lists a gem by its name, or the Gemfile.lock contains it.
fn is_in_bundle(root: &Path, gem: &str) -> bool {
    let lists_gem = |line: &str| {
        let line = line.trim().replace('\'', "\"").replace('(', " ");
        line.starts_with(&format!("gem \"{gem}\""))
    };
    let locked_gem = format!("{gem} (");
    let has = |file: &str, matches: &dyn Fn(&str) -> bool| {
        fs::read_to_string(root.join(file)).is_ok_and(|text| text.lines().any(matches))
    };
    has("Gemfile", &lists_gem) || has("Gemfile.lock", &|line| line.trim().starts_with(&locked_gem))
}

/// The line that names the error; advice such as "Did you mean ...?" may follow it.
fn error_line(output: &str) -> String {
    let mut lines = output.lines().map(str::trim);
    let line = lines.find(|line| line.starts_with("Error:"));
    line.map_or_else(|| last_line(output), ToOwned::to_owned)
}

fn last_line(output: &str) -> String {
    output
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linter_comes_from_the_project() {
        for (files, expected) in [
            (&[][..], None),
            (&[(".rubocop.yml", "")][..], Some(Linter::Rubocop)),
            (
                &[(".rubocop_todo.yml", ""), (".standard.yml", "")],
                Some(Linter::Rubocop),
            ),
            (&[(".standard.yml", "")], Some(Linter::Standard)),
            (
                &[("Gemfile", "gem 'standard', '~> 1'\ngem 'rubocop'")],
                Some(Linter::Standard),
            ),
            (&[("Gemfile", "gem \"rubocop\"")], Some(Linter::Rubocop)),
            (&[("Gemfile", "# gem 'standard'\ngem 'nonstandard'")], None),
            (
                &[("Gemfile", ""), ("Gemfile.lock", "    rubocop (1.50.0)\n")],
                Some(Linter::Rubocop),
            ),
        ] {
            let root = tempfile::tempdir().unwrap();
            for (name, text) in files {
                fs::write(root.path().join(name), text).unwrap();
            }
            assert_eq!(Linter::of(root.path()), expected, "{files:?}");
        }
    }
}
