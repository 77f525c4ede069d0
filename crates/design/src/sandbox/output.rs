//! Collects the output of a process until it ends or its time is over.

use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};

use super::SandboxError;

/// Output beyond this is discarded.
const LIMIT: usize = 64 << 20;

/// How long to wait for the streams of killed processes. Without isolation, a process that left the group may keep them open.
const AFTER_KILL: Duration = Duration::from_secs(2);

/// The result of a program in the sandbox.
#[derive(Debug)]
pub struct SandboxOutput {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, with invalid UTF-8 replaced.
    pub stderr: String,
    /// Whether it was killed at the time limit.
    pub is_timed_out: bool,
}

/// Runs a command with this input.
pub(super) fn collect(
    mut command: Command,
    input: &[u8],
    time: Duration,
) -> Result<SandboxOutput, SandboxError> {
    let mut child = spawn(&mut command)?;
    write_input(&mut child, input);
    // The receiver notices when both readers have dropped their sender: both streams are closed.
    let (open, closed) = channel();
    let stdout = read(child.stdout.take(), open.clone());
    let stderr = read(child.stderr.take(), open);
    let is_timed_out = closed.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if is_timed_out {
        kill(&child);
        let _ = closed.recv_timeout(AFTER_KILL);
    }
    let status = child.wait().map_err(|error| unusable(&command, error))?;
    let bytes = std::mem::take(&mut *stderr.lock());
    let stdout = std::mem::take(&mut *stdout.lock());
    Ok(SandboxOutput {
        status,
        stdout,
        stderr: String::from_utf8_lossy(&bytes).into_owned(),
        is_timed_out,
    })
}

fn spawn(command: &mut Command) -> Result<Child, SandboxError> {
    command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let name = command.get_program().to_string_lossy();
            SandboxError::Unavailable(format!("{name} is not installed"))
        }
        _ => unusable(command, error),
    })
}

fn unusable(command: &Command, source: io::Error) -> SandboxError {
    SandboxError::Unusable {
        name: command.get_program().to_string_lossy().into_owned(),
        source,
    }
}

/// Writes in a thread: the process may write output before it reads all its input. It may also not read it at all.
fn write_input(child: &mut Child, input: &[u8]) {
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_owned();
    thread::spawn(move || stdin.write_all(&input));
}

/// Reads a stream in a thread. The sender is dropped at its end.
fn read(stream: Option<impl Read + Send + 'static>, open: Sender<()>) -> Arc<Mutex<Vec<u8>>> {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&bytes);
    let mut stream = stream.expect("the stream is piped");
    thread::spawn(move || {
        let _open = open;
        let mut chunk = [0; 1 << 14];
        while let Ok(length @ 1..) = stream.read(&mut chunk) {
            let mut bytes = shared.lock();
            if bytes.len() < LIMIT {
                bytes.extend_from_slice(&chunk[..length]);
            }
        }
    });
    bytes
}

/// Kills the process group. The kernel kills the other processes of the sandbox with the first one.
fn kill(child: &Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}
