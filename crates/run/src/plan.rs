//! What is to be run: the tests that were asked for, each with its place in the run.

mod filter;
mod ids;
mod shard;
mod shuffle;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use casebook_record::StableIds;
use casebook_suite::model::Test;
use casebook_suite::{Suite, snapshot};

pub use filter::{Filter, InvalidFilter, TagFilter};
pub use shard::{InvalidShard, Shard};
pub(crate) use shuffle::shuffle;

/// A suite, and which of its tests are asked for.
#[derive(Debug)]
pub struct SelectedSuite {
    /// The suite.
    pub suite: Suite,
    /// Only the tests at these lines; all of them when there are none.
    pub lines: Vec<usize>,
}

impl SelectedSuite {
    /// A line that was asked for where no test stands, with the nearest at which one begins.
    pub fn unmatched_line(&self) -> Option<(usize, usize)> {
        let tests = || self.suite.tests.iter().map(|test| lines(test, &self.suite));
        let mut asked = self.lines.iter().copied();
        let line = asked.find(|line| !tests().any(|lines| lines.contains(line)))?;
        let begins = tests().map(|lines| *lines.start());
        Some((line, begins.min_by_key(|begin| begin.abs_diff(line))?))
    }
}

/// Which tests of the suites are to be run.
#[derive(Debug, Default)]
pub struct Selection {
    /// Only tests with such a name.
    pub filter: Option<Filter>,
    /// Only tests with tags as one of these wants them.
    pub tags: Vec<TagFilter>,
    /// Only this part of them.
    pub shard: Option<Shard>,
    /// Not those that have run already, by their stable ids.
    pub finished: HashSet<String>,
}

/// The tests of a run, in the order of the files.
#[derive(Debug)]
pub struct Plan {
    /// Suites with at least one test to run.
    pub suites: Vec<PlannedSuite>,
    /// Whether tests were left out because others say `only`.
    pub only: bool,
}

/// A suite of a run.
#[derive(Debug)]
pub struct PlannedSuite {
    /// The suite.
    pub suite: Suite,
    /// Its tests that are to be run, in order.
    pub tests: Vec<PlannedTest>,
    snapshots: OnceLock<Vec<Option<String>>>,
}

/// A test of a run.
#[derive(Debug)]
pub struct PlannedTest {
    /// Which test of the suite it is.
    pub index: usize,
    /// What names it in the record, and names files.
    pub id: String,
    /// What names it in every run.
    pub stable_id: String,
    /// What its stable id is made from.
    pub canonical_path: String,
    /// Its place among all tests that were asked for.
    pub position: usize,
    /// Its place in its suite, counted from 1.
    pub number: usize,
    /// Its place in the run, counted from 1.
    pub run_number: usize,
    /// What names the scenario that drives it.
    pub scenario_id: Option<String>,
    /// Which trial of its test it is, if there are several.
    pub trial: Option<Trial>,
    /// How many milliseconds it took in an earlier run.
    pub(crate) expected_ms: Option<u64>,
}

/// One of several trials of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Which, counted from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl PlannedSuite {
    /// A suite without a plan: whoever has one says which tests are to be run.
    pub(crate) fn of(suite: Suite) -> PlannedSuite {
        PlannedSuite {
            suite,
            tests: Vec::new(),
            snapshots: OnceLock::new(),
        }
    }

    /// The file as people call it.
    pub fn name(&self) -> &str {
        self.suite.file.name()
    }

    /// The file, seen from where the run was started.
    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    /// Where the snapshot of a test is kept, seen from the suite's folder.
    pub(crate) fn snapshot(&self, planned: &PlannedTest) -> Option<&Path> {
        let all = self.snapshots.get_or_init(|| snapshot::files(&self.suite));
        all.get(planned.index)?.as_deref().map(Path::new)
    }

    /// The test that is planned.
    pub fn test(&self, planned: &PlannedTest) -> &Test {
        &self.suite.tests[planned.index]
    }

    /// What people call it: the test's name, and which trial of it this is.
    pub fn title(&self, planned: &PlannedTest) -> Cow<'_, str> {
        let name = &self.test(planned).name;
        match planned.trial {
            None => name.into(),
            Some(Trial { number, of }) => format!("{name} (trial {number} of {of})").into(),
        }
    }
}

impl PlannedTest {
    /// What names the test in every run, whichever trial this is.
    pub fn test_stable_id(&self) -> &str {
        match self.trial {
            None => &self.stable_id,
            Some(_) => self
                .stable_id
                .rsplit_once('~')
                .map_or(&self.stable_id, |(test, _)| test),
        }
    }
}

impl Plan {
    /// Plans the tests that the selection leaves of those asked for.
    pub fn new(asked: Vec<SelectedSuite>, selection: &Selection) -> Plan {
        let mut ids = StableIds::default();
        let mut suites: Vec<_> = asked
            .into_iter()
            .map(|asked| ids::assign_ids(asked, &mut ids))
            .collect();
        for (suite, lines) in &mut suites {
            suite.keep(|suite, test| selection.matches(suite, test, lines));
        }
        let mut suites: Vec<_> = suites.into_iter().map(|(suite, _)| suite).collect();
        let only = retain_only_tests(&mut suites);
        number(&mut suites, |test, place| test.position = place);
        if let Some(shard) = selection.shard {
            shard::retain_shard(&mut suites, shard);
        }
        for suite in &mut suites {
            suite.keep(|_, test| !selection.finished.contains(&test.stable_id));
        }
        number(&mut suites, |test, place| test.run_number = place + 1);
        suites.retain(|suite| !suite.tests.is_empty());
        Plan { suites, only }
    }

    /// Tells how many milliseconds tests took in an earlier run, by their stable ids: those that take longest are
    /// begun first, so that nobody waits for them at the end.
    pub fn set_expected_durations(&mut self, durations: &HashMap<String, u64>) {
        for test in self.suites.iter_mut().flat_map(|suite| &mut suite.tests) {
            test.expected_ms = durations.get(&test.stable_id).copied();
        }
    }

    /// How many tests there are.
    pub fn len(&self) -> usize {
        self.suites.iter().map(|suite| suite.tests.len()).sum()
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.suites.is_empty()
    }
}

impl PlannedSuite {
    fn keep(&mut self, wanted: impl Fn(&PlannedSuite, &PlannedTest) -> bool) {
        let mut tests = std::mem::take(&mut self.tests);
        tests.retain(|test| wanted(self, test));
        for (place, test) in tests.iter_mut().enumerate() {
            test.number = place + 1;
        }
        self.tests = tests;
    }
}

/// Leaves tests that say `only` alone, if there are any; whether that leaves out others.
fn retain_only_tests(suites: &mut [PlannedSuite]) -> bool {
    let says_only = |suite: &PlannedSuite, test: &PlannedTest| suite.test(test).only.is_some();
    let any = suites
        .iter()
        .any(|suite| suite.tests.iter().any(|test| says_only(suite, test)));
    if any {
        suites.iter_mut().for_each(|suite| suite.keep(says_only));
    }
    any
}

fn number(suites: &mut [PlannedSuite], give: impl Fn(&mut PlannedTest, usize)) {
    let tests = suites.iter_mut().flat_map(|suite| &mut suite.tests);
    tests
        .enumerate()
        .for_each(|(place, test)| give(test, place));
}

impl Selection {
    fn matches(&self, suite: &PlannedSuite, planned: &PlannedTest, lines: &[usize]) -> bool {
        let test = suite.test(planned);
        let stands_at = |test, line| self::lines(test, &suite.suite).contains(&line);
        let named = self.filter.as_ref().is_none_or(|filter| {
            filter.matches(&test.name)
                || planned.trial.is_some() && filter.matches(&suite.title(planned))
        });
        let tagged = self.tags.is_empty() || self.tags.iter().any(|tags| tags.matches(&test.tags));
        named && tagged && (lines.is_empty() || lines.iter().any(|line| stands_at(test, *line)))
    }
}

/// The lines that the test is written on.
fn lines(test: &Test, suite: &Suite) -> RangeInclusive<usize> {
    let first = suite.file.position(test.span.start).line;
    let last = suite.file.position(test.span.end.saturating_sub(1)).line;
    first..=last.max(first)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use casebook_source::SourceFile;
    use casebook_suite::{CheckContext, check, deny_files};

    use super::*;

    const SUITE: &str = "\
name: Talk
agent: {command: ./agent}
tests:
  - {name: once, conversation: [{user: Hi}]}
  - name: often
    trials: 3
    scenarios: [{name: a, goal: g}, {name: b, goal: h, id: vip}]
    conversation: [{user: '{{scenario.goal}}'}]
";

    fn planned(selection: &Selection) -> Vec<(String, String, String)> {
        let surroundings = CheckContext {
            environment: &BTreeMap::new(),
            stem: "talk",
            read: &deny_files,
        };
        let suite = check(SourceFile::new("talk.yaml", SUITE), &surroundings).suite;
        let asked = SelectedSuite {
            suite: suite.unwrap(),
            lines: Vec::new(),
        };
        let plan = Plan::new(vec![asked], selection);
        let tests = plan.suites.iter().flat_map(|suite| {
            let tests = suite.tests.iter();
            tests.map(|test| {
                let id = test.stable_id.trim_start_matches(test.test_stable_id());
                let title = suite.title(test).into_owned();
                (title, test.canonical_path.clone(), id.to_owned())
            })
        });
        tests.collect()
    }

    fn titles(selection: &Selection) -> Vec<String> {
        let planned = planned(selection).into_iter();
        planned.map(|(title, ..)| title).collect()
    }

    #[test]
    fn every_trial_of_every_scenario_is_a_test_of_its_own() {
        let all = planned(&Selection::default());
        assert_eq!(all.len(), 7);
        let (title, path, id) = &all[0];
        assert_eq!(
            (title.as_str(), path.as_str(), id.as_str()),
            ("once", "Talk::once", "")
        );
        let (title, path, id) = &all[2];
        assert_eq!(title, "often [scenario=a] (trial 2 of 3)");
        assert!(
            path.starts_with("Talk::often [scenario=a]@scenario_"),
            "{path}"
        );
        assert_eq!(id, "~2");
        assert_eq!(all[6].1, "Talk::often [scenario=b]@vip");
    }

    #[test]
    fn trials_are_chosen_one_by_one_or_with_their_test() {
        let filtered = |filter: &str| {
            titles(&Selection {
                filter: Some(filter.parse().unwrap()),
                ..Selection::default()
            })
        };
        assert_eq!(filtered("/^once$/"), ["once"]);
        assert_eq!(filtered("/scenario=a.$/").len(), 3);
        assert_eq!(filtered("scenario=b] (trial 3").len(), 1);
        let shards = ["1/2", "2/2"].map(|shard| {
            titles(&Selection {
                shard: Some(shard.parse().unwrap()),
                ..Selection::default()
            })
        });
        assert_eq!((shards[0].len(), shards[1].len()), (4, 3));
    }
}
