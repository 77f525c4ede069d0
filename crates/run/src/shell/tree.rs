//! Processes as the kernel lists them: who descends from whom, who came to us, who holds a pipe.
//!
//! What this finds may be gone a moment later; whoever signals it must not mind.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, getpid, waitpid};

/// How often, and how long, a process that is changing is waited for.
const MOMENTS: usize = 50;
const MOMENT: Duration = Duration::from_millis(1);
/// The place of `env_start` in `/proc/PID/stat`, counted from behind the state.
const ENVIRONMENT_BEGINS: usize = 46;

/// The process and everything that descends from it.
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

/// The processes that lost their parents and came to us, because we are a subreaper. They come to the main thread,
/// which starts no processes of its own while tests run.
fn adopted() -> Vec<Pid> {
    let us = getpid();
    listed(Path::new(&format!("/proc/{us}/task/{us}/children")))
}

/// Lets those that came to us and have ended go. True when others are still here.
pub(crate) fn reap_adopted() -> bool {
    let mut remain = false;
    for pid in adopted() {
        remain |= matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None));
    }
    remain
}

/// Those that came to us and whose environment has that entry, with all that descends from them.
pub(crate) fn adopted_with(name: &str, value: &OsStr) -> Vec<Pid> {
    let adopted = adopted().into_iter();
    let marked = adopted.filter(|pid| {
        settle(*pid);
        environment_has(*pid, name, value)
    });
    marked.flat_map(with_descendants).collect()
}

/// Those that came to us and whose environment names a path that begins so, with all that descends from them.
pub(crate) fn adopted_below(name: &str, prefix: &Path) -> Vec<Pid> {
    let begin = [name.as_bytes(), b"=", prefix.as_os_str().as_bytes()].concat();
    let adopted = adopted().into_iter();
    let marked = adopted.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(&begin))
    });
    marked.flat_map(with_descendants).collect()
}

/// Everything that came to us, with all that descends from it.
pub(crate) fn all_adopted() -> Vec<Pid> {
    adopted().into_iter().flat_map(with_descendants).collect()
}

/// All processes of this user whose environment has that entry.
pub(crate) fn all_with(name: &str, value: &OsStr) -> Vec<Pid> {
    let us = getpid();
    processes()
        .filter(|pid| *pid != us && environment_has(*pid, name, value))
        .collect()
}

/// Waits a moment for a process that is just becoming another program: it has no environment until it is.
fn settle(pid: Pid) {
    for _ in 0..MOMENTS {
        if !is_changing(pid) {
            return;
        }
        thread::sleep(MOMENT);
    }
}

/// Whether it is neither the old program any more nor the new one yet: its environment begins nowhere.
fn is_changing(pid: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program comes second, in parentheses, and may hold anything.
    let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = fields.split_ascii_whitespace();
    let is_dead = matches!(fields.next(), None | Some("Z" | "X"));
    !is_dead && fields.nth(ENVIRONMENT_BEGINS) == Some("0")
}

fn environment_has(pid: Pid, name: &str, value: &OsStr) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| {
        entry.strip_prefix(name.as_bytes()).is_some_and(|rest| {
            rest.strip_prefix(b"=")
                .is_some_and(|found| found == value.as_bytes())
        })
    })
}

/// The processes other than this one that hold an end of that pipe, a name such as `pipe:[4711]`.
pub(crate) fn holders(pipe: &str) -> Vec<Pid> {
    let us = getpid();
    processes()
        .filter(|pid| *pid != us && holds(*pid, pipe) && !is_being_started(*pid))
        .collect()
}

/// Whether it is a copy of us on its way to become the command of another test. Until then it holds all that we do.
fn is_being_started(pid: Pid) -> bool {
    let program = |pid| fs::read_link(format!("/proc/{pid}/exe")).ok();
    let environment = |pid| fs::read(format!("/proc/{pid}/environ")).ok();
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
    fn a_process_without_an_environment_is_not_one_that_is_changing() {
        let mut empty = Command::new("/bin/sleep");
        let mut child = empty
            .arg("60")
            .env_clear()
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        settle(pid);
        assert!(!is_changing(pid) && !is_changing(getpid()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_changing(pid));
    }
}
