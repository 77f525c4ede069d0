//! Runs the spec that the implementer finished. An example that fails is never reported as implemented: it becomes
//! pending, with its error.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ProgramOutput, StepContext};
use crate::learn::Learner;
use crate::spec::{Expectation, PendingExample, make_pending};

/// The largest result of a run that is read, in bytes.
const MAX_RESULT: u64 = 32 * 1024 * 1024;

/// What running a spec showed about the examples that were implemented.
pub(super) struct Verification {
    /// The text in which the examples that did not pass are pending.
    pub(super) text: String,
    /// The number of examples that are pending now.
    pub(super) pending: usize,
    /// The number of examples that follow from the code and did not pass.
    pub(super) wrong: usize,
    /// Why the examples were not run; then `text` contains those that follow from the code.
    pub(super) not_run: Option<String>,
    /// Whether no example of the file failed.
    pub(super) is_green: bool,
}

/// Runs a spec whose expectations were just written.
pub(super) fn verify(
    root: &Path,
    spec: &Path,
    text: &str,
    expectations: &[Expectation],
    context: &StepContext<'_>,
) -> Verification {
    let results = match run(root, spec, context) {
        Ok(results) => results,
        Err(reason) => {
            return Verification {
                not_run: Some(reason),
                ..without_run(text, expectations)
            };
        }
    };
    let lines: Vec<&str> = text.lines().collect();
    let pending = |expectation: &Expectation| {
        let example = example_line(&lines, expectation.line)?;
        let error = error_of(&results, spec, root, example)?;
        Some(pending_example(expectation, error))
    };
    let pending: Vec<PendingExample> = expectations.iter().filter_map(pending).collect();
    let is_certain = |expectation: &&Expectation| {
        let mut pending = pending.iter();
        expectation.doubt.is_none() && pending.any(|example| example.line == expectation.line)
    };
    Verification {
        text: make_pending(text, &pending),
        pending: pending.len(),
        wrong: expectations.iter().filter(is_certain).count(),
        not_run: None,
        is_green: !results.iter().any(|result| result["status"] == "failed"),
    }
}

/// The spec without the expectations that only a run could have confirmed.
pub(super) fn without_run(text: &str, expectations: &[Expectation]) -> Verification {
    let pending = |expectation: &Expectation| {
        Some(PendingExample {
            line: expectation.line,
            reason: expectation.doubt.clone()?,
            error: None,
        })
    };
    let pending: Vec<PendingExample> = expectations.iter().filter_map(pending).collect();
    Verification {
        text: make_pending(text, &pending),
        pending: pending.len(),
        wrong: 0,
        not_run: None,
        is_green: false,
    }
}

/// An example that did not pass, with the reason why it was doubtful or with its error.
fn pending_example(expectation: &Expectation, error: RunError) -> PendingExample {
    let (reason, error) = match error {
        RunError::Failed(error) => (format!("it failed: {error}"), Some(error)),
        RunError::NotRun(reason) => (reason.to_owned(), None),
    };
    PendingExample {
        line: expectation.line,
        reason: expectation.doubt.clone().unwrap_or(reason),
        error,
    }
}

/// Why an example did not pass.
enum RunError {
    /// The first line of its error.
    Failed(String),
    NotRun(&'static str),
}

/// The results of the examples as RSpec's JSON formatter writes them, or why there are none.
fn run(root: &Path, spec: &Path, context: &StepContext<'_>) -> Result<Vec<Value>, String> {
    if let Some(learner) = context.learner {
        return run_in_sandbox(root, spec, learner);
    }
    let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = dir.path().join("result.json");
    let (name, out) = (spec.to_string_lossy(), file.to_string_lossy());
    let options = ["--no-color", "--format", "json", "--out", &out, &name];
    let ran = context
        .rspec_with(root, spec, &options)
        .ok_or("rspec is not installed")?;
    let result = read(&file).ok_or_else(|| start_error(&ran))?;
    examples_of(&result)
}

/// The same in the sandbox, because observed examples are run for the first time.
fn run_in_sandbox(root: &Path, spec: &Path, learner: &Learner) -> Result<Vec<Value>, String> {
    let mut last = Err("rspec was not started".to_owned());
    for result in learner.spec_results(root, spec) {
        last = result.and_then(|result| examples_of(&result));
        if last.is_ok() {
            break;
        }
    }
    last
}

/// The examples of a result, unless the spec could not be loaded.
fn examples_of(result: &Value) -> Result<Vec<Value>, String> {
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
fn error_of(results: &[Value], spec: &Path, root: &Path, line: usize) -> Option<RunError> {
    let spec = canonical(spec);
    let is_here = |result: &&Value| {
        let file = result["file_path"].as_str().unwrap_or_default();
        let is_same = canonical(&root.join(file.trim_start_matches("./"))) == spec;
        is_same && result["line_number"].as_u64() == u64::try_from(line).ok()
    };
    let mut own = results.iter().filter(is_here).peekable();
    if own.peek().is_none() {
        return Some(RunError::NotRun("RSpec did not run it"));
    }
    own.find_map(|result| match result["status"].as_str() {
        Some("passed") => None,
        Some("failed") => Some(RunError::Failed(first_line(&result["exception"]))),
        _ => Some(RunError::NotRun("RSpec skipped it")),
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
    fn after(results: &Value, doubt: Option<&str>) -> String {
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
            learner: None,
        };
        let expectations = [(2, None), (6, doubt)].map(|(line, doubt)| Expectation {
            line,
            doubt: doubt.map(ToOwned::to_owned),
        });
        let done = verify(root.path(), &spec, text, &expectations, &context);
        let skips = done.text.lines().filter_map(|line| {
            let reason = line.trim().strip_prefix("skip 'To be completed: ")?;
            reason.strip_suffix('\'')
        });
        let skips = skips.collect::<Vec<_>>().join("; ");
        assert_eq!(done.text.matches("skip '").count(), done.pending);
        let not_run = done
            .not_run
            .map_or_else(String::new, |reason| format!(" ({reason})"));
        format!("{} wrong{not_run}: {skips}", done.wrong)
    }

    #[test]
    fn only_examples_that_passed_everywhere_remain() {
        let example = |line: usize, status: &str| {
            json!({ "file_path": "./a_spec.rb", "line_number": line, "status": status,
                    "exception": { "class": "IOError", "message": "no disk" } })
        };
        let failed = "1 wrong: it failed: IOError: no disk";
        let doubt = Some("no idea");
        for (examples, doubt, expected) in [
            (
                vec![example(1, "passed"), example(5, "passed")],
                None,
                "0 wrong: ",
            ),
            (
                vec![example(1, "passed"), example(5, "passed")],
                doubt,
                "0 wrong: ",
            ),
            (
                vec![example(1, "passed"), example(5, "failed")],
                None,
                failed,
            ),
            (
                vec![example(1, "passed"), example(5, "failed")],
                doubt,
                "0 wrong: no idea",
            ),
            (
                vec![
                    example(1, "passed"),
                    example(5, "passed"),
                    example(5, "failed"),
                ],
                None,
                failed,
            ),
            (
                vec![example(1, "passed"), example(5, "pending")],
                None,
                "1 wrong: RSpec skipped it",
            ),
            (
                vec![example(1, "passed")],
                None,
                "1 wrong: RSpec did not run it",
            ),
        ] {
            let results = json!({ "summary": {}, "examples": examples });
            assert_eq!(after(&results, doubt), expected);
        }
        let broken = json!({
            "summary": { "errors_outside_of_examples_count": 1 },
            "messages": ["IOError:\n  no disk"],
        });
        assert_eq!(after(&broken, None), "0 wrong (IOError: no disk): ");
        assert_eq!(after(&broken, doubt), "0 wrong (IOError: no disk): no idea");
    }
}
