//! The test design of a project: what `casebook design survey` and `casebook coverage` say about it.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use casebook_record::{History, RunEntry};
use serde_json::{Value, json};

use crate::actions::{in_project, output_of};
use crate::project::{Project, shown_dir};

/// Methods whose source is shown.
const MAX_METHODS: usize = 200;
/// Lines of one method.
const MAX_LINES: usize = 120;
/// Runs whose results count. A test that is run again has a separate record, which says nothing of the others.
const MAX_RUNS: usize = 20;

/// The methods of the project with their source, those most in need of tests first, and the coverage of those that are designed.
pub(crate) fn design_of(project: &Arc<Project>) -> Result<Value, String> {
    let launcher = &*project.launcher;
    let mut methods = output_of(launcher, &["design", "survey", "--json"])?;
    add_sources(project, &mut methods);
    Ok(match coverage(project) {
        Ok(coverage) => json!({"methods": methods, "coverage": coverage}),
        // Nothing has been designed yet, or a design cannot be read.
        Err(problem) => json!({"methods": methods, "coverage": null, "problem": problem}),
    })
}

/// The coverage with the newest result of each test.
fn coverage(project: &Arc<Project>) -> Result<Value, String> {
    let runs = project.history.read(project, newest_runs);
    let runs: Vec<_> = runs
        .iter()
        .map(|dir| format!("--run={}", shown_dir(dir)))
        .collect();
    let mut arguments = vec!["coverage", "--json"];
    arguments.extend(runs.iter().map(String::as_str));
    // A record that was damaged since is an error; without names, only the newest ones are read.
    output_of(&*project.launcher, &arguments)
        .or_else(|_| output_of(&*project.launcher, &arguments[..2]))
}

/// The runs with the newest results of all tests, the newest first.
fn newest_runs(history: &History) -> Vec<String> {
    let mut is_known = vec![false; history.tests.len()];
    let has_new = |run: &&RunEntry| {
        let tests = run.results.iter().map(|result| result.test);
        let new = tests.filter(|test| !std::mem::replace(&mut is_known[*test], true));
        new.count() > 0
    };
    let newest = history.runs.iter().rev().filter(has_new).take(MAX_RUNS);
    newest.map(|run| run.dir.clone()).collect()
}

/// Adds the lines of each method.
fn add_sources(project: &Project, methods: &mut Value) {
    let mut texts: HashMap<String, String> = HashMap::new();
    let methods = methods.as_array_mut().into_iter().flatten();
    for method in methods.take(MAX_METHODS) {
        let file = method["file"].as_str().unwrap_or_default().to_owned();
        let text = texts.entry(file).or_insert_with_key(|file| {
            let path = in_project(&project.dir, file);
            let text = path.and_then(|path| fs::read(project.dir.join(path)).ok());
            let text = text.unwrap_or_default();
            project.redactor.text(&String::from_utf8_lossy(&text))
        });
        let number = |key: &str| method[key].as_u64().and_then(|line| line.try_into().ok());
        let (first, last) = (number("line").unwrap_or(1), number("end_line").unwrap_or(0));
        let lines = text.lines().take(last).skip(first.max(1) - 1);
        method["source"] = lines.take(MAX_LINES).collect();
    }
}
