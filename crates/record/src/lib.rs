//! The record of a test run: events, run data, and the files that contain them.
//!
//! Runners write these types and reports read them; this crate depends on neither:
//!
//! - [`event`]: the sixteen kinds of events and their wire format ([`encode`], [`decode`]);
//! - [`Bus`] and [`Listener`]: deliver events to the journal, the builder and the reports;
//! - [`RunBuilder`]: events in, [`RunData`] out;
//! - [`Journal`] and [`write_run`]: write the two files of a record, `events.jsonl` and `run.json`; [`Store`] manages
//!   their directories and [`Recorder`] writes both;
//! - [`Redactor`]: removes secrets from all of them;
//! - [`Clock`]: the time of events, which never goes back;
//! - [`Metadata`]: open data that every level can carry;
//! - [`import`]: converts other tools' results to events.
//!
//! Another program records its own run like this:
//!
//! ```
//! use casebook_record::event::{ExamplePassed, ExampleStarted, SuiteStarted, SuiteStopped};
//! use casebook_record::{
//!     Bus, Clock, Destination, Metadata, Recorder, Redactor, RunIdentity, canonical_path, stable_id,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! let dir = temporary.path().join("record");
//! let destination = Destination::Dir(dir.clone());
//! destination.check()?;
//! let identity = RunIdentity { run_id: "my-run".into(), ..RunIdentity::default() };
//! let recorder = Recorder::new(Bus::new(), destination, identity, Redactor::default());
//!
//! let clock = Clock::system();
//! let path = canonical_path(["Sum", "adds"], None);
//! recorder.publish(SuiteStarted::at(clock.now(), 1));
//! recorder.publish(ExampleStarted {
//!     time: clock.now(),
//!     example_id: stable_id(&path),
//!     stable_id: Some(stable_id(&path)),
//!     canonical_path: Some(path.clone()),
//!     description: "adds".into(),
//!     full_description: "Sum adds".into(),
//!     location: "tests/sum.rs:3".into(),
//!     scenario: None,
//!     position: Some(0),
//!     metadata: Metadata::new(),
//! });
//! recorder.publish(ExamplePassed {
//!     time: clock.now(),
//!     example_id: stable_id(&path),
//!     stable_id: None,
//!     description: "adds".into(),
//!     full_description: "Sum adds".into(),
//!     duration: 0.002,
//!     metadata: Metadata::new(),
//! });
//! recorder.publish(SuiteStopped { time: clock.now() });
//!
//! let recorded = recorder.finish();
//! assert!(recorded.errors.is_empty());
//! assert!(dir.join("run.json").is_file() && dir.join("events.jsonl").is_file());
//! assert_eq!(recorded.failed_count, 0);
//! # Ok(())
//! # }
//! ```

mod builder;
mod bus;
mod clock;
mod comparison;
mod compress;
pub mod event;
mod examples;
mod extra;
mod follow;
mod history;
pub mod import;
mod input_problems;
mod io_reason;
mod journal;
mod journaled_run;
mod json;
mod layout;
mod lines;
mod metadata;
pub mod model;
mod object;
mod outcome;
mod outline;
mod pick;
mod prune;
mod recorder;
mod redact;
mod repetitions;
mod run_dir;
mod run_events;
mod run_file;
mod screen;
mod stable_id;
mod store;
mod stored;
mod summary;
mod time;
mod title;
mod trials;
mod wire;

pub use builder::RunBuilder;
pub use bus::{
    Bus, EventFilter, InlineListener, Listener, ListenerError, ListenerFailure, Subscription,
    is_delivering,
};
pub use clock::Clock;
pub use comparison::{Comparison, Stream};
pub use compress::open;
pub use event::{Event, EventKind};
pub use examples::{ExampleSource, Run};
pub use extra::UnknownFields;
pub use follow::JournalFollower;
pub use history::{History, RunEntry, TestName, TestResult};
pub use input_problems::InputProblems;
pub use io_reason::io_reason;
pub use journal::{EventLine, EventReader, InvalidLine, Journal, JournalError};
pub use journaled_run::{ExampleLookup, JournaledRun};
pub use json::Json;
pub use layout::{to_line, write_line};
pub use lines::{Buffered, Line, Lines, MAX_LINE_BYTES, Problem, UnreadableLine};
pub use metadata::{Metadata, Scope, ScopeError};
pub use model::{ExampleData, INTERRUPTED, NOT_RUN, RunData, Status};
pub use object::RawObject;
pub use outcome::{TestOutcome, TestTally, is_tolerated, is_unreachable};
pub use prune::{Limits, PrunePlan, RunSize};
pub use recorder::{Destination, RecordError, Recorder, RecordingResult, RunIdentity};
pub use redact::{
    DeclaredSecret, InvalidPattern, KnownSecrets, REDACTED, Redact, RedactedLines, Redactor,
    SecretNames, TooShort,
};
pub use repetitions::Repetitions;
pub use run_dir::RunDir;
pub use run_events::{for_each_run_event, run_events};
pub use run_file::{ReadRunError, WriteRunError, read_run, write_run};
pub use screen::{Screen, ScreenLine, ScreenRun};
pub use stable_id::{StableIds, canonical_path, hex, hex_of_sha256, scenario_id, stable_id};
pub use store::{LoadedRun, Store, StoreError, load, replay};
pub use stored::{StoredRun, open_journal, open_run};
pub use summary::Summary;
pub use time::{InvalidTime, Time};
pub use title::TestNames;
pub use trials::{
    TestTrials, TrialResult, TrialScore, TrialThreshold, TrialTotals, TrialsByTest, mean, mean_at,
};
pub use wire::{DecodeError, decode, encode, encode_line};

/// The schema version that this version writes to `run.json`.
pub const SCHEMA_VERSION: &str = "casebook/1";
