//! Running again whenever a file changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::interrupt::Interrupts;
use crate::context::Context;
use crate::error::CommandError;

/// Editors write a file in several steps.
const SETTLE: Duration = Duration::from_millis(100);
/// How often it is seen whether anybody has asked to stop.
const LOOK: Duration = Duration::from_millis(200);

/// Sees files change.
pub(super) struct Watch {
    changes: Receiver<notify::Result<Event>>,
    folder: PathBuf,
    ignored: Gitignore,
    /// Watches as long as it lives.
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Watches everything below the working folder.
    pub(super) fn begin(context: &Context) -> Result<Watch, CommandError> {
        let folder = &context.folder;
        let (sender, changes) = channel();
        let mut watcher = notify::recommended_watcher(sender)?;
        watcher.watch(folder, RecursiveMode::Recursive)?;
        let mut ignored = GitignoreBuilder::new(folder);
        // A list that cannot be read hides nothing.
        let _ = ignored.add(folder.join(".gitignore"));
        Ok(Watch {
            changes,
            folder: folder.clone(),
            ignored: ignored.build().unwrap_or_else(|_| Gitignore::empty()),
            _watcher: watcher,
        })
    }

    /// Waits for a change; false when somebody wants to stop.
    ///
    /// What changed while tests ran was most likely changed by them, so only their own suites count of that.
    pub(super) fn wait(&self, suites: &[PathBuf], interrupts: &Interrupts) -> bool {
        let during = self
            .changes
            .try_iter()
            .any(|event| self.paths(event).iter().any(|path| suites.contains(path)));
        if during {
            return true;
        }
        loop {
            if interrupts.stop().is_asked() {
                return false;
            }
            match self.changes.recv_timeout(LOOK) {
                Ok(event) => {
                    if !self.paths(event).is_empty() {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        while self.changes.recv_timeout(SETTLE).is_ok() {}
        true
    }

    /// The changed files that matter.
    fn paths(&self, event: notify::Result<Event>) -> Vec<PathBuf> {
        match event {
            Ok(event) if !matches!(event.kind, EventKind::Access(_)) => {
                let paths = event.paths.into_iter();
                paths.filter(|path| self.matters(path)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn matters(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.folder) else {
            return false;
        };
        let is_hidden = below.components().any(|part| {
            let name = part.as_os_str().to_string_lossy();
            name.starts_with('.') || name == "__snapshots__"
        });
        let ignored = self
            .ignored
            .matched_path_or_any_parents(below, path.is_dir());
        !is_hidden && !ignored.is_ignore()
    }
}
