//! Writes the differences between two runs as an HTML page.

use std::io;

use casebook_record::TrialScore;

use super::{
    Change, ChangeKind, Criterion, Diff, DiffedRun, DurationChange, ScoreChange, Setting,
    SideBySide, Usage,
};
use crate::html::table_page::{Cell, Chip, TablePage, Tone};
use crate::terminal::{human, percent, short_commit};

/// Tests whose outputs and conversations are shown.
const COMPARISONS: usize = 100;

/// Writes the differences as a page of tables, with the outputs and conversations of both runs side by side.
pub fn write(diff: &Diff, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = TablePage {
        title: "Changes".into(),
        facts: vec![run_fact("From", &diff.base), run_fact("To", &diff.new)],
        chips: diff.parts().into_iter().map(chip).collect(),
        ..TablePage::default()
    };
    for kind in ChangeKind::ALL {
        let rows = diff.of_kind(kind).map(test_row).collect();
        let columns = ["test", "where", "why"];
        page.section(diff.heading(kind), is_minor(kind), &columns, rows);
    }
    let rows = diff.same_outcome.iter().map(test_row).collect();
    let columns = ["test", "where", "why"];
    page.section("Same result, other output", true, &columns, rows);
    let changed = diff.tests.iter().chain(&diff.same_outcome);
    page.comparisons = changed
        .filter_map(SideBySide::of)
        .take(COMPARISONS)
        .collect();
    add_durations(diff, &mut page);
    let mut section = |heading, columns: &[&'static str], rows| {
        page.section(heading, false, columns, rows);
    };
    let rows = diff.criteria.iter().map(criterion_row).collect();
    let columns = ["criterion", "passed before", "passed now", "significance"];
    section("Criteria", &columns, rows);
    let rows = diff.scores.iter().map(score_row).collect();
    section("Scores", &["criterion", "before", "now"], rows);
    let rows = diff.usage.iter().map(usage_row).collect();
    let columns = ["what", "in all", "per conversation"];
    section("Turns, tokens, cost", &columns, rows);
    let rows = diff.configuration.iter().map(setting_row).collect();
    section("Configuration", &["setting", "was", "is"], rows);
    page.write(out)
}

/// Adds the tests whose duration changed.
fn add_durations(diff: &Diff, page: &mut TablePage) {
    let changed = diff.durations.changed.iter();
    let (slower, faster): (Vec<_>, Vec<_>) = changed.partition(|test| test.is_slower());
    for (heading, tests, tone) in [
        ("Slower", slower, Tone::Warn),
        ("Faster", faster, Tone::Good),
    ] {
        let rows = tests.into_iter().map(|test| duration_row(test, tone));
        let columns = ["test", "where", "was", "is", "factor"];
        page.section(heading, false, &columns, rows.collect());
    }
}

fn run_fact(word: &str, run: &DiffedRun) -> String {
    let commit = run.git_commit.map(short_commit);
    format!(
        "{word} {} · {}{} · {}",
        run.run_id,
        run.started_at.format("%Y-%m-%d %H:%M:%S UTC"),
        commit.map_or_else(String::new, |commit| format!(" · commit {commit}")),
        run.facts()
    )
}

/// Whether the section of this kind starts collapsed.
fn is_minor(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::Added | ChangeKind::Removed | ChangeKind::NowRun
    )
}

fn chip((kind, text): (ChangeKind, String)) -> Chip {
    Chip {
        tone: tone(kind),
        text,
    }
}

fn tone(kind: ChangeKind) -> Tone {
    match kind {
        ChangeKind::NewlyFailing | ChangeKind::StillFailing => Tone::Bad,
        ChangeKind::NewlyPassing => Tone::Good,
        ChangeKind::NewlyFlaky | ChangeKind::NowSkipped | ChangeKind::CutShort => Tone::Warn,
        ChangeKind::NowRun | ChangeKind::Added | ChangeKind::Removed | ChangeKind::Unchanged => {
            Tone::Plain
        }
    }
}

fn test_row(change: &Change) -> Vec<Cell> {
    let side = change.side();
    let rerun = side
        .rerun
        .filter(|_| change.kind == ChangeKind::NewlyFailing);
    vec![
        Cell::text(&change.title),
        Cell::code(side.location),
        Cell {
            code: rerun.unwrap_or_default().to_owned(),
            ..Cell::text(change.new_reason().unwrap_or_default())
                .with_note(change.rates().unwrap_or_default())
                .tone(if change.kind == ChangeKind::NewlyFailing {
                    Tone::Bad
                } else {
                    Tone::Plain
                })
        },
    ]
}

fn duration_row(test: &DurationChange, tone: Tone) -> Vec<Cell> {
    vec![
        Cell::text(&test.title),
        Cell::code(test.location),
        Cell::text(human(test.base_ms)),
        Cell::text(human(test.new_ms)).tone(tone),
        Cell::text(test.factor()).tone(Tone::Dim),
    ]
}

fn criterion_row(criterion: &Criterion) -> Vec<Cell> {
    let side = |score: TrialScore| {
        Cell::text(percent(score.rate())).with_note(format!("{} of {}", score.passed, score.trials))
    };
    let tone = match criterion {
        criterion if criterion.is_worse() => Tone::Bad,
        criterion if criterion.significant => Tone::Good,
        _ => Tone::Dim,
    };
    vec![
        Cell::text(criterion.name),
        side(criterion.base),
        side(criterion.new),
        Cell::text(criterion.significance()).tone(tone),
    ]
}

fn score_row(change: &ScoreChange) -> Vec<Cell> {
    let sides = change.sides().into_iter();
    let sides = sides.map(|(mean, distribution)| Cell::text(mean).with_note(distribution));
    std::iter::once(Cell::text(change.name.as_str()))
        .chain(sides)
        .collect()
}

fn usage_row(usage: &Usage) -> Vec<Cell> {
    vec![
        Cell::text(usage.what),
        Cell::text(usage.totals()),
        Cell::text(usage.each().unwrap_or_default()),
    ]
}

fn setting_row(setting: &Setting) -> Vec<Cell> {
    let [base, new] = setting.texts();
    vec![Cell::code(&setting.path), Cell::code(base), Cell::code(new)]
}
