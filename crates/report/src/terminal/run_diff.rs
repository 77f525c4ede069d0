//! The differences between two runs in the terminal, the most important ones last.

use std::io;

use casebook_record::Time;

use super::Options;
use super::duration::human;
use super::header::{short_commit, short_run};
use super::page::Page;
use super::style::{BAD, BOLD, DIM, GOOD, LOCATION, PLAIN, WARN};
use super::styled::{Span, dot};
use super::text::{count, one_line};
use super::trials::percent;
use crate::diff::{
    Change, ChangeKind, Criterion, Diff, DiffedRun, DurationChange, ScoreChange, Setting, Usage,
};

/// Newly failing tests shown with details.
const IN_FULL: usize = 50;
/// Tests listed of each other kind; --json lists all.
const LISTED: usize = 20;

const INDENT: usize = 2;

/// Writes the differences. Uses only the options `color` and `width`.
pub fn run_diff(diff: &Diff, options: &Options, out: &mut dyn io::Write) -> io::Result<()> {
    let page = &mut Page::new(out, options.color, options.width);
    show_runs(page, diff)?;
    show_list(page, "Configuration", &diff.configuration, show_setting)?;
    show_list(page, "Turns, tokens, cost", &diff.usage, show_usage)?;
    show_list(page, "Criteria", &diff.criteria, show_criterion)?;
    show_list(page, "Scores", &diff.scores, show_score)?;
    show_durations(page, diff)?;
    for kind in ChangeKind::ALL
        .into_iter()
        .rev()
        .filter(|kind| *kind != ChangeKind::NewlyFailing)
    {
        let tests: Vec<_> = diff.of_kind(kind).collect();
        show_list(page, diff.heading(kind), &tests, |page, change| {
            show_change(page, change)
        })?;
    }
    show_newly_failing(page, diff)?;
    show_summary(page, diff)
}

fn show_runs(page: &mut Page, diff: &Diff) -> io::Result<()> {
    for (word, run) in [("from ", &diff.base), ("to   ", &diff.new)] {
        show_run(page, word, run)?;
    }
    Ok(())
}

fn show_run(page: &mut Page, word: &str, run: &DiffedRun) -> io::Result<()> {
    let commit = run
        .git_commit
        .map(|commit| format!(" · commit {}", short_commit(commit)));
    let facts = format!(" · {} · {}", format_time(run.started_at), run.facts());
    page.paragraph(
        0,
        word.len(),
        &[
            (DIM, word),
            (BOLD, short_run(run.run_id)),
            (PLAIN, &facts),
            (DIM, commit.as_deref().unwrap_or_default()),
        ],
    )
}

pub(super) fn format_time(time: Time) -> String {
    time.format("%Y-%m-%d %H:%M:%S UTC")
}

/// Writes a section unless `items` is empty.
pub(super) fn show_list<T>(
    page: &mut Page,
    heading: &str,
    list: &[T],
    show: impl Fn(&mut Page, &T) -> io::Result<()>,
) -> io::Result<()> {
    if list.is_empty() {
        return Ok(());
    }
    page.heading(heading)?;
    list.iter()
        .take(LISTED)
        .try_for_each(|one| show(page, one))?;
    show_hidden_count(page, list.len(), LISTED)
}

fn show_hidden_count(page: &mut Page, all: usize, shown: usize) -> io::Result<()> {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        hidden => page.row(
            INDENT,
            &[(DIM, &format!("… and {hidden} more; --json lists them all"))],
        ),
    }
}

fn show_setting(page: &mut Page, setting: &Setting) -> io::Result<()> {
    let [base, new] = setting.texts();
    page.paragraph(
        INDENT,
        INDENT,
        &[
            (PLAIN, &setting.path),
            (DIM, ": "),
            (PLAIN, &base),
            (DIM, " → "),
            (PLAIN, &new),
        ],
    )
}

fn show_usage(page: &mut Page, usage: &Usage) -> io::Result<()> {
    let each = usage
        .each()
        .map_or_else(String::new, |each| format!("  {each} each"));
    let name = format!("{:<14}  ", usage.what);
    page.row(
        INDENT,
        &[(PLAIN, &name), (PLAIN, &usage.totals()), (DIM, &each)],
    )
}

fn show_criterion(page: &mut Page, criterion: &Criterion) -> io::Result<()> {
    let side = |score: casebook_record::TrialScore| {
        format!(
            "{} of {} ({})",
            score.passed,
            score.trials,
            percent(score.rate())
        )
    };
    let rates = format!("  {} → {}  ", side(criterion.base), side(criterion.new));
    let style = match criterion {
        criterion if criterion.is_worse() => BAD,
        criterion if criterion.significant => GOOD,
        _ => DIM,
    };
    page.paragraph(
        INDENT,
        INDENT,
        &[
            (PLAIN, criterion.name),
            (PLAIN, &rates),
            (style, &criterion.significance()),
        ],
    )
}

fn show_score(page: &mut Page, change: &ScoreChange) -> io::Result<()> {
    let [(base, before), (new, now)] = change.sides();
    let means = format!("{}  mean {base} → {new}", one_line(&change.name));
    let distributions = match [before.as_str(), now.as_str()] {
        ["", only] | [only, ""] => format!(" · scores {only}"),
        [before, now] => format!(" · scores {before} → {now}"),
    };
    page.paragraph(
        INDENT,
        2 * INDENT,
        &[(PLAIN, &means), (DIM, &distributions)],
    )
}

fn show_durations(page: &mut Page, diff: &Diff) -> io::Result<()> {
    let changed = &diff.durations.changed;
    let (slower, faster): (Vec<_>, Vec<_>) = changed.iter().partition(|test| test.is_slower());
    show_list(page, "Faster", &faster, |page, test| {
        show_duration(page, test, GOOD)
    })?;
    show_list(page, "Slower", &slower, |page, test| {
        show_duration(page, test, WARN)
    })
}

fn show_duration(page: &mut Page, test: &DurationChange, style: anstyle::Style) -> io::Result<()> {
    let times = format!("{} → {}", human(test.base_ms), human(test.new_ms));
    let spans = [
        (PLAIN, test.title.as_str()),
        dot(test.location),
        (LOCATION, test.location),
        (PLAIN, "  "),
    ];
    let end = format!("  {}", test.factor());
    page.row(
        INDENT,
        &[&spans[..], &[(style, &times), (DIM, &end)]].concat(),
    )
}

/// Shows one line, and a second one if there is a reason.
fn show_change(page: &mut Page, change: &Change) -> io::Result<()> {
    let side = change.side();
    let rates = change
        .rates()
        .map_or_else(String::new, |rates| format!("  {rates}"));
    let style = if change.regression { BAD } else { DIM };
    page.paragraph(
        0,
        INDENT,
        &[
            mark(change),
            (PLAIN, &change.title),
            dot(side.location),
            (LOCATION, side.location),
            (style, &rates),
        ],
    )?;
    match change.new_reason() {
        Some(reason) => page.row(INDENT, &[(DIM, reason)]),
        None => Ok(()),
    }
}

fn mark(change: &Change) -> Span<'static> {
    match change.kind {
        ChangeKind::NewlyFailing | ChangeKind::StillFailing => (BAD, "✗ "),
        ChangeKind::NewlyPassing | ChangeKind::NowRun => (GOOD, "✓ "),
        ChangeKind::NewlyFlaky => (WARN, "~ "),
        ChangeKind::NowSkipped => (WARN, "○ "),
        ChangeKind::CutShort => (WARN, "▸ "),
        ChangeKind::Added if change.side().outcome == crate::diff::TestOutcome::Failed => {
            (BAD, "✗ ")
        }
        ChangeKind::Added => (DIM, "+ "),
        ChangeKind::Removed => (DIM, "- "),
        ChangeKind::Unchanged => (DIM, "  "),
    }
}

fn show_newly_failing(page: &mut Page, diff: &Diff) -> io::Result<()> {
    let tests: Vec<_> = diff.of_kind(ChangeKind::NewlyFailing).collect();
    if tests.is_empty() {
        return Ok(());
    }
    page.heading(diff.heading(ChangeKind::NewlyFailing))?;
    for (index, change) in tests.iter().take(IN_FULL).enumerate() {
        if index > 0 {
            page.blank()?;
        }
        show_failure(page, change)?;
    }
    show_hidden_count(page, tests.len(), IN_FULL)
}

fn show_failure(page: &mut Page, change: &Change) -> io::Result<()> {
    let side = change.side();
    page.paragraph(0, INDENT, &[mark(change), (BOLD, &change.title)])?;
    page.row(INDENT, &[(LOCATION, side.location)])?;
    if let Some(rates) = change.rates() {
        page.row(INDENT, &[(WARN, &rates)])?;
    }
    if let Some(reason) = side.reason {
        page.paragraph(INDENT, INDENT, &[(BAD, reason)])?;
    }
    match side.rerun {
        Some(rerun) => page.verbatim(
            INDENT,
            &[(DIM, "run it again: "), (PLAIN, &one_line(rerun))],
        ),
        None => Ok(()),
    }
}

fn show_summary(page: &mut Page, diff: &Diff) -> io::Result<()> {
    let durations = &diff.durations;
    page.blank()?;
    if durations.compared > 0 {
        let times = format!(
            "{} timed in both runs: {} → {}",
            count(durations.compared, "test"),
            human(durations.base_ms),
            human(durations.new_ms)
        );
        page.row(0, &[(DIM, &times)])?;
    }
    let parts = diff.parts();
    let mut spans: Vec<Span> = Vec::new();
    for (kind, part) in &parts {
        let separator = if spans.is_empty() { "" } else { ", " };
        spans.extend([(PLAIN, separator), (style(*kind).bold(), part.as_str())]);
    }
    if spans.is_empty() {
        spans.push((BOLD, "no tests in either run"));
    }
    page.paragraph(0, INDENT, &spans)
}

fn style(kind: ChangeKind) -> anstyle::Style {
    match kind {
        ChangeKind::NewlyFailing | ChangeKind::StillFailing => BAD,
        ChangeKind::NewlyPassing => GOOD,
        ChangeKind::NewlyFlaky | ChangeKind::NowSkipped | ChangeKind::CutShort => WARN,
        ChangeKind::NowRun | ChangeKind::Added | ChangeKind::Removed | ChangeKind::Unchanged => {
            PLAIN
        }
    }
}
