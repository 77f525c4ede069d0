//! [`EventSink`]: receives the events of a run.

use casebook_record::Event;

/// A variable name that matches a secret pattern.
const SECRET_VARIABLE: &str = "SECRET";

/// A value as a secret variable, for redaction.
pub(crate) fn secret(value: &str) -> (String, String) {
    (SECRET_VARIABLE.to_owned(), value.to_owned())
}

/// Accepts the events of a run, from many threads at once.
pub trait EventSink: Sync {
    /// Accepts one event.
    fn publish(&self, event: Event);

    /// Whether [`EventSink::save_output`] should be called for failed tests.
    fn wants_full_output(&self) -> bool;

    /// Saves the complete output of a failed test, by stream. Returns the path relative to the record.
    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String>;

    /// What a running command has written so far, by stream. Only for those who look at the run meanwhile.
    fn output_so_far(&self, example_id: &str, streams: &[(&str, &[u8])]) {
        let _ = (example_id, streams);
    }

    /// Shows a warning to the user.
    fn warn(&self, message: &str);

    /// Registers exported variables for redaction, because some may be secret.
    fn register_secrets(&self, exported: &[(String, String)]);
}
