//! [`LateScript`]: a script whose values are captured after its shell was started.

use std::fs::File;
use std::io::{self, Write as _};

use casebook_suite::run_time::references;

use crate::captured_values::CapturedValues;
use crate::shell::ProcessContext;
use crate::shell::pipe::path_of;

/// A script for a shell that is already running. If it uses captured values, the shell reads it from a file.
pub(super) struct LateScript<'s> {
    text: Option<&'s str>,
    file: Option<File>,
    argument: Option<String>,
}

impl<'s> LateScript<'s> {
    pub(super) fn new(
        text: Option<&'s str>,
        processes: &ProcessContext<'_>,
    ) -> io::Result<LateScript<'s>> {
        let late = text.filter(|text| references(text).next().is_some());
        let file = late.map(|_| processes.stdin("")).transpose()?;
        let argument = file
            .as_ref()
            .map(|file| format!("eval \"$(<{})\"", path_of(file).display()));
        Ok(LateScript {
            text,
            file,
            argument,
        })
    }

    /// What is passed to the shell.
    pub(super) fn argument(&self) -> Option<&str> {
        self.argument.as_deref().or(self.text)
    }

    /// Writes the script with these values; those that were never captured are empty.
    pub(super) fn write(&self, captured: &CapturedValues) -> io::Result<()> {
        let (Some(text), Some(mut file)) = (self.text, self.file.as_ref()) else {
            return Ok(());
        };
        file.write_all(captured.substitute(text).as_bytes())
    }
}
