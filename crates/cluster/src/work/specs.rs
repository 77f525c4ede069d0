//! [`SpecWork`]: the examples of spec files.

use std::collections::HashMap;
use std::fs;

use casebook_record::Event;
use casebook_record::event::SuiteStarted;
use casebook_run::rspec::{ListedExample, failed_event};
use casebook_run::{RunContext, SystemContext};

use super::{ChunkTests, MissingResult, TestIndex, Work};
use crate::error::ClusterError;
use crate::progress::SuiteOutline;
use crate::schedule::{self, Slice};
use crate::wire::{RspecCommand, Task, spec_digest};

/// The examples to run, and how.
#[derive(Debug, Clone)]
pub struct SpecPlan {
    /// The event with which the run starts.
    pub start: SuiteStarted,
    /// The examples in order.
    pub examples: Vec<ListedExample>,
    /// The ids of errors outside of examples that are already reported.
    pub errors: Vec<String>,
    /// Durations of earlier runs, in milliseconds by stable id.
    pub durations: HashMap<String, u64>,
    /// The number of failures that ends the run.
    pub max_failures: Option<u64>,
    /// How RSpec is started.
    pub command: RspecCommand,
}

/// The examples of spec files.
pub(crate) struct SpecWork<'a> {
    files: Vec<SpecFile<'a>>,
    plan: &'a SpecPlan,
}

struct SpecFile<'a> {
    name: &'a str,
    digest: String,
    examples: Vec<&'a ListedExample>,
}

impl<'a> SpecWork<'a> {
    pub(crate) fn new(
        plan: &'a SpecPlan,
        system: &SystemContext,
    ) -> Result<SpecWork<'a>, ClusterError> {
        let mut files: Vec<SpecFile<'a>> = Vec::new();
        let mut indexes = HashMap::new();
        for example in &plan.examples {
            let name = example.file.as_str();
            let index = *indexes.entry(name).or_insert(files.len());
            if index == files.len() {
                files.push(SpecFile {
                    name,
                    digest: spec_digest(&fs::read(system.dir.join(name))?),
                    examples: Vec::new(),
                });
            }
            files[index].examples.push(example);
        }
        Ok(SpecWork { files, plan })
    }

    fn example(&self, (file, example): TestIndex) -> &ListedExample {
        self.files[file].examples[example]
    }
}

impl Work for SpecWork<'_> {
    fn group_count(&self) -> usize {
        self.files.len()
    }

    fn outline(&self, group: usize) -> SuiteOutline {
        SuiteOutline {
            name: self.files[group].name.to_owned(),
            whole: false,
            tests: None,
        }
    }

    fn group_name(&self, group: usize) -> &str {
        self.files[group].name
    }

    fn ids(&self, group: usize) -> Vec<&str> {
        let examples = self.files[group].examples.iter();
        examples
            .map(|listed| listed.example.example_id.as_str())
            .collect()
    }

    fn divide(&self, _workers: usize, matches: &dyn Fn(&str) -> bool) -> Vec<Slice> {
        let files = self.files.iter().map(|file| file.examples.as_slice());
        let matches = |listed: &ListedExample| matches(&listed.example.example_id);
        schedule::divide_specs(files, &self.plan.durations, matches)
    }

    fn chunk_tests(&self, slice: &Slice) -> ChunkTests {
        let file = &self.files[slice.suite];
        let ids = slice
            .tests
            .iter()
            .map(|index| file.examples[*index].example.example_id.clone());
        ChunkTests {
            file: file.name.to_owned(),
            digest: file.digest.clone(),
            whole: false,
            task: Task::Examples {
                command: self.plan.command.clone(),
                examples: ids.collect(),
            },
        }
    }

    fn max_failures(&self) -> Option<u64> {
        self.plan.max_failures
    }

    /// A worker loads only the file of its chunk, so it knows neither the position of an example among all files, nor
    /// whether another file contains an example with the same path.
    fn complete(&self, test: TestIndex, event: &mut Event) {
        let planned = &self.example(test).example;
        let stable_id = planned.stable_id.clone();
        match event {
            Event::ExampleStarted(started) => {
                started.position = planned.position;
                started.stable_id = stable_id;
            }
            Event::ExamplePassed(passed) => passed.stable_id = stable_id,
            Event::ExampleFailed(failed) => failed.stable_id = stable_id,
            Event::ExamplePending(pending) => pending.stable_id = stable_id,
            _ => {}
        }
    }

    fn fail(&self, test: TestIndex, failure: &MissingResult, context: RunContext<'_>) {
        let mut started = self.example(test).example.clone();
        started.time = context.system.clock.now();
        let failed = failed_event(started.clone(), failure.class(), failure.message());
        context.sink.publish(started.into());
        context.sink.publish(failed.into());
    }

    fn name(&self, test: TestIndex) -> String {
        let example = &self.example(test).example;
        format!("{} {}", example.location, example.full_description)
    }
}
