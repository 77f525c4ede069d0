//! The running suites and their counts.
//!
//! The event that ends a group has only its name, and two running suites may have the same name. They are then shown
//! together, when as many have ended as have started.

use std::collections::BTreeMap;

use casebook_record::Time;

use crate::terminal::summary::RunCounts;

#[derive(Default)]
pub(super) struct Suites {
    by_file: BTreeMap<String, Suite>,
    open: Vec<Group>,
}

/// The results of one file so far.
#[derive(Default)]
pub(super) struct Suite {
    pub(super) counts: RunCounts,
    started: Option<Time>,
    open_groups: usize,
}

struct Group {
    name: String,
    file: String,
    ended: bool,
}

impl Suites {
    /// Starts a group; `planned` is the number of its tests, if it is known.
    pub(super) fn open(&mut self, name: &str, file: &str, planned: Option<u64>, time: Time) {
        self.open.push(Group {
            name: name.into(),
            file: file.into(),
            ended: false,
        });
        let suite = self.of(file);
        suite.open_groups += 1;
        let planned = planned.and_then(|planned| usize::try_from(planned).ok());
        suite.counts.planned += planned.unwrap_or_default();
        suite.started.get_or_insert(time);
    }

    /// The suite of this file; added if missing.
    pub(super) fn of(&mut self, file: &str) -> &mut Suite {
        if !self.by_file.contains_key(file) {
            self.by_file.insert(file.into(), Suite::default());
        }
        self.by_file
            .get_mut(file)
            .expect("the suite was inserted above")
    }

    /// Ends the group with this name. Returns the files that end with it and their results.
    pub(super) fn close(&mut self, name: &str, time: Time) -> Vec<(String, Suite)> {
        // The innermost group first, in case groups of one file are nested.
        let mut open = self.open.iter_mut();
        if let Some(group) = open.rfind(|group| group.name == name && !group.ended) {
            group.ended = true;
        }
        if self.is_ambiguous(name) {
            return Vec::new();
        }
        let ended: Vec<Group> = self
            .open
            .extract_if(.., |group| group.name == name && group.ended)
            .collect();
        let mut files = Vec::new();
        for group in ended {
            let suite = self.of(&group.file);
            suite.open_groups = suite.open_groups.saturating_sub(1);
            if suite.open_groups == 0 {
                files.push(group.file);
            }
        }
        self.take(files, time)
    }

    /// All suites with results that have not been closed.
    pub(super) fn close_all(&mut self, time: Time) -> Vec<(String, Suite)> {
        let files = self.by_file.keys().cloned().collect();
        self.take(files, time)
    }

    /// Whether several files have an open group of this name.
    fn is_ambiguous(&self, name: &str) -> bool {
        let same = || self.open.iter().filter(|group| group.name == name);
        let mut files = same().map(|group| &group.file);
        let first = files.next();
        files.any(|file| Some(file) != first) && same().any(|group| !group.ended)
    }

    fn take(&mut self, files: Vec<String>, time: Time) -> Vec<(String, Suite)> {
        files
            .into_iter()
            .filter_map(|file| {
                let mut suite = self.by_file.remove(&file)?;
                suite.counts.millis = suite.started.map(|started| time.millis_since(started));
                let has_tests = suite.counts.started_count() + suite.counts.not_run() > 0;
                (has_tests && !file.is_empty()).then_some((file, suite))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suites(groups: &[(&str, &str)]) -> Suites {
        let mut suites = Suites::default();
        for (name, file) in groups {
            suites.open(name, file, None, Time::from_millis(0));
            suites.of(file).counts.passed = 1;
        }
        suites
    }

    fn closed(suites: &mut Suites, name: &str) -> Vec<String> {
        let closed = suites.close(name, Time::from_millis(5));
        closed.into_iter().map(|(file, _)| file).collect()
    }

    #[test]
    fn a_suite_ends_with_its_group() {
        let mut suites = suites(&[("a", "a.yml"), ("b", "b.yml")]);
        assert_eq!(closed(&mut suites, "b"), ["b.yml"]);
        assert_eq!(closed(&mut suites, "unknown"), [""; 0]);
        assert_eq!(closed(&mut suites, "a"), ["a.yml"]);
        assert!(suites.close_all(Time::from_millis(5)).is_empty());
    }

    #[test]
    fn suites_with_equal_names_are_closed_together() {
        let mut suites = suites(&[("a", "1.yml"), ("a", "2.yml")]);
        assert_eq!(closed(&mut suites, "a"), [""; 0]);
        assert_eq!(closed(&mut suites, "a"), ["1.yml", "2.yml"]);
    }

    #[test]
    fn a_file_ends_with_its_outermost_group() {
        let mut suites = suites(&[("outer", "a.rb"), ("inner", "a.rb"), ("inner", "a.rb")]);
        assert_eq!(closed(&mut suites, "inner"), [""; 0]);
        assert_eq!(closed(&mut suites, "inner"), [""; 0]);
        assert_eq!(closed(&mut suites, "outer"), ["a.rb"]);
    }

    #[test]
    fn open_suites_are_closed_at_the_end() {
        let mut suites = suites(&[("a", "a.yml"), ("b", "b.yml")]);
        suites.of("c.yml").counts.failed = 1;
        suites.of("without results.yml");
        closed(&mut suites, "a");
        let rest: Vec<_> = suites.close_all(Time::from_millis(5)).into_iter().collect();
        let files: Vec<_> = rest.iter().map(|(file, _)| file.as_str()).collect();
        assert_eq!(files, ["b.yml", "c.yml"]);
    }
}
