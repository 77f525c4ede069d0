//! The states that a spec proves: those whose inversion makes one of its examples fail.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use casebook_coverage::{MutantResult, Observation, ProcessResult, collect, mutants};
use casebook_design::metadata::location::find_root;
use casebook_design::probes::ProbePlan;
use casebook_design::steps::{StepContext, probe_plan, rspec_commands, source_files};
use casebook_report::coverage::ObservedStatus;
use casebook_run::SystemContext;
use casebook_run::rspec::ObserveMode;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::commands::shared::probed_command::ProbedCommand;

/// How to find out what a spec proves.
pub(super) struct SpecProof<'a> {
    spec: PathBuf,
    root: PathBuf,
    plan: ProbePlan,
    system: &'a SystemContext,
}

impl<'a> SpecProof<'a> {
    pub(super) fn of(
        spec: &Path,
        world: &StepContext<'_>,
        system: &'a SystemContext,
    ) -> SpecProof<'a> {
        let spec = world.cwd.join(spec);
        let root = spec.parent().and_then(find_root);
        let root = root.unwrap_or_else(|| world.cwd.to_owned());
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let (plan, _) = probe_plan(&source_files(&root), &root, threads);
        SpecProof {
            spec,
            root,
            plan,
            system,
        }
    }

    /// The proven states in words, or why they cannot be found out.
    pub(super) fn states(&self) -> Result<BTreeSet<String>, String> {
        let results: Vec<ProcessResult> = self.run(ObserveMode::Observe)?;
        let read = |path: &str| std::fs::read(self.root.join(path)).unwrap_or_default();
        let mut observation = collect(&self.plan, results, &read);
        let found = mutants(&mut observation, &self.plan, &self.root, &|_| true);
        if !found.mutants.is_empty() {
            let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
            let text = json!({ "mutants": found.mutants, "jobs": jobs }).to_string();
            let results: Vec<Vec<MutantResult>> = self.run(ObserveMode::Prove(&text))?;
            found.finish(&mut observation, &results.concat());
        }
        Ok(proven(&observation))
    }

    /// What the processes reported, with the first command that starts RSpec.
    fn run<T: DeserializeOwned>(&self, mode: ObserveMode<'_>) -> Result<Vec<T>, String> {
        let (dir, commands) = rspec_commands(&self.root, &self.spec);
        let mut results = Err("no command".to_owned());
        for words in commands {
            results = self.results(mode, &dir, words);
            if results.as_ref().is_ok_and(|results| !results.is_empty()) {
                break;
            }
        }
        let results = results?;
        if results.is_empty() {
            return Err("rspec reported nothing".to_owned());
        }
        let results = results.iter().map(|text| serde_json::from_slice(text));
        results
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())
    }

    fn results(
        &self,
        mode: ObserveMode<'_>,
        dir: &Path,
        words: &[&str],
    ) -> Result<Vec<Vec<u8>>, String> {
        let (program, options) = words.split_first().ok_or("no command")?;
        let mut arguments: Vec<_> = options.iter().map(OsString::from).collect();
        arguments.push(self.spec.clone().into());
        let command = ProbedCommand {
            program: OsStr::new(program),
            arguments: &arguments,
            dir,
            root: &self.root,
            plan: &self.plan,
            system: self.system,
        };
        // The spec is also run without probes, so its output is known.
        let (_, results) = command
            .run(mode, (Stdio::null(), Stdio::null()))
            .map_err(|error| error.to_string())?;
        Ok(results)
    }
}

fn proven(observation: &Observation) -> BTreeSet<String> {
    let methods = observation.methods.iter();
    let states = methods.flat_map(|method| {
        let states = method.states.iter();
        let proven = states.filter(|state| state.status == ObservedStatus::Proven);
        proven.map(|state| format!("{}: {} = {}", method.id, state.characteristic, state.state))
    });
    states.collect()
}
