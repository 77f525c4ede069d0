//! Which suites are being run, and what each came to.
//!
//! The end of a group is told by its name alone, and two suites that run at once may have the same. They are then
//! told of together, when as many have ended as have begun.

use std::collections::BTreeMap;

use casebook_record::Time;

use crate::terminal::summary::RunCounts;

#[derive(Default)]
pub(super) struct Suites {
    by_file: BTreeMap<String, Suite>,
    open: Vec<Group>,
}

/// The results in one file so far.
#[derive(Default)]
pub(super) struct Suite {
    pub(super) tally: RunCounts,
    began: Option<Time>,
    open_groups: usize,
}

struct Group {
    name: String,
    file: String,
    ended: bool,
}

impl Suites {
    pub(super) fn open(&mut self, name: &str, file: &str, time: Time) {
        self.open.push(Group {
            name: name.into(),
            file: file.into(),
            ended: false,
        });
        let suite = self.of(file);
        suite.open_groups += 1;
        suite.began.get_or_insert(time);
    }

    /// The suite in that file, for a result to be counted in.
    pub(super) fn of(&mut self, file: &str) -> &mut Suite {
        if !self.by_file.contains_key(file) {
            self.by_file.insert(file.into(), Suite::default());
        }
        self.by_file
            .get_mut(file)
            .expect("it was inserted where it was missing")
    }

    /// A group of that name has ended: the files that have ended with it, each with what it came to.
    pub(super) fn close(&mut self, name: &str, time: Time) -> Vec<(String, Suite)> {
        // The innermost first, in case groups of one file nest.
        if let Some(group) = self
            .open
            .iter_mut()
            .rfind(|group| group.name == name && !group.ended)
        {
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

    /// All that have results and have not been told of.
    pub(super) fn close_all(&mut self, time: Time) -> Vec<(String, Suite)> {
        let files = self.by_file.keys().cloned().collect();
        self.take(files, time)
    }

    /// Whether it cannot be known which file a group of that name belonged to.
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
                suite.tally.counts_tests = true;
                suite.tally.millis = suite.began.map(|began| time.millis_since(began));
                (suite.tally.seen() > 0 && !file.is_empty()).then_some((file, suite))
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
            suites.open(name, file, Time::from_millis(0));
            suites.of(file).tally.passed = 1;
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
        assert_eq!(closed(&mut suites, "unheard of"), [""; 0]);
        assert_eq!(closed(&mut suites, "a"), ["a.yml"]);
        assert!(suites.close_all(Time::from_millis(5)).is_empty());
    }

    #[test]
    fn suites_of_one_name_are_told_of_together() {
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
    fn what_has_not_ended_is_left_for_the_end() {
        let mut suites = suites(&[("a", "a.yml"), ("b", "b.yml")]);
        suites.of("c.yml").tally.failed = 1;
        suites.of("without results.yml");
        closed(&mut suites, "a");
        let rest: Vec<_> = suites.close_all(Time::from_millis(5)).into_iter().collect();
        let files: Vec<_> = rest.iter().map(|(file, _)| file.as_str()).collect();
        assert_eq!(files, ["b.yml", "c.yml"]);
    }
}
