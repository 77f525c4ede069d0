//! How the process of a service ended.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::process::Pid;

use crate::os::signal_name;
use crate::shell::process_tree;

/// How the process ended, for messages; `None` while it runs.
pub(super) fn how(pid: i32) -> Option<String> {
    let pid = Pid::from_raw(pid)?;
    process_tree::end_of(pid).map(|status| status.map_or_else(|| "ended".to_owned(), text))
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
