//! Small helpers for the operating system: poll, descriptors, signals, files.

pub(crate) mod atomic_file;
pub(crate) mod fd3;
pub(crate) mod poll;
pub(crate) mod signal_name;

use std::io;

/// The message for a program that cannot be started.
pub fn spawn_error_message(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "command not found".to_owned(),
        _ => casebook_record::io_reason(error),
    }
}
