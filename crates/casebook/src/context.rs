//! The world, read once: arguments, environment, clock, folder, terminal.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the world"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use casebook_record::{DEFAULT_PATTERNS, InvalidPattern, Redactor, Time};
use casebook_run::{Channel, World};
use jiff::Timestamp;

use crate::arguments::Arguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::messages::Messages;

/// What commands know of the world.
pub(crate) struct Context {
    arguments: Vec<OsString>,
    /// The environment, as far as it is text.
    pub(crate) environment: BTreeMap<String, String>,
    /// The folder the program was started in.
    pub(crate) folder: PathBuf,
    /// Data for people or programs.
    pub(crate) stdout: Box<dyn Write>,
    /// Whether data may be coloured.
    pub(crate) color: bool,
    /// Whether nobody is watching: a machine runs the tests.
    pub(crate) in_ci: bool,
    /// Columns of the terminal, if there is one.
    pub(crate) width: Option<usize>,
    /// Rows of the terminal, if there is one.
    pub(crate) height: Option<usize>,
    /// Where progress can be drawn.
    pub(crate) progress: Progress,
    /// What is said to people.
    pub(crate) messages: Messages,
}

/// Where progress can be drawn: on the terminal that messages go to, if it can be redrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Nowhere,
    /// Data goes there too.
    WithData,
    /// Data goes somewhere else.
    Alone,
}

/// The commit that is checked out, once Git has told it.
pub(crate) struct Commit(Receiver<Option<String>>);

impl Commit {
    /// Waits for it; nothing if this is no Git repository.
    pub(crate) fn get(&self) -> Option<String> {
        self.0.recv().ok().flatten()
    }
}

/// Whether Git could find a repository here: most runs in other folders need not ask it.
fn may_be_repository(folder: &Path) -> bool {
    folder.join(".git").exists() || folder.join("HEAD").exists()
}

fn commit(folder: &Path) -> Option<String> {
    let git = Command::new("git")
        .args(["rev-parse", "--verify", "--quiet", "HEAD"])
        .current_dir(folder)
        .output();
    let commit = String::from_utf8(git.ok().filter(|git| git.status.success())?.stdout).ok()?;
    Some(commit.trim().to_owned())
}

impl Context {
    pub(crate) fn from_process() -> Context {
        // Names and values that are not UTF-8 are still worth matching and hiding in part.
        let environment: BTreeMap<String, String> = std::env::vars_os()
            .map(|(name, value)| {
                (
                    name.to_string_lossy().into_owned(),
                    value.to_string_lossy().into_owned(),
                )
            })
            .collect();
        let value = |name| environment.get(name).map_or("", String::as_str);
        let in_ci = !matches!(value("CI"), "" | "false");
        let colors = value("NO_COLOR").is_empty() && value("TERM") != "dumb" && !in_ci;
        let stdout = io::stdout();
        let color = colors && stdout.is_terminal();
        let size = terminal_size::terminal_size_of(&stdout);
        // Both: what is drawn on one would be torn by what a pipe brings to the same terminal.
        let can_redraw = value("TERM") != "dumb" && !in_ci && io::stderr().is_terminal();
        let progress = match (can_redraw, stdout.is_terminal()) {
            (false, _) => Progress::Nowhere,
            (true, true) => Progress::WithData,
            (true, false) => Progress::Alone,
        };
        Context {
            arguments: std::env::args_os().collect(),
            environment,
            folder: std::env::current_dir().unwrap_or_else(|_| ".".into()),
            stdout: Box::new(BufWriter::new(stdout)),
            color,
            in_ci,
            width: size.map(|(width, _)| width.0.into()),
            height: size.map(|(_, height)| height.0.into()),
            progress,
            messages: Messages::new(Box::new(io::stderr()), colors && io::stderr().is_terminal()),
        }
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Takes over what the arguments say about the terminal.
    pub(crate) fn apply(&mut self, arguments: &Arguments) {
        if arguments.no_color {
            self.without_color();
        }
    }

    pub(crate) fn without_color(&mut self) {
        self.color = false;
        self.messages.without_color();
    }

    /// How many tests can run side by side.
    pub(crate) fn cpus() -> usize {
        std::thread::available_parallelism().map_or(1, Into::into)
    }

    /// What tests are run in.
    pub(crate) fn system(&self) -> World {
        World {
            environment: std::env::vars_os().collect(),
            folder: self.folder.clone(),
            temporary: std::env::temp_dir(),
            now: Context::now,
            instant: std::time::Instant::now,
        }
    }

    /// Whether the terminal sends its Ctrl-C to us, and to all that we have started in our own group.
    pub(crate) fn is_in_foreground() -> bool {
        let terminal = File::open("/dev/tty").ok();
        let group = terminal.and_then(|terminal| rustix::termios::tcgetpgrp(terminal).ok());
        group == Some(rustix::process::getpgrp())
    }

    pub(crate) fn now() -> Time {
        Timestamp::now().into()
    }

    /// Lets tests write to our standard error on descriptor 3, as long as the result is held.
    pub(crate) fn open_fd3() -> Option<OwnedFd> {
        casebook_run::open_descriptor_three(io::stderr())
    }

    /// Whether results go to a terminal.
    pub(crate) fn on_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Whether there is a terminal that can be drawn on and that keys come from.
    pub(crate) fn has_interactive_terminal(&self) -> bool {
        let is_dumb = self
            .environment
            .get("TERM")
            .is_none_or(|term| term == "dumb");
        !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Standard output, for results that come from other threads.
    pub(crate) fn stdout() -> Box<dyn Write + Send> {
        Box::new(BufWriter::new(io::stdout()))
    }

    pub(crate) fn stderr() -> Box<dyn Write + Send> {
        Box::new(io::stderr())
    }

    /// What a worker's controller speaks on.
    pub(crate) fn stdin_channel() -> io::Result<Channel> {
        casebook_run::stdin_channel(io::stdin())
    }

    /// This program.
    pub(crate) fn program() -> PathBuf {
        std::env::current_exe().unwrap_or_else(|_| "casebook".into())
    }

    pub(crate) fn stdin() -> Box<dyn Read + Send> {
        Box::new(io::stdin())
    }

    /// Hides the values of environment variables whose names match the default patterns or these.
    pub(crate) fn redactor(&self, patterns: &[String]) -> Result<Redactor, InvalidPattern> {
        let patterns = DEFAULT_PATTERNS
            .into_iter()
            .chain(patterns.iter().map(String::as_str));
        let environment = self
            .environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        Redactor::new(patterns, environment)
    }

    /// Asks for the commit that is checked out here.
    pub(crate) fn git_commit(&self) -> Commit {
        let (told, asked) = channel();
        let folder = self.folder.clone();
        let is_told_where = self.environment.contains_key("GIT_DIR");
        if !is_told_where && !folder.ancestors().any(may_be_repository) {
            return Commit(asked);
        }
        // Without a thread nobody tells, which is as good as no repository.
        let _ = thread::Builder::new()
            .name("git".to_owned())
            .spawn(move || told.send(commit(&folder)));
        Commit(asked)
    }

    /// Help and version go to standard output, a usage error to standard error.
    pub(crate) fn show_usage(&mut self, answer: &clap::Error) -> Result<Exit, CommandError> {
        let text = answer.render();
        if answer.use_stderr() {
            let text = if self.messages.is_colored() {
                text.ansi().to_string()
            } else {
                text.to_string()
            };
            // The design commands have their own exit codes and first word of a message: rule P1.
            let is_design = self.arguments.get(1).is_some_and(|first| first == "design");
            if !is_design {
                self.messages.info(text.trim_end());
                return Ok(Exit::CouldNotTest);
            }
            self.messages
                .info(text.trim_end().replacen("error:", "Error:", 1).as_str());
            return Ok(Exit::Failed);
        }
        let text = if self.color {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()?;
        Ok(Exit::Passed)
    }
}
