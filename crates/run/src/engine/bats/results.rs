//! Results of a suite run by Bats: files written by the compiled code, and durations from the TAP output.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::services::ServiceFiles;
use crate::assertions::Directories;
use crate::attempt::{AttemptResult, Repetition, StepResult};
use crate::captured_values::CapturedValues;
use crate::services::ServiceFailure;
use crate::shell::capture::Captured;
use crate::shell::{CommandResult, Hook, HookFailure, Streams, Termination};

/// The results of a suite.
pub(super) struct Results {
    /// By test and attempt, both from 1.
    attempts: HashMap<(usize, usize), BatsAttempt>,
    /// The hook of the suite that failed; empty if none did.
    pub(super) suite_phase: String,
    /// The exit code of that hook, if it is known.
    hook_exit_code: Option<i32>,
    /// The services of the suite.
    pub(super) services: ServiceFiles,
    /// TAP comments that belong to no test.
    comments: Vec<u8>,
}

/// The result of one attempt.
#[derive(Debug, Default)]
pub(super) struct BatsAttempt {
    phase: String,
    hook_exit_code: Option<i32>,
    /// The results of its commands.
    pub(super) steps: Vec<BatsStep>,
    /// Why a service made the test fail.
    service_failure: Option<String>,
    /// What the services of the suite wrote during the test.
    suite_services: ServiceFiles,
    own_services: ServiceFiles,
    duration: Option<Duration>,
    /// The condition because of which the test was skipped.
    unmet: Option<String>,
    /// TAP comments after the test's line.
    comments: Vec<u8>,
}

/// The result of one command.
#[derive(Debug, Default)]
pub(super) struct BatsStep {
    exit_code: Option<i32>,
    streams: Vec<Captured>,
    /// The numbers of the assertions that failed, from 1.
    pub(super) failed: Vec<usize>,
    /// The values that were captured, by name.
    pub(super) values: HashMap<String, String>,
    leaky: bool,
    /// Whether its own timeout passed, not that of the test.
    pub(super) timed_out: bool,
    repetition: Option<Repetition>,
    /// The paths that its normalizers replace.
    pub(super) directories: Directories,
    /// How long the command took; 0 if its test does not limit it.
    duration: Duration,
}

impl Results {
    /// Reads the results from the directories of the tests. Keeps at most `limit` bytes of each stream.
    pub(super) fn read(dir: &Path, tap: &[u8], limit: usize) -> io::Result<Results> {
        let mut attempts = HashMap::new();
        for number in numbered(dir)? {
            let test = dir.join(number.to_string());
            for attempt in numbered(&test)? {
                attempts.insert(
                    (number, attempt),
                    read_attempt(&test.join(attempt.to_string()), limit)?,
                );
            }
        }
        let mut results = Results {
            attempts,
            suite_phase: text(&dir.join("phase")),
            hook_exit_code: number(&dir.join("hook-exit-code")),
            services: ServiceFiles::read(&dir.join("services"), false, limit),
            comments: Vec::new(),
        };
        results.add_tap(tap);
        Ok(results)
    }

    pub(super) fn get(&self, number: usize, attempt: usize) -> Option<&BatsAttempt> {
        self.attempts.get(&(number, attempt))
    }

    /// The failure of `setupFile` or `teardownFile`.
    pub(super) fn suite_hook_failure(&self, hook: Hook) -> HookFailure {
        hook_failure(hook, self.hook_exit_code, &self.comments)
    }

    /// Adds durations and comments from the TAP output, which describes the last attempt of each test.
    fn add_tap(&mut self, tap: &[u8]) {
        let mut current = None;
        for line in tap.split(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            if let Some((number, duration)) = result(&line) {
                current = self.last_attempt(number);
                if let Some(done) = current.and_then(|key| self.attempts.get_mut(&key)) {
                    done.duration = duration;
                }
            } else if let Some(comment) = line.strip_prefix("# ") {
                let comments = match current.and_then(|key| self.attempts.get_mut(&key)) {
                    Some(done) => &mut done.comments,
                    None => &mut self.comments,
                };
                comments.extend_from_slice(comment.as_bytes());
                comments.push(b'\n');
            }
        }
    }

    fn last_attempt(&self, number: usize) -> Option<(usize, usize)> {
        self.attempts
            .keys()
            .filter(|(test, _)| *test == number)
            .max()
            .copied()
    }
}

impl BatsAttempt {
    pub(super) fn attempt(&self) -> AttemptResult {
        let no_dir = self.missing_workdir();
        let is_stopped = self.phase == "command" && no_dir.is_none();
        let started = self.steps.iter();
        let started = started.filter(|step| is_stopped || step.exit_code.is_some());
        let hook = match self.phase.as_str() {
            "setup" => Some(Hook::Setup),
            "teardown" => Some(Hook::Teardown),
            _ => None,
        };
        let service_failure = self.service_failure.as_ref().map(|message| ServiceFailure {
            message: message.clone(),
            is_during_test: self.phase == "command",
        });
        let hook = hook.filter(|_| service_failure.is_none());
        let outputs = [&self.suite_services, &self.own_services];
        let outputs = outputs.into_iter().flat_map(|files| &files.outputs);
        let mut captured = CapturedValues::default();
        self.own_services.add_ports(&mut captured);
        AttemptResult {
            workdir_is_missing: no_dir.is_some(),
            error: no_dir,
            captured,
            service_failure,
            service_outputs: outputs.cloned().collect(),
            steps: started.map(BatsStep::result).collect(),
            hook: hook.map(|hook| hook_failure(hook, self.hook_exit_code, &self.comments)),
            duration: self.duration,
            unmet: self.unmet.clone(),
            ..AttemptResult::default()
        }
    }

    /// The message of the compiled code for a `workdir` that does not exist. The command was not started.
    fn missing_workdir(&self) -> Option<String> {
        const MESSAGE: &str = "working directory not found: ";
        let comments = String::from_utf8_lossy(&self.comments);
        let mut messages = comments
            .lines()
            .filter_map(|line| line.find(MESSAGE).map(|at| &line[at..]));
        messages
            .next()
            .filter(|_| self.phase == "command")
            .map(str::to_owned)
    }
}

impl BatsStep {
    /// The result without its assertions. A command without an exit code was running when the test's timeout passed.
    fn result(&self) -> StepResult {
        let timed_out = self.timed_out || self.exit_code.is_none();
        let ran = CommandResult {
            exit_code: self.exit_code.unwrap_or(143),
            signal: None,
            streams: Streams::of(self.streams.clone()),
            duration: self.duration,
            termination: timed_out.then_some(Termination::Timeout),
            leaky: self.leaky,
            terminal: None,
        };
        StepResult {
            repetition: self.repetition,
            ..StepResult::new(ran, Vec::new())
        }
    }
}

/// The directories in it whose names are numbers; none if it does not exist.
fn numbered(dir: &Path) -> io::Result<Vec<usize>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    Ok(names
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect())
}

fn read_attempt(dir: &Path, limit: usize) -> io::Result<BatsAttempt> {
    let mut numbers = numbered(dir)?;
    numbers.sort_unstable();
    let steps = if numbers.is_empty() {
        vec![read_step(dir, limit)?]
    } else {
        let steps = numbers.iter();
        steps
            .map(|number| read_step(&dir.join(number.to_string()), limit))
            .collect::<io::Result<_>>()?
    };
    Ok(BatsAttempt {
        phase: text(&dir.join("phase")),
        hook_exit_code: number(&dir.join("hook-exit-code")),
        unmet: Some(text(&dir.join("unmet"))).filter(|reason| !reason.is_empty()),
        steps,
        service_failure: fs::read_to_string(dir.join("service-failure")).ok(),
        suite_services: ServiceFiles::read(dir, false, limit),
        own_services: ServiceFiles::read(&dir.join("services"), true, limit),
        ..BatsAttempt::default()
    })
}

fn read_step(dir: &Path, limit: usize) -> io::Result<BatsStep> {
    let mut streams = Vec::new();
    for name in ["output", "stdout", "stderr"] {
        let path = dir.join(name);
        if path.is_file() {
            let mut captured = Captured::default();
            captured.take(&fs::read(path)?, limit);
            streams.push(captured);
        }
    }
    let failed = text(&dir.join("failed"));
    Ok(BatsStep {
        exit_code: number(&dir.join("exit-code")),
        streams,
        failed: failed
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect(),
        leaky: dir.join("leaky").exists(),
        timed_out: dir.join("timed-out").exists(),
        values: values(dir)?,
        directories: Directories {
            home: lines(&dir.join("home")),
            temporary: lines(&dir.join("tempdir")),
            working: lines(&dir.join("workdir")),
        },
        repetition: repetition(&text(&dir.join("attempts"))),
        duration: text(&dir.join("duration"))
            .parse()
            .map_or(Duration::ZERO, Duration::from_millis),
    })
}

/// The captured values: the files `value-NAME`.
fn values(dir: &Path) -> io::Result<HashMap<String, String>> {
    let mut values = HashMap::new();
    for entry in fs::read_dir(dir)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_prefix("value-") {
            let value = fs::read(entry.path())?;
            let value = String::from_utf8_lossy(&value).into_owned();
            values.insert(name.to_owned(), value);
        }
    }
    Ok(values)
}

/// The number of attempts and the milliseconds they took.
fn repetition(text: &str) -> Option<Repetition> {
    let (attempts, elapsed) = text.split_once(' ')?;
    Some(Repetition {
        attempts: attempts.parse().ok()?,
        elapsed: Duration::from_millis(elapsed.parse().ok()?),
    })
}

fn number(path: &Path) -> Option<i32> {
    text(path).parse().ok()
}

/// The output of the hook is in the comments, with the report of Bats, which names lines of the compiled code.
fn hook_failure(hook: Hook, exit_code: Option<i32>, comments: &[u8]) -> HookFailure {
    HookFailure {
        exit_code,
        output: without_report(&String::from_utf8_lossy(comments), hook.name()).into_bytes(),
        ..HookFailure::new(hook)
    }
}

/// The comments without the stack trace of Bats and without our own line about the hook.
fn without_report(comments: &str, hook: &str) -> String {
    let is_trace = |line: &str| {
        let line = line.strip_prefix(['(', ' ']).unwrap_or_default();
        ["from function `", "in file ", "in test file "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    // A `failed' line ends the stack trace.
    let is_failed_line = |line: &str| line.starts_with("  `") && line.contains("' failed");
    let own = format!(": {hook} ");
    let is_own = |line: &str| {
        let reason = line.split_once(&own).map(|(_, reason)| reason);
        reason.is_some_and(|reason| reason.starts_with("failed") || reason.starts_with("called `"))
    };
    let lines = comments.lines();
    let output: Vec<_> = lines
        .filter(|line| !is_trace(line) && !is_failed_line(line) && !is_own(line))
        .collect();
    output.join("\n")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn lines(path: &Path) -> Vec<String> {
    text(path).lines().map(str::to_owned).collect()
}

/// Parses the number and duration of a TAP result: `not ok 3 a name in 12ms`.
fn result(line: &str) -> Option<(usize, Option<Duration>)> {
    let rest = line
        .strip_prefix("not ok ")
        .or_else(|| line.strip_prefix("ok "))?;
    let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let time = name.rsplit_once(" in ").and_then(|(_, time)| {
        let millis = time.split_once("ms").map(|(millis, _)| millis.parse());
        millis?.ok().map(Duration::from_millis)
    });
    Some((number.parse().ok()?, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_bats_is_not_output_of_a_hook() {
        let comments = "\
(from function `casebook_teardown' in file a.bats, line 191,
 from function `teardown' in test file a.bats, line 199)
  `casebook_end teardown 2 casebook_teardown' failed with status 4
cleaning up
a.casebook.yaml:2: teardown called `exit 4`
";
        assert_eq!(without_report(comments, "teardown"), "cleaning up");
    }

    #[test]
    fn results_are_found_by_number() {
        assert_eq!(
            result("ok 3 is in 5 in 12ms"),
            Some((3, Some(Duration::from_millis(12))))
        );
        assert_eq!(result("not ok 10 x"), Some((10, None)));
        assert_eq!(
            result("ok 2 x in 3ms # skip why"),
            Some((2, Some(Duration::from_millis(3))))
        );
        assert_eq!(result("# ok 2"), None);
        assert_eq!(result("1..3"), None);
    }
}
