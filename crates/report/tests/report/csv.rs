//! Runs as CSV.

use casebook_record::RunData;
use proptest::prelude::*;
use serde_json::json;

use crate::junit::mixed;
use crate::sample::{example, exception, run};
use crate::stream::hostile;

fn rows(run: &RunData) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    casebook_report::csv::write(run, &mut out).unwrap();
    let mut reader = csv::Reader::from_reader(&out[..]);
    let header = reader.headers().unwrap().clone();
    let records = reader.records().map(Result::unwrap);
    [header]
        .into_iter()
        .chain(records)
        .map(|record| record.iter().map(str::to_owned).collect())
        .collect()
}

fn columns(run: &RunData, names: &[&str]) -> Vec<Vec<String>> {
    let rows = rows(run);
    let column = |name: &&str| rows[0].iter().position(|column| column == name).unwrap();
    let columns: Vec<_> = names.iter().map(column).collect();
    let pick = |row: &Vec<String>| columns.iter().map(|column| row[*column].clone()).collect();
    rows[1..].iter().map(pick).collect()
}

#[test]
fn a_row_has_the_result_of_a_test() {
    let names = [
        "name",
        "status",
        "flaky",
        "attempts",
        "exit_code",
        "line",
        "message",
    ];
    assert_eq!(
        columns(&mixed().run(), &names),
        [
            [
                "says \"hello\" & <bye>",
                "passed",
                "false",
                "1",
                "0",
                "4",
                ""
            ],
            ["in German", "passed", "true", "2", "", "7", ""],
            [
                "in French",
                "skipped",
                "false",
                "0",
                "",
                "10",
                "not translated yet"
            ],
            [
                "lists",
                "failed",
                "false",
                "1",
                "0",
                "13",
                "the output does not contain \"x\""
            ],
            ["again", "failed", "false", "2", "", "16", "second"],
        ]
    );
}

#[test]
fn an_interrupted_test_is_not_a_failure() {
    let interrupted = exception("Casebook::Interrupted", "the run was stopped");
    let run = run([example("a", "failed", json!({"exception": interrupted}))]);
    assert_eq!(columns(&run, &["status"]), [["unfinished"]]);
}

proptest! {
    #[test]
    fn any_text_is_read_back(name in hostile(), message in hostile()) {
        prop_assume!(!name.is_empty());
        let fields = json!({"description": name, "exception": exception("Error", &message)});
        let run = run([example("a", "failed", fields)]);
        prop_assert_eq!(columns(&run, &["name", "message"]), [[name, message]]);
    }
}
