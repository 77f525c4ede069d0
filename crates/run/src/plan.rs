//! [`Plan`]: the selected tests, each with its ids and its position in the run.

mod filter;
mod ids;
mod shard;
mod shuffle;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use casebook_record::{StableIds, hex_of_sha256};
use casebook_suite::model::Test;
use casebook_suite::{LineRange, Suite, snapshot};
use serde::{Deserialize, Serialize};

pub use filter::{Filter, InvalidFilter, TagFilter};
pub use ids::stable_ids;
pub use shard::{InvalidShard, Shard};
pub(crate) use shuffle::shuffle;

/// A suite, and the lines that select tests in it.
#[derive(Debug)]
pub struct SelectedSuite {
    /// The suite.
    pub suite: Suite,
    /// Selects the tests at these lines; empty selects all.
    pub lines: Vec<LineRange>,
}

impl SelectedSuite {
    /// Returns the first selected lines without a test, and the closest line at which a test starts.
    pub fn unmatched_lines(&self) -> Option<(LineRange, usize)> {
        let lines = |test: &Test| self.suite.file.lines_of(test.span);
        let tests = || self.suite.tests.iter().map(lines);
        let mut selected = self.lines.iter();
        let missed = selected.find(|selected| !tests().any(|lines| overlap(&lines, selected)))?;
        let begins = tests().map(|lines| *lines.start());
        let near = begins.min_by_key(|begin| begin.abs_diff(*missed.start()))?;
        Some((missed.clone(), near))
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
    /// The stable ids of the only tests to run; `None` selects all.
    pub included: Option<HashSet<String>>,
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
    /// How many tests are selected in all shards.
    pub selected: usize,
    /// The number of shards that have tests if there are many.
    pub max_shards: usize,
    /// How many selected tests are excluded because they are already finished.
    pub finished: usize,
}

/// A suite of a run.
#[derive(Debug)]
pub struct PlannedSuite {
    /// The suite.
    pub suite: Suite,
    /// Its planned tests, in order.
    pub tests: Vec<TestEntry>,
    snapshots: OnceLock<Vec<Vec<Option<String>>>>,
    digest: OnceLock<String>,
}

/// One test of a suite that is to be run: its ids and its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestEntry {
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_id: Option<String>,
    /// The trial, if the test has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// The line of the first test that runs before this one, if the tests of the suite run in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first_line: Option<usize>,
    /// Its duration in an earlier run, in milliseconds.
    #[serde(skip)]
    pub expected_ms: Option<u64>,
}

/// One of several trials of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// The number of this trial, from 1.
    pub number: u32,
    /// The number of trials.
    pub of: u32,
    /// How many trials must pass, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<u32>,
    /// Whether `--trials` set the number of trials; the suite has another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_overridden: bool,
}

impl PlannedSuite {
    /// A suite, and the tests of it to run. A worker starts with none and receives them one by one.
    pub fn new(suite: Suite, tests: Vec<TestEntry>) -> PlannedSuite {
        PlannedSuite {
            suite,
            tests,
            snapshots: OnceLock::new(),
            digest: OnceLock::new(),
        }
    }

    /// The suite's file as the user named it.
    pub fn name(&self) -> &str {
        self.suite.file.name()
    }

    /// Identifies the version of the suite in the record.
    pub(crate) fn digest(&self) -> &str {
        self.digest.get_or_init(|| digest(&self.suite))
    }

    /// The suite's file relative to the directory in which the run was started.
    pub(crate) fn file(&self, dir: &Path) -> PathBuf {
        dir.join(self.name())
    }

    /// The tests to run, in order.
    pub fn planned_tests(&self) -> impl Iterator<Item = PlannedTest<'_>> {
        self.tests.iter().map(|entry| self.planned(entry))
    }

    /// The test of an entry of this suite.
    pub fn planned<'p>(&'p self, entry: &'p TestEntry) -> PlannedTest<'p> {
        PlannedTest { suite: self, entry }
    }
}

/// A test of a run, with its suite: what is passed from the plan to the process that runs it.
#[derive(Debug, Clone, Copy)]
pub struct PlannedTest<'p> {
    /// Its suite.
    pub suite: &'p PlannedSuite,
    entry: &'p TestEntry,
}

impl Deref for PlannedTest<'_> {
    type Target = TestEntry;

    fn deref(&self) -> &TestEntry {
        self.entry
    }
}

impl<'p> PlannedTest<'p> {
    /// The test as written in the suite.
    pub fn test(self) -> &'p Test {
        &self.suite.suite.tests[self.entry.index]
    }

    /// The name shown to users: the test's name, and the trial if there are several.
    pub fn title(self) -> Cow<'p, str> {
        let name = &self.test().name;
        match self.entry.trial {
            None => name.into(),
            Some(Trial { number, of, .. }) => format!("{name} (trial {number} of {of})").into(),
        }
    }

    /// The id of the test in every run, the same for all of its trials.
    pub fn test_stable_id(self) -> &'p str {
        let id = &self.entry.stable_id;
        match self.entry.trial {
            None => id,
            Some(_) => id.rsplit_once('~').map_or(id, |(test, _)| test),
        }
    }

    /// The line on which the test starts.
    pub(crate) fn line(self) -> usize {
        self.suite.suite.file.position(self.test().span.start).line
    }

    /// The path of the snapshot of a step, relative to the suite's directory.
    pub(crate) fn snapshot(self, step: usize) -> Option<&'p Path> {
        let suite = self.suite;
        let all = suite
            .snapshots
            .get_or_init(|| snapshot::files(&suite.suite));
        all.get(self.entry.index)?
            .get(step)?
            .as_deref()
            .map(Path::new)
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
            suite.keep(|test| selection.matches(test, lines));
        }
        let mut suites: Vec<_> = suites.into_iter().map(|(suite, _)| suite).collect();
        let only = retain_only_tests(&mut suites);
        number(&mut suites, |test, index| test.position = index);
        let selected = suites.iter().map(|suite| suite.tests.len()).sum();
        let max_shards = suites.iter().map(shard::unit_count).sum();
        if let Some(shard) = selection.shard {
            shard::retain_shard(&mut suites, shard);
        }
        let mut plan = Plan {
            selected,
            max_shards,
            finished: 0,
            suites,
            only,
        };
        let in_shard = plan.len();
        plan.keep(|test| !selection.finished.contains(test));
        plan.finished = in_shard - plan.len();
        plan
    }

    /// Sets the durations of an earlier run in milliseconds, by stable id. The longest tests start first, so that the
    /// run does not end with a wait for one long test.
    pub fn set_expected_durations(&mut self, durations: &HashMap<String, u64>) {
        for test in self.suites.iter_mut().flat_map(|suite| &mut suite.tests) {
            test.expected_ms = durations.get(&test.stable_id).copied();
        }
    }

    /// Keeps only the tests with matching stable ids.
    pub fn keep(&mut self, matches: impl Fn(&str) -> bool) {
        for suite in &mut self.suites {
            suite.keep(|test| matches(&test.stable_id));
            suite.set_first_lines();
        }
        number(&mut self.suites, |test, index| test.run_number = index + 1);
        self.suites.retain(|suite| !suite.tests.is_empty());
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
    fn keep(&mut self, matches: impl Fn(PlannedTest<'_>) -> bool) {
        let mut tests = std::mem::take(&mut self.tests);
        tests.retain(|entry| matches(self.planned(entry)));
        for (index, test) in tests.iter_mut().enumerate() {
            test.number = index + 1;
        }
        self.tests = tests;
    }

    /// In a suite whose tests run in order, a test may depend on those before it.
    fn set_first_lines(&mut self) {
        let first = self.planned_tests().next().map(PlannedTest::line);
        for test in self.tests.iter_mut().skip(1) {
            test.first_line = first.filter(|_| !self.suite.parallel);
        }
    }
}

/// Identifies the text of a suite and of the files it reads, as `suite_digest` does in the record of each test.
pub fn digest(suite: &Suite) -> String {
    let mut text = suite.file.text().as_bytes().to_vec();
    for (path, content) in &suite.files {
        text.push(0);
        text.extend_from_slice(path.as_bytes());
        text.push(0);
        text.extend_from_slice(content.as_bytes());
    }
    hex_of_sha256(&text, 16)
}

/// Keeps only tests marked `only`, if there are any. Returns whether there are.
fn retain_only_tests(suites: &mut [PlannedSuite]) -> bool {
    let is_marked = |planned: PlannedTest<'_>| planned.test().only.is_some();
    let any = suites
        .iter()
        .any(|suite| suite.planned_tests().any(is_marked));
    if any {
        suites.iter_mut().for_each(|suite| suite.keep(is_marked));
    }
    any
}

fn number(suites: &mut [PlannedSuite], assign: impl Fn(&mut TestEntry, usize)) {
    let tests = suites.iter_mut().flat_map(|suite| &mut suite.tests);
    tests
        .enumerate()
        .for_each(|(index, test)| assign(test, index));
}

impl Selection {
    fn matches(&self, planned: PlannedTest<'_>, lines: &[LineRange]) -> bool {
        let test = planned.test();
        let own = planned.suite.suite.file.lines_of(test.span);
        let included = self.included.as_ref();
        let included = included.is_none_or(|included| included.contains(&planned.stable_id));
        let named = self.filter.as_ref().is_none_or(|filter| {
            filter.matches(&test.name)
                || planned.trial.is_some() && filter.matches(&planned.title())
        });
        let tagged = self.tags.is_empty() || self.tags.iter().any(|tags| tags.matches(&test.tags));
        let at_lines = lines.is_empty() || lines.iter().any(|lines| overlap(lines, &own));
        included && named && tagged && at_lines
    }
}

fn overlap(one: &LineRange, other: &LineRange) -> bool {
    one.start() <= other.end() && other.start() <= one.end()
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
            suite.planned_tests().map(|test| {
                let id = test.stable_id.trim_start_matches(test.test_stable_id());
                let title = test.title().into_owned();
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
