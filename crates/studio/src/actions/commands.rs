//! [`Commands`]: the processes that pages have started.
//!
//! Their output goes to files and not to pipes, so that a run continues if the server ends.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Serialize;

use super::{CommandLine, Launcher};
use crate::live::Notifier;

/// Commands at the same time.
const MAX_RUNNING: usize = 4;
/// Finished commands that are listed.
const MAX_LISTED: usize = 20;
/// Bytes of output that are shown.
const SHOWN_OUTPUT: u64 = 64 << 10;

/// The processes that pages have started.
pub(crate) struct Commands {
    launcher: Arc<dyn Launcher>,
    list: Mutex<Vec<Arc<RunningCommand>>>,
    notifier: Notifier,
}

/// One process.
struct RunningCommand {
    /// That of the process: open pages do not mistake it for a command of the server before this one.
    id: u32,
    line: String,
    group: Option<Pid>,
    output: File,
    /// `None` while it runs.
    end: Mutex<Option<String>>,
}

/// A process in the list.
#[derive(Debug, Serialize)]
pub(crate) struct CommandRow {
    id: u32,
    command: String,
    is_running: bool,
    /// How it ended.
    end: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

impl Commands {
    pub(crate) fn new(launcher: Arc<dyn Launcher>, notifier: Notifier) -> Commands {
        Commands {
            launcher,
            list: Mutex::default(),
            notifier,
        }
    }

    pub(crate) fn all(&self) -> Vec<CommandRow> {
        let list = self.list.lock();
        list.iter().map(|command| command.row(false)).collect()
    }

    /// Starts a command in its own process group.
    pub(crate) fn start(&self, line: &CommandLine) -> Result<CommandRow, String> {
        let mut list = self.list.lock();
        let running = list.iter().filter(|command| command.is_running()).count();
        if running >= MAX_RUNNING {
            return Err(format!(
                "{running} commands are running; wait for one or stop it"
            ));
        }
        let failed = |error: io::Error| format!("cannot start `{line}`: {error}");
        let output = tempfile::tempfile().map_err(failed)?;
        let child = self
            .launcher
            .command(&line.0)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(failed)?)
            .stderr(output.try_clone().map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let id = child.id();
        let command = Arc::new(RunningCommand {
            id,
            line: line.to_string(),
            group: i32::try_from(id).ok().and_then(Pid::from_raw),
            output,
            end: Mutex::new(None),
        });
        self.wait_for(child, Arc::clone(&command)).map_err(failed)?;
        let row = command.row(false);
        list.push(command);
        let finished = list.iter().position(|command| !command.is_running());
        if let Some(oldest) = finished.filter(|_| list.len() > MAX_LISTED) {
            list.remove(oldest);
        }
        drop(list);
        self.notifier.notify();
        Ok(row)
    }

    /// Interrupts a command, as Ctrl-C does.
    pub(crate) fn stop(&self, id: u32) -> Option<CommandRow> {
        let command = self.find(id)?;
        // A process that has ended but was not waited for keeps the id of its group.
        let end = command.end.lock();
        if let (None, Some(group)) = (&*end, command.group) {
            let _ = kill_process_group(group, Signal::INT);
        }
        drop(end);
        Some(command.row(false))
    }

    /// A command with its output.
    pub(crate) fn get(&self, id: u32) -> Option<CommandRow> {
        Some(self.find(id)?.row(true))
    }

    fn find(&self, id: u32) -> Option<Arc<RunningCommand>> {
        let list = self.list.lock();
        list.iter().rfind(|command| command.id == id).cloned()
    }

    fn wait_for(&self, mut child: Child, command: Arc<RunningCommand>) -> io::Result<()> {
        let notifier = self.notifier.clone();
        let wait = move || {
            let end = match child.wait() {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            };
            *command.end.lock() = Some(end);
            notifier.notify();
        };
        thread::Builder::new()
            .name("command".to_owned())
            .spawn(wait)?;
        Ok(())
    }
}

impl RunningCommand {
    fn is_running(&self) -> bool {
        self.end.lock().is_none()
    }

    fn row(&self, with_output: bool) -> CommandRow {
        let end = self.end.lock().clone();
        CommandRow {
            id: self.id,
            command: self.line.clone(),
            is_running: end.is_none(),
            end,
            output: with_output.then(|| self.last_output().unwrap_or_default()),
        }
    }

    /// The end of the output.
    fn last_output(&self) -> io::Result<String> {
        // Read at a position: the position of the file itself is shared with the process, which writes there.
        let length = self.output.metadata()?.len();
        let start = length.saturating_sub(SHOWN_OUTPUT);
        let mut bytes = vec![0; usize::try_from(length - start).unwrap_or_default()];
        self.output.read_exact_at(&mut bytes, start)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
