//! [`Project`]: what the server serves.

use std::path::PathBuf;
use std::sync::Arc;

use casebook_record::{Redactor, Store};

use crate::actions::{Commands, Launcher};
use crate::history_cache::HistoryCache;
use crate::live::LiveRuns;
use crate::stored_runs::StoredRuns;

/// The recorded runs of a project, and what can be done with them.
pub struct Project {
    /// What the page shows as its name.
    pub(crate) name: String,
    pub(crate) dir: PathBuf,
    pub(crate) store: Store,
    pub(crate) redactor: Redactor,
    pub(crate) threads: usize,
    pub(crate) stored: StoredRuns,
    pub(crate) live: LiveRuns,
    pub(crate) history: HistoryCache,
    pub(crate) launcher: Arc<dyn Launcher>,
    /// `None` serves no actions.
    pub(crate) commands: Option<Commands>,
}

impl Project {
    /// The project in this directory. A read-only one has no actions.
    pub fn new(
        dir: PathBuf,
        redactor: Redactor,
        threads: usize,
        launcher: Arc<dyn Launcher>,
        is_read_only: bool,
    ) -> Project {
        let live = LiveRuns::new(&redactor);
        let commands = || Commands::new(Arc::clone(&launcher), live.notifier());
        let name = dir.file_name().unwrap_or_default();
        Project {
            name: name.to_string_lossy().into_owned(),
            store: Store::in_project(&dir),
            commands: (!is_read_only).then(commands),
            launcher,
            live,
            stored: StoredRuns::default(),
            history: HistoryCache::new(),
            dir,
            redactor,
            threads,
        }
    }

    /// The project with another name than that of its directory.
    #[must_use]
    pub fn with_name(self, name: String) -> Project {
        Project { name, ..self }
    }

    /// The directory of the recorded run with this name. Names are compared with those that exist, so that no name leads to
    /// another directory.
    pub(crate) fn run_dir(&self, name: &str) -> Option<PathBuf> {
        let dirs = self.store.dirs();
        dirs.into_iter()
            .find(|dir| dir.file_name().is_some_and(|own| own == name))
    }
}

/// The directory of a run as the user can type it.
pub(crate) fn shown_dir(name: &str) -> String {
    format!(".casebook/runs/{name}")
}
