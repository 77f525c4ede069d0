//! Trends over recorded runs.

use casebook_record::{History, RunEntry, TestName, TestOutcome, TestResult, Time, TrialScore};
use casebook_report::history::{Options, Trends, html};
use casebook_report::terminal::{self, history};
use insta::assert_snapshot;

use TestOutcome::{Failed, Passed, Skipped, Unfinished};

/// A history of runs, each with its commit and the outcome of each test.
fn history_of(runs: &[(&str, &[(&str, TestOutcome)])]) -> History {
    let mut history = History::default();
    for (number, (commit, results)) in (1..).zip(runs) {
        let results = results
            .iter()
            .map(|(id, outcome)| result(&mut history, id, *outcome))
            .collect();
        history.runs.push(run(number, commit, results));
    }
    history
}

fn run(number: i64, commit: &str, results: Vec<TestResult>) -> RunEntry {
    let started_at = Time::from_millis(1_763_195_251_594 + number * 3_600_000);
    RunEntry {
        dir: format!("20261115-{number:06}-run{number}"),
        run_id: format!("run{number}"),
        started_at,
        finished_at: Some(started_at.plus_seconds(1.5)),
        git_commit: (!commit.is_empty()).then(|| commit.to_owned()),
        git_branch: Some("main".into()),
        finished: true,
        results,
    }
}

fn result(history: &mut History, id: &str, outcome: TestOutcome) -> TestResult {
    let known = history.tests.iter().position(|test| test.id == id);
    let test = known.unwrap_or_else(|| {
        history.tests.push(TestName {
            id: id.into(),
            title: format!("suite › {id}"),
            location: format!("suites/{id}.yml:7"),
        });
        history.tests.len() - 1
    });
    let duration_ms = (outcome == Passed).then_some(100);
    TestResult {
        test,
        outcome,
        flaky: false,
        trials: None,
        duration_ms,
    }
}

fn trends(history: &History) -> Trends<'_> {
    Trends::of(
        history,
        &Options {
            slowest: 5,
            ..Options::default()
        },
    )
}

fn shown(trends: &Trends) -> String {
    let mut out = Vec::new();
    let options = terminal::Options {
        width: 80,
        ..terminal::Options::default()
    };
    history(trends, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// `test since run, passed in run`.
fn broken(trends: &Trends) -> Vec<String> {
    let broken = trends.broken.iter();
    broken
        .map(|one| {
            let passed = one.last_passed.map_or("never", |run| run.run_id);
            format!(
                "{} since {} ({}), passed in {passed}",
                one.test.id, one.since.run_id, one.failed_runs
            )
        })
        .collect()
}

fn flaky<'t>(trends: &'t Trends) -> Vec<(&'t str, usize)> {
    trends
        .flaky
        .iter()
        .map(|test| (test.test.id, test.flips))
        .collect()
}

#[test]
fn failing_tests_show_since_when() {
    let history = history_of(&[
        ("c1", &[("ok", Passed), ("old", Failed), ("young", Passed)]),
        (
            "c2",
            &[
                ("ok", Passed),
                ("old", Failed),
                ("young", Passed),
                ("gap", Passed),
            ],
        ),
        (
            "c3",
            &[
                ("ok", Passed),
                ("old", Failed),
                ("young", Failed),
                ("gap", Failed),
            ],
        ),
        (
            "c4",
            &[
                ("ok", Passed),
                ("old", Failed),
                ("young", Skipped),
                ("gap", Unfinished),
            ],
        ),
        (
            "c5",
            &[("ok", Passed), ("young", Failed), ("healed", Passed)],
        ),
    ]);
    assert_snapshot!(broken(&trends(&history)).join("\n"), @"
    young since run3 (2), passed in run2
    gap since run3 (1), passed in run2
    old since run1 (4), passed in never
    ");
}

#[test]
fn an_outcome_that_changes_without_a_commit_is_flaky() {
    let history = history_of(&[
        (
            "c1",
            &[("wobbles", Passed), ("breaks", Passed), ("skips", Passed)],
        ),
        (
            "c1",
            &[("wobbles", Failed), ("breaks", Passed), ("skips", Skipped)],
        ),
        (
            "c1",
            &[("wobbles", Passed), ("breaks", Passed), ("skips", Passed)],
        ),
        (
            "c2",
            &[("wobbles", Passed), ("breaks", Failed), ("skips", Passed)],
        ),
        ("", &[("wobbles", Passed), ("breaks", Passed)]),
        ("", &[("wobbles", Passed), ("breaks", Failed)]),
    ]);
    assert_eq!(flaky(&trends(&history)), [("wobbles", 2)]);
}

#[test]
fn retries_and_differing_trials_are_flaky() {
    let mut history = history_of(&[
        (
            "c1",
            &[("retried", Passed), ("tried", Failed), ("fine", Passed)],
        ),
        (
            "c2",
            &[("retried", Passed), ("tried", Passed), ("fine", Passed)],
        ),
    ]);
    history.runs[0].results[0].flaky = true;
    let tried = &mut history.runs[0].results[1];
    (tried.flaky, tried.trials) = (
        true,
        Some(TrialScore {
            trials: 5,
            passed: 3,
        }),
    );
    let trends = trends(&history);
    let signs: Vec<_> = trends
        .flaky
        .iter()
        .map(|test| format!("{}: {}", test.test.id, test.signs().join(", ")))
        .collect();
    assert_eq!(
        signs,
        [
            "retried: passed only on a retry once",
            "tried: its trials differed once"
        ]
    );
    assert_eq!(broken(&trends), Vec::<String>::new());
}

#[test]
fn a_test_missing_from_recent_runs_is_not_listed() {
    let mut runs: Vec<(&str, &[(&str, TestOutcome)])> =
        vec![("c1", &[("gone", Failed), ("here", Failed)])];
    runs.extend([("c2", &[("here", Failed)][..]); 21]);
    let history = history_of(&runs);
    assert_eq!(
        broken(&trends(&history)),
        ["here since run1 (22), passed in never"]
    );
}

#[test]
fn the_slowest_by_the_median_of_recent_runs() {
    let mut history = history_of(&[("c", &[("a", Passed), ("b", Passed), ("c", Failed)][..]); 25]);
    for (number, run) in (0..).zip(&mut history.runs) {
        // Only the newest twenty runs count, and one slow run does not change the median.
        run.results[0].duration_ms = Some(if number < 5 || number == 24 {
            9_000
        } else {
            50
        });
    }
    let trends = trends(&history);
    let slow: Vec<_> = trends
        .slowest
        .iter()
        .map(|slow| (slow.test.id, slow.median_ms, slow.newest_ms.len()))
        .collect();
    assert_eq!(slow, [("b", 100, 20), ("a", 50, 20)]);
}

/// Six fast and four slow runs of a test, and a steady test.
fn slowed() -> History {
    let mut history = history_of(
        &(0..10)
            .map(|run| {
                (
                    if run < 6 { "c0ffee1" } else { "c0ffee2" },
                    &[("adds", Passed), ("steady", Passed)][..],
                )
            })
            .collect::<Vec<_>>(),
    );
    for (number, run) in (0..).zip(&mut history.runs) {
        run.results[0].duration_ms = Some(if number < 6 { 100 } else { 250 } + number);
    }
    history
}

#[test]
fn slower_tests_show_since_when() {
    let history = slowed();
    let trends = trends(&history);
    let text = shown(&trends);
    let (_, section) = text.split_once("── Slower ").unwrap();
    assert_snapshot!(section, @"
    ──────────────────────────────────────────────────────────────────────

    ↑ suite › adds · suites/adds.yml:7
      since     commit c0ffee2 · run run7 · 2025-11-15 15:27 UTC · 4 runs
      before    commit c0ffee1 · run run6 · 2025-11-15 14:27 UTC
      duration  103 ms → 258 ms  2.5× as long

    10 runs since 2025-11-15 09:27:31 UTC, 1 test slower
    ");
    let json = &serde_json::to_value(&trends).unwrap()["slower"];
    assert_eq!(json[1], serde_json::Value::Null);
    let json = &json[0];
    assert_eq!(json["id"], "adds");
    assert_eq!(json["since"]["run_id"], "run7");
    assert_eq!(json["since"]["git_commit"], "c0ffee2");
    assert_eq!(json["last_faster"]["git_commit"], "c0ffee1");
    assert_eq!(json["slower_runs"], 4);
    assert_eq!(
        (&json["base_ms"], &json["new_ms"]),
        (&103.into(), &258.into())
    );
    let mut page = Vec::new();
    html::write(&trends, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    for part in [
        "1 test slower",
        "103 ms → 258 ms <span class=\"note\">2.5× as long",
        "2025-11-15 15:27 UTC <span class=\"note\">4 runs since</span> <code>c0ffee2</code>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_page_has_a_grid_of_all_results() {
    let mut page = Vec::new();
    html::write(&trends(&slowed()), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("Tests × runs"), "{page}");
    let row = page
        .split("<th scope=\"row\">")
        .find(|row| row.contains("› adds"))
        .unwrap();
    let row = row.split("</tr>").next().unwrap();
    assert_eq!(row.matches("<td class=\"good\"").count(), 10, "{row}");
    assert!(
        row.contains("title=\"2025-11-15 09:27 UTC\">✓</td>"),
        "{row}"
    );
}

#[test]
fn failed_runs_do_not_count_as_slower() {
    let mut history = slowed();
    for run in [7, 9] {
        history.runs[run].results[0] = result(&mut history.clone(), "adds", Failed);
    }
    assert_eq!(trends(&history).slower.len(), 0);
}

#[test]
fn limits_and_filters_select_runs_and_tests() {
    let history = history_of(&[
        ("c1", &[("login", Passed)]),
        ("c2", &[("login", Failed), ("logout", Passed)]),
        ("c3", &[("other", Passed)]),
    ]);
    let options = |limit, test: Option<&str>| Options {
        limit,
        test: test.map(str::to_owned),
        slowest: 5,
    };
    let runs = |trends: &Trends| {
        trends
            .runs
            .iter()
            .map(|run| run.run.run_id.to_owned())
            .collect::<Vec<_>>()
    };
    let newest = Trends::of(&history, &options(Some(2), None));
    assert_eq!(runs(&newest), ["run2", "run3"]);
    assert_eq!(broken(&newest), ["login since run2 (1), passed in never"]);
    let login = Trends::of(&history, &options(None, Some("LOGIN")));
    assert_eq!(runs(&login), ["run1", "run2"]);
    assert_eq!((login.runs[1].passed, login.runs[1].failed), (0, 1));
    assert_snapshot!(shown(&login), @r#"
    pass rate  █▁  0%  scale 0–100%
    duration   ██  1.50 s  scale 0–1.50 s

    ── Runs, in UTC ────────────────────────────────────────────────────────────────

      ✓ 2025-11-15 09:27  run1  1 passed  1.50 s  c1
      ✗ 2025-11-15 10:27  run2  1 failed  1.50 s  c2

    ── Tests ───────────────────────────────────────────────────────────────────────

      suite › login · suites/login.yml:7
      ✓✗
      █   100 ms

    ── Broken ──────────────────────────────────────────────────────────────────────

    ✗ suite › login · suites/login.yml:7
      since        commit c2 · run run2 · 2025-11-15 10:27 UTC · 1 failed run
      last passed  commit c1 · run run1 · 2025-11-15 09:27 UTC

    2 runs since 2025-11-15 09:27:31 UTC, 1 test failed when last run
    "#);
    let nothing = Trends::of(&history, &options(None, Some("absent")));
    assert_eq!(
        shown(&nothing),
        "no recorded test matches the value of --test\n"
    );
}

#[test]
fn only_a_run_with_passed_tests_that_all_finished_has_a_tick() {
    let history = history_of(&[
        ("", &[("adds", Passed)]),
        ("", &[]),
        ("", &[("adds", Passed), ("sleeps", Unfinished)]),
    ]);
    let shown = shown(&trends(&history));
    for line in [
        "100% of the tests that finished  scale 0–100%",
        "✓ 2025-11-15 09:27  run1  1 passed ",
        "○ 2025-11-15 10:27  run2  no tests ",
        "▸ 2025-11-15 11:27  run3  1 passed, 1 interrupted ",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

#[test]
fn a_file_that_could_not_be_loaded_is_not_a_broken_test() {
    let mut history = history_of(&[("", &[("adds", Failed), ("lost", Failed)])]);
    history.tests[1].title = "error while loading ./spec/lost_spec.rb".into();
    assert_eq!(
        broken(&trends(&history)),
        ["adds since run1 (1), passed in never"]
    );
}

#[test]
fn all_sections_in_the_terminal() {
    let mut history = history_of(&[
        ("c0ffee1", &[("adds", Passed), ("wobbles", Passed)]),
        ("c0ffee1", &[("adds", Passed), ("wobbles", Failed)]),
        (
            "c0ffee2",
            &[("adds", Failed), ("wobbles", Passed), ("rests", Skipped)],
        ),
        ("c0ffee2", &[("adds", Failed), ("wobbles", Passed)]),
    ]);
    history.runs[3].finished = false;
    history.runs[1].results[0].duration_ms = Some(900);
    assert_snapshot!(shown(&trends(&history)), @r#"
    pass rate  █▄▄▄  50%  scale 0–100%
    duration   ████  1.50 s  scale 0–1.50 s

    ── Runs, in UTC ────────────────────────────────────────────────────────────────

      ✓ 2025-11-15 09:27  run1  2 passed                       1.50 s  c0ffee1
      ✗ 2025-11-15 10:27  run2  1 passed, 1 failed             1.50 s  c0ffee1
      ✗ 2025-11-15 11:27  run3  1 passed, 1 failed, 1 skipped  1.50 s  c0ffee2
      ▸ 2025-11-15 12:27  run4  1 passed, 1 failed             1.50 s  unfinished

    ── Slowest ─────────────────────────────────────────────────────────────────────

            900 ms  ▁█                    suite › adds · suites/adds.yml:7
            100 ms  ███                   suite › wobbles · suites/wobbles.yml:7

    ── Flaky ───────────────────────────────────────────────────────────────────────

    ~ suite › wobbles · suites/wobbles.yml:7
      changed its outcome once without a new commit, last at c0ffee1 · failed in 1
        of 4 runs

    ── Broken ──────────────────────────────────────────────────────────────────────

    ✗ suite › adds · suites/adds.yml:7
      since        commit c0ffee2 · run run3 · 2025-11-15 11:27 UTC · 2 failed runs
      last passed  commit c0ffee1 · run run2 · 2025-11-15 10:27 UTC

    4 runs since 2025-11-15 09:27:31 UTC, 1 unfinished, 1 test failed when last run,
      1 test flaky
    "#);
}

#[test]
fn a_thousand_runs_stay_readable() {
    let names: Vec<String> = (0..100).map(|number| format!("test {number}")).collect();
    let results: Vec<_> = names.iter().map(|name| (name.as_str(), Failed)).collect();
    let runs: Vec<(&str, &[(&str, TestOutcome)])> = vec![("c", &results[..]); 1_000];
    let history = history_of(&runs);
    let trends = trends(&history);
    let text = shown(&trends);
    assert!(text.lines().count() < 120, "{}", text.lines().count());
    assert!(
        text.contains("1,000 runs since") && text.contains("… and 80 more"),
        "{text}"
    );
    let mut page = Vec::new();
    html::write(&trends, &mut page).unwrap();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

#[test]
fn the_page_escapes_text() {
    let mut history = history_of(&[("<c>", &[("<script>x</script>", Failed)])]);
    history.damaged.push(("<b>".into(), "</td>".into()));
    history.runs[0].dir = "\"><img>".into();
    let trends = trends(&history);
    let mut page = Vec::new();
    html::write(&trends, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    for harmful in ["<script", "<img", "<c>", "<b>"] {
        assert!(!page.contains(harmful), "{harmful}");
    }
}
