//! Reads the outcomes of a run's tests and skips its conversations and evaluations.

use std::collections::HashMap;
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::TestName;
use crate::model::{GIT_BRANCH, INTERRUPTED, RunData, Status};
use crate::outcome::{ExampleFacts, TestTally};
use crate::redact::Redactor;
use crate::run_file::{read_run, read_whole, unsupported_version};
use crate::store::{is_journal, replay};
use crate::time::Time;
use crate::title::TestNames;
use crate::trials::TrialThreshold;

/// The results of a run, without conversations and evaluations.
#[derive(Debug)]
pub(super) struct SkimmedRun {
    pub(super) run_id: String,
    pub(super) started_at: Time,
    pub(super) finished_at: Option<Time>,
    pub(super) git_commit: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) tests: Vec<Test>,
}

/// One test of the run.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) name: TestName,
    pub(super) tally: TestTally,
    pub(super) has_trials: bool,
}

/// Reads a `run.json` or a journal; returns why it cannot be read.
pub(super) fn skim(path: &Path) -> Result<SkimmedRun, String> {
    if is_journal(path) {
        let replayed = replay(path, &Redactor::default());
        return match replayed {
            Ok(loaded) => Ok(SkimmedRun::of(&loaded.run)),
            Err(error) => Err(error.to_string()),
        };
    }
    if let Some(raw) = read_raw(path) {
        return Ok(raw.skim());
    }
    // The full reader is slower. It accepts every kind of metadata, and its errors describe the damage.
    match read_run(path) {
        Ok(run) => Ok(SkimmedRun::of(&run)),
        Err(error) => Err(error.to_string()),
    }
}

fn read_raw(path: &Path) -> Option<RawRun> {
    let bytes = read_whole(path).ok()?;
    let skimmed: RawRun = serde_json::from_slice(&bytes).ok()?;
    let version = skimmed.schema_version.as_ref();
    version
        .and_then(unsupported_version)
        .is_none()
        .then_some(skimmed)
}

#[derive(Deserialize)]
struct RawRun {
    schema_version: Option<Value>,
    run_id: String,
    started_at: Time,
    finished_at: Option<Time>,
    git_commit: Option<String>,
    #[serde(default)]
    metadata: SkimmedRunMetadata,
    #[serde(default)]
    scenarios: HashMap<String, SkimmedScenario>,
    #[serde(default)]
    examples: IndexMap<String, SkimmedExample>,
}

#[derive(Deserialize, Default)]
struct SkimmedRunMetadata {
    git_branch: Option<String>,
}

#[derive(Deserialize)]
struct SkimmedScenario {
    name: Option<String>,
}

#[derive(Deserialize)]
struct SkimmedExample {
    stable_id: Option<String>,
    canonical_path: Option<String>,
    scenario_id: Option<String>,
    description: String,
    full_description: Option<String>,
    location: String,
    status: Status,
    duration_ms: Option<i64>,
    exception: Option<SkimmedException>,
    #[serde(default)]
    metadata: SkimmedMetadata,
}

#[derive(Deserialize)]
struct SkimmedException {
    class_name: Option<String>,
}

#[derive(Deserialize, Default)]
struct SkimmedMetadata {
    #[serde(default)]
    attempts: Vec<SkimmedAttempt>,
    #[serde(default)]
    command: SkimmedCommand,
    trial: Option<SkimmedTrial>,
    #[serde(default)]
    expected_failure: SkimmedExpectedFailure,
    #[serde(default)]
    conversation: SkimmedConversation,
}

#[derive(Deserialize)]
struct SkimmedAttempt {
    status: Option<String>,
    exception: Option<SkimmedException>,
}

impl SkimmedAttempt {
    fn has_failed(&self) -> bool {
        let class = self.exception.as_ref();
        let class = class.and_then(|exception| exception.class_name.as_deref());
        self.status.as_deref() == Some("failed") && class != Some(INTERRUPTED)
    }
}

#[derive(Deserialize, Default)]
struct SkimmedCommand {
    #[serde(default)]
    flaky: bool,
}

#[derive(Deserialize)]
struct SkimmedTrial {
    test: String,
    needs: Option<u64>,
    #[serde(default)]
    of: u64,
}

#[derive(Deserialize, Default)]
struct SkimmedExpectedFailure {
    #[serde(default)]
    trial: bool,
}

#[derive(Deserialize, Default)]
struct SkimmedConversation {
    #[serde(default)]
    unreachable: bool,
}

impl RawRun {
    fn skim(self) -> SkimmedRun {
        let mut tests = Tests::default();
        for example in self.examples.values() {
            let metadata = &example.metadata;
            let trial_of = metadata.trial.as_ref().map(|trial| trial.test.as_str());
            let exception = example.exception.as_ref();
            let scenario_id = example.scenario_id.as_deref();
            let names = TestNames {
                canonical_path: example.canonical_path.as_deref(),
                full_description: example.full_description.as_deref(),
                description: &example.description,
                scenario_id,
                scenario_name: scenario_id.and_then(|id| {
                    let scenario = self.scenarios.get(id)?;
                    Some(scenario.name.as_deref().unwrap_or(id))
                }),
            };
            let facts = ExampleFacts {
                status: example.status,
                exception_class: exception.and_then(|exception| exception.class_name.as_deref()),
                is_tolerated: metadata.expected_failure.trial,
                is_unreachable: metadata.conversation.unreachable,
                retried: metadata.command.flaky
                    || metadata.attempts.iter().any(SkimmedAttempt::has_failed),
                duration_ms: example.duration_ms,
            };
            let id = example.stable_id.as_deref();
            let test = tests.entry(trial_of, id, names, &example.location);
            let threshold = metadata.trial.as_ref().and_then(|trial| {
                let needs = trial.needs?;
                Some(TrialThreshold {
                    needs,
                    of: trial.of,
                })
            });
            test.tally.threshold = test.tally.threshold.or(threshold);
            test.tally.count(facts);
        }
        SkimmedRun {
            run_id: self.run_id,
            started_at: self.started_at,
            finished_at: self.finished_at,
            git_commit: self.git_commit,
            git_branch: self.metadata.git_branch,
            tests: tests.list,
        }
    }
}

impl SkimmedRun {
    fn of(run: &RunData) -> SkimmedRun {
        let mut tests = Tests::default();
        for example in run.examples.values() {
            let id = example.stable_id.as_deref();
            let test = tests.entry(
                example.trial_of(),
                id,
                run.test_names(example),
                &example.location,
            );
            test.tally.add(example);
        }
        let branch = run.metadata.get(GIT_BRANCH);
        SkimmedRun {
            run_id: run.run_id.clone(),
            started_at: run.started_at,
            finished_at: run.finished_at,
            git_commit: run.git_commit.clone(),
            git_branch: branch.and_then(Value::as_str).map(str::to_owned),
            tests: tests.list,
        }
    }
}

/// The tests of a run, with trials grouped by test.
#[derive(Default)]
struct Tests {
    list: Vec<Test>,
    indices: HashMap<String, usize>,
}

impl Tests {
    /// Returns the test that an example belongs to. Two examples with the same id that are not trials are two tests.
    fn entry(
        &mut self,
        trial_of: Option<&str>,
        stable_id: Option<&str>,
        names: TestNames,
        location: &str,
    ) -> &mut Test {
        let title = names.title();
        let id = trial_of.or(stable_id).unwrap_or(&title);
        let id = match trial_of {
            Some(test) => test.to_owned(),
            None => self.unused(id),
        };
        let index = *self.indices.entry(id.clone()).or_insert(self.list.len());
        if index == self.list.len() {
            let location = location.to_owned();
            self.list.push(Test {
                name: TestName {
                    id,
                    title,
                    location,
                },
                tally: TestTally::default(),
                has_trials: trial_of.is_some(),
            });
        }
        &mut self.list[index]
    }

    fn unused(&self, id: &str) -> String {
        let numbered = (2..).map(|number| format!("{id}#{number}"));
        std::iter::once(id.to_owned())
            .chain(numbered)
            .find(|id| !self.indices.contains_key(id))
            .expect("the numbers are unlimited")
    }
}
