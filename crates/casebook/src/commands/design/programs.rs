//! Runs other programs for design steps: rspec and linters.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use casebook_design::steps::ProgramOutput;

/// Runs a program to its end; `None` if it is not installed.
pub(super) fn run(dir: &Path, program: &str, arguments: &[&str]) -> Option<ProgramOutput> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(ProgramOutput {
            code: output.status.code(),
            is_success: output.status.success(),
            output: format!(
                "{}{}",
                String::from_utf8_lossy(&output.stderr),
                String::from_utf8_lossy(&output.stdout)
            ),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(ProgramOutput {
            code: None,
            is_success: false,
            output: error.to_string(),
        }),
    }
}
