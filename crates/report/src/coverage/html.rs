//! Writes the coverage matrix as one HTML page without scripts and external resources.

use std::io;

use askama::Template;

use super::{
    Characteristic, CoverageOutcome, CoverageStatus, Matrix, Method, Observed, ObservedStatus,
};
use crate::html::static_page::{self, COVERAGE};
use crate::terminal::text::{count, one_line};

/// Tests named per state; the others are counted.
const NAMED: usize = 4;

#[derive(Template)]
#[template(path = "coverage.html")]
struct Page {
    policy: String,
    style: &'static str,
    numbers: Vec<(&'static str, usize, String)>,
    /// Whether the minimum is met, and the sentence about it.
    gate: Option<(bool, String)>,
    runs: Vec<String>,
    /// The command during which states were observed.
    observed: Option<String>,
    methods: Vec<Section>,
}

struct Section {
    name: String,
    file: String,
    passed: String,
    /// Whether the section starts expanded: only when states are missing.
    is_open: bool,
    groups: Vec<Group>,
}

/// The states of a characteristic, or the combinations.
struct Group {
    name: String,
    note: String,
    boxes: Vec<Tile>,
}

/// A state or a combination.
struct Tile {
    class: String,
    mark: &'static str,
    name: String,
    status: String,
    tests: Vec<Covering>,
    more: usize,
}

struct Covering {
    name: String,
    location: String,
    /// Empty when it equals the status of the state.
    outcome: &'static str,
}

/// Writes the matrix as an HTML page.
pub fn html(matrix: &Matrix, out: &mut dyn io::Write) -> io::Result<()> {
    let counts = matrix.states();
    let percent = |part| format!("{}%", counts.percent(part));
    let page = Page {
        policy: static_page::policy(COVERAGE),
        style: COVERAGE,
        numbers: match matrix.observed {
            Some(_) => observed_numbers(matrix),
            None => vec![
                ("states designed", counts.designed, String::new()),
                ("covered", counts.covered, percent(counts.covered)),
                ("run", counts.run, percent(counts.run)),
                ("passed", counts.passed, percent(counts.passed)),
            ],
        },
        gate: matrix.minimum.map(|minimum| {
            let is_met = matrix.meets_minimum();
            let verdict = if is_met { "met" } else { "missed" };
            let text = format!("At least {minimum}% have to pass: {verdict}.");
            (is_met, text)
        }),
        runs: matrix.runs.iter().map(|run| one_line(run)).collect(),
        observed: matrix.observed.as_deref().map(one_line),
        methods: matrix.methods.iter().map(section).collect(),
    };
    static_page::write(&page, out)
}

fn observed_numbers(matrix: &Matrix) -> Vec<(&'static str, usize, String)> {
    let counts = matrix.observed_states();
    let percent = |part: usize| match (part * 100).checked_div(counts.all()) {
        Some(percent) => format!("{percent}%"),
        None => String::new(),
    };
    let mut numbers = vec![("states observed", counts.all(), String::new())];
    numbers.extend(ObservedStatus::ALL.map(|status| {
        let count = counts.of_status(status);
        (status.as_str(), count, percent(count))
    }));
    numbers
}

fn section(method: &Method) -> Section {
    let (counts, observed) = (method.counts(), method.observed_counts());
    let characteristics = method.characteristics.iter();
    let mut groups: Vec<_> = characteristics
        .map(|one| characteristic_group(method, one))
        .collect();
    if !method.combinations.is_empty() {
        groups.push(combination_group(method));
    }
    let (done, word) = match observed.all() {
        0 => (counts.passed, "passed"),
        _ => (observed.reached(), "exercised"),
    };
    Section {
        name: one_line(&method.name),
        file: one_line(&method.file),
        passed: format!("{done} of {} {word}", count(counts.designed, "state")),
        is_open: done < counts.designed,
        groups,
    }
}

fn characteristic_group(method: &Method, one: &Characteristic) -> Group {
    Group {
        name: one_line(&one.name),
        note: match &one.depends_on {
            None => one.kind.clone(),
            Some(parent) => format!("{}, depends on {parent}", one.kind),
        },
        boxes: tiles(one.states.iter().map(|state| {
            let (tests, observed) = (&state.tests, state.observed.as_ref());
            tile(method, &state.name, method.status(tests), tests, observed)
        })),
    }
}

fn combination_group(method: &Method) -> Group {
    Group {
        name: "combinations".to_owned(),
        note: "states that one test brings about together".to_owned(),
        boxes: tiles(method.combinations.iter().map(|one| {
            let (tests, observed) = (&one.tests, one.observed.as_ref());
            tile(method, &one.name(), method.status(tests), tests, observed)
        })),
    }
}

/// The lowest status first, equal ones in the order of the design.
type Rank = (Option<ObservedStatus>, CoverageStatus);

fn tiles(all: impl Iterator<Item = (Rank, Tile)>) -> Vec<Tile> {
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, tile)| tile).collect()
}

fn tile(
    method: &Method,
    name: &str,
    status: CoverageStatus,
    tests: &[usize],
    observed: Option<&Observed>,
) -> (Rank, Tile) {
    let tile = match observed {
        Some(observed) => observed_tile(name, observed, status),
        None => Tile {
            class: status.as_str().replace(' ', "-"),
            mark: status.mark(),
            name: one_line(name),
            status: status.as_str().to_owned(),
            tests: tests
                .iter()
                .take(NAMED)
                .map(|test| covering(method, *test, status))
                .collect(),
            more: tests.len().saturating_sub(NAMED),
        },
    };
    ((observed.map(|one| one.status), status), tile)
}

fn observed_tile(name: &str, observed: &Observed, by_name: CoverageStatus) -> Tile {
    let status = observed.status.as_str();
    let examples = observed.examples.iter().take(NAMED);
    Tile {
        class: status.replace(' ', "-"),
        mark: observed.status.mark(),
        name: one_line(name),
        status: match by_name {
            CoverageStatus::Uncovered => status.to_owned(),
            by_name => format!("{status}; by name: {}", by_name.as_str()),
        },
        tests: examples
            .map(|example| Covering {
                name: one_line(&example.name),
                location: one_line(&example.location),
                outcome: "",
            })
            .collect(),
        more: observed.examples.len().saturating_sub(NAMED),
    }
}

fn covering(method: &Method, test: usize, status: CoverageStatus) -> Covering {
    let test = &method.tests[test];
    Covering {
        name: one_line(&test.name),
        location: one_line(&test.location),
        outcome: match (test.outcome, status) {
            (CoverageOutcome::NotRun, CoverageStatus::Passed | CoverageStatus::Failed) => "not run",
            (CoverageOutcome::Passed, CoverageStatus::Failed) => "passed",
            _ => "",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn page(matrix: &Matrix) -> String {
        let mut out = Vec::new();
        html(matrix, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_are_escaped() {
        let mut matrix = fixture::matrix();
        let hostile = "</code><script>alert(1)</script>\u{1b}\"'&";
        matrix.methods[0].tests[0].name = hostile.into();
        matrix.methods[0].name = hostile.into();
        matrix.methods[0].characteristics[0].states[0].name = hostile.into();
        matrix.runs = vec![hostile.into()];
        let page = page(&matrix);
        assert!(!page.contains("<script"), "{page}");
        assert!(!page.contains('\u{1b}'), "{page}");
        assert_eq!(
            page.matches("&#60;script&#62;alert(1)").count(),
            6,
            "{page}"
        );
    }

    #[test]
    fn observed_states_show_both_statuses() {
        let page = page(&fixture::observed());
        assert!(page.contains("proven; by name: passed"), "{page}");
        assert!(page.contains("<code>bundle exec rspec</code>"), "{page}");
        for class in [
            "proven",
            "exercised",
            "outside-examples",
            "never",
            "not-loaded",
        ] {
            assert!(page.contains(&format!("<li class=\"{class}\">")), "{class}");
        }
    }

    #[test]
    fn the_page_loads_no_external_resource() {
        let page = page(&fixture::matrix());
        assert!(page.contains("default-src &#39;none&#39;; style-src &#39;sha256-"));
        for outside in ["unsafe-inline", "https:", " src=", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(
            page.matches("href=").count(),
            page.matches("href=\"data:image/svg+xml,").count()
        );
    }

    #[test]
    fn completely_passed_methods_start_collapsed() {
        let page = page(&fixture::matrix());
        let open = page.matches("<details class=\"method\" open>").count();
        assert_eq!((open, page.matches("<details").count()), (1, 2));
        assert!(page.contains("raises &#60;NotPacked&#62;"));
    }
}
