//! Budgets: when one is spent, the remaining tests are not run and are listed.

use crate::run::Suite;

/// An agent whose replies cost 0.1 and 10 tokens. `free` reports nothing.
const AGENT: &str = r#"
while IFS= read -r line; do
  id=${line#*'"id":'} id=${id%%[,\}]*}
  metadata='{"cost":0.1,"tokens":{"input":6,"output":4}}'
  [[ $line == *'"content":"free"'* ]] && metadata='{}'
  printf '{"id":%s,"type":"response","text":"fine","metadata":%s}\n' "$id" "$metadata"
done
"#;

/// A suite with these fields and four tests.
fn suite(fields: &str) -> Suite {
    let tests: Vec<_> = (1..=4)
        .map(|number| format!("  - {{name: test {number}, conversation: [{{user: hello}}]}}\n"))
        .collect();
    let suite = Suite::new(&format!(
        "agent: {{command: bash agent.sh}}\n{fields}\ntests:\n{}",
        tests.concat()
    ));
    suite.project.write("agent.sh", AGENT);
    suite
}

#[test]
fn when_a_budget_is_spent_the_remaining_tests_are_listed_and_can_be_resumed() {
    for (fields, arguments, limit) in [
        (
            "budget: {cost: 0.2}",
            "-j1",
            "`budget` of a.casebook.yaml (cost 0.2 of 0.2)",
        ),
        (
            "budget: {cost: 0.2}",
            "--workers 1",
            "`budget` of a.casebook.yaml (cost 0.2 of 0.2)",
        ),
        (
            "budget: {tokens: 11}",
            "-j1",
            "`budget` of a.casebook.yaml (tokens 20 of 11)",
        ),
        (
            "budget: {calls: 2, cost: 5}",
            "-j1",
            "`budget` of a.casebook.yaml (calls 2 of 2)",
        ),
        ("", "-j1 --budget cost=9,calls=2", "--budget (calls 2 of 2)"),
        (
            "budget: {calls: 3}",
            "--workers 1 --budget calls=2",
            "--budget (calls 2 of 2)",
        ),
    ] {
        let suite = suite(fields);
        let ran = suite.run(arguments).exits(2);
        let shown = &ran.outcome.stderr;
        assert!(
            shown.contains(&format!("budget spent: {limit}: 2 tests not run")),
            "{shown}"
        );
        for rest in ["test 3", "test 4"] {
            assert!(shown.contains(rest), "{shown}");
        }
        assert_eq!(ran.verdicts().len(), 2, "{fields} {arguments}");
        let resume = format!("run --resume {} --budget calls=99", ran.dir);
        let resumed = suite.project.casebook(&resume).run();
        assert!(!resumed.stderr.contains("budget spent"), "{resumed:?}");
        resumed.exits(0);
    }
}

#[test]
fn a_budget_of_a_suite_stops_only_that_suite() {
    let suite = suite("budget: {calls: 1}");
    let other =
        "agent: {command: bash agent.sh}\ntests: [{name: other, conversation: [{user: hello}]}]\n";
    suite.project.write("z.casebook.yaml", other);
    let ran = suite.run("-j1 a.casebook.yaml z.casebook.yaml").exits(2);
    assert_eq!(ran.test("other")["status"], "passed");
    assert_eq!(ran.verdicts().len(), 2);
}

#[test]
fn a_budget_that_is_spent_by_the_last_test_changes_nothing() {
    suite("budget: {calls: 4}").run("-j1").exits(0);
    suite("budget: {calls: 8}").run("-j1 --repeat 2").exits(0);
}

#[test]
fn repetitions_that_a_budget_stops_are_not_taken_for_a_complete_run() {
    for arguments in ["-j1 --repeat 2", "-j1 --stress 1h"] {
        let ran = suite("budget: {calls: 6}").run(arguments).exits(2);
        let message =
            "`budget` of a.casebook.yaml (calls 6 of 6): no more repetitions were started";
        assert!(
            ran.outcome.stderr.contains(message),
            "{}",
            ran.outcome.stderr
        );
    }
}

#[test]
fn calls_without_figures_are_reported_and_a_cluster_is_refused() {
    let suite = Suite::new(
        "
agent: {command: bash agent.sh}
budget: {cost: 1}
tests: [{name: a, conversation: [{user: free}]}, {name: b, conversation: [{user: free}]}]
",
    );
    suite.project.write("agent.sh", AGENT);
    let ran = suite.run("-j1").exits(0);
    let warning = "some calls report no cost, so they do not count toward the `cost` of the budget; set `price`";
    assert_eq!(
        ran.outcome.stderr.matches(warning).count(),
        1,
        "{}",
        ran.outcome.stderr
    );
    let refused = suite.call("--cluster nats://127.0.0.1:9").run().exits(2);
    assert!(
        refused
            .stderr
            .contains("a budget cannot be used on a cluster"),
        "{}",
        refused.stderr
    );
}
