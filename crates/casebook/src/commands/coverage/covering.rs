//! The tests that cover anything, however that is known.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use casebook_report::coverage::{KnownBy, Outcome};

use super::contexts::{State, States};

/// What names a test in its sources and in a record: its file, absolute, and the names from the outermost group, or the
/// suite, to itself.
pub(super) type Key = (PathBuf, String);

/// A test, and what it covers.
#[derive(Debug)]
pub(super) struct Covering {
    pub(super) name: String,
    pub(super) place: String,
    pub(super) known_by: KnownBy,
    /// By the place of the design.
    pub(super) states: HashMap<usize, States>,
    pub(super) outcome: Outcome,
}

impl Covering {
    pub(super) fn new(
        name: impl Into<String>,
        place: impl Into<String>,
        known_by: KnownBy,
    ) -> Covering {
        Covering {
            name: name.into(),
            place: place.into(),
            known_by,
            states: HashMap::new(),
            outcome: Outcome::NotRun,
        }
    }

    pub(super) fn cover(&mut self, design: usize, states: impl IntoIterator<Item = State>) {
        self.states.entry(design).or_default().extend(states);
    }

    fn covers_anything(&self) -> bool {
        self.states.values().any(|states| !states.is_empty())
    }
}

/// All of them, and what is to be said about them.
#[derive(Debug, Default)]
pub(super) struct Tests {
    pub(super) all: Vec<Covering>,
    by_key: HashMap<Key, usize>,
    /// Groups that include shared examples, as the beginnings of their keys.
    shared: Vec<(Key, usize)>,
    /// What looks like a test and is none.
    ignored: HashSet<Key>,
    /// Suites that were read: all of their tests are known.
    suites: HashSet<PathBuf>,
    warnings: Vec<String>,
}

impl Tests {
    /// Adds a test, if it covers anything; one that is there already under this key covers both.
    pub(super) fn add(&mut self, key: Key, test: Covering) {
        if !test.covers_anything() {
            return;
        }
        let place = *self.by_key.entry(key).or_insert(self.all.len());
        match self.all.get_mut(place) {
            None => self.all.push(test),
            Some(known) => {
                for (design, states) in test.states {
                    known.cover(design, states);
                }
            }
        }
    }

    /// Adds a group whose tests are written elsewhere: theirs begin with its key.
    pub(super) fn add_shared(&mut self, key: Key, test: Covering) {
        if test.covers_anything() {
            self.shared.push((key, self.all.len()));
            self.all.push(test);
        }
    }

    pub(super) fn ignore(&mut self, key: Key) {
        self.ignored.insert(key);
    }

    pub(super) fn read_suite(&mut self, file: PathBuf) {
        self.suites.insert(file);
    }

    /// Whether a result under this key is of a test that is no longer there, or is none.
    pub(super) fn is_gone(&self, key: &Key) -> bool {
        self.ignored.contains(key) || self.suites.contains(&key.0)
    }

    /// The place of the test that a result under this key is of.
    pub(super) fn find(&self, key: &Key) -> Option<usize> {
        self.by_key.get(key).copied().or_else(|| {
            let (_, place) = self.shared.iter().find(|((file, start), _)| {
                *file == key.0
                    && key
                        .1
                        .strip_prefix(start)
                        .is_some_and(|rest| rest.starts_with("::"))
            })?;
            Some(*place)
        })
    }

    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(super) fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// As people would type it.
pub(super) fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
