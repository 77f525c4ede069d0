//! What the page can start: commands of this program, and the user's editor.

use std::path::{Path, PathBuf};
use std::process::Command;

use casebook_studio::Launcher;

use crate::context::Context;

/// Starts this program in the project's directory.
pub(super) struct ProgramLauncher {
    program: PathBuf,
    dir: PathBuf,
    editor: Option<String>,
}

impl ProgramLauncher {
    pub(super) fn new(dir: &Path, context: &Context) -> ProgramLauncher {
        let editor = context.environment.get("CASEBOOK_EDITOR");
        ProgramLauncher {
            program: Context::program(),
            dir: dir.into(),
            editor: editor.filter(|editor| !editor.trim().is_empty()).cloned(),
        }
    }
}

impl Launcher for ProgramLauncher {
    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.dir)
            // Its tests need no access to this server.
            .env_remove("CASEBOOK_STUDIO_TOKEN");
        command
    }

    /// An editor in the terminal would need one, so this is not VISUAL or EDITOR.
    fn editor(&self, file: &Path, line: u64) -> Result<Command, String> {
        let editor = self.editor.as_deref().ok_or(
            "set CASEBOOK_EDITOR to a command that opens a window, with {file} and {line}, as in `code -g {file}:{line}`, and start the studio again",
        )?;
        let mut command = Command::new("sh");
        let script = editor.replace("{file}", "$1").replace("{line}", "$2");
        let names_file = editor.contains("{file}");
        let script = if names_file {
            script
        } else {
            format!("{script} \"$1\"")
        };
        command
            .args(["-c", &script, "sh"])
            .arg(file)
            .arg(line.to_string())
            .current_dir(&self.dir);
        Ok(command)
    }
}
