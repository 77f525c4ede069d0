//! Small helpers around the operating system: poll, descriptors, signals, files.

pub(crate) mod atomic_file;
pub(crate) mod fd3;
pub(crate) mod poll;
pub(crate) mod signal_name;

use std::io;

/// Why a program cannot be started, for people.
pub fn spawn_error_message(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such command".to_owned(),
        _ => error.to_string(),
    }
}
