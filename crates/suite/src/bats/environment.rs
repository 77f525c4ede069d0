//! `{{env.NAME}}` in compiled code: the code reads the variable when it runs, so that the file contains no secrets and can be
//! used on other machines.
//!
//! The suite is checked again with marks as the values of the variables. Texts keep the marks, and [`super::quote`] turns them
//! into references. What must be known when the code is written keeps its value: names, numbers, times, snapshot files.

use std::collections::BTreeSet;

use casebook_source::SourceFile;
use serde_json::Value;

use crate::check::{CheckContext, check};
use crate::expand::is_name;
use crate::model::conversation::Pattern;
use crate::model::{Action, Assertion, Check, FileCheck, Service, Step, Suite, Test, Workdir};
use crate::normalizer::Normalizer;
use crate::run_time::{mark, references};

/// What the names of marks for variables of the environment begin with.
pub(super) const PREFIX: &str = "env.";

/// The suite with marks for the variables of the environment that its texts use. `context` is the one it was checked with.
///
/// A variable keeps its value if the suite is not valid without it, for example in `timeout`.
pub fn read_at_run_time(suite: Suite, context: &CheckContext<'_>) -> Suite {
    let included = suite.file.included().iter().map(|file| &**file);
    let texts: Vec<&str> = std::iter::once(&*suite.file)
        .chain(included)
        .map(SourceFile::text)
        .collect();
    let is_used = |name: &str| {
        let written = format!("env.{name}");
        texts.iter().any(|text| text.contains(&written))
    };
    let used: Vec<&str> = context
        .environment
        .keys()
        .map(String::as_str)
        .filter(|name| is_name(name) && is_used(name))
        .collect();
    let marked = check_with_marks(&suite, &used, context).or_else(|| {
        let is_text = |name: &&str| check_with_marks(&suite, &[name], context).is_some();
        let texts: Vec<&str> = used.into_iter().filter(is_text).collect();
        check_with_marks(&suite, &texts, context)
    });
    match marked {
        Some(marked) => merged(suite, marked),
        None => suite,
    }
}

/// The suite with marks as the values of these variables; `None` if it is not valid or has another structure.
fn check_with_marks(suite: &Suite, names: &[&str], context: &CheckContext<'_>) -> Option<Suite> {
    let mut environment = context.environment.clone();
    for name in names {
        environment.insert((*name).to_owned(), mark(&format!("{PREFIX}{name}")));
    }
    let file = SourceFile::new(suite.file.name(), suite.file.text());
    let context = CheckContext {
        environment: &environment,
        ..*context
    };
    let has_same_structure = |marked: &Suite| {
        let mut tests = suite.tests.iter().zip(&marked.tests);
        suite.tests.len() == marked.tests.len()
            && tests.all(|(test, marked)| test.assertions().count() == marked.assertions().count())
    };
    check(file, &context).suite.filter(has_same_structure)
}

fn merged(suite: Suite, marked: Suite) -> Suite {
    let tests = suite.tests.into_iter().zip(marked.tests);
    Suite {
        hooks: marked.hooks,
        env: marked.env,
        services: marked.services,
        tests: tests
            .map(|(test, marked)| merged_test(test, marked))
            .collect(),
        ..suite
    }
}

fn merged_test(test: Test, marked: Test) -> Test {
    let action = match (test.action, marked.action) {
        (Action::Command(step), Action::Command(marked)) => {
            Action::Command(merged_step(*step, *marked).into())
        }
        (Action::Steps(steps), Action::Steps(marked)) => Action::Steps(
            steps
                .into_iter()
                .zip(marked)
                .map(|(step, marked)| merged_step(step, marked))
                .collect(),
        ),
        (_, marked) => marked,
    };
    Test {
        action,
        env: marked.env,
        workdir: marked.workdir,
        conditions: marked.conditions,
        normalize: marked.normalize,
        ..test
    }
}

fn merged_step(step: Step, marked: Step) -> Step {
    let assertions = step.assertions.into_iter().zip(marked.assertions);
    Step {
        assertions: assertions
            .map(|(assertion, marked)| Assertion {
                check: merged_check(assertion.check, marked.check),
                ..assertion
            })
            .collect(),
        timeout: step.timeout,
        eventually: step.eventually,
        ..marked
    }
}

fn merged_check(check: Check, marked: Check) -> Check {
    match (check, marked) {
        (
            Check::Json { pointer, expected },
            Check::Json {
                expected: marked, ..
            },
        ) => Check::Json {
            pointer,
            expected: merged_json(expected, marked),
        },
        (
            check @ (Check::ExitCode(_)
            | Check::Signal(_)
            | Check::MaxDuration(_)
            | Check::Lines(_)
            | Check::Snapshot(_)),
            _,
        ) => check,
        (
            Check::JsonMatches { pointer, pattern },
            Check::JsonMatches {
                pattern: marked, ..
            },
        ) => Check::JsonMatches {
            pointer,
            pattern: merged_pattern(pattern, marked),
        },
        (
            Check::File { check, .. },
            Check::File {
                path,
                check: marked,
            },
        ) => Check::File {
            path,
            check: merged_file_check(check, marked),
        },
        (_, marked) => marked,
    }
}

fn merged_file_check(check: FileCheck, marked: FileCheck) -> FileCheck {
    match (check, marked) {
        (check @ (FileCheck::Exists(_) | FileCheck::Mode(_)), _) => check,
        (
            FileCheck::Json { pointer, expected },
            FileCheck::Json {
                expected: marked, ..
            },
        ) => FileCheck::Json {
            pointer,
            expected: merged_json(expected, marked),
        },
        (_, marked) => marked,
    }
}

/// Texts in a pattern get marks.
fn merged_pattern(pattern: Pattern, marked: Pattern) -> Pattern {
    match (pattern, marked) {
        (Pattern::Matches(_), marked @ Pattern::Matches(_)) => marked,
        (Pattern::Contains(value), Pattern::Contains(marked)) => {
            Pattern::Contains(merged_json(value, marked))
        }
        (Pattern::OneOf(values), Pattern::OneOf(marked)) => {
            let both = values.into_iter().zip(marked);
            let merged = both.map(|(value, marked)| merged_json(value, marked));
            Pattern::OneOf(merged.collect())
        }
        (Pattern::All(parts), Pattern::All(marked)) => {
            let both = parts.into_iter().zip(marked);
            let merged = both.map(|(part, marked)| merged_pattern(part, marked));
            Pattern::All(merged.collect())
        }
        (pattern, _) => pattern,
    }
}

/// Strings get marks. In another value the type depends on the variable: `1{{env.DIGITS}}` is a number.
fn merged_json(value: Value, marked: Value) -> Value {
    match (value, marked) {
        (Value::String(_), marked @ Value::String(_)) => marked,
        (Value::Array(values), Value::Array(marked)) => {
            let both = values.into_iter().zip(marked);
            both.map(|(value, marked)| merged_json(value, marked))
                .collect()
        }
        (Value::Object(values), Value::Object(marked)) => {
            let both = values.into_iter().zip(marked);
            both.map(|((key, value), (_, marked))| (key, merged_json(value, marked)))
                .collect()
        }
        (value, _) => value,
    }
}

/// The variables that the suite's texts refer to.
pub(super) fn variables(suite: &Suite) -> BTreeSet<&str> {
    let hooks = &suite.hooks;
    let hooks = [
        &hooks.setup_file,
        &hooks.teardown_file,
        &hooks.setup,
        &hooks.teardown,
    ];
    let mut texts: Vec<&str> = hooks
        .into_iter()
        .flatten()
        .map(|hook| hook.text.as_str())
        .collect();
    texts.extend(suite.env.iter().map(|(_, value)| value.as_str()));
    texts.extend(suite.services.iter().flat_map(Service::texts));
    for test in &suite.tests {
        for step in test.steps() {
            texts.push(&step.command.text);
            texts.extend(step.stdin.as_deref());
            texts.extend(step.workdir.as_ref().map(|workdir| workdir.path.as_str()));
            texts.extend(step.env.iter().map(|(_, value)| value.as_str()));
            texts.extend(
                step.captures
                    .iter()
                    .filter_map(|capture| capture.source.text()),
            );
        }
        texts.extend(test.workdir.as_ref().and_then(Workdir::path));
        texts.extend(test.conditions.requires.iter().map(String::as_str));
        for normalizer in &test.normalize {
            if let Normalizer::Own {
                pattern,
                replacement,
            } = normalizer
            {
                texts.extend([pattern.as_str(), replacement]);
            }
        }
        let skip_unless = test.conditions.skip_unless.as_ref();
        texts.extend(skip_unless.map(|script| script.text.as_str()));
        texts.extend(test.env.iter().map(|(_, value)| value.as_str()));
        for assertion in test.assertions() {
            add_texts(&assertion.check, &mut texts);
        }
    }
    let references = texts.into_iter().flat_map(references);
    references
        .filter_map(|reference| reference.name.strip_prefix(PREFIX))
        .collect()
}

fn add_texts<'s>(check: &'s Check, texts: &mut Vec<&'s str>) {
    match check {
        Check::Text(_, check) => texts.push(check.expected()),
        Check::Json { expected, .. } => add_strings(expected, texts),
        Check::File { path, check } => {
            texts.push(path);
            match check {
                FileCheck::Content(check) => texts.push(check.expected()),
                FileCheck::EqualsFolder(folder) => texts.push(folder),
                FileCheck::Json { expected, .. } => add_strings(expected, texts),
                FileCheck::Exists(_) | FileCheck::Mode(_) => {}
            }
        }
        Check::Line { expected, .. } => texts.push(expected),
        Check::ExitCode(_)
        | Check::Signal(_)
        | Check::MaxDuration(_)
        | Check::Lines(_)
        | Check::Snapshot(_) => {}
        Check::JsonMatches { pattern, .. } => add_pattern(pattern, texts),
    }
}

fn add_pattern<'s>(pattern: &'s Pattern, texts: &mut Vec<&'s str>) {
    for part in pattern.parts() {
        match part {
            Pattern::Matches(ere) => texts.push(ere),
            Pattern::Contains(value) => add_strings(value, texts),
            Pattern::OneOf(values) => values.iter().for_each(|value| add_strings(value, texts)),
            _ => {}
        }
    }
}

fn add_strings<'s>(value: &'s Value, texts: &mut Vec<&'s str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| add_strings(value, texts)),
        Value::Object(values) => values.values().for_each(|value| add_strings(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
