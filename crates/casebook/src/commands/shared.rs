//! Shared by several commands: reading suites and records, writing results, handling signals.

pub(crate) mod atomic_file;
pub(super) mod bash_syntax;
pub(super) mod bundler;
pub(super) mod changed_lines;
pub(super) mod cluster;
pub(super) mod database;
pub(super) mod documents;
pub(super) mod durations;
pub(super) mod input_problems;
pub(super) mod list;
pub(super) mod load_record;
mod missing_files;
pub(super) mod otlp;
pub(super) mod output;
pub(crate) mod plural;
pub(super) mod probed_command;
pub(super) mod problems;
pub(crate) mod project;
pub(super) mod recording;
pub(super) mod ruby_sources;
mod same_snapshots;
pub(super) mod signals;
pub(crate) mod suites;
pub(super) mod table;
pub(crate) mod unused_snapshots;
pub(super) mod upload;
