//! One test as Bats code.

use casebook_source::SourceFile;
use serde_json::Value;

use super::Case;
use super::quote::{quote, quote_script};
use crate::model::{Assertion, Check, FileCheck, Test, TextCheck};

/// The test with its place above it.
pub(super) fn code(case: &Case<'_>, file: &SourceFile) -> String {
    let line = |offset| file.position(offset).line;
    let test = case.test;
    // What is no command is refused before it comes here.
    let Some(command) = test.command() else {
        return String::new();
    };
    let assertions: String = test
        .assertions
        .iter()
        .map(|assertion| expectation(case, assertion, line(assertion.span.start)))
        .collect();
    format!(
        "{tags}@test \"{title}\" {{\n{run}{assertions}  casebook_verdict\n}}\n",
        tags = tags(test),
        title = case.title.source,
        run = run(test, &command.text, line(command.span.start)),
    )
}

/// For `bats --filter-tags`, as far as Bats can read them.
fn tags(test: &Test) -> String {
    let is_tag = |tag: &&String| {
        let ours = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        !tag.is_empty() && tag.chars().all(ours) && !tag.starts_with("bats:")
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

fn run(test: &Test, command: &str, line: usize) -> String {
    let mut words = vec!["  casebook_run".to_owned()];
    if test.keeps_streams_apart() {
        words.push("--apart".to_owned());
    }
    if let Some(workdir) = &test.workdir {
        words.push(format!("--workdir {}", folder(workdir)));
    }
    if let Some(stdin) = &test.stdin {
        words.push(format!("--stdin {}", quote(stdin)));
    }
    words.push(line.to_string());
    words.push(quote_script(command));
    words.join(" ") + "\n"
}

fn folder(workdir: &str) -> String {
    if workdir.starts_with('/') {
        quote(workdir)
    } else {
        format!("\"$casebook_folder\"/{}", quote(workdir))
    }
}

fn expectation(case: &Case<'_>, assertion: &Assertion, line: usize) -> String {
    let (helper, arguments) = match &assertion.check {
        Check::ExitCode(code) => ("", format!("exitCode {code}")),
        Check::Text(_, check) => ("", format!("{} {}", assertion.field, quote(text(check)))),
        Check::Json { pointer, expected } => ("_json", json(pointer, expected)),
        Check::File { path, check } => ("_file", format!("{} {}", quote(path), of_file(check))),
        Check::Snapshot(_) => ("_snapshot", quote(case.snapshot.unwrap_or_default())),
    };
    format!("  casebook_expect{helper} {line} {arguments}\n")
}

/// What is expected, without the newlines at its end: the captured text has none either. A pattern stays as it is.
fn text(check: &TextCheck) -> &str {
    match check {
        TextCheck::Equals(text) | TextCheck::Contains(text) | TextCheck::NotContains(text) => {
            text.trim_end_matches('\n')
        }
        TextCheck::Matches(pattern) | TextCheck::NotMatches(pattern) => pattern,
    }
}

fn of_file(check: &FileCheck) -> String {
    let how = match check {
        FileCheck::Exists(true) => return "exists".to_owned(),
        FileCheck::Exists(false) => return "absent".to_owned(),
        FileCheck::Content(TextCheck::Equals(_)) => "Equals",
        FileCheck::Content(TextCheck::Contains(_)) => "Contains",
        FileCheck::Content(TextCheck::NotContains(_)) => "NotContains",
        FileCheck::Content(TextCheck::Matches(_)) => "Matches",
        FileCheck::Content(TextCheck::NotMatches(_)) => "NotMatches",
    };
    let FileCheck::Content(check) = check else {
        return how.to_owned();
    };
    format!("{how} {}", quote(text(check)))
}

fn json(pointer: &str, expected: &Value) -> String {
    let keys: Vec<_> = pointer
        .split('/')
        .skip(1)
        .map(|key| Value::from(key.replace("~1", "/").replace("~0", "~")))
        .collect();
    let keys = Value::from(keys).to_string();
    let expected = expected.to_string();
    format!("{} {} {}", quote(pointer), quote(&keys), quote(&expected))
}
