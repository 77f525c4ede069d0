//! Runs in an `SQLite` database, and the queries of `docs/sqlite.md`.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use casebook_record::{ExampleData, ExampleSource, Run, RunData, Time};
use casebook_report::sqlite::{Database, SCHEMA};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::json;
use tempfile::TempDir;

use crate::junit::mixed;
use crate::sample::{
    conversation as conversation_of, evaluation, example, exception, run, tool_call, turn,
};
use crate::stream::hostile;

const PAGE: &str = include_str!("../../../../docs/sqlite.md");

/// A database of these runs. The directory contains it.
fn database<'r>(runs: impl IntoIterator<Item = &'r RunData>) -> (TempDir, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runs.db");
    let database = Database::create(&path).unwrap();
    for run in runs {
        database.add(run).unwrap();
    }
    database.finish().unwrap();
    let connection = open(&path);
    (dir, connection)
}

fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    assert_eq!(query(&connection, "PRAGMA integrity_check"), ["ok"]);
    assert_eq!(query(&connection, "PRAGMA foreign_key_check"), [""; 0]);
    connection
}

/// The rows of a query, their cells separated by `|`.
fn query(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(sql)
        .unwrap_or_else(|error| panic!("{sql}\n{error}"));
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cells: rusqlite::Result<Vec<Cell>> = (0..columns).map(|index| row.get(index)).collect();
        Ok(cells?.iter().map(shown).collect::<Vec<_>>().join("|"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Blob(_) => unreachable!("no column has bytes"),
    }
}

#[test]
fn tests_and_checks_of_a_run() {
    let (_dir, connection) = database([&mixed().run()]);
    let tests =
        "SELECT name, line, status, flaky, attempts, exit_code, message FROM tests ORDER BY id";
    assert_eq!(
        query(&connection, tests),
        [
            "says \"hello\" & <bye>|4|passed|0|1|0|",
            "in German|7|passed|1|2||",
            "in French|10|skipped|0|0||not translated yet",
            "lists|13|failed|0|1|0|the output does not contain \"x\"",
            "again|16|failed|0|2||second",
        ]
    );
    let checks = "SELECT tests.name, number, type, passed, expected FROM checks JOIN tests ON tests.id = test_id";
    assert_eq!(query(&connection, checks), ["lists|1|outputContains|0|x"]);
    assert_eq!(query(&connection, "PRAGMA user_version"), ["1"]);
}

/// A run with a conversation of one turn, a tool call and a score.
fn conversation() -> RunData {
    let call = tool_call(
        "greet",
        json!({"arguments": {"n": 1}, "result": null, "error": "busy"}),
    );
    let mut turn = turn(
        1,
        "Hi",
        "Hello",
        json!({"topic": "greeting", "tool_calls": [call]}),
    );
    let tokens = json!({"input": 3, "output": 4});
    turn["agent_response"]["metadata"] =
        json!({"tracing": {"latency_ms": 120, "model": "m-1", "tokens": tokens, "cost": 0.5}});
    let score = json!({"score": {"value": 4.5, "scale": [1, 5]}, "expected": ["a"]});
    let check = evaluation(
        "satisfies polite",
        false,
        json!({"turn_number": 1, "metadata": score}),
    );
    let metadata = json!({"trial": {"test": "example:1"}});
    let conversation = conversation_of(&[turn]);
    let fields =
        json!({"conversation": conversation, "evaluations": [check], "metadata": metadata});
    let mut run = run([example("a", "passed", fields)]);
    run.run_id = "talk".into();
    // Older than the run of `mixed`, which is the newest in the queries.
    run.started_at = Time::from_millis(0);
    run
}

#[test]
fn turns_tool_calls_and_scores_of_a_conversation() {
    let (_dir, connection) = database([&conversation()]);
    let turns = "SELECT number, user, agent, topic, latency_ms, model, input_tokens, output_tokens, cost FROM turns";
    assert_eq!(
        query(&connection, turns),
        ["1|Hi|Hello|greeting|120|m-1|3|4|0.5"]
    );
    let calls = "SELECT turn, number, name, arguments, result, error FROM tool_calls";
    assert_eq!(query(&connection, calls), ["1|1|greet|{\"n\":1}|null|busy"]);
    let scores =
        "SELECT turn, score, expected, trial_of FROM checks JOIN tests ON tests.id = test_id";
    assert_eq!(query(&connection, scores), ["1|4.5|[\"a\"]|example:1"]);
}

#[test]
fn a_run_is_added_once() {
    let run = mixed().run();
    let (_dir, connection) = database([&run, &conversation(), &run]);
    assert_eq!(query(&connection, "SELECT count(*) FROM runs"), ["2"]);
    assert_eq!(query(&connection, "SELECT count(*) FROM tests"), ["6"]);
}

/// Examples of which the second cannot be read.
struct Damaged(RunData);

impl ExampleSource for Damaged {
    fn count(&self) -> usize {
        2
    }

    fn read(&self, index: usize) -> io::Result<Cow<'_, ExampleData>> {
        match index {
            0 => self.0.examples.read(0),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The run with examples of which the second cannot be read.
fn damaged(run: RunData) -> RunData<Damaged> {
    RunData {
        schema_version: run.schema_version,
        run_id: run.run_id,
        started_at: run.started_at,
        finished_at: run.finished_at,
        seed: run.seed,
        git_commit: run.git_commit,
        metadata: run.metadata,
        scenarios: run.scenarios,
        extra: run.extra,
        examples: Damaged(mixed().run()),
    }
}

#[test]
fn nothing_of_a_run_that_cannot_be_read_is_added() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runs.db");
    let database = Database::create(&path).unwrap();
    let damaged: &Run = &damaged(conversation());
    assert!(database.add(damaged).is_err());
    database.add(&mixed().run()).unwrap();
    database.finish().unwrap();
    let connection = open(&path);
    assert_eq!(query(&connection, "SELECT count(*) FROM runs"), ["1"]);
    assert_eq!(query(&connection, "SELECT count(*) FROM tests"), ["5"]);
}

#[test]
fn the_page_has_the_schema_and_its_queries_run() {
    let blocks: Vec<_> = PAGE
        .split("```sql\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .collect();
    let (schema, queries) = blocks.split_last().unwrap();
    assert_eq!(
        *schema, SCHEMA,
        "docs/sqlite.md does not show crates/report/src/sqlite/schema.sql"
    );
    assert!(queries.len() >= 6);
    let (_dir, connection) = database([&mixed().run(), &conversation()]);
    for sql in queries {
        assert!(!query(&connection, sql).is_empty(), "no row for:\n{sql}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_back(name in hostile(), message in hostile()) {
        prop_assume!(!name.is_empty());
        let fields = json!({"description": name, "exception": exception("Error", &message)});
        let (_dir, connection) = database([&run([example("a", "failed", fields)])]);
        let read: (String, String) = connection
            .query_row("SELECT name, message FROM tests", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        prop_assert_eq!(read, (name, message));
    }
}
