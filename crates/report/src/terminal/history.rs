//! Trends over recorded runs in the terminal, the most important parts last.

use std::io;

use casebook_record::TestOutcome;

use super::Options;
use super::duration::human;
use super::header::{short_commit, short_run};
use super::page::Page;
use super::run_diff::{format_time, show_list};
use super::slowest::{cell, widest};
use super::style::{BAD, BOLD, DIM, GOOD, LOCATION, PLAIN, WARN};
use super::styled::{Span, dot};
use super::text::{columns, count, one_line, thousands};
use super::trials::percent;
use crate::history::sparkline::{amounts, shares};
use crate::history::{
    BrokenTest, Flaky, HistoryEntry, RunRef, RunRow, SlowTest, SlowerTest, TestHistory, Trends,
};

/// Runs listed.
const RUNS: usize = 10;
/// Blocks per chart, one for each run.
const BLOCKS: usize = 80;

const INDENT: usize = 2;

/// Writes the trends. Uses only the options `color` and `width`.
pub fn history(trends: &Trends, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let page = &mut Page::new(out, options.color, options.width);
    if trends.runs.is_empty() {
        return page.row(0, &[(BOLD, "no recorded test matches the value of --test")]);
    }
    show_charts(page, trends)?;
    show_runs(page, trends)?;
    show_list(page, "Tests", &trends.tests, show_test_history)?;
    if trends.tests.is_empty() {
        show_list(page, "Slowest", &trends.slowest, show_slow)?;
    }
    show_list(page, "Slower", &trends.slower, show_slower)?;
    show_list(page, "Flaky", &trends.flaky, show_flaky)?;
    show_list(page, "Broken", &trends.broken, show_broken)?;
    show_summary(page, trends)
}

fn show_charts(page: &mut Page, trends: &Trends) -> io::Result<()> {
    let room = page.width().saturating_sub(40).min(BLOCKS);
    let newest = &trends.runs[trends.runs.len().saturating_sub(room)..];
    let rates = shares(newest.iter().map(|run| run.pass_rate));
    let durations: Vec<_> = newest.iter().map(duration).collect();
    let last = trends.runs.last();
    let rate = percent(last.and_then(|run| run.pass_rate));
    let of_finished = match last {
        Some(RunRow {
            unfinished: 1.., ..
        }) => " of the tests that finished",
        _ => "",
    };
    let time = last
        .and_then(|run| run.duration_ms)
        .map_or_else(|| "–".into(), human);
    let longest = newest.iter().filter_map(|run| run.duration_ms).max();
    let scale = longest.map_or_else(String::new, |longest| {
        format!("  scale 0–{}", human(longest))
    });
    page.row(
        0,
        &[
            (DIM, "pass rate  "),
            (GOOD, &rates),
            (PLAIN, "  "),
            (BOLD, &rate),
            (DIM, of_finished),
            (DIM, "  scale 0–100%"),
        ],
    )?;
    page.row(
        0,
        &[
            (DIM, "duration   "),
            (LOCATION, &amounts(&durations)),
            (PLAIN, "  "),
            (BOLD, &time),
            (DIM, &scale),
        ],
    )
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations in milliseconds stay below 2⁵³"
)]
fn duration(run: &RunRow) -> Option<f64> {
    run.duration_ms.map(|millis| millis as f64)
}

fn show_runs(page: &mut Page, trends: &Trends) -> io::Result<()> {
    page.heading("Runs, in UTC")?;
    let hidden = trends.runs.len().saturating_sub(RUNS);
    if hidden > 0 {
        page.row(
            INDENT,
            &[(DIM, &format!("… {}", count(hidden, "earlier run")))],
        )?;
    }
    let newest = &trends.runs[hidden..];
    let counts: Vec<_> = newest.iter().map(RunRow::counts).collect();
    let times: Vec<_> = newest
        .iter()
        .map(|run| run.duration_ms.map_or_else(String::new, human))
        .collect();
    let widths = (
        widest(&counts, |counts| counts),
        widest(&times, |time| time),
    );
    for (run, (counts, time)) in newest.iter().zip(counts.iter().zip(&times)) {
        show_run(page, run, &cell(counts, widths.0), &cell(time, widths.1))?;
    }
    Ok(())
}

fn show_run(page: &mut Page, line: &RunRow, counts: &str, time: &str) -> io::Result<()> {
    let mark = match line {
        RunRow {
            finished: false, ..
        } => (WARN, "▸ "),
        RunRow { failed: 1.., .. } => (BAD, "✗ "),
        RunRow {
            unfinished: 1.., ..
        } => (WARN, "▸ "),
        RunRow { flaky: 1.., .. } => (WARN, "~ "),
        RunRow { passed: 0, .. } => (WARN, "○ "),
        _ => (GOOD, "✓ "),
    };
    let rest = match (line.finished, line.run.git_commit) {
        (false, _) => "  unfinished".to_owned(),
        (true, Some(commit)) => format!("  {}", short_commit(commit)),
        (true, None) => String::new(),
    };
    let id = format!("  {}  ", short_run(line.run.run_id));
    page.row(
        INDENT,
        &[
            mark,
            (PLAIN, &line.run.started_at.format("%Y-%m-%d %H:%M")),
            (DIM, &id),
            (PLAIN, counts),
            (DIM, "  "),
            (DIM, time),
            (DIM, &rest),
        ],
    )
}

fn show_test_history(page: &mut Page, history: &TestHistory) -> io::Result<()> {
    let room = page.width().saturating_sub(INDENT);
    let newest = &history.runs[history.runs.len().saturating_sub(room.min(BLOCKS))..];
    let marks: Vec<Span> = newest.iter().map(entry_mark).collect();
    let times: Vec<_> = newest
        .iter()
        .map(|run| run.duration_ms.map(f64::from))
        .collect();
    page.paragraph(
        0,
        INDENT,
        &title(PLAIN, "  ", history.test.title, history.test.location),
    )?;
    page.row(INDENT, &marks)?;
    let last = newest.iter().rev().find_map(|run| run.duration_ms);
    let last = last.map_or_else(String::new, |millis| format!("  {}", human(millis.into())));
    page.row(INDENT, &[(LOCATION, &amounts(&times)), (DIM, &last)])
}

fn entry_mark(run: &HistoryEntry) -> Span<'static> {
    match run.outcome {
        TestOutcome::Passed if run.flaky => (WARN, "~"),
        TestOutcome::Passed => (GOOD, "✓"),
        TestOutcome::Failed => (BAD, "✗"),
        TestOutcome::Skipped => (WARN, "○"),
        TestOutcome::Unfinished => (WARN, "▸"),
    }
}

fn title<'t>(
    style: anstyle::Style,
    mark: &'t str,
    title: &'t str,
    location: &'t str,
) -> Vec<Span<'t>> {
    vec![
        (style, mark),
        (PLAIN, title),
        dot(location),
        (LOCATION, location),
    ]
}

fn show_slow(page: &mut Page, slow: &SlowTest) -> io::Result<()> {
    let values: Vec<_> = slow
        .newest_ms
        .iter()
        .map(|millis| Some(f64::from(*millis)))
        .collect();
    let chart = cell(&amounts(&values), 20);
    let median = human(slow.median_ms.into());
    let before = " ".repeat(12usize.saturating_sub(columns(&median)));
    page.row(
        INDENT,
        &[
            (PLAIN, &before),
            (BOLD, &median),
            (PLAIN, "  "),
            (LOCATION, &chart),
            (PLAIN, "  "),
            (PLAIN, &one_line(slow.test.title)),
            dot(slow.test.location),
            (LOCATION, slow.test.location),
        ],
    )
}

fn show_slower(page: &mut Page, slower: &SlowerTest) -> io::Result<()> {
    page.paragraph(
        0,
        INDENT,
        &title(WARN, "↑ ", slower.test.title, slower.test.location),
    )?;
    let runs = format!(" · {}", count(slower.slower_runs, "run"));
    let since = when(&slower.since);
    page.row(
        INDENT,
        &[(DIM, "since     "), (PLAIN, &since), (DIM, &runs)],
    )?;
    let before = when(&slower.last_faster);
    let same = same_commit(slower.without_commit());
    page.row(
        INDENT,
        &[(DIM, "before    "), (PLAIN, &before), (WARN, same)],
    )?;
    let times = format!("{} → {}", human(slower.base_ms), human(slower.new_ms));
    let end = format!("  {}", slower.factor());
    page.row(INDENT, &[(DIM, "duration  "), (WARN, &times), (DIM, &end)])
}

fn show_flaky(page: &mut Page, flaky: &Flaky) -> io::Result<()> {
    page.paragraph(
        0,
        INDENT,
        &title(WARN, "~ ", flaky.test.title, flaky.test.location),
    )?;
    let signs = format!(
        "{} · failed in {} of {}",
        flaky.signs().join(" · "),
        flaky.failed_runs,
        count(flaky.runs, "run")
    );
    page.paragraph(INDENT, INDENT, &[(DIM, &signs)])
}

fn show_broken(page: &mut Page, broken: &BrokenTest) -> io::Result<()> {
    page.paragraph(
        0,
        INDENT,
        &title(BAD, "✗ ", broken.test.title, broken.test.location),
    )?;
    let runs = format!(" · {}", count(broken.failed_runs, "failed run"));
    let since = when(&broken.since);
    page.row(
        INDENT,
        &[(DIM, "since        "), (PLAIN, &since), (DIM, &runs)],
    )?;
    let before = match &broken.last_passed {
        None => "not in these runs".into(),
        Some(passed) => when(passed),
    };
    let same = same_commit(broken.without_commit());
    page.row(
        INDENT,
        &[(DIM, "last passed  "), (PLAIN, &before), (WARN, same)],
    )
}

fn same_commit(is_same: bool) -> &'static str {
    if is_same { " · the same commit" } else { "" }
}

fn when(run: &RunRef) -> String {
    let commit = run.git_commit.map(short_commit);
    let commit = commit.map_or_else(String::new, |commit| format!("commit {commit} · "));
    let time = run.started_at.format("%Y-%m-%d %H:%M UTC");
    format!("{commit}run {} · {time}", short_run(run.run_id))
}

fn show_summary(page: &mut Page, trends: &Trends) -> io::Result<()> {
    let unfinished = trends.runs.iter().filter(|run| !run.finished).count();
    let parts = [
        (BAD, trends.broken.len(), "failed when last run"),
        (WARN, trends.flaky.len(), "flaky"),
        (WARN, trends.slower.len(), "slower"),
    ];
    let first = trends
        .runs
        .first()
        .map(|run| format_time(run.run.started_at))
        .unwrap_or_default();
    let runs = format!("{} since {first}", counted_runs(trends.runs.len()));
    let mut spans: Vec<(anstyle::Style, String)> = vec![(BOLD, runs)];
    if unfinished > 0 {
        spans.push((PLAIN, format!(", {unfinished} unfinished")));
    }
    for (style, number, word) in parts.into_iter().filter(|(_, number, _)| *number > 0) {
        spans.extend([
            (PLAIN, ", ".into()),
            (style.bold(), format!("{} {word}", count(number, "test"))),
        ]);
    }
    let spans: Vec<Span> = spans
        .iter()
        .map(|(style, text)| (*style, text.as_str()))
        .collect();
    page.blank()?;
    page.paragraph(0, INDENT, &spans)
}

fn counted_runs(number: usize) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} run{ending}", thousands(number))
}
