//! The tests that cover states: [`CoveringTest`] and their collection, [`CoveringTests`].

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use casebook_report::coverage::{CoverageOutcome, CoverageSource};

use crate::state_names::{State, States};

/// Identifies a test in its source and in a record: its absolute file, and the names from the outermost group, or the
/// suite, to the test.
pub(crate) type Key = (PathBuf, String);

/// A test and the states it covers.
#[derive(Debug)]
pub(crate) struct CoveringTest {
    pub(crate) name: String,
    pub(crate) place: String,
    pub(crate) known_by: CoverageSource,
    /// By the index of the design.
    pub(crate) states: HashMap<usize, States>,
    pub(crate) outcome: CoverageOutcome,
}

impl CoveringTest {
    pub(crate) fn new(
        name: impl Into<String>,
        place: impl Into<String>,
        known_by: CoverageSource,
    ) -> CoveringTest {
        CoveringTest {
            name: name.into(),
            place: place.into(),
            known_by,
            states: HashMap::new(),
            outcome: CoverageOutcome::NotRun,
        }
    }

    pub(crate) fn cover(&mut self, design: usize, states: impl IntoIterator<Item = State>) {
        self.states.entry(design).or_default().extend(states);
    }

    fn covers_anything(&self) -> bool {
        self.states.values().any(|states| !states.is_empty())
    }
}

/// All covering tests of a join, and its warnings.
#[derive(Debug, Default)]
pub(crate) struct CoveringTests {
    pub(crate) all: Vec<CoveringTest>,
    by_key: HashMap<Key, usize>,
    /// Groups that include shared examples: the keys of these examples begin with the key of the group.
    shared: Vec<(Key, usize)>,
    /// Examples of a skeleton that still contain placeholders.
    ignored: HashSet<Key>,
    /// Suites that were read, so that all of their tests are known.
    suites: HashSet<PathBuf>,
    warnings: Vec<String>,
}

impl CoveringTests {
    /// Adds a test if it covers anything. An existing test with this key then covers the states of both.
    pub(crate) fn add(&mut self, key: Key, test: CoveringTest) {
        if !test.covers_anything() {
            return;
        }
        let index = *self.by_key.entry(key).or_insert(self.all.len());
        match self.all.get_mut(index) {
            None => self.all.push(test),
            Some(existing) => {
                for (design, states) in test.states {
                    existing.cover(design, states);
                }
            }
        }
    }

    /// Adds a group of shared examples, which are defined elsewhere: their keys begin with its key.
    pub(crate) fn add_shared(&mut self, key: Key, test: CoveringTest) {
        if test.covers_anything() {
            self.shared.push((key, self.all.len()));
            self.all.push(test);
        }
    }

    pub(crate) fn ignore(&mut self, key: Key) {
        self.ignored.insert(key);
    }

    pub(crate) fn read_suite(&mut self, file: PathBuf) {
        self.suites.insert(file);
    }

    /// Whether a result with this key belongs to a test that was deleted, or to a placeholder.
    pub(crate) fn is_deleted(&self, key: &Key) -> bool {
        self.ignored.contains(key) || self.suites.contains(&key.0)
    }

    /// The index of the test to which a result with this key belongs.
    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        self.by_key.get(key).copied().or_else(|| {
            let (_, index) = self.shared.iter().find(|((file, start), _)| {
                *file == key.0
                    && key
                        .1
                        .strip_prefix(start)
                        .is_some_and(|rest| rest.starts_with("::"))
            })?;
            Some(*index)
        })
    }

    pub(crate) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The path relative to the working directory.
pub(crate) fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
