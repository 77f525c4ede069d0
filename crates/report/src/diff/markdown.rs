//! Writes the differences between two runs as Markdown, for a comment on a pull request.

use std::io;

use casebook_record::TrialScore;

use super::{Change, ChangeKind, Criterion, Diff, DurationChange, ScoreChange, Setting, Usage};
use crate::github::escaped;
use crate::terminal::text::elide_to;
use crate::terminal::{human, percent, short_commit};

/// Rows per table; the others are counted.
const ROWS: usize = 50;
/// Rows after this many bytes are only counted: GitHub limits a comment to 65,536 characters.
const BYTES: usize = 60_000;
/// Characters per cell.
const CELL: usize = 200;

/// Writes the changes: newly failing tests first, the other tables collapsed.
pub fn write(diff: &Diff, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page(heading(diff));
    for kind in ChangeKind::ALL {
        let rows: Vec<_> = diff.of_kind(kind).map(test_row).collect();
        let fold = kind != ChangeKind::NewlyFailing;
        page.table(diff.heading(kind), fold, ["test", "where", "why"], &rows);
    }
    let (slower, faster): (Vec<_>, Vec<_>) = diff
        .durations
        .changed
        .iter()
        .partition(|test| test.is_slower());
    for (heading, tests) in [("Slower", slower), ("Faster", faster)] {
        let rows: Vec<_> = tests.into_iter().map(duration_row).collect();
        page.table(heading, true, ["test", "where", "duration"], &rows);
    }
    let rows: Vec<_> = diff.criteria.iter().map(criterion_row).collect();
    page.table(
        "Criteria",
        true,
        ["criterion", "passed", "significance"],
        &rows,
    );
    let rows: Vec<_> = diff.scores.iter().map(score_row).collect();
    page.table("Scores", true, ["criterion", "before", "now"], &rows);
    let rows: Vec<_> = diff.usage.iter().map(usage_row).collect();
    page.table(
        "Turns, tokens, cost",
        true,
        ["what", "in all", "per conversation"],
        &rows,
    );
    let rows: Vec<_> = diff.configuration.iter().map(setting_row).collect();
    page.table("Configuration", true, ["setting", "was", "is"], &rows);
    out.write_all(page.0.as_bytes())
}

type Row = [String; 3];

fn heading(diff: &Diff) -> String {
    let parts: Vec<_> = diff.parts().into_iter().map(|(_, part)| part).collect();
    let parts = if parts.is_empty() {
        "no tests in either run".into()
    } else {
        parts.join(", ")
    };
    let mark = match diff {
        diff if diff.has_regression() => "❌",
        diff if diff.counts.still_failing > 0 => "⚠️",
        _ => "✅",
    };
    let run = |which: &super::DiffedRun| {
        let commit = which.git_commit.map(short_commit);
        let commit = commit.map_or_else(String::new, |commit| format!(" ({})", cell(commit)));
        format!("{}{commit}", cell(which.run_id))
    };
    format!(
        "### {mark} Casebook: {parts}\n\nFrom {} to {}.\n",
        run(&diff.base),
        run(&diff.new)
    )
}

fn test_row(change: &Change) -> Row {
    let side = change.side();
    let rates = change.rates();
    let why = [change.new_reason(), rates.as_deref()];
    let rerun = side
        .rerun
        .filter(|_| change.kind == ChangeKind::NewlyFailing);
    let rerun = rerun.map(|rerun| format!("<code>{}</code>", cell(rerun)));
    let why: Vec<_> = why.into_iter().flatten().map(cell).chain(rerun).collect();
    [cell(&change.title), cell(side.location), why.join("<br>")]
}

fn duration_row(test: &DurationChange) -> Row {
    let times = format!(
        "{} → {}, {}",
        human(test.base_ms),
        human(test.new_ms),
        test.factor()
    );
    [cell(&test.title), cell(test.location), times]
}

fn score_row(change: &ScoreChange) -> Row {
    let [before, now] = change
        .sides()
        .map(|(mean, distribution)| match distribution {
            distribution if distribution.is_empty() => mean,
            distribution => format!("{mean}: {distribution}"),
        });
    [cell(&change.name), before, now]
}

fn criterion_row(criterion: &Criterion) -> Row {
    let side = |score: TrialScore| {
        format!(
            "{} of {} ({})",
            score.passed,
            score.trials,
            percent(score.rate())
        )
    };
    let significance = if criterion.significant {
        format!("**{}**", criterion.significance())
    } else {
        criterion.significance()
    };
    let passed = format!("{} → {}", side(criterion.base), side(criterion.new));
    [cell(criterion.name), passed, significance]
}

fn usage_row(usage: &Usage) -> Row {
    [
        usage.what.into(),
        usage.totals(),
        usage.each().unwrap_or_default(),
    ]
}

fn setting_row(setting: &Setting) -> Row {
    let [base, new] = setting.texts();
    [cell(&setting.path), cell(&base), cell(&new)]
}

fn cell(text: &str) -> String {
    escaped(&elide_to(text, CELL))
}

struct Page(String);

impl Page {
    /// Adds a table with as many rows as fit.
    fn table(&mut self, heading: &str, fold: bool, columns: [&str; 3], rows: &[Row]) {
        if rows.is_empty() {
            return;
        }
        let (open, close) = if fold {
            (
                format!(
                    "\n<details><summary>{heading}: {}</summary>\n\n",
                    rows.len()
                ),
                "\n</details>\n",
            )
        } else {
            (format!("\n#### {heading}\n\n"), "")
        };
        self.0.push_str(&open);
        let shown = self.rows(columns, rows);
        if shown < rows.len() {
            let more = format!("\n… and {} more.\n", rows.len() - shown);
            self.0.push_str(&more);
        }
        self.0.push_str(close);
    }

    fn rows(&mut self, columns: [&str; 3], rows: &[Row]) -> usize {
        let line = |cells: &[&str]| format!("| {} |\n", cells.join(" | "));
        let head = line(&columns) + &line(&["---"; 3]);
        let mut shown = 0;
        for row in rows.iter().take(ROWS) {
            let row = line(&row.each_ref().map(String::as_str));
            if self.0.len() + head.len() + row.len() > BYTES {
                break;
            }
            if shown == 0 {
                self.0.push_str(&head);
            }
            self.0.push_str(&row);
            shown += 1;
        }
        shown
    }
}
