//! YAML suites: finding, reading and checking them.
//!
//! [`discover`] finds the suite files selected by arguments. [`check`] reads one file and reports all its problems. A
//! valid file becomes a [`Suite`] with variables substituted, fragments applied and one test per combination of the
//! matrix. [`fields`] lists all fields of the format, for the checker and for the JSON [`schema`]. [`codes`] contains
//! the explanation of every problem. [`bats`] compiles a suite to Bats code.

pub mod accept;
pub mod assertion;
mod bash;
pub mod bats;
mod check;
pub mod codes;
mod discover;
pub mod ere;
mod expand;
pub mod fields;
mod file_reader;
mod fragment;
mod include;
mod matrix;
pub mod model;
pub mod normalizer;
mod reader;
pub mod run_time;
mod scenario;
mod schema;
pub mod signal;
pub mod snapshot;
mod typed_value;

pub use bash::{ShellSyntax, shell_syntax};
pub use check::{BashError, CheckContext, Checked, ScriptToCheck, check, deny_files};
pub use discover::{
    Discovered, DiscoveredSuite, LineRange, Reason, Unmatched, discover, is_suite, project_files,
    stem,
};
pub use expand::is_name;
pub use file_reader::{FileReader, ReadFile};
pub use include::can_be_included;
pub use model::Suite;
pub use reader::{DURATION, as_duration};
pub use schema::schema;
