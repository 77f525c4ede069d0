//! [`FileWatcher`]: waits for changed files, for `run --watch`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::interrupt::InterruptHandler;
use crate::context::Context;
use crate::error::CommandError;

/// Wait until nothing has changed for this long: editors write a file in several steps.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// Stop waiting for changes to settle after this many.
const LOOKS_TO_SETTLE: usize = 20;
/// Interval for checking whether a stop was requested.
const LOOK: Duration = Duration::from_millis(200);

/// The files that a run reads and writes.
pub(super) struct RunFiles {
    pub(super) suites: Vec<PathBuf>,
    pub(super) written: Vec<PathBuf>,
}

/// Watches the working directory and the directories of suites.
pub(super) struct FileWatcher {
    changes: Receiver<notify::Result<Event>>,
    dir: PathBuf,
    /// Directories of suites outside the working directory.
    outside: Vec<PathBuf>,
    ignored: Gitignore,
    /// Files that changed during the previous run.
    changed: BTreeSet<PathBuf>,
    watcher: RecommendedWatcher,
}

impl FileWatcher {
    /// Watches everything below the working directory.
    pub(super) fn begin(context: &Context) -> Result<FileWatcher, CommandError> {
        let dir = &context.dir;
        let (sender, changes) = channel();
        let mut watcher = notify::recommended_watcher(sender)?;
        watcher.watch(dir, RecursiveMode::Recursive)?;
        let mut ignored = GitignoreBuilder::new(dir);
        // An unreadable .gitignore ignores nothing.
        let _ = ignored.add(dir.join(".gitignore"));
        Ok(FileWatcher {
            changes,
            dir: dir.clone(),
            outside: Vec::new(),
            ignored: ignored.build().unwrap_or_else(|_| Gitignore::empty()),
            changed: BTreeSet::new(),
            watcher,
        })
    }

    /// Also watches the directories of suites outside, but not below them: that could be the whole disk.
    pub(super) fn add_suite_dirs(&mut self, suites: &[PathBuf]) -> Result<(), CommandError> {
        for dir in suites.iter().filter_map(|suite| suite.parent()) {
            let is_below = dir.starts_with(&self.dir);
            if !is_below && !self.outside.iter().any(|known| known == dir) {
                self.watcher.watch(dir, RecursiveMode::NonRecursive)?;
                self.outside.push(dir.to_owned());
            }
        }
        Ok(())
    }

    /// Waits for a change and returns the first changed file; `None` on a stop request.
    pub(super) fn wait(
        &mut self,
        own: &RunFiles,
        interrupts: &InterruptHandler,
    ) -> Option<PathBuf> {
        let mut changed = self.changed_while_tests_ran(own);
        while changed.is_none() && !interrupts.stop().is_requested() {
            match self.changes.recv_timeout(LOOK) {
                Ok(event) => changed = self.saved_file(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        changed.filter(|_| !interrupts.stop().is_requested())
    }

    /// The file that changed with this event and those that follow it. Ignores files that are created and at once renamed or
    /// removed, as editors do when they save a file.
    fn saved_file(&self, event: notify::Result<Event>) -> Option<PathBuf> {
        let (mut made, mut changed) = (BTreeSet::new(), Vec::new());
        for event in std::iter::once(event).chain(self.settle()) {
            let is_new = matches!(&event, Ok(event) if event.kind.is_create());
            let paths = self.paths(event);
            if is_new {
                made.extend(paths.iter().cloned());
            }
            changed.extend(paths);
        }
        changed.retain(|path| path.exists() || !made.contains(path));
        let existing = changed.iter().find(|path| path.exists());
        existing.or(changed.first()).cloned()
    }

    /// A file that the user saved during the run. Ignores changes that tests make: files they create, and files that also changed
    /// during the run before.
    fn changed_while_tests_ran(&mut self, own: &RunFiles) -> Option<PathBuf> {
        let (mut made, mut changed) = (BTreeSet::new(), BTreeSet::new());
        for event in self.settle() {
            let is_new = matches!(&event, Ok(event) if event.kind.is_create());
            let paths = self.paths(event);
            if is_new {
                made.extend(paths.iter().cloned());
            }
            changed.extend(paths);
        }
        let before = std::mem::replace(&mut self.changed, changed);
        let is_made = |path: &Path| made.iter().any(|made| path.starts_with(made));
        // A report may be a directory of files.
        let is_report = |path: &Path| own.written.iter().any(|report| path.starts_with(report));
        let by_tests = |path: &PathBuf| {
            path.is_dir() || is_made(path) || before.contains(path) || is_report(path)
        };
        let mut changed = self.changed.iter();
        changed
            .find(|path| own.suites.contains(path) || !by_tests(path))
            .cloned()
    }

    /// All pending events, until none arrives for a while. The number is limited, because some files change constantly.
    fn settle(&self) -> Vec<notify::Result<Event>> {
        let mut events: Vec<_> = self.changes.try_iter().collect();
        for _ in 0..LOOKS_TO_SETTLE {
            match self.changes.recv_timeout(DEBOUNCE) {
                Ok(event) => events.push(event),
                Err(_) => break,
            }
            events.extend(self.changes.try_iter());
        }
        events
    }

    /// The changed files that are not ignored.
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
        let outside = self
            .outside
            .iter()
            .find_map(|dir| path.strip_prefix(dir).ok());
        let Some(below) = path.strip_prefix(&self.dir).ok().or(outside) else {
            return false;
        };
        let is_hidden = below.components().any(|part| {
            let name = part.as_os_str().to_string_lossy();
            // Backup files of editors end with a tilde; Emacs saves its buffers in `#name#`.
            name.starts_with(['.', '#']) || name.ends_with('~') || name == "__snapshots__"
        });
        let ignored = self
            .ignored
            .matched_path_or_any_parents(below, path.is_dir());
        !is_hidden && !ignored.is_ignore()
    }
}
