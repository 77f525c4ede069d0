//! `rspec --resume`: finds the unfinished examples of a run.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use casebook_record::{Redactor, Status, Store, replay};
use serde_json::Value;

use crate::commands::run::resume::{is_finished, refuse_other};
use crate::commands::shared::plural::plural;
use crate::context::Context;
use crate::error::CommandError;

/// The run to resume.
#[derive(Default)]
pub(super) struct Resumed {
    /// The id of the run; `None` if this is a new one.
    pub(super) run_id: Option<String>,
    pub(super) journal: PathBuf,
    /// The stable ids of finished examples.
    pub(super) finished: HashSet<String>,
    /// How many of them failed.
    pub(super) failed: usize,
    /// The specs and options that RSpec was started with.
    pub(super) specs: Vec<OsString>,
    pub(super) options: Vec<OsString>,
}

/// Finds the run; an empty name is the newest.
pub(super) fn find(name: &str, context: &Context) -> Result<Resumed, CommandError> {
    let store = Store::in_project(&context.dir);
    let name = Some(name).filter(|name| !name.is_empty());
    let journal = store.find_journal(name, &context.dir)?;
    let run = replay(&journal, &Redactor::default())?.run;
    refuse_other(&run.metadata, &journal, &["rspec"], "run", context)?;
    let configuration = run.metadata.get("configuration").cloned();
    let words = |key: &str| -> Vec<OsString> {
        let list = configuration
            .as_ref()
            .and_then(|all| all.get(key)?.as_array());
        let words = list.into_iter().flatten().filter_map(Value::as_str);
        words.map(OsString::from).collect()
    };
    let finished: Vec<_> = run
        .examples
        .values()
        .filter(|example| is_finished(example))
        .collect();
    let failed = finished
        .iter()
        .filter(|example| example.status == Status::Failed);
    Ok(Resumed {
        run_id: Some(run.run_id.clone()),
        journal,
        failed: failed.count(),
        finished: finished
            .iter()
            .filter_map(|example| example.stable_id.clone())
            .collect(),
        specs: words("paths"),
        options: words("options"),
    })
}

impl Resumed {
    /// Describes the result of the run before it was resumed, if there is something to say.
    pub(super) fn describe(&self, planned: Option<usize>, context: &Context) {
        let dir = self.journal.parent().unwrap_or(&self.journal);
        let dir = dir.strip_prefix(&context.dir).unwrap_or(dir).display();
        if planned == Some(0) && !self.finished.is_empty() {
            context.messages.info(&format!(
                "all examples of {dir} have finished; nothing was run"
            ));
        }
        if self.failed > 0 {
            let examples = plural(self.failed as u64, "example");
            context.messages.info(&format!(
                "{} {examples} failed before; run `casebook report {dir}` to see the complete run",
                self.failed
            ));
        }
    }
}
