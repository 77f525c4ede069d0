//! Differences between two runs.

use casebook_record::RunData;
use casebook_report::diff::{ChangeKind, Diff, html, markdown};
use casebook_report::terminal::{Options, run_diff};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::sample::{conversation, evaluation, example, exception, run, turn};

fn test(path: &str, status: &str, fields: Value) -> Value {
    let mut test = example(path, status, fields);
    test["stable_id"] = json!(format!("example:{path}"));
    test
}

fn failing(path: &str, message: &str) -> Value {
    let failure = exception("Casebook::AssertionFailed", message);
    let rerun = format!("casebook run suites/{path}.yml:7");
    test(
        path,
        "failed",
        json!({"exception": failure, "metadata": {"rerun": rerun}}),
    )
}

fn trials(path: &str, passed: usize, of: usize) -> Vec<Value> {
    (1..=of)
        .map(|number| {
            let status = if number <= passed { "passed" } else { "failed" };
            let id = format!("{path}~{number}");
            let trial = json!({"number": number, "of": of, "test": format!("example:{path}")});
            example(
                path,
                status,
                json!({"id": id, "stable_id": id, "metadata": {"trial": trial}}),
            )
        })
        .collect()
}

fn shown(diff: &Diff) -> String {
    let mut out = Vec::new();
    let options = Options {
        width: 80,
        ..Options::default()
    };
    run_diff(diff, &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn markdown_text(diff: &Diff) -> String {
    let mut out = Vec::new();
    markdown::write(diff, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn kinds(diff: &Diff) -> Vec<(ChangeKind, String)> {
    diff.tests
        .iter()
        .map(|change| (change.kind, change.title.clone()))
        .collect()
}

#[test]
fn tests_are_matched_by_stable_id() {
    let base = run([
        test("stays", "passed", json!({})),
        test("breaks", "passed", json!({})),
        failing("heals", "no"),
        failing("ails", "no"),
        test("goes", "passed", json!({})),
        test("rests", "passed", json!({})),
    ]);
    let mut moved = test(
        "stays",
        "passed",
        json!({"id": "another", "location": "b.yml:99"}),
    );
    moved["canonical_path"] = json!("renamed");
    let skipped = test(
        "rests",
        "pending",
        json!({"metadata": {"pending_message": "not today"}}),
    );
    let new = run([
        test("comes", "passed", json!({})),
        moved,
        failing("breaks", "expected 1, got 2\nand more"),
        test("heals", "passed", json!({})),
        failing("ails", "still no"),
        skipped,
    ]);
    let diff = Diff::of(&base, &new);
    assert!(diff.has_regression());
    assert_snapshot!(shown(&diff), @"
    from d00fa811 · 2026-11-15 08:40:51 UTC · 6 tests, 2 failed
    to   d00fa811 · 2026-11-15 08:40:51 UTC · 6 tests, 2 failed

    ── Removed ─────────────────────────────────────────────────────────────────────

    - goes · suites/a.yml:7

    ── Added ───────────────────────────────────────────────────────────────────────

    + comes · suites/a.yml:7

    ── Now skipped ─────────────────────────────────────────────────────────────────

    ○ rests · suites/a.yml:7
      not today

    ── Newly passing ───────────────────────────────────────────────────────────────

    ✓ heals · suites/a.yml:7

    ── Still failing ───────────────────────────────────────────────────────────────

    ✗ ails · suites/a.yml:7
      still no

    ── Newly failing ───────────────────────────────────────────────────────────────

    ✗ breaks
      suites/a.yml:7
      expected 1, got 2
      run it again: casebook run suites/breaks.yml:7

    1 newly failing, 1 still failing, 1 newly passing, 1 now skipped, 1 added, 1
      removed, 1 unchanged
    ");
    assert_snapshot!(markdown_text(&diff), @"
    ### ❌ Casebook: 1 newly failing, 1 still failing, 1 newly passing, 1 now skipped, 1 added, 1 removed, 1 unchanged

    From d00fa811-aa61-46cd-bea1-bb6729000564 to d00fa811-aa61-46cd-bea1-bb6729000564.

    #### Newly failing

    | test | where | why |
    | --- | --- | --- |
    | breaks | suites/a.yml:7 | expected 1, got 2<br><code>casebook run suites/breaks.yml:7</code> |

    <details><summary>Still failing: 1</summary>

    | test | where | why |
    | --- | --- | --- |
    | ails | suites/a.yml:7 | still no |

    </details>

    <details><summary>Newly passing: 1</summary>

    | test | where | why |
    | --- | --- | --- |
    | heals | suites/a.yml:7 |  |

    </details>

    <details><summary>Now skipped: 1</summary>

    | test | where | why |
    | --- | --- | --- |
    | rests | suites/a.yml:7 | not today |

    </details>

    <details><summary>Added: 1</summary>

    | test | where | why |
    | --- | --- | --- |
    | comes | suites/a.yml:7 |  |

    </details>

    <details><summary>Removed: 1</summary>

    | test | where | why |
    | --- | --- | --- |
    | goes | suites/a.yml:7 |  |

    </details>
    ");
}

#[test]
fn a_run_compared_with_itself_has_not_changed() {
    let run = run([
        test("a", "passed", json!({})),
        failing("b", "no"),
        test("c", "pending", json!({})),
    ]);
    let diff = Diff::of(&run, &run);
    assert!(!diff.has_regression());
    assert_snapshot!(shown(&diff), @"
    from d00fa811 · 2026-11-15 08:40:51 UTC · 3 tests, 1 failed
    to   d00fa811 · 2026-11-15 08:40:51 UTC · 3 tests, 1 failed

    ── Still failing ───────────────────────────────────────────────────────────────

    ✗ b · suites/a.yml:7
      no

    1 still failing, 2 unchanged
    ");
}

#[test]
fn tests_with_equal_ids_stay_separate() {
    let twin = |id: &str, status| test("twin", status, json!({"id": id}));
    let base = run([twin("1", "passed"), twin("2", "passed")]);
    let new = run([
        twin("1", "passed"),
        twin("2", "failed"),
        twin("3", "passed"),
    ]);
    let diff = Diff::of(&base, &new);
    assert_eq!(
        kinds(&diff),
        [
            (ChangeKind::NewlyFailing, "twin".into()),
            (ChangeKind::Added, "twin".into())
        ]
    );
    assert_eq!(diff.counts.unchanged, 1);
}

#[test]
fn trials_are_compared_by_their_rates() {
    let base = run([
        trials("steady", 5, 5),
        trials("worse", 10, 12),
        trials("unlucky", 4, 5),
        trials("once", 5, 5),
        trials("never again", 2, 2),
    ]
    .concat());
    let new = run([
        trials("steady", 5, 5),
        trials("worse", 2, 12),
        trials("unlucky", 3, 5),
        trials("once", 4, 5),
        trials("never again", 0, 2),
    ]
    .concat());
    let diff = Diff::of(&base, &new);
    let told: Vec<_> = diff
        .tests
        .iter()
        .map(|change| {
            format!(
                "{:?} {} {}: {}",
                change.kind,
                change.regression,
                change.title,
                change.rates().unwrap()
            )
        })
        .collect();
    assert_snapshot!(told.join("\n"), @"
    StillFailing true worse: 10 of 12 → 2 of 12 trials passed (p = 0.003, significant)
    StillFailing false unlucky: 4 of 5 → 3 of 5 trials passed (p = 1.00, could be chance)
    NewlyFailing false once: 5 of 5 → 4 of 5 trials passed (p = 1.00, could be chance)
    NewlyFailing true never again: 2 of 2 → 0 of 2 trials passed (p = 0.33, could be chance)
    ");
}

fn judged_example(path: &str, turns: usize, verdicts: &[bool], tokens: u64) -> Value {
    let turns: Vec<_> = (1..)
        .take(turns)
        .map(|number| turn(number, "hi", "hello", json!({})))
        .collect();
    let judged: Vec<_> = verdicts
        .iter()
        .map(|passed| evaluation("polite", *passed, json!({"mode": "soft"})))
        .collect();
    let tracing = json!({"tokens": {"input": tokens, "output": tokens / 10}, "cost": 0.001});
    test(
        path,
        "passed",
        json!({"conversation": conversation(&turns), "evaluations": judged, "metadata": {"tracing": tracing}}),
    )
}

#[test]
fn criteria_and_usage() {
    let inconclusive = json!({"mode": "soft", "metadata": {"verdict": "inconclusive"}});
    let mut base = judged_example("a", 3, &[true; 12], 1_200);
    base["evaluations"]
        .as_array_mut()
        .unwrap()
        .push(evaluation("polite", false, inconclusive));
    let new = judged_example("a", 4, &[[true; 4], [false; 4], [false; 4]].concat(), 2_400);
    let (base, new) = (run([base]), run([new, judged_example("b", 2, &[], 600)]));
    let diff = Diff::of(&base, &new);
    assert!(diff.has_worse_criterion());
    assert_snapshot!(shown(&diff), @"
    from d00fa811 · 2026-11-15 08:40:51 UTC · 1 test, 0 failed
    to   d00fa811 · 2026-11-15 08:40:51 UTC · 2 tests, 0 failed

    ── Turns, tokens, cost ─────────────────────────────────────────────────────────

      conversations   1 → 2 (+100%)
      turns           3 → 6 (+100%)  3 → 3 each
      input tokens    1,200 → 3,000 (+150%)  1,200 → 1,500 each
      output tokens   120 → 300 (+150%)  120 → 150 each
      cost            0.0010 → 0.0020 (+100%)  0.0010 → 0.0010 each

    ── Criteria ────────────────────────────────────────────────────────────────────

      polite  12 of 13 (92%) → 4 of 12 (33%)  p = 0.004, significant

    ── Added ───────────────────────────────────────────────────────────────────────

    + b · suites/a.yml:7

    1 added, 1 unchanged
    ");
    assert!(!Diff::of(&new, &base).has_worse_criterion());
}

#[test]
fn recorded_text_is_escaped() {
    let name = "a|b\n# <b>@someone</b> \u{1b}[31m `x` [l](http://e)";
    let (base, new) = (
        run([test(name, "passed", json!({}))]),
        run([failing(name, name)]),
    );
    let diff = Diff::of(&base, &new);
    let markdown = markdown_text(&diff);
    for harmful in ["<b>", "@someone", "\u{1b}", "[l]", "a|b"] {
        assert!(!markdown.contains(harmful), "{harmful:?} in {markdown}");
        assert!(harmful.starts_with(['<', '@', '[', 'a']) || !shown(&diff).contains(harmful));
    }
}

#[test]
fn a_comment_stays_below_the_limit_of_github() {
    let name = |number: usize| format!("{number} {}", "[_]".repeat(100));
    let many = |status: &str| -> RunData {
        run((0..200).map(|number| test(&name(number), status, json!({}))))
    };
    let (base, new) = (many("passed"), many("failed"));
    let markdown = markdown_text(&Diff::of(&base, &new));
    assert!(markdown.len() < 65_000, "{} bytes", markdown.len());
    assert!(markdown.contains("more.\n"));
    let short = run((0..120).map(|number| test(&number.to_string(), "passed", json!({}))));
    let markdown = markdown_text(&Diff::of(&run([]), &short));
    assert!(markdown.contains("… and 70 more."), "{markdown}");
}

/// Results of other tools may lack the location of a test.
#[test]
fn an_unknown_location_is_not_shown() {
    let nowhere = json!({"location": ""});
    let base = run(vec![test("gone", "passed", nowhere.clone())]);
    let new = run(vec![test("new", "passed", nowhere)]);
    let shown = shown(&Diff::of(&base, &new));
    assert!(
        shown.contains("- gone\n") && shown.contains("+ new\n"),
        "{shown}"
    );
}

#[test]
fn tests_that_a_run_did_not_select_are_not_removed() {
    let both = [
        test("adds", "passed", json!({})),
        test("divides", "passed", json!({})),
    ];
    let base = run(both);
    let mut new = run([test("adds", "passed", json!({}))]);
    let selection = json!({"filter": "add", "tests": ["example:adds"]});
    new.metadata.set("configuration", selection);
    assert_snapshot!(shown(&Diff::of(&base, &new)), @r#"
    from d00fa811 · 2026-11-15 08:40:51 UTC · 2 tests, 0 failed
    to   d00fa811 · 2026-11-15 08:40:51 UTC · 1 test, 0 failed · selected by
         --filter, --failed

    ── Configuration ───────────────────────────────────────────────────────────────

      configuration.filter: – → add

    ── Not in the later run ────────────────────────────────────────────────────────

    - divides · suites/a.yml:7

    1 not in the later run, 1 unchanged
    "#);
    let back = shown(&Diff::of(&new, &base));
    assert!(back.contains("── Not in the earlier run ──"), "{back}");
}

#[test]
fn interrupted_tests_have_not_failed() {
    let base = run([test("adds", "passed", json!({}))]);
    let stop = exception("Casebook::Interrupted", "stopped");
    let mut new = run([test("adds", "failed", json!({"exception": stop}))]);
    new.metadata.set("example_count", 3);
    let diff = Diff::of(&base, &new);
    assert_eq!(diff.new.failed_count, 1, "the JSON keeps its meaning");
    assert_snapshot!(shown(&diff), @r#"
    from d00fa811 · 2026-11-15 08:40:51 UTC · 1 test, 0 failed
    to   d00fa811 · 2026-11-15 08:40:51 UTC · 3 tests, 0 failed, 1 interrupted, 2
         not run

    ── Interrupted ─────────────────────────────────────────────────────────────────

    ▸ adds · suites/a.yml:7
      stopped

    1 interrupted
    "#);
    let mut page = Vec::new();
    html::write(&diff, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("· 1 test, 0 failed<"), "{page}");
}

#[test]
fn the_page_shows_both_outputs_line_by_line() {
    let command = |output: &str| json!({"metadata": {"command": {"command": "sum", "exit_code": 0, "output": output}}});
    let base = run([
        test("adds", "passed", command("1\n2\n3\n")),
        test("same", "passed", command("same\n")),
        test("lists", "passed", command("a\n")),
    ]);
    let new = run([
        test("adds", "failed", command("1\n<2>\n3\n")),
        test("same", "passed", command("same\n")),
        test("lists", "passed", command("b\n")),
    ]);
    let diff = Diff::of(&base, &new);
    let ids: Vec<_> = diff.same_outcome.iter().map(|test| &test.title).collect();
    assert_eq!(ids, ["lists"]);
    let mut page = Vec::new();
    html::write(&diff, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert_eq!(page.matches("output before").count(), 2, "{page}");
    for part in [
        "<td>1</td><td>1</td>",
        "<td class=\"old\">2</td><td class=\"new\">&#60;2&#62;</td>",
        "<td class=\"old\">a</td><td class=\"new\">b</td>",
        "Same result, other output",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
