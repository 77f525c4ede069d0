//! Where a run goes: whoever takes its events.

use casebook_record::Event;

/// Takes the events of a run, from many threads at once.
pub trait EventSink: Sync {
    /// Takes one event.
    fn publish(&self, event: Event);

    /// Whether the whole output of failed tests is wanted.
    fn wants_full_output(&self) -> bool;

    /// Keeps all that a failed test wrote, by stream; says where it can be found, seen from the record.
    fn save_output(&self, example_id: &str, streams: &[(&str, &[u8])]) -> Option<String>;

    /// Tells people of something that is not as they may think.
    fn warn(&self, message: &str);

    /// Learns what a script has exported, because some of it may be secret.
    fn register_secrets(&self, exported: &[(String, String)]);
}
