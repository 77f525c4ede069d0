//! The rows of a run's tests, checks, turns and tool calls.

use casebook_record::model::{EvaluationData, ToolCallData, TurnData};
use casebook_record::{ExampleData, Json, Metadata};
use rusqlite::{Connection, Result, Statement, params};
use serde_json::Value;

use crate::test_row::TestRow;

/// The prepared statements, and the run that tests are added to.
pub(super) struct Rows<'c> {
    connection: &'c Connection,
    run_id: &'c str,
    test: Statement<'c>,
    check: Statement<'c>,
    turn: Statement<'c>,
    tool_call: Statement<'c>,
}

impl<'c> Rows<'c> {
    pub(super) fn new(connection: &'c Connection, run_id: &'c str) -> Result<Rows<'c>> {
        let insert = |table, columns| {
            let values = vec!["?"; columns].join(", ");
            connection.prepare(&format!("INSERT INTO {table} VALUES ({values})"))
        };
        Ok(Rows {
            connection,
            run_id,
            test: insert("tests", 17)?,
            check: insert("checks", 12)?,
            turn: insert("turns", 10)?,
            tool_call: insert("tool_calls", 7)?,
        })
    }

    pub(super) fn add(&mut self, example: &ExampleData) -> Result<()> {
        let test = self.add_test(example)?;
        for (check, number) in example.evaluations.iter().zip(1..) {
            self.add_check(test, number, check)?;
        }
        let turns = example.transcript().map(|conversation| &conversation.turns);
        for (turn, number) in turns.into_iter().flatten().zip(1..) {
            self.add_turn(test, number, turn)?;
            for (call, index) in turn.tool_calls.iter().zip(1..) {
                self.add_tool_call((test, number, index), call)?;
            }
        }
        Ok(())
    }

    /// Adds the row of the test and returns its id.
    fn add_test(&mut self, example: &ExampleData) -> Result<i64> {
        let row = TestRow::of(example);
        self.test.execute(params![
            None::<i64>,
            self.run_id,
            example.stable_id,
            row.suite,
            row.name,
            example.title(),
            row.file,
            row.line.map(saturated),
            row.status.name(),
            row.started_at.to_string(),
            row.duration_ms,
            row.is_flaky,
            saturated(row.attempts as u64),
            row.exit_code,
            row.failure_class,
            row.message,
            example.metadata.dig("trial.test").and_then(Value::as_str),
        ])?;
        Ok(self.connection.last_insert_rowid())
    }

    fn add_check(&mut self, test: i64, number: i64, check: &EvaluationData) -> Result<()> {
        let value = |key| check.metadata.get(key).map(text);
        self.check.execute(params![
            test,
            number,
            check.turn_number.map(saturated),
            check.r#type,
            check.description,
            check.passed,
            check.mode,
            value("expected"),
            value("actual"),
            check.failure_message,
            check.reasoning,
            check.metadata.dig("score.value").and_then(Value::as_f64),
        ])?;
        Ok(())
    }

    fn add_turn(&mut self, test: i64, number: i64, turn: &TurnData) -> Result<()> {
        let reply = turn.agent_response.as_ref();
        let traced = |path| reply.and_then(|reply| reply.metadata.dig(path));
        let count = |path| traced(path).and_then(Value::as_i64);
        self.turn.execute(params![
            test,
            number,
            turn.user_message.as_ref().map(|message| &message.content),
            reply.map(|message| &message.content),
            turn.topic,
            count("tracing.latency_ms"),
            reply.and_then(|reply| model(&reply.metadata)),
            count("tracing.tokens.input"),
            count("tracing.tokens.output"),
            traced("tracing.cost").and_then(Value::as_f64),
        ])?;
        Ok(())
    }

    fn add_tool_call(
        &mut self,
        (test, turn, number): (i64, i64, i64),
        call: &ToolCallData,
    ) -> Result<()> {
        self.tool_call.execute(params![
            test,
            turn,
            number,
            call.name,
            call.arguments.text(),
            call.result.as_ref().map(Json::text),
            call.error,
        ])?;
        Ok(())
    }
}

fn model(metadata: &Metadata) -> Option<&str> {
    metadata.dig("tracing.model")?.as_str()
}

/// A text as it is, any other value as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
