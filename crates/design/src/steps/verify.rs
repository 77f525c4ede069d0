//! Runs the spec that the implementer finished. An example that fails is never reported as implemented: it becomes
//! pending, with its error.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ProgramOutput, StepContext};
use crate::spec::{FAILED, make_pending};

/// The largest result of a run that is read, in bytes.
const MAX_RESULT: u64 = 32 * 1024 * 1024;

/// What running a spec showed about the examples that were implemented.
pub(super) enum Verification {
    /// The text in which the examples that failed are pending, and their number. `is_green` if no example of the file
    /// failed.
    Done {
        text: String,
        failed: usize,
        is_green: bool,
    },
    /// Why the examples were not run.
    NotRun(String),
}

/// Runs a spec whose expectations on these lines (1-based) were just written.
pub(super) fn verify(
    root: &Path,
    spec: &Path,
    text: &str,
    expectations: &[usize],
    context: &StepContext<'_>,
) -> Verification {
    let results = match run(root, spec, context) {
        Ok(results) => results,
        Err(reason) => return Verification::NotRun(reason),
    };
    let lines: Vec<&str> = text.lines().collect();
    let error = |expectation: &usize| {
        let example = example_line(&lines, *expectation)?;
        error_of(&results, spec, root, example).map(|error| (*expectation, error))
    };
    let failures: Vec<(usize, String)> = expectations.iter().filter_map(error).collect();
    Verification::Done {
        text: make_pending(text, &failures),
        failed: failures.len(),
        is_green: !results.iter().any(|result| result["status"] == "failed"),
    }
}

/// The results of the examples as RSpec's JSON formatter writes them, or why there are none.
fn run(root: &Path, spec: &Path, context: &StepContext<'_>) -> Result<Vec<Value>, String> {
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = dir.path().join("result.json");
    let (spec, out) = (spec.to_string_lossy(), file.to_string_lossy());
    let options = ["--no-color", "--format", "json", "--out", &out, &spec];
    let ran = context
        .rspec_with(root, &options)
        .ok_or("rspec is not installed")?;
    let result = read(&file).ok_or_else(|| start_error(&ran))?;
    if result["summary"]["errors_outside_of_examples_count"].as_u64() > Some(0) {
        let messages = result["messages"].as_array().into_iter().flatten();
        let messages: Vec<&str> = messages.filter_map(Value::as_str).collect();
        return Err(load_error(&messages.join("\n")));
    }
    Ok(result["examples"].as_array().cloned().unwrap_or_default())
}

fn read(file: &Path) -> Option<Value> {
    let mut text = Vec::new();
    let file = File::open(file).ok()?;
    file.take(MAX_RESULT).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Why rspec wrote no result.
fn start_error(ran: &ProgramOutput) -> String {
    let lines = ran.output.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty());
    let line = match ran.code {
        // It was killed; the last line says so.
        None => lines.next_back(),
        Some(_) => lines.next(),
    };
    line.unwrap_or("rspec wrote no result").to_owned()
}

/// The class and the first line of an error outside of examples.
pub(super) fn load_error(messages: &str) -> String {
    let lines: Vec<&str> = messages
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let class = lines.iter().position(|line| {
        let name = line.trim_end_matches(':');
        let is_constant = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
        name != *line && name.starts_with(char::is_uppercase) && name.chars().all(is_constant)
    });
    match class {
        Some(at) => lines[at..]
            .iter()
            .take(2)
            .copied()
            .collect::<Vec<_>>()
            .join(" "),
        None => (*lines.first().unwrap_or(&"the spec cannot be loaded")).to_owned(),
    }
}

/// The line of the example that contains the expectation.
fn example_line(lines: &[&str], expectation: usize) -> Option<usize> {
    let before = lines.get(..expectation)?;
    let is_example = |line: &&str| line.trim_start().starts_with("it ");
    before.iter().rposition(is_example).map(|index| index + 1)
}

/// Why the example on this line did not pass. `None` if it passed wherever it was run; a shared example is run several times.
fn error_of(results: &[Value], spec: &Path, root: &Path, line: usize) -> Option<String> {
    let spec = canonical(spec);
    let is_here = |result: &&Value| {
        let file = result["file_path"].as_str().unwrap_or_default();
        let is_same = canonical(&root.join(file.trim_start_matches("./"))) == spec;
        is_same && result["line_number"].as_u64() == u64::try_from(line).ok()
    };
    let mut own = results.iter().filter(is_here).peekable();
    if own.peek().is_none() {
        return Some("RSpec did not run it".to_owned());
    }
    own.find_map(|result| match result["status"].as_str() {
        Some("passed") => None,
        Some("failed") => Some(format!("{FAILED}{}", first_line(&result["exception"]))),
        _ => Some("RSpec skipped it".to_owned()),
    })
}

/// The class and the first line of an exception. For a failed expectation, both values.
fn first_line(exception: &Value) -> String {
    let message = exception["message"].as_str().unwrap_or_default();
    let mut lines = message
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let class = exception["class"].as_str().unwrap_or_default();
    let is_expectation = class.starts_with("RSpec::Expectations::");
    match lines.next() {
        Some(second) if is_expectation && first.starts_with("expected") => {
            format!("{first}, {second}")
        }
        _ if is_expectation => first.to_owned(),
        _ if first.is_empty() => class.to_owned(),
        _ => format!("{class}: {first}"),
    }
}

/// A path without symbolic links, which Ruby resolves in the working directory.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_reason_of_a_load_error_is_its_class_and_first_line() {
        for (messages, expected) in [
            (
                "\nAn error occurred while loading ./a_spec.rb.\nFailure/Error: RSpec.describe Cart do\n\n\
                 NameError:\n  uninitialized constant Cart\n# ./a_spec.rb:3:in `<top (required)>'\n",
                "NameError: uninitialized constant Cart",
            ),
            ("No such file", "No such file"),
            ("", "the spec cannot be loaded"),
        ] {
            assert_eq!(load_error(messages), expected);
        }
    }

    #[test]
    fn the_reason_of_a_failure_is_its_first_line() {
        let expectation = "RSpec::Expectations::ExpectationNotMetError";
        for (class, message, expected) in [
            (
                "NoMethodError",
                "undefined method `x'\nmore",
                "NoMethodError: undefined method `x'",
            ),
            (
                expectation,
                "\nexpected: 1\n     got: 2\n",
                "expected: 1, got: 2",
            ),
            (
                expectation,
                "expected nil\nto be true",
                "expected nil, to be true",
            ),
            (expectation, "it is wrong\nmore", "it is wrong"),
            ("IOError", "", "IOError"),
        ] {
            let exception = json!({ "class": class, "message": message });
            assert_eq!(first_line(&exception), expected);
        }
    }

    /// The spec after a run with these results.
    fn after(results: &Value) -> String {
        let root = tempfile::tempdir().unwrap();
        let spec = root.path().join("a_spec.rb");
        let text = "it 'a' do\n  expect(1).to eq(1)\nend\n\nit 'b' do\n  expect(2).to eq(2)\nend\n";
        std::fs::write(&spec, text).unwrap();
        let run = |_: &Path, _: &str, arguments: &[&str]| {
            let at = arguments.iter().position(|one| *one == "--out")?;
            std::fs::write(arguments[at + 1], results.to_string()).ok()?;
            Some(ProgramOutput {
                code: Some(1),
                is_success: false,
                output: String::new(),
            })
        };
        let context = StepContext {
            cwd: root.path(),
            now: "",
            may_fall_back: true,
            run: &run,
        };
        match verify(root.path(), &spec, text, &[2, 6], &context) {
            Verification::Done { text, failed, .. } => {
                let skips = text.lines().filter(|line| line.contains("skip '"));
                format!(
                    "{failed}: {}",
                    skips.map(str::trim).collect::<Vec<_>>().join("; ")
                )
            }
            Verification::NotRun(reason) => reason,
        }
    }

    #[test]
    fn only_examples_that_passed_everywhere_remain() {
        let example = |line: usize, status: &str| {
            json!({ "file_path": "./a_spec.rb", "line_number": line, "status": status,
                    "exception": { "class": "IOError", "message": "no disk" } })
        };
        let pending = |reason: &str| format!("1: skip 'To be completed: {reason}'");
        for (examples, expected) in [
            (
                vec![example(1, "passed"), example(5, "passed")],
                "0: ".to_owned(),
            ),
            (
                vec![example(1, "passed"), example(5, "failed")],
                pending("it failed: IOError: no disk"),
            ),
            (
                vec![
                    example(1, "passed"),
                    example(5, "passed"),
                    example(5, "failed"),
                ],
                pending("it failed: IOError: no disk"),
            ),
            (
                vec![example(1, "passed"), example(5, "pending")],
                pending("RSpec skipped it"),
            ),
            (vec![example(1, "passed")], pending("RSpec did not run it")),
        ] {
            let results = json!({ "summary": {}, "examples": examples });
            assert_eq!(after(&results), expected);
        }
        let broken = json!({
            "summary": { "errors_outside_of_examples_count": 1 },
            "messages": ["IOError:\n  no disk"],
        });
        assert_eq!(after(&broken), "IOError: no disk");
    }
}
