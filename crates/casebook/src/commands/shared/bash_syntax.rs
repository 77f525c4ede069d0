//! Checks the syntax of bash code with `bash -n`, which reads it without running it.
//!
//! Code that may have a syntax error is checked in batches, in one bash; if a batch has an error, each of its parts is checked alone.

use std::collections::HashMap;
use std::io::{self, Seek as _, Write as _};
use std::process::{Command, Stdio};
use std::thread;

use casebook_suite::{BashError, Checked, ScriptToCheck, ShellSyntax};

use crate::context::Context;

/// The maximum size of a batch in bytes.
const BATCH: usize = 256 << 10;

/// Code that changes how bash reads the code after it, which `bash -n` does not know.
const CHANGES_SYNTAX: [&str; 2] = ["expand_aliases", "set -o posix"];

/// Checks all code of these suites and adds its errors to their problems.
pub(crate) fn check(files: &mut [Checked]) {
    let mut codes: HashMap<&str, ShellSyntax> = HashMap::new();
    for script in files.iter().flat_map(|file| &file.scripts) {
        codes.insert(&script.text, script.syntax);
    }
    if codes.is_empty() {
        return;
    }
    let errors: HashMap<String, BashError> = errors(&codes)
        .into_iter()
        .map(|(code, error)| (code.to_owned(), error))
        .collect();
    for file in files {
        let scripts = std::mem::take(&mut file.scripts);
        let found = scripts
            .iter()
            .filter_map(|script: &ScriptToCheck| Some((script, errors.get(&script.text)?)));
        file.add_bash_errors(found);
    }
}

fn errors<'c>(codes: &HashMap<&'c str, ShellSyntax>) -> Vec<(&'c str, BashError)> {
    let (closed, mut alone): (Vec<_>, Vec<_>) = codes
        .iter()
        .map(|(code, syntax)| (*code, *syntax))
        .filter(|(code, _)| !CHANGES_SYNTAX.iter().any(|word| code.contains(word)))
        .partition(|(_, syntax)| *syntax == ShellSyntax::Closed);
    for batch in batches(closed) {
        let is_valid = batch.len() > 1
            && matches!(bash(&together(&batch), &[]), Ok(output) if output.is_empty());
        if !is_valid {
            alone.extend(batch);
        }
    }
    check_each(&alone)
}

/// Groups codes that are checked together.
fn batches(codes: Vec<(&str, ShellSyntax)>) -> Vec<Vec<(&str, ShellSyntax)>> {
    let mut batches: Vec<Vec<_>> = Vec::new();
    let mut size = BATCH;
    for (code, syntax) in codes {
        if size >= BATCH {
            batches.push(Vec::new());
            size = 0;
        }
        size += code.len();
        batches
            .last_mut()
            .into_iter()
            .for_each(|last| last.push((code, syntax)));
    }
    batches
}

/// Checks each code by itself, on all cores.
fn check_each<'c>(alone: &[(&'c str, ShellSyntax)]) -> Vec<(&'c str, BashError)> {
    let share = alone.len().div_ceil(Context::cpus()).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = alone
            .chunks(share)
            .map(|codes| {
                scope.spawn(|| {
                    let errors = codes
                        .iter()
                        .filter_map(|(code, _)| Some((*code, error(code)?)));
                    errors.collect::<Vec<_>>()
                })
            })
            .collect();
        let found = threads.into_iter().filter_map(|thread| thread.join().ok());
        found.flatten().collect()
    })
}

/// The parts of a batch, each in parentheses. A command before each allows parts of comments only.
fn together(batch: &[(&str, ShellSyntax)]) -> String {
    let parts = batch.iter().flat_map(|(code, _)| ["(\n:\n", code, "\n)\n"]);
    parts.collect()
}

/// The error in this code. Code that is valid with `extglob` is valid: it may turn the option on itself.
fn error(code: &str) -> Option<BashError> {
    let error = parse(&bash(code, &[]).ok()?)?;
    match bash(code, &["-O", "extglob"]) {
        Ok(output) if !error.is_warning => parse(&output).map(|_| error),
        _ => Some(error),
    }
}

/// What bash writes about this code: nothing if it is valid.
fn bash(code: &str, options: &[&str]) -> io::Result<String> {
    let mut file = tempfile::tempfile()?;
    file.write_all(code.as_bytes())?;
    file.rewind()?;
    // A file as standard input is read in blocks. Named as an argument, bash shows the numbers of lines.
    let output = Command::new("bash")
        .args(options)
        .args(["-n", "/dev/stdin"])
        .env_remove("BASH_ENV")
        .env("LC_ALL", "C")
        .stdin(file)
        .stdout(Stdio::null())
        .output()?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The first message: `/dev/stdin: line 3: syntax error near …`.
fn parse(output: &str) -> Option<BashError> {
    let (_, rest) = output.lines().next()?.split_once(": line ")?;
    let (line, message) = rest.split_once(": ")?;
    let warning = message.strip_prefix("warning: ");
    Some(BashError {
        message: warning.unwrap_or(message).to_owned(),
        line: line.parse().ok()?,
        is_warning: warning.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(codes: &[&'static str]) -> Vec<String> {
        let codes = codes
            .iter()
            .map(|code| (*code, casebook_suite::shell_syntax(code)));
        let mut errors: Vec<_> = errors(&codes.collect())
            .into_iter()
            .map(|(code, error)| format!("{code:?}: {}: {}", error.line, error.message))
            .collect();
        errors.sort();
        errors
    }

    #[test]
    fn each_code_of_a_batch_is_checked_alone() {
        let valid = [
            "# only a comment",
            "if true; then ls; fi",
            "( ls )",
            "a=(1 2)",
            "case a in b) ls;; esac",
        ];
        assert_eq!(errors_of(&valid), [""; 0]);
        // Together, these are valid.
        assert_eq!(
            errors_of(&["if true; then\n(", ")\nfi", "echo 'a", "echo b'"]).len(),
            4
        );
        assert_eq!(
            errors_of(&["( ls )", "f() {\n  ls\n  fi\n}", "for x in 1; do ls; done"]),
            ["\"f() {\\n  ls\\n  fi\\n}\": 3: syntax error near unexpected token `fi'"]
        );
    }

    #[test]
    fn code_may_turn_on_other_syntax() {
        assert_eq!(
            errors_of(&[
                "shopt -s extglob\nls !(a|b)",
                "if !(ls); then ls; fi",
                "shopt -s expand_aliases\nalias begin={\nbegin ls; }",
            ]),
            [""; 0]
        );
    }
}
