//! A run of ten thousand examples, from recording to the report.

use serde_json::Value;

use crate::events::{lines, long_run};
use crate::support::Project;

#[test]
fn ten_thousand_examples_are_recorded_rebuilt_and_shown() {
    let project = Project::new();
    project
        .casebook("record --from jsonl")
        .stdin(lines(&long_run(10_000)))
        .run()
        .exits(0);
    let run = ".casebook/runs/latest/run.json";
    let written = project.read(run);
    project.casebook("recover").run().exits(0);
    assert!(project.read(run) == written);

    let summary = project.casebook("report --json").run().exits(0).stdout;
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["passed_count"], 10_000);
    assert_eq!(summary["total_duration_ms"], 2_500_000);
    let shown = project.casebook("report").run().exits(0).stdout;
    assert!(
        shown.contains("10,000 examples: 10,000 passed")
            || shown.contains("10000 examples: 10000 passed"),
        "{shown}"
    );
}
