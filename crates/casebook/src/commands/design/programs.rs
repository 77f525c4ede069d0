//! Runs other programs for design steps: rspec, git and linters. Their time and their output are limited.

use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use casebook_design::steps::ProgramOutput;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::caller::Caller;

/// Long enough to start a large application and to run one spec.
const TIMEOUT: Duration = Duration::from_secs(300);

/// How long to wait for the end of the output: a process that the program left behind may keep it open.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// The part of each stream that is kept, in bytes.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// How long a program may run, and who can end it earlier.
#[derive(Clone, Copy)]
struct Limits<'a> {
    timeout: Duration,
    caller: Option<&'a Caller>,
}

impl Limits<'_> {
    fn is_canceled(self) -> bool {
        self.caller
            .is_some_and(|caller| caller.cancellation.is_requested())
    }
}

/// Runs a program to its end; `None` if it is not installed. If a client called the command, it can cancel the program.
pub(super) fn run(
    dir: &Path,
    program: &str,
    arguments: &[&str],
    caller: Option<&Caller>,
) -> Option<ProgramOutput> {
    if let Some(caller) = caller {
        caller.report(&format!("{program} {}", arguments.join(" ")));
    }
    let timeout = TIMEOUT;
    run_within(Limits { timeout, caller }, dir, program, arguments)
}

fn run_within(
    limits: Limits<'_>,
    dir: &Path,
    program: &str,
    arguments: &[&str],
) -> Option<ProgramOutput> {
    if limits.is_canceled() {
        return Some(not_run("canceled"));
    }
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if limits.caller.is_some() {
        // With Ctrl-C, the terminal ends its processes; a client cannot.
        command.process_group(0);
    }
    match command.spawn().and_then(|child| finish(child, limits)) {
        Ok(output) => Some(output),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(not_run(&error.to_string())),
    }
}

fn not_run(why: &str) -> ProgramOutput {
    ProgramOutput {
        code: None,
        is_success: false,
        output: why.to_owned(),
    }
}

fn finish(mut child: Child, limits: Limits<'_>) -> io::Result<ProgramOutput> {
    let error = child.stderr.take().map(read_in_background);
    let output = child.stdout.take().map(read_in_background);
    let status = wait_within(&mut child, limits)?;
    let text = |stream: Option<Receiver<Vec<u8>>>| {
        let bytes = stream.and_then(|stream| stream.recv_timeout(DRAIN_TIMEOUT).ok());
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    };
    let mut output = text(error) + &text(output);
    if status.is_none() {
        let why = if limits.is_canceled() {
            "canceled".to_owned()
        } else {
            format!("timed out after {} s", limits.timeout.as_secs())
        };
        output = format!("{output}\n{why}");
    }
    Ok(ProgramOutput {
        code: status.and_then(|status| status.code()),
        is_success: status.is_some_and(|status| status.success()),
        output,
    })
}

/// The status of the program when it ends; `None` if it was killed because its time was up, or because it was canceled.
fn wait_within(child: &mut Child, limits: Limits<'_>) -> io::Result<Option<ExitStatus>> {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_millis(1);
    while waited < limits.timeout && !limits.is_canceled() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    if limits.caller.is_some() {
        // Its whole process group; it fails only if all of them have ended.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Reads a stream on its own thread, and discards what exceeds the limit so that the program is not blocked.
fn read_in_background(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut stream = stream.take(MAX_OUTPUT);
        // What was read before an error is still useful.
        let _ = stream.read_to_end(&mut kept);
        let _ = sender.send(kept);
        let _ = io::copy(&mut stream.into_inner(), &mut io::sink());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: Duration) -> ProgramOutput {
        let limits = Limits {
            timeout,
            caller: None,
        };
        run_within(limits, Path::new("/"), "sh", &["-c", script]).unwrap()
    }

    #[test]
    fn output_and_exit_code_are_returned() {
        let ran = shell("echo out; echo error >&2; exit 3", TIMEOUT);
        assert_eq!((ran.code, ran.is_success), (Some(3), false));
        assert_eq!(ran.output, "error\nout\n");
        assert!(run(Path::new("/"), "no-such-program", &[], None).is_none());
    }

    #[test]
    fn a_program_is_killed_when_its_time_is_up() {
        let ran = shell("echo begun; exec sleep 60", Duration::from_millis(300));
        assert_eq!((ran.code, ran.is_success), (None, false));
        assert!(ran.output.ends_with("timed out after 0 s"), "{ran:?}");
    }

    #[test]
    fn output_is_limited() {
        let ran = shell("head -c 20000000 /dev/zero", TIMEOUT);
        assert!(ran.is_success);
        assert_eq!(ran.output.len() as u64, MAX_OUTPUT);
    }
}
