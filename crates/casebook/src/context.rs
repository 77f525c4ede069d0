//! [`Context`]: arguments, environment, clock, working directory and terminal, read once.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Read, Write};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock};
use std::thread;

use casebook_record::{Clock, InvalidPattern, Redactor, Time};
use casebook_run::{LineSocket, SystemContext};

use crate::arguments::Arguments;
use crate::caller::Caller;
use crate::color::ColorChoice;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::messages::Messages;

/// The clock of all events and views, so that they agree.
static CLOCK: LazyLock<Clock> = LazyLock::new(Clock::system);

/// The environment of a command.
pub(crate) struct Context {
    arguments: Vec<OsString>,
    /// Environment variables, invalid UTF-8 replaced.
    pub(crate) environment: BTreeMap<String, String>,
    /// The working directory.
    pub(crate) dir: PathBuf,
    /// Standard output, for data.
    pub(crate) stdout: Box<dyn Write>,
    /// Whether standard output is colored.
    pub(crate) color: bool,
    /// Whether standard output and standard error are terminals.
    terminals: [bool; 2],
    /// Whether `CI` is set.
    pub(crate) in_ci: bool,
    /// Columns of the terminal, if there is one.
    pub(crate) width: Option<usize>,
    /// Rows of the terminal, if there is one.
    pub(crate) height: Option<usize>,
    /// Where progress can be drawn.
    pub(crate) progress: Progress,
    /// Messages on standard error.
    pub(crate) messages: Messages,
    /// The client that called the command, instead of a user in a terminal.
    pub(crate) caller: Option<Arc<Caller>>,
}

/// Where progress can be drawn: on the terminal that messages go to, if it can be redrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Nowhere,
    /// Standard output is the same terminal.
    WithData,
    /// Standard output is a file or a pipe.
    Alone,
}

/// The streams of a server.
pub(crate) struct ProtocolStreams {
    pub(crate) input: File,
    pub(crate) output: File,
    _three: Option<OwnedFd>,
}

/// What Git has checked out; nothing outside a repository.
#[derive(Debug, Default)]
pub(crate) struct Checkout {
    pub(crate) commit: Option<String>,
    pub(crate) branch: Option<String>,
}

/// The checked-out commit and branch, read by a thread.
pub(crate) struct PendingCheckout(Receiver<Option<Checkout>>);

impl PendingCheckout {
    /// Waits for Git.
    pub(crate) fn get(&self) -> Checkout {
        self.0.recv().ok().flatten().unwrap_or_default()
    }
}

/// Whether Git could find a repository here; otherwise it need not be started.
fn may_be_repository(dir: &Path) -> bool {
    dir.join(".git").exists() || dir.join("HEAD").exists()
}

fn is_ci(environment: &BTreeMap<String, String>) -> bool {
    let value = environment.get("CI").map_or("", String::as_str);
    !matches!(value, "" | "false")
}

fn checkout(dir: &Path) -> Option<Checkout> {
    let git = Command::new("git")
        .args(["rev-parse", "--quiet", "HEAD", "--abbrev-ref", "HEAD"])
        .current_dir(dir)
        .output();
    let output = String::from_utf8(git.ok().filter(|git| git.status.success())?.stdout).ok()?;
    let mut lines = output.lines().map(str::to_owned);
    Some(Checkout {
        commit: lines.next(),
        // Without a branch, this is the word HEAD.
        branch: lines.next().filter(|branch| branch != "HEAD"),
    })
}

impl Context {
    pub(crate) fn from_process() -> Context {
        // Values that are not UTF-8 can still be secret.
        let environment: BTreeMap<String, String> = std::env::vars_os()
            .map(|(name, value)| {
                (
                    name.to_string_lossy().into_owned(),
                    value.to_string_lossy().into_owned(),
                )
            })
            .collect();
        let value = |name| environment.get(name).map_or("", String::as_str);
        let in_ci = is_ci(&environment);
        let arguments: Vec<_> = std::env::args_os().collect();
        let stdout = io::stdout();
        let terminals = [stdout.is_terminal(), io::stderr().is_terminal()];
        let choice = ColorChoice::in_arguments(&arguments);
        let [color, colored_messages] =
            terminals.map(|is_terminal| choice.applies(&environment, is_terminal, in_ci));
        let size = terminal_size::terminal_size_of(&stdout);
        // Output of other processes on the same terminal would disturb a drawing.
        let can_redraw = value("TERM") != "dumb" && !in_ci && terminals[1];
        let progress = match (can_redraw, terminals[0]) {
            (false, _) => Progress::Nowhere,
            (true, true) => Progress::WithData,
            (true, false) => Progress::Alone,
        };
        Context {
            arguments,
            environment,
            dir: std::env::current_dir().unwrap_or_else(|_| ".".into()),
            stdout: Box::new(BufWriter::new(stdout)),
            color,
            terminals,
            in_ci,
            width: size.map(|(width, _)| width.0.into()),
            height: size.map(|(_, height)| height.0.into()),
            progress,
            messages: Messages::new(Box::new(io::stderr()), colored_messages),
            caller: None,
        }
    }

    /// The environment of a command that a client calls: its output goes to the caller, in the directory of the caller.
    pub(crate) fn of_call(caller: Arc<Caller>, environment: BTreeMap<String, String>) -> Context {
        Context {
            arguments: Vec::new(),
            in_ci: is_ci(&environment),
            environment,
            dir: caller.root.dir().to_owned(),
            stdout: caller.stdout(),
            color: false,
            terminals: [false, false],
            width: None,
            height: None,
            progress: Progress::Nowhere,
            messages: Messages::new(caller.stderr(), false),
            caller: Some(caller),
        }
    }

    /// Standard output, for other threads.
    pub(crate) fn shared_stdout(&self) -> Box<dyn Write + Send> {
        let caller = self.caller.as_ref();
        caller.map_or_else(Context::stdout, |caller| caller.stdout())
    }

    /// Standard error, for other threads.
    pub(crate) fn shared_stderr(&self) -> Box<dyn Write + Send> {
        let caller = self.caller.as_ref();
        caller.map_or_else(Context::stderr, |caller| caller.stderr())
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Applies the global options.
    pub(crate) fn apply(&mut self, arguments: &Arguments) {
        self.set_color(match arguments.color {
            _ if arguments.no_color => ColorChoice::Never,
            color => color.unwrap_or_default(),
        });
    }

    pub(crate) fn set_color(&mut self, choice: ColorChoice) {
        let applies =
            |is_terminal: bool| choice.applies(&self.environment, is_terminal, self.in_ci);
        let [stdout, stderr] = self.terminals.map(applies);
        self.color = stdout;
        self.messages.set_color(stderr);
    }

    /// The number of CPUs, the default for parallel tests.
    pub(crate) fn cpus() -> usize {
        std::thread::available_parallelism().map_or(1, Into::into)
    }

    /// The environment in which tests run.
    pub(crate) fn system(&self) -> SystemContext {
        SystemContext {
            environment: std::env::vars_os().collect(),
            dir: self.dir.clone(),
            temporary: std::env::temp_dir(),
            clock: CLOCK.clone(),
            instant: Context::INSTANT,
        }
    }

    /// The clock for durations.
    pub(crate) const INSTANT: fn() -> std::time::Instant = std::time::Instant::now;

    /// Whether the terminal sends Ctrl-C to our process group.
    pub(crate) fn is_in_foreground() -> bool {
        let terminal = File::open("/dev/tty").ok();
        let group = terminal.and_then(|terminal| rustix::termios::tcgetpgrp(terminal).ok());
        // Compared only if there is a terminal: in a process namespace our group may have the id 0, which is `None`.
        group.is_some_and(|group| group == rustix::process::getpgrp())
    }

    pub(crate) fn now() -> Time {
        CLOCK.now()
    }

    /// Opens descriptor 3 as our standard error, until the result is dropped.
    pub(crate) fn open_fd3() -> Option<OwnedFd> {
        casebook_run::open_fd3(io::stderr())
    }

    /// Whether standard output is a terminal.
    pub(crate) fn on_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Whether a full-screen view is possible.
    pub(crate) fn has_interactive_terminal(&self) -> bool {
        let is_dumb = self
            .environment
            .get("TERM")
            .is_none_or(|term| term == "dumb");
        !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Standard output, for other threads.
    pub(crate) fn stdout() -> Box<dyn Write + Send> {
        Box::new(BufWriter::new(io::stdout()))
    }

    pub(crate) fn stderr() -> Box<dyn Write + Send> {
        Box::new(io::stderr())
    }

    /// Whether this process was started only to start a program in a terminal, and that failed. If it succeeds, this does not return.
    pub(crate) fn starts_terminal_program() -> bool {
        casebook_run::start_in_terminal(std::env::args_os()).is_some()
    }

    /// Takes standard input and output away from the processes that are started later, and returns them: they carry a protocol.
    /// Descriptor 3 is opened first, because its number must be free.
    pub(crate) fn take_protocol_streams() -> io::Result<ProtocolStreams> {
        let three = Context::open_fd3();
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(ProtocolStreams {
            input: input.into(),
            output: output.into(),
            _three: three,
        })
    }

    /// Our standard error as the standard output of a command.
    pub(crate) fn stderr_of_child() -> io::Result<Stdio> {
        Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
    }

    /// The connection of a worker to its controller.
    pub(crate) fn stdin_channel() -> io::Result<LineSocket> {
        casebook_run::socket_from_stdin(io::stdin())
    }

    /// The path of this program.
    pub(crate) fn program() -> PathBuf {
        std::env::current_exe().unwrap_or_else(|_| "casebook".into())
    }

    pub(crate) fn stdin() -> Box<dyn Read + Send> {
        Box::new(io::stdin())
    }

    /// Redacts the secrets of the environment: by the default name patterns and these.
    pub(crate) fn redactor(&self, patterns: &[String]) -> Result<Redactor, InvalidPattern> {
        let patterns = patterns.iter().map(String::as_str);
        let environment = self
            .environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        Redactor::new(patterns, environment)
    }

    /// Starts reading the checked-out commit and branch.
    pub(crate) fn git_checkout(&self) -> PendingCheckout {
        let (sender, receiver) = channel();
        let dir = self.dir.clone();
        let has_git_dir = self.environment.contains_key("GIT_DIR");
        if !has_git_dir && !dir.ancestors().any(may_be_repository) {
            return PendingCheckout(receiver);
        }
        // If the thread cannot be started, both are unknown, as without a repository.
        let _ = thread::Builder::new()
            .name("git".to_owned())
            .spawn(move || sender.send(checkout(&dir)));
        PendingCheckout(receiver)
    }

    /// Help and version go to standard output, a usage error to standard error.
    pub(crate) fn show_usage(&mut self, answer: &clap::Error) -> Result<Exit, CommandError> {
        let text = answer.render();
        let shown = |is_colored: bool| {
            if is_colored {
                text.ansi().to_string()
            } else {
                text.to_string()
            }
        };
        if answer.use_stderr() {
            let text = shown(self.messages.is_colored());
            // Design commands have their own exit codes and begin messages with `Error:`: rule P1.
            let is_design = self.arguments.get(1).is_some_and(|first| first == "design");
            if !is_design {
                self.messages.info(text.trim_end());
                return Ok(Exit::CouldNotTest);
            }
            self.messages
                .info(text.trim_end().replacen("error:", "Error:", 1).as_str());
            return Ok(Exit::Failed);
        }
        self.stdout.write_all(shown(self.color).as_bytes())?;
        self.stdout.flush()?;
        Ok(Exit::Passed)
    }
}
