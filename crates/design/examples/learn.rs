//! Measures learning on a project: `learn ROOT SEED COUNT [RULES] [SECONDS]`.
//!
//! Chooses COUNT public methods with characteristics by SEED, learns examples for them in the sandbox, and prints a line
//! per method and a summary. RULES are names of rules with commas between them, or `all`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for developers"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "it reads its arguments and environment"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casebook_design::learn::{LeafResult, LearnMethod, LearnOptions, LearnedMethod, Learner, Rule};
use casebook_design::metadata::read::Plan;
use casebook_design::on_deep_stack;
use casebook_design::ruby::{AnalysisOptions, analyze_all};
use casebook_design::sandbox::{Limits, Sandbox};
use casebook_design::steps::ruby_files;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = PathBuf::from(&arguments[0]);
    let methods = sample(
        on_deep_stack(|| all_methods(&root)),
        arguments[1].parse().unwrap(),
        arguments[2].parse().unwrap(),
    );
    let options = LearnOptions {
        rules: rules(arguments.get(3).map_or("all", String::as_str)),
        seconds: arguments.get(4).map_or(0.6, |text| text.parse().unwrap()),
    };
    let environment: Vec<_> = std::env::vars().collect();
    let limits = Limits {
        time: Duration::from_secs(600),
        cpu: 600,
        ..Limits::default()
    };
    let learner = Learner {
        sandbox: Sandbox::new(limits, &environment).unwrap(),
        temporary: std::env::temp_dir(),
        options,
    };
    let results = learner.learn(&root, &methods).unwrap();
    for (planned, method) in methods.iter().zip(&results) {
        print_method(&planned.file, method);
    }
    print_summary(&results);
}

fn rules(text: &str) -> Vec<Rule> {
    let names: Vec<&str> = text.split(',').collect();
    let is_used = |rule: &Rule| text == "all" || names.contains(&rule.as_str());
    Rule::ALL.into_iter().filter(is_used).collect()
}

fn all_methods(root: &Path) -> Vec<LearnMethod> {
    let files = ruby_files(&[root.join("lib"), root.join("app")]);
    files
        .iter()
        .flat_map(|file| methods_of(root, file))
        .collect()
}

fn methods_of(root: &Path, file: &Path) -> Vec<LearnMethod> {
    let name = file.strip_prefix(root).unwrap().to_str().unwrap();
    let source = fs::read(file).unwrap();
    let analyses = analyze_all(&source, name, AnalysisOptions::default()).unwrap_or_default();
    let varying = analyses
        .into_iter()
        .flatten()
        .filter(|analysis| !analysis.characteristics.is_empty());
    varying
        .map(|analysis| {
            let mut plan = Plan::of(&analysis, name);
            for (entry, found) in plan.entries.iter_mut().zip(&analysis.characteristics) {
                entry.terminal_states.clone_from(&found.terminal_states);
            }
            LearnMethod::new(name, analysis, &plan)
        })
        .collect()
}

/// Some methods, the same for the same seed.
fn sample(mut methods: Vec<LearnMethod>, seed: u64, count: usize) -> Vec<LearnMethod> {
    let mut state = seed;
    let mut chosen = Vec::new();
    while chosen.len() < count && !methods.is_empty() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(state >> 33).unwrap() % methods.len();
        chosen.push(methods.swap_remove(index));
    }
    chosen
}

fn print_method(file: &str, method: &LearnedMethod) {
    println!(
        "{file}#{} {:.2} s {}",
        method.id,
        method.time.as_secs_f64(),
        method.failure.as_deref().unwrap_or("")
    );
    for leaf in &method.leaves {
        match leaf {
            LeafResult::Example(one) => {
                println!("    {}{} -> {:?}", one.receiver, one.call, one.expectation);
            }
            LeafResult::Pending(reason) => println!("    {}", reason.code()),
        }
    }
}

fn print_summary(methods: &[LearnedMethod]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for leaf in methods.iter().flat_map(|method| &method.leaves) {
        *counts
            .entry(if let LeafResult::Pending(reason) = leaf {
                reason.code()
            } else {
                "learned"
            })
            .or_default() += 1;
    }
    let leaves: usize = counts.values().sum();
    let seconds: f64 = methods.iter().map(|method| method.time.as_secs_f64()).sum();
    println!(
        "methods {} leaves {leaves} seconds {seconds:.1} {counts:?}",
        methods.len()
    );
}
