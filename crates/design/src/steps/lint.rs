//! The project's own linter: rule W9.

use std::fs;
use std::path::Path;

use super::draft_dir::DraftDir;
use super::{StepContext, StepError};
use crate::outline::outline;

/// A linter that can mend what it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Linter {
    Rubocop,
    Standard,
}

impl Linter {
    /// The one that the project has chosen.
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

    /// As it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Linter::Rubocop => "rubocop",
            Linter::Standard => "standardrb",
        }
    }

    /// A spec's text as the linter wants it, and what it has to say. It works on a copy: whoever kills it finds the spec
    /// as it was.
    pub(super) fn autocorrect(
        self,
        root: &Path,
        spec: &Path,
        text: &str,
        world: &StepContext<'_>,
    ) -> Result<(String, Option<String>), StepError> {
        let beside = DraftDir::of(spec)?;
        let copy = beside.path();
        let unwritable = |source| StepError::Unreadable {
            path: copy.clone(),
            source,
        };
        fs::write(&copy, text).map_err(unwritable)?;
        let told = self.run(root, &copy, world);
        let mended = fs::read_to_string(&copy).map_err(unwritable)?;
        let is_sound = outline(mended.as_bytes(), "spec").is_ok();
        Ok((if is_sound { mended } else { text.to_owned() }, told))
    }

    fn run(self, root: &Path, spec: &Path, world: &StepContext<'_>) -> Option<String> {
        let option = match self {
            Linter::Rubocop => "--autocorrect",
            Linter::Standard => "--fix",
        };
        let name = self.name();
        match (world.run)(root, name, &[option, &spec.to_string_lossy()]) {
            None => Some(format!("{name} is not installed: the spec was not linted")),
            // 0: clean, or all corrected; 1: offences are left; more: it broke down.
            Some(ran) if ran.is_success => None,
            Some(ran) if ran.code == Some(1) => Some(format!(
                "{name}: offences are left: {}",
                last_line(&ran.output)
            )),
            Some(ran) => Some(format!("{name} broke down: {}", last_line(&ran.output))),
        }
    }
}

/// Whether a gem is asked for by its own name, or was chosen.
fn is_in_bundle(root: &Path, gem: &str) -> bool {
    let asks = |line: &str| {
        let line = line.trim().replace('\'', "\"").replace('(', " ");
        line.starts_with(&format!("gem \"{gem}\""))
    };
    let chosen = format!("{gem} (");
    let has = |file: &str, is_it: &dyn Fn(&str) -> bool| {
        fs::read_to_string(root.join(file)).is_ok_and(|text| text.lines().any(is_it))
    };
    has("Gemfile", &asks) || has("Gemfile.lock", &|line| line.trim().starts_with(&chosen))
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
    fn the_project_chooses_its_linter() {
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
