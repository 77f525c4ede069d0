//! One test as Bats code.

use casebook_source::SourceFile;

use super::Case;
use super::quote::{quote, quote_script};
use crate::assertion::bats_code;
use crate::model::{Action, Check, Step, Test, Workdir};

/// The code of a test.
pub(super) fn code(case: &Case<'_>, file: &SourceFile) -> String {
    let line = |offset| file.position(offset).line;
    let test = case.test;
    // `first_conversation` rejects suites with conversations before they are compiled.
    let Action::Command(step) = &test.action else {
        return String::new();
    };
    let snapshot = case.snapshots.first().and_then(Option::as_deref);
    let assertions = step.assertions.iter();
    let assertions: String = assertions
        .map(|assertion| bats_code(assertion, line(assertion.span.start), snapshot))
        .collect();
    format!(
        "{tags}@test \"{title}\" {{\n{run}{assertions}  {finish}\n}}\n",
        finish = finish(test, line(test.span.start)),
        tags = tags(test),
        title = case.title.source,
        run = run(test, step, line(step.command.span.start)),
    )
}

/// The call that ends the test.
fn finish(test: &Test, line: usize) -> String {
    match &test.fails {
        Some(reason) => format!("casebook_finish_known_failure {line} {}", quote(reason)),
        None => "casebook_finish".to_owned(),
    }
}

/// The tags for `bats --filter-tags`; tags that Bats does not support are omitted.
fn tags(test: &Test) -> String {
    let is_tag = |tag: &&String| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        !tag.is_empty() && tag.chars().all(is_allowed) && !tag.starts_with("bats:")
    };
    let tags: Vec<_> = test
        .tags
        .iter()
        .filter(is_tag)
        .map(String::as_str)
        .collect();
    if tags.is_empty() {
        String::new()
    } else {
        format!("# bats test_tags={}\n", tags.join(","))
    }
}

fn run(test: &Test, step: &Step, line: usize) -> String {
    let mut words = vec!["  casebook_run".to_owned()];
    if step.keeps_streams_apart() {
        words.push("--separate".to_owned());
    }
    let mut assertions = step.assertions.iter();
    if assertions.any(|assertion| matches!(assertion.check, Check::MaxDuration(_))) {
        words.push("--timed".to_owned());
    }
    match &test.workdir {
        Some(Workdir::At(path)) => words.push(format!("--workdir {}", quote(path))),
        Some(Workdir::Copy { .. } | Workdir::Empty) => {
            words.push(format!("--workdir \"$BATS_TEST_TMPDIR/{}\"", Workdir::NAME));
        }
        None => {}
    }
    if let Some(stdin) = &step.stdin {
        words.push(format!("--stdin {}", quote(stdin)));
    }
    words.push(line.to_string());
    words.push(quote_script(&step.command.text));
    words.join(" ") + "\n"
}
