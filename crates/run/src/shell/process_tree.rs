//! Processes in `/proc`: descendants, orphans, and the holders of a pipe.
//!
//! The processes found may exit at any time; callers ignore errors when signaling them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, getpid, waitpid};

/// The variable that marks the processes of a test.
pub(crate) const TEST_MARK: &str = "TEST_TEMP_DIR";
/// The variable that marks the processes of a suite.
pub(crate) const FILE_MARK: &str = "BATS_FILE_TMPDIR";
/// How many times, and at what interval, a process is polled during exec or exit.
const MOMENTS: usize = 50;
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// The index of `env_start` in `/proc/PID/stat`, counted after the state.
const ENVIRONMENT_BEGINS: usize = 46;
/// The index of `exit_code`, counted in the same way.
const EXIT_CODE: usize = 48;

/// The process and all its descendants.
pub(crate) fn with_descendants(root: Pid) -> Vec<Pid> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        for child in children(pid) {
            if !found.contains(&child) {
                found.push(child);
            }
        }
    }
    found
}

fn children(pid: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    threads
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|thread| listed(&thread.path().join("children")))
        .collect()
}

fn listed(path: &Path) -> Vec<Pid> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let numbers = text.split_ascii_whitespace();
    numbers.filter_map(parse).collect()
}

fn parse(number: &str) -> Option<Pid> {
    Pid::from_raw(number.parse().ok()?)
}

/// The orphans, which the kernel gives to this process as their subreaper. They become children of the main thread,
/// which starts no processes itself during a run.
fn orphans() -> Vec<Pid> {
    let us = getpid();
    listed(Path::new(&format!("/proc/{us}/task/{us}/children")))
}

/// Reaps orphans that exited. Returns whether others are still running.
pub(crate) fn reap_adopted() -> bool {
    let mut remain = false;
    for pid in orphans() {
        remain |= matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None));
    }
    remain
}

/// Waits briefly for these to exit: an exiting process loses its environment before it becomes a zombie.
pub(crate) fn reap(ended: &[Pid]) {
    for _ in 0..MOMENTS {
        reap_adopted();
        if !orphans().iter().any(|pid| ended.contains(pid)) {
            return;
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// The orphans whose environment contains that variable and value, with all their descendants.
pub(crate) fn orphans_with(name: &str, value: &OsStr) -> Vec<Pid> {
    let adopted = orphans().into_iter();
    let marked = adopted.filter(|pid| has_entry(&settled_environment(*pid), name, value));
    marked.flat_map(with_descendants).collect()
}

/// The orphans whose environment variable is a path with that prefix, with all their descendants.
pub(crate) fn orphans_below(name: &str, prefix: &Path) -> Vec<Pid> {
    let begin = [name.as_bytes(), b"=", prefix.as_os_str().as_bytes()].concat();
    let adopted = orphans().into_iter();
    let marked = adopted.filter(|pid| {
        settled_environment(*pid)
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(&begin))
    });
    marked.flat_map(with_descendants).collect()
}

/// All orphans, with all their descendants.
pub(crate) fn all_orphans() -> Vec<Pid> {
    orphans().into_iter().flat_map(with_descendants).collect()
}

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessState {
    Running,
    /// It ended, and its parent has not waited for it yet.
    Ended(ExitStatus),
    /// It ended, and how is not known.
    Gone,
}

/// The state of a process, also of one that is not a child of this one.
pub(crate) fn state_of(pid: Pid) -> ProcessState {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return ProcessState::Gone;
    };
    let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = fields.split_ascii_whitespace();
    if !matches!(fields.next(), Some("Z" | "X")) {
        return ProcessState::Running;
    }
    let code = fields.nth(EXIT_CODE).and_then(|code| code.parse().ok());
    code.map_or(ProcessState::Gone, |code| {
        ProcessState::Ended(ExitStatus::from_raw(code))
    })
}

/// All processes of this user whose environment contains that variable and value.
pub(crate) fn all_with(name: &str, value: &OsStr) -> Vec<Pid> {
    let us = getpid();
    processes()
        .filter(|pid| *pid != us && has_entry(&environment(*pid), name, value))
        .collect()
}

fn has_entry(environment: &[u8], name: &str, value: &OsStr) -> bool {
    environment.split(|byte| *byte == 0).any(|entry| {
        entry.strip_prefix(name.as_bytes()).is_some_and(|rest| {
            rest.strip_prefix(b"=")
                .is_some_and(|found| found == value.as_bytes())
        })
    })
}

fn environment(pid: Pid) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/environ")).unwrap_or_default()
}

/// The environment of a process; it is empty for a moment during exec, so it is read again.
fn settled_environment(pid: Pid) -> Vec<u8> {
    for _ in 0..MOMENTS {
        let environment = environment(pid);
        if !environment.is_empty() || has_none(pid) {
            return environment;
        }
        thread::sleep(POLL_INTERVAL);
    }
    Vec::new()
}

/// Whether it is dead, or was started without an environment: then the start of it equals its end.
fn has_none(pid: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The program name is the second field, in parentheses, and may contain any character.
    let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = fields.split_ascii_whitespace();
    if matches!(fields.next(), None | Some("Z" | "X")) {
        return true;
    }
    let begin = fields.nth(ENVIRONMENT_BEGINS);
    begin != Some("0") && begin == fields.next()
}

/// The processes other than this one that have an end of the pipe open. `pipe` is a name such as `pipe:[4711]`.
pub(crate) fn holders(pipe: &str) -> Vec<Pid> {
    let us = getpid();
    processes()
        .filter(|pid| *pid != us && holds(*pid, pipe) && !is_unexeced_fork(*pid))
        .collect()
}

/// Whether it is a fork of this process that has not yet called exec for another test. Until then it holds all our
/// descriptors.
fn is_unexeced_fork(pid: Pid) -> bool {
    let program = |pid| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let us = getpid();
    program(pid) == program(us) && environment(pid) == environment(us)
}

fn holds(pid: Pid, pipe: &str) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd"));
    open.into_iter()
        .flatten()
        .flatten()
        .any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target.as_os_str() == pipe))
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| parse(entry.file_name().to_str()?))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_end_of_a_process_is_known_before_it_is_waited_for() {
        for (script, code, signal) in [("exit 3", Some(3), None), ("kill -9 $$", None, Some(9))] {
            let mut child = Command::new("bash").args(["-c", script]).spawn().unwrap();
            let pid = Pid::from_child(&child);
            let end = loop {
                match state_of(pid) {
                    ProcessState::Ended(end) => break end,
                    _ => thread::sleep(POLL_INTERVAL),
                }
            };
            assert_eq!((end.code(), end.signal()), (code, signal));
            child.wait().unwrap();
            assert_eq!(state_of(pid), ProcessState::Gone);
        }
        assert_eq!(state_of(getpid()), ProcessState::Running);
    }

    #[test]
    fn a_process_without_an_environment_is_recognized() {
        let started = |variables: &[(&str, &str)]| {
            let mut sleep = Command::new("/bin/sleep");
            sleep.arg("60").stdin(Stdio::null()).env_clear();
            sleep.envs(variables.iter().copied()).spawn().unwrap()
        };
        let [mut with, mut without] = [&[("A", "b")][..], &[]].map(started);
        let [one, other] = [&with, &without].map(Pid::from_child);
        assert!(has_entry(&settled_environment(one), "A", "b".as_ref()));
        assert!(!has_none(one));
        assert_eq!(settled_environment(other), b"");
        assert!(has_none(other));
        for child in [&mut with, &mut without] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(has_none(one));
    }
}
