//! The output of services in the record.

use casebook_record::RunDir;
use serde_json::{Value, json};

use super::EventEmitter;
use crate::plan::PlannedSuite;
use crate::services::ServiceOutput;

/// The length of the part of a suite's path that names a file.
const MAX_PATH: usize = 100;

impl EventEmitter<'_> {
    /// Saves the logs of a suite's services. A failed test names the file.
    pub(crate) fn save_service_logs(&self, suite: &PlannedSuite, logs: &[ServiceOutput]) {
        if logs.is_empty() || !self.sink.wants_full_output() {
            return;
        }
        let logs = logs.iter();
        let streams: Vec<(&str, &[u8])> = logs
            .map(|log| (log.name.as_str(), log.output.as_slice()))
            .collect();
        self.sink.save_output(&log_id(suite), &streams);
    }

    /// What services wrote during a test, and the file with all that the suite's services wrote; `None` if there is nothing to
    /// record.
    pub(super) fn service_outputs(
        &self,
        suite: &PlannedSuite,
        outputs: &[ServiceOutput],
        has_failed: bool,
    ) -> Option<Value> {
        let outputs = outputs.iter().filter(|one| has_failed || one.is_of_test);
        let described: Vec<Value> = outputs.map(|one| self.service_output(suite, one)).collect();
        (!described.is_empty()).then(|| described.into())
    }

    fn service_output(&self, suite: &PlannedSuite, service: &ServiceOutput) -> Value {
        let (output, is_truncated) = self.budget.excerpt(&service.output);
        let mut described = json!({"name": service.name, "output": output});
        if is_truncated {
            described["truncated"] = true.into();
        }
        if !service.is_of_test && self.sink.wants_full_output() {
            described["log_file"] = RunDir::output_file(&log_id(suite)).into();
        }
        described
    }
}

/// The id of the file with the logs of a suite's services: the end of the suite's path. A worker does not know the suite's tests,
/// so it cannot depend on their ids.
fn log_id(suite: &PlannedSuite) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let safe = suite
        .name()
        .chars()
        .map(|c| if is_safe(c) { c } else { '-' });
    let safe: String = safe.collect();
    let end = &safe[safe.len().saturating_sub(MAX_PATH)..];
    format!("services-{}", end.trim_matches('-'))
}
