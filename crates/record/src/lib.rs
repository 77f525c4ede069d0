//! lib
pub mod event;
mod lines;
mod metadata;
pub mod model;
mod stable_id;
mod summary;
mod time;
mod wire;

pub use event::{Event, EventKind};
pub use lines::{Buffered, Line, Lines, MAX_LINE_BYTES, Problem, UnreadableLine};
pub use metadata::{Metadata, Scope, ScopeError};
pub use model::{ExampleData, RunData, Status};
pub use stable_id::{StableIds, canonical_path, scenario_id, stable_id};
pub use summary::Summary;
pub use time::{InvalidTime, Time};
pub use wire::{DecodeError, decode, encode, encode_line};

/// The format written here, as `run.json` carries it.
pub const SCHEMA_VERSION: &str = "casebook/1";
