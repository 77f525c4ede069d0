//! [`Action`]: what a page can start. Every action is a command of this program, run as its own process.

mod commands;
mod test_location;

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::project::Project;
pub(crate) use commands::Commands;
pub(crate) use test_location::{TestLocation, in_project};

/// Starts commands for the server.
pub trait Launcher: Send + Sync {
    /// A process that runs this program with these arguments in the project's directory.
    fn command(&self, arguments: &[String]) -> Command;

    /// A process that opens the file at this line in the user's editor; an error says what to set.
    fn editor(&self, file: &Path, line: u64) -> Result<Command, String>;
}

/// What a page can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Action {
    /// Run all suites.
    Run {},
    /// Run the tests that failed in this run.
    RerunFailed {
        /// The directory of the run.
        run: String,
    },
    /// Run one test of this run again.
    RerunTest {
        /// The directory of the run.
        run: String,
        /// The id of the test.
        test: String,
    },
    /// Write the actual output of this test into its suite.
    Accept {
        /// The directory of the run, which must be the newest.
        run: String,
        /// The id of the test.
        test: String,
    },
}

/// The arguments of this program for an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine(pub(crate) Vec<String>);

impl CommandLine {
    fn new(arguments: &[&str]) -> CommandLine {
        CommandLine(arguments.iter().map(ToString::to_string).collect())
    }
}

/// As the user can type it.
impl std::fmt::Display for CommandLine {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "casebook")?;
        self.0
            .iter()
            .try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Action {
    /// The command line of this action; an error says why it is not possible.
    pub(crate) fn command_line(&self, project: &Project) -> Result<CommandLine, String> {
        match self {
            Action::Run {} => Ok(CommandLine::new(&["run"])),
            Action::RerunFailed { run } => {
                if test_location::is_of_rspec(project, run)? {
                    return Err(
                        "failed examples of specs cannot be run together; run each again".into(),
                    );
                }
                Ok(CommandLine::new(&["run", "--failed", run]))
            }
            Action::RerunTest { run, test } => {
                let location = TestLocation::find(project, run, test)?;
                let command = if location.is_spec() { "rspec" } else { "run" };
                Ok(CommandLine::new(&[command, &location.argument()]))
            }
            Action::Accept { run, test } => {
                let location = TestLocation::find(project, run, test)?;
                if location.is_spec() {
                    return Err("specs have no output that can be accepted".into());
                }
                if location.has_changed(project) {
                    return Err("the suite has changed since this run; run the test again".into());
                }
                if !is_newest(project, run) {
                    return Err("only the output of the newest run can be accepted; run the test again first".into());
                }
                Ok(CommandLine::new(&["accept", &location.argument()]))
            }
        }
    }
}

/// What a command prints as JSON, or its message.
pub(crate) fn output_of(launcher: &dyn Launcher, arguments: &[&str]) -> Result<Value, String> {
    let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
    let output = launcher.command(&arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start casebook: {error}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// Opens a test in the editor; returns the command line.
pub(crate) fn edit(
    project: &Project,
    launcher: &dyn Launcher,
    run: &str,
    test: &str,
) -> Result<String, String> {
    let location = TestLocation::find(project, run, test)?;
    let mut command = launcher.editor(&location.path(project), location.line())?;
    let line = location.argument();
    let child = command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| format!("cannot start the editor: {error}"))?;
    // Waited for, so that no zombie remains.
    std::thread::spawn(move || child.wait());
    Ok(line)
}

/// `casebook accept` reads the run that `latest` names.
fn is_newest(project: &Project, run: &str) -> bool {
    let newest = project.store.find(None, &project.dir);
    newest.is_ok_and(|file| {
        let dir = file.parent().and_then(Path::file_name);
        dir.is_some_and(|dir| dir == run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let line = CommandLine::new(&["run", "a b.yaml:3", "it's", "$(id)", ""]);
        assert_eq!(
            line.to_string(),
            r"casebook run 'a b.yaml:3' 'it'\''s' '$(id)' ''"
        );
    }
}
