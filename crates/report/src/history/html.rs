//! Writes trends over recorded runs as an HTML page.

use std::collections::HashMap;
use std::io;

use super::run_row::share;
use super::{
    BrokenTest, Flaky, RunRef, RunRow, SlowTest, SlowerTest, TestHistory, Trends, sparkline,
};
use crate::html::table_page::{Bar, Cell, Chart, Chip, ResultGrid, ResultRow, TablePage, Tone};
use crate::terminal::text::count;
use crate::terminal::{human, percent, short_commit};

/// Bars per chart, one for each run.
const BARS: usize = 200;

/// Writes charts and tables of the recorded runs.
pub fn write(trends: &Trends, out: &mut dyn io::Write) -> io::Result<()> {
    let newest = &trends.runs[trends.runs.len().saturating_sub(BARS)..];
    let mut page = TablePage {
        title: "Recorded runs".into(),
        facts: facts(trends),
        chips: chips(trends),
        charts: vec![results(newest), durations(newest)],
        grid: grid(trends),
        ..TablePage::default()
    };
    let mut section = |heading, columns: &[&'static str], rows| {
        page.section(heading, false, columns, rows);
    };
    let rows = trends.broken.iter().map(broken_row).collect();
    section(
        "Failed when last run",
        &["test", "where", "since", "last passed"],
        rows,
    );
    let rows = trends.flaky.iter().map(flaky_row).collect();
    section("Flaky", &["test", "where", "signs", "failed in"], rows);
    let rows = trends.slower.iter().map(slower_row).collect();
    section(
        "Slower",
        &["test", "where", "since", "before", "duration"],
        rows,
    );
    let rows = trends.slowest.iter().map(slow_row).collect();
    section("Slowest", &["test", "where", "median", "newest runs"], rows);
    let rows = trends.tests.iter().map(test_history_row).collect();
    section("Tests", &["test", "where", "durations"], rows);
    let rows = trends.runs.iter().rev().map(run_row).collect();
    section(
        "Runs",
        &["run", "began", "commit", "tests", "duration"],
        rows,
    );
    let damaged = trends.damaged.iter();
    let rows = damaged.map(|run| vec![Cell::code(run.dir), Cell::text(run.reason)]);
    section(
        "Unreadable records",
        &["directory", "reason"],
        rows.collect(),
    );
    page.write(out)
}

/// Tests × runs.
fn grid(trends: &Trends) -> Option<ResultGrid> {
    let grid = &trends.grid;
    let times: HashMap<&str, String> = trends
        .runs
        .iter()
        .map(|run| (run.dir, format_run(&run.run)))
        .collect();
    let rows = grid.tests.iter().map(|row| ResultRow {
        test: row.test.title.to_owned(),
        location: row.test.location.to_owned(),
        results: row.results.clone(),
    });
    (!grid.tests.is_empty()).then(|| ResultGrid {
        runs: grid.runs.iter().map(|dir| times[dir].clone()).collect(),
        rows: rows.collect(),
    })
}

fn facts(trends: &Trends) -> Vec<String> {
    let (Some(first), Some(last)) = (trends.runs.first(), trends.runs.last()) else {
        return vec!["No run contains a matching test.".into()];
    };
    vec![format!(
        "{} to {}",
        format_run(&first.run),
        format_run(&last.run)
    )]
}

fn chips(trends: &Trends) -> Vec<Chip> {
    let unfinished = trends.runs.iter().filter(|run| !run.finished).count();
    let tests = |number| count(number, "test");
    let (broken, flaky) = (trends.broken.len(), trends.flaky.len());
    let (slower, damaged) = (trends.slower.len(), trends.damaged.len());
    let mut chips = vec![Chip {
        tone: Tone::Plain,
        text: count(trends.runs.len(), "run"),
    }];
    for (tone, number, text) in [
        (
            Tone::Bad,
            broken,
            format!("{} failed when last run", tests(broken)),
        ),
        (Tone::Warn, flaky, format!("{} flaky", tests(flaky))),
        (Tone::Warn, slower, format!("{} slower", tests(slower))),
        (Tone::Warn, unfinished, format!("{unfinished} unfinished")),
        (Tone::Warn, damaged, format!("{damaged} unreadable")),
    ] {
        if number > 0 {
            chips.push(Chip { tone, text });
        }
    }
    chips
}

fn results(runs: &[RunRow]) -> Chart {
    Chart {
        heading: "Tests that passed",
        summary: percent(runs.last().and_then(|run| run.pass_rate)) + " in the newest run",
        top: "100%".into(),
        bottom: "0%",
        times: times(runs),
        bars: runs.iter().map(result_bar).collect(),
    }
}

/// The shares of the results of one run.
fn result_bar(run: &RunRow) -> Bar {
    let all = run.passed + run.failed + run.skipped + run.unfinished;
    let part = |tone, number| (tone, share(number, all).unwrap_or(0.0));
    let (name, rate) = (format_run(&run.run), percent(run.pass_rate));
    Bar {
        tip: format!("{name}: {} ({rate})", run.counts()),
        parts: vec![
            part(Tone::Good, run.passed),
            part(Tone::Bad, run.failed),
            part(Tone::Dim, run.skipped + run.unfinished),
        ],
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations in milliseconds stay below 2⁵³"
)]
fn durations(runs: &[RunRow]) -> Chart {
    let known = || runs.iter().filter_map(|run| run.duration_ms);
    let longest = known().max().unwrap_or(0).max(1);
    let range = match (known().min(), known().max()) {
        (Some(least), Some(most)) if least < most => format!("{} to {}", human(least), human(most)),
        (Some(only), _) => human(only),
        (None, _) => "unknown".into(),
    };
    let bar = |run: &RunRow| {
        let millis = run.duration_ms.unwrap_or(0);
        Bar {
            tip: format!("{}: {}", format_run(&run.run), human(millis)),
            parts: vec![(Tone::Plain, millis as f64 / longest as f64)],
        }
    };
    Chart {
        heading: "Duration",
        summary: range,
        top: human(longest),
        bottom: "0",
        times: times(runs),
        bars: runs.iter().map(bar).collect(),
    }
}

/// The labels of the horizontal axis: the oldest and the newest run, and the one in the center.
fn times(runs: &[RunRow]) -> Vec<String> {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return Vec::new();
    };
    // In a chart with few runs, those of an even number have none in the center.
    let has_center = runs.len() > 2 && (runs.len() % 2 == 1 || runs.len() > 30);
    let center = has_center.then(|| &runs[runs.len() / 2]);
    let labeled = [Some(first), center, (runs.len() > 1).then_some(last)];
    let labeled = labeled.into_iter().flatten();
    labeled.map(|run| format_run(&run.run)).collect()
}

fn format_run(run: &RunRef) -> String {
    run.started_at.format("%Y-%m-%d %H:%M UTC")
}

fn commit(run: &RunRef) -> String {
    run.git_commit
        .map(short_commit)
        .unwrap_or_default()
        .to_owned()
}

fn run_cell(run: &RunRef) -> Cell {
    Cell {
        code: commit(run),
        ..Cell::text(format_run(run))
    }
}

/// The last run before a change.
fn earlier_cell(run: &RunRef, is_same_commit: bool) -> Cell {
    if is_same_commit {
        Cell::text("at the same commit").tone(Tone::Warn)
    } else {
        run_cell(run)
    }
}

fn broken_row(broken: &BrokenTest) -> Vec<Cell> {
    let since = run_cell(&broken.since)
        .with_note(format!("{} since", count(broken.failed_runs, "failed run")));
    let passed = match &broken.last_passed {
        None => Cell::text("not in these runs").tone(Tone::Dim),
        Some(run) => earlier_cell(run, broken.without_commit()),
    };
    vec![
        Cell::text(broken.test.title),
        Cell::code(broken.test.location),
        since,
        passed,
    ]
}

fn flaky_row(flaky: &Flaky) -> Vec<Cell> {
    vec![
        Cell::text(flaky.test.title),
        Cell::code(flaky.test.location),
        Cell::text(flaky.signs().join("; ")),
        Cell::text(format!(
            "{} of {}",
            flaky.failed_runs,
            count(flaky.runs, "run")
        )),
    ]
}

fn slower_row(slower: &SlowerTest) -> Vec<Cell> {
    let times = format!("{} → {}", human(slower.base_ms), human(slower.new_ms));
    vec![
        Cell::text(slower.test.title),
        Cell::code(slower.test.location),
        run_cell(&slower.since).with_note(format!("{} since", count(slower.slower_runs, "run"))),
        earlier_cell(&slower.last_faster, slower.without_commit()),
        Cell::text(times)
            .tone(Tone::Warn)
            .with_note(slower.factor()),
    ]
}

fn slow_row(slow: &SlowTest) -> Vec<Cell> {
    vec![
        Cell::text(slow.test.title),
        Cell::code(slow.test.location),
        Cell::text(human(slow.median_ms.into())),
        chart(slow.newest_ms.iter().map(|millis| Some(*millis))),
    ]
}

fn test_history_row(history: &TestHistory) -> Vec<Cell> {
    let newest = history.runs.len().saturating_sub(40);
    vec![
        Cell::text(history.test.title),
        Cell::code(history.test.location),
        chart(history.runs[newest..].iter().map(|run| run.duration_ms)),
    ]
}

fn chart(millis: impl Iterator<Item = Option<u32>>) -> Cell {
    let millis: Vec<_> = millis.collect();
    let values: Vec<_> = millis.iter().map(|one| one.map(f64::from)).collect();
    let longest = millis.into_iter().flatten().max();
    let scale = longest.map_or_else(String::new, |longest| {
        format!("scale 0–{}", human(longest.into()))
    });
    Cell::code(sparkline::amounts(&values)).with_note(scale)
}

fn run_row(line: &RunRow) -> Vec<Cell> {
    let tone = match line {
        RunRow { failed: 1.., .. } => Tone::Bad,
        RunRow {
            finished: false, ..
        } => Tone::Warn,
        _ => Tone::Plain,
    };
    let state = if line.finished { "" } else { "unfinished" };
    vec![
        Cell::code(line.dir),
        Cell::text(format_run(&line.run)),
        Cell {
            code: commit(&line.run),
            ..Cell::text(line.git_branch.unwrap_or_default())
        },
        Cell::text(line.counts()).tone(tone).with_note(state),
        Cell::text(line.duration_ms.map_or_else(String::new, human)),
    ]
}
