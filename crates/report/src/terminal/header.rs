//! The header line: id, start and duration of the run.

use std::io;

use casebook_record::Run;

use super::duration::human;
use super::page::Page;
use super::style::{BOLD, DIM, PLAIN};

/// Digits of a run id that are shown; tools usually quote this many.
const RUN_ID: usize = 8;
const COMMIT: usize = 7;

/// Shows the run's id, start, duration, seed and commit, where known.
pub(super) fn show(page: &mut Page, run: &Run) -> io::Result<()> {
    let run_id = short_run(&run.run_id);
    let facts: Vec<String> = [
        Some(run.started_at.format("%Y-%m-%d %H:%M:%S UTC")),
        run.finished_at
            .map(|end| human(end.millis_since(run.started_at))),
        run.seed.as_ref().map(|seed| format!("seed {seed}")),
        run.git_commit
            .as_deref()
            .map(|commit| format!("commit {}", short_commit(commit))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut spans = vec![(BOLD, "Run "), (BOLD, run_id)];
    for fact in &facts {
        spans.extend([(DIM, " · "), (PLAIN, fact.as_str())]);
    }
    page.paragraph(0, 4, &spans)
}

/// The run's id, shortened if it is hexadecimal.
pub(crate) fn short_run(id: &str) -> &str {
    short(id, RUN_ID)
}

/// The commit's id, shortened.
pub(crate) fn short_commit(id: &str) -> &str {
    short(id, COMMIT)
}

/// The first digits of a hexadecimal id; other names are not shortened.
fn short(id: &str, digits: usize) -> &str {
    let is_hex = id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    if is_hex {
        &id[..digits.min(id.len())]
    } else {
        id
    }
}
