//! How the process of a service ended.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::process::Pid;

use crate::os::signal_name;
use crate::shell::process_tree::{self, ProcessState};

/// How the process ended, for messages; `None` while it runs.
pub(super) fn describe(pid: i32) -> Option<String> {
    let pid = Pid::from_raw(pid)?;
    match process_tree::state_of(pid) {
        ProcessState::Running => None,
        ProcessState::Ended(status) => Some(text(status)),
        ProcessState::Gone => Some("ended".to_owned()),
    }
}

fn text(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => {
            "exited with code 0; the command of a service must stay in the foreground".to_owned()
        }
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by {}", signal_name::name(signal)),
        (None, None) => "ended".to_owned(),
    }
}
