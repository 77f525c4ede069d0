//! The test fixture: an empty directory, an empty environment, and the built binary.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test fails. Nothing waits that long when it works.
pub(crate) const GIVE_UP: Duration = Duration::from_secs(60);

/// The directory of a test.
pub(crate) struct Project {
    _dir: TempDir,
    path: PathBuf,
}

impl Project {
    pub(crate) fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        Project { _dir: dir, path }
    }

    /// A project with one file in it.
    pub(crate) fn with(name: &str, contents: impl AsRef<[u8]>) -> Project {
        let project = Project::new();
        project.write(name, contents);
        project
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The events of a journal.
    pub(crate) fn journal(&self, name: &str) -> Vec<Value> {
        self.read(name)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The names in a directory, sorted.
    pub(crate) fn files(&self, name: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.at(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.at(name).exists()
    }

    /// `casebook` with these arguments, separated by spaces.
    pub(crate) fn casebook(&self, arguments: &str) -> Call {
        let mut call = self.call(env!("CARGO_BIN_EXE_casebook"));
        call.command.args(arguments.split_whitespace());
        call
    }

    /// A script in which `$CASEBOOK` is the binary.
    pub(crate) fn bash(&self, script: &str) -> Call {
        let mut call = self.call("bash");
        call.command.args(["-c", script]);
        call.env("CASEBOOK", env!("CARGO_BIN_EXE_casebook"))
    }

    fn call(&self, program: &str) -> Call {
        let mut command = Command::new(program);
        command
            .current_dir(&self.path)
            .env_clear()
            .env("PATH", path())
            .env("HOME", &self.path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Call {
            command,
            input: Vec::new(),
            dir: self.path.clone(),
        }
    }
}

/// A program to be started.
pub(crate) struct Call {
    command: Command,
    input: Vec<u8>,
    dir: PathBuf,
}

impl Call {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Call {
        self.command.env(name, value);
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Call {
        self.command.arg(argument);
        self
    }

    /// Puts a directory at the front of `PATH`.
    pub(crate) fn path_first(self, dir: &Path) -> Call {
        let dirs = [dir.to_owned()].into_iter();
        let path = join_paths(dirs.chain(split_paths(&path()))).unwrap();
        self.env("PATH", path)
    }

    pub(crate) fn stdin(mut self, input: impl AsRef<[u8]>) -> Call {
        self.input = input.as_ref().to_vec();
        self
    }

    /// Makes standard output a pipe that is already closed.
    pub(crate) fn closed_stdout(mut self) -> Call {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.command.stdout(writer);
        self
    }

    /// Runs it until it exits.
    pub(crate) fn run(mut self) -> Outcome {
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.input;
        let producer = thread::spawn(move || stdin.write_all(&input).is_ok());
        let output = child.wait_with_output().unwrap();
        Outcome {
            stdout: text(&output.stdout, &self.dir),
            stderr: text(&output.stderr, &self.dir),
            code: code(output.status),
            input_was_taken: producer.join().unwrap(),
        }
    }

    /// Starts it and leaves standard input open.
    pub(crate) fn start(mut self) -> Live {
        let mut child = self.command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, answers) = channel();
        thread::spawn(move || {
            stdout
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| send.send(line))
        });
        let (send, errors) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || {
            let mut bytes = stderr.bytes().map_while(Result::ok);
            bytes.try_for_each(|byte| send.send(byte))
        });
        Live {
            stdin: child.stdin.take(),
            child,
            answers,
            errors,
            stderr: Vec::new(),
            dir: self.dir,
        }
    }
}

/// How a program exited. The path of the project is `[project]` in its output.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// As in `$?`: 128 and the number of the signal for a killed program.
    pub(crate) code: i32,
    /// False if it exited before all of its input was written.
    pub(crate) input_was_taken: bool,
}

impl Outcome {
    /// Everything, for snapshots.
    pub(crate) fn shown(&self) -> String {
        let part = |name, text: &String| match text.as_str() {
            "" => String::new(),
            text => format!("--- {name}\n{text}"),
        };
        let (stdout, stderr) = (part("stdout", &self.stdout), part("stderr", &self.stderr));
        format!("exit code {}\n{stdout}{stderr}", self.code)
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Outcome {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

/// A running program.
pub(crate) struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
    /// The standard error, byte by byte, as a thread reads it.
    errors: Receiver<u8>,
    /// The standard error received so far.
    stderr: Vec<u8>,
    dir: PathBuf,
}

impl Live {
    pub(crate) fn send(&mut self, line: impl AsRef<[u8]>) {
        self.write(line);
        self.write("\n");
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stdin
            .as_mut()
            .unwrap()
            .write_all(bytes.as_ref())
            .unwrap();
    }

    /// The next line of its standard output.
    #[track_caller]
    pub(crate) fn answer(&self) -> String {
        self.answers
            .recv_timeout(GIVE_UP)
            .expect("a line of standard output")
    }

    /// Waits for a text on its standard error.
    #[track_caller]
    pub(crate) fn wait_for_stderr(&mut self, words: &str) {
        while !self.stderr.ends_with(words.as_bytes()) {
            match self.errors.recv_timeout(GIVE_UP) {
                Ok(byte) => self.stderr.push(byte),
                Err(error) => {
                    let all = String::from_utf8_lossy(&self.stderr);
                    panic!("`{words}` not found, {error}: {all}");
                }
            }
        }
    }

    /// The rest of its standard output.
    pub(crate) fn last_answers(&self) -> Vec<String> {
        self.answers.iter().collect()
    }

    pub(crate) fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().unwrap()
    }

    /// A field of `/proc/PID/status`.
    pub(crate) fn status(&self, field: &str) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        line.unwrap_or_default()
            .trim_start_matches(':')
            .trim()
            .to_owned()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its exit with standard input open.
    pub(crate) fn wait(mut self) -> Outcome {
        let mut stderr = std::mem::take(&mut self.stderr);
        stderr.extend(self.errors.iter());
        let status = self.child.wait().unwrap();
        let stdout = self.last_answers().join("\n");
        Outcome {
            stdout,
            stderr: text(&stderr, &self.dir),
            code: code(status),
            input_was_taken: true,
        }
    }

    /// Closes its standard input and waits for its exit.
    pub(crate) fn finish(mut self) -> Outcome {
        self.stdin = None;
        self.wait()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Measures how long the work takes.
#[expect(clippy::disallowed_methods, reason = "a test may read the clock")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = std::time::Instant::now();
    let result = work();
    (result, started.elapsed())
}

/// Waits until the condition is true.
#[track_caller]
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let pause = Duration::from_millis(5);
    let tries = GIVE_UP.as_millis() / pause.as_millis();
    for _ in 0..tries {
        if condition() {
            return;
        }
        thread::sleep(pause);
    }
    panic!("{what}: not within {GIVE_UP:?}");
}

pub(crate) fn gzip(contents: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(contents.as_ref()).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(contents: impl AsRef<[u8]>) -> Vec<u8> {
    zstd::encode_all(contents.as_ref(), zstd::DEFAULT_COMPRESSION_LEVEL).unwrap()
}

/// The `PATH` of all programs. `script/test` restricts it to the programs that tests may start.
#[expect(
    clippy::disallowed_methods,
    reason = "the only variable that the tested programs inherit"
)]
fn path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

fn code(status: std::process::ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap())
}

fn text(bytes: &[u8], dir: &Path) -> String {
    String::from_utf8_lossy(bytes).replace(dir.to_str().unwrap(), "[project]")
}

/// How many processes a test kills: `CASEBOOK_KILLS`, or this many.
#[expect(
    clippy::disallowed_methods,
    reason = "only tests read it, to repeat more than in CI"
)]
pub(crate) fn kills(default: u64) -> u64 {
    let kills = std::env::var("CASEBOOK_KILLS").ok();
    kills.map_or(default, |kills| kills.parse().unwrap())
}

/// Writes a note that `script/test` shows, because the output of a passed test is hidden.
pub(crate) fn not_tested(what: &str, why: &str) {
    let notes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-tested");
    fs::create_dir_all(&notes).unwrap();
    fs::write(notes.join(what), why).unwrap();
}
