//! [`Plan`]: the selected tests, each with its ids and its position in the run.

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

/// A suite, and the lines that select tests in it.
#[derive(Debug)]
pub struct SelectedSuite {
    /// The suite.
    pub suite: Suite,
    /// Selects the tests at these lines; empty selects all.
    pub lines: Vec<usize>,
}

impl SelectedSuite {
    /// Returns the first selected line without a test, and the closest line at which a test starts.
    pub fn unmatched_line(&self) -> Option<(usize, usize)> {
        let tests = || self.suite.tests.iter().map(|test| lines(test, &self.suite));
        let mut selected = self.lines.iter().copied();
        let line = selected.find(|line| !tests().any(|lines| lines.contains(line)))?;
        let begins = tests().map(|lines| *lines.start());
        Some((line, begins.min_by_key(|begin| begin.abs_diff(line))?))
    }
}

/// Selects the tests to run.
#[derive(Debug, Default)]
pub struct Selection {
    /// Selects tests by name.
    pub filter: Option<Filter>,
    /// Selects tests by tags; one match is enough. Empty selects all.
    pub tags: Vec<TagFilter>,
    /// Selects one shard.
    pub shard: Option<Shard>,
    /// The stable ids of tests to exclude, because they are already finished.
    pub finished: HashSet<String>,
}

/// The tests of a run, in file order.
#[derive(Debug)]
pub struct Plan {
    /// Suites with at least one planned test.
    pub suites: Vec<PlannedSuite>,
    /// Whether only tests marked `only` are planned.
    pub only: bool,
}

/// A suite of a run.
#[derive(Debug)]
pub struct PlannedSuite {
    /// The suite.
    pub suite: Suite,
    /// Its planned tests, in order.
    pub tests: Vec<PlannedTest>,
    snapshots: OnceLock<Vec<Option<String>>>,
}

/// A test of a run.
#[derive(Debug)]
pub struct PlannedTest {
    /// The index of the test in the suite.
    pub index: usize,
    /// Identifies the test in the record, and is safe in file names.
    pub id: String,
    /// Identifies the test across runs.
    pub stable_id: String,
    /// The path that the stable id is computed from.
    pub canonical_path: String,
    /// Its index among all selected tests, before sharding.
    pub position: usize,
    /// Its number in the suite, from 1.
    pub number: usize,
    /// Its number in the run, from 1.
    pub run_number: usize,
    /// Identifies the scenario that drives it.
    pub scenario_id: Option<String>,
    /// The trial, if the test has several.
    pub trial: Option<Trial>,
    /// Its duration in an earlier run, in milliseconds.
    pub(crate) expected_ms: Option<u64>,
}

/// One of several trials of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// The number of this trial, from 1.
    pub number: u32,
    /// The number of trials.
    pub of: u32,
}

impl PlannedSuite {
    /// A suite without planned tests, for workers, which get their tests from the controller.
    pub(crate) fn of(suite: Suite) -> PlannedSuite {
        PlannedSuite {
            suite,
            tests: Vec::new(),
            snapshots: OnceLock::new(),
        }
    }

    /// The name of the file, as shown to the user.
    pub fn name(&self) -> &str {
        self.suite.file.name()
    }

    /// The path of the file, given the directory in which the run was started.
    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        folder.join(self.name())
    }

    /// The path of a test's snapshot, relative to the directory of the suite.
    pub(crate) fn snapshot(&self, planned: &PlannedTest) -> Option<&Path> {
        let all = self.snapshots.get_or_init(|| snapshot::files(&self.suite));
        all.get(planned.index)?.as_deref().map(Path::new)
    }

    /// The planned test.
    pub fn test(&self, planned: &PlannedTest) -> &Test {
        &self.suite.tests[planned.index]
    }

    /// The name of the test, and of the trial, as shown to the user.
    pub fn title(&self, planned: &PlannedTest) -> Cow<'_, str> {
        let name = &self.test(planned).name;
        match planned.trial {
            None => name.into(),
            Some(Trial { number, of }) => format!("{name} (trial {number} of {of})").into(),
        }
    }
}

impl PlannedTest {
    /// The stable id of the test, without the trial.
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
    /// Plans the tests of `suites` that match the selection.
    pub fn new(suites: Vec<SelectedSuite>, selection: &Selection) -> Plan {
        let mut ids = StableIds::default();
        let mut suites: Vec<_> = suites
            .into_iter()
            .map(|suite| ids::assign_ids(suite, &mut ids))
            .collect();
        for (suite, lines) in &mut suites {
            suite.keep(|suite, test| selection.matches(suite, test, lines));
        }
        let mut suites: Vec<_> = suites.into_iter().map(|(suite, _)| suite).collect();
        let only = retain_only_tests(&mut suites);
        number(&mut suites, |test, index| test.position = index);
        if let Some(shard) = selection.shard {
            shard::retain_shard(&mut suites, shard);
        }
        for suite in &mut suites {
            suite.keep(|_, test| !selection.finished.contains(&test.stable_id));
        }
        number(&mut suites, |test, index| test.run_number = index + 1);
        suites.retain(|suite| !suite.tests.is_empty());
        Plan { suites, only }
    }

    /// Sets the durations of an earlier run in milliseconds, by stable id. The longest tests start first, so that the run
    /// does not end with a wait for one long test.
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
    fn keep(&mut self, matches: impl Fn(&PlannedSuite, &PlannedTest) -> bool) {
        let mut tests = std::mem::take(&mut self.tests);
        tests.retain(|test| matches(self, test));
        for (index, test) in tests.iter_mut().enumerate() {
            test.number = index + 1;
        }
        self.tests = tests;
    }
}

/// Keeps only tests marked `only`, if there are any. Returns whether there are.
fn retain_only_tests(suites: &mut [PlannedSuite]) -> bool {
    let is_marked = |suite: &PlannedSuite, test: &PlannedTest| suite.test(test).only.is_some();
    let any = suites
        .iter()
        .any(|suite| suite.tests.iter().any(|test| is_marked(suite, test)));
    if any {
        suites.iter_mut().for_each(|suite| suite.keep(is_marked));
    }
    any
}

fn number(suites: &mut [PlannedSuite], assign: impl Fn(&mut PlannedTest, usize)) {
    let tests = suites.iter_mut().flat_map(|suite| &mut suite.tests);
    tests
        .enumerate()
        .for_each(|(index, test)| assign(test, index));
}

impl Selection {
    fn matches(&self, suite: &PlannedSuite, planned: &PlannedTest, lines: &[usize]) -> bool {
        let test = suite.test(planned);
        let is_at = |test, line| self::lines(test, &suite.suite).contains(&line);
        let named = self.filter.as_ref().is_none_or(|filter| {
            filter.matches(&test.name)
                || planned.trial.is_some() && filter.matches(&suite.title(planned))
        });
        let tagged = self.tags.is_empty() || self.tags.iter().any(|tags| tags.matches(&test.tags));
        named && tagged && (lines.is_empty() || lines.iter().any(|line| is_at(test, *line)))
    }
}

/// The lines of the test in its file.
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
        let context = CheckContext {
            environment: &BTreeMap::new(),
            stem: "talk",
            read: &deny_files,
        };
        let suite = check(SourceFile::new("talk.yaml", SUITE), &context).suite;
        let selected = SelectedSuite {
            suite: suite.unwrap(),
            lines: Vec::new(),
        };
        let plan = Plan::new(vec![selected], selection);
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
    fn every_trial_of_every_scenario_is_a_separate_test() {
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
    fn trials_are_selected_one_by_one_or_with_their_test() {
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
