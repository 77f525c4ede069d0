//! [`TerminalCommand`]: a command in a pseudo-terminal, and the dialogue with it.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use casebook_suite::model::{DialogueEntry, ExpectedText, Terminal, TerminalSize};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Signal, kill_process_group};

use crate::assertions::{find_pattern, quoted, shortened};
use crate::os::signal_name;
use crate::seconds::seconds;
use crate::shell::command::{CommandEnd, start_in_terminal};
use crate::shell::environment::Environment;
use crate::shell::pipe::PipeReader;
use crate::shell::process::{KillTarget, MonitoredProcess, WaitEvent, shell_code};
use crate::shell::terminal::{
    DialogueProblem, Emulator, PseudoTerminal, TerminalResult, key_bytes, set_size,
};
use crate::shell::{CommandResult, ProcessContext, Streams, Termination};

/// How long the last output of a command that exited may take to arrive.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// A command in a pseudo-terminal.
pub(crate) struct TerminalCommand<'a> {
    pub(crate) script: &'a str,
    pub(crate) environment: &'a Environment,
    pub(crate) dir: &'a Path,
    pub(crate) terminal: &'a Terminal,
    pub(crate) timeout: Option<Duration>,
}

impl TerminalCommand<'_> {
    /// Runs the command to its end. Processes that it left in the background keep running.
    pub(crate) fn run<'w>(
        &self,
        context: &ProcessContext<'w>,
        started: Instant,
    ) -> io::Result<(CommandResult, MonitoredProcess<'w>)> {
        let until = self.timeout.map(|timeout| started + timeout);
        let mut session = self.start(context)?;
        let mut result = TerminalResult::default();
        let termination = session.run(&self.terminal.dialogue, until, &mut result)?;
        if termination.is_some() || result.problem.is_some() {
            // Before it is terminated: it may restore the screen when it exits.
            result.take_screen(session.emulator());
            session.terminate()?;
        }
        let end = CommandEnd::new(termination, started);
        let mut ran = end.result(&mut session.process, session.instant)?;
        if termination.is_none() && result.problem.is_none() {
            result.take_screen(session.emulator());
        }
        if let Streams::Joined(output) = &mut ran.streams {
            convert_line_ends(&mut output.bytes);
        }
        ran.terminal = Some(Box::new(result));
        Ok((ran, session.process))
    }

    fn start<'w>(&self, context: &ProcessContext<'w>) -> io::Result<Session<'w>> {
        let PseudoTerminal { master, path } = PseudoTerminal::open(self.terminal.size)?;
        let mut files = Vec::new();
        let script = context.script_argument(self.script, &mut files)?;
        let pid = start_in_terminal(&context.bash, &script, self.environment, &path, self.dir)?;
        let input = master.try_clone()?;
        let output = PipeReader::terminal(master, &path, Emulator::new(self.terminal.size));
        let mut process = MonitoredProcess::begin(
            pid,
            vec![output],
            context.max_output,
            context.stop,
            context.instant,
        )?;
        process.keep_open(files);
        Ok(Session {
            process,
            input,
            unsent: Vec::new(),
            instant: context.instant,
        })
    }
}

/// A running command in a terminal.
struct Session<'w> {
    process: MonitoredProcess<'w>,
    /// Our side of the terminal, to send input.
    input: OwnedFd,
    unsent: Vec<u8>,
    instant: fn() -> Instant,
}

/// What came of waiting for a text.
enum Expected {
    Appeared,
    Missing(String),
    Terminate(Termination),
}

impl Session<'_> {
    /// Runs the dialogue, then waits for the exit. Returns why the command must be terminated.
    fn run(
        &mut self,
        dialogue: &[DialogueEntry],
        until: Option<Instant>,
        result: &mut TerminalResult,
    ) -> io::Result<Option<Termination>> {
        for (index, entry) in dialogue.iter().enumerate() {
            match self.expect(entry, until)? {
                Expected::Appeared => result.matched.extend(entry.expect.as_ref().map(|_| index)),
                Expected::Missing(message) => {
                    result.problem = Some(DialogueProblem {
                        entry: index,
                        message,
                        was_running: self.process.status().is_none(),
                    });
                    return Ok(None);
                }
                Expected::Terminate(termination) => return Ok(Some(termination)),
            }
            self.act(entry);
        }
        self.wait_for_exit(until)
    }

    fn wait_for_exit(&mut self, until: Option<Instant>) -> io::Result<Option<Termination>> {
        while self.process.status().is_none() {
            if let Some(termination) = self.wait(until)?.termination() {
                return Ok(Some(termination));
            }
        }
        Ok(None)
    }

    fn expect(&mut self, entry: &DialogueEntry, until: Option<Instant>) -> io::Result<Expected> {
        let Some(expected) = &entry.expect else {
            return Ok(Expected::Appeared);
        };
        let end = (self.instant)() + entry.within;
        let limit = until.map_or(end, |until| until.min(end));
        loop {
            match find(expected, self.emulator().text()) {
                Ok(None) => {}
                Ok(Some(end)) => {
                    self.emulator().forget_text(end);
                    return Ok(Expected::Appeared);
                }
                Err(problem) => return Ok(Expected::Missing(problem)),
            }
            if let Some(ended) = self.exit_message() {
                let shown = shown(expected);
                let message = format!("the command {ended} before {shown} appeared");
                return Ok(Expected::Missing(message));
            }
            let event = self.wait(Some(limit))?;
            match event.termination() {
                None if event == WaitEvent::Ended => self.read_last_output()?,
                None => {}
                Some(Termination::Timeout) => {
                    let time = if limit == end {
                        format!("within {}", seconds(entry.within))
                    } else {
                        "before the timeout".to_owned()
                    };
                    let message = format!("{} did not appear {time}", shown(expected));
                    return Ok(Expected::Missing(message));
                }
                Some(termination) => return Ok(Expected::Terminate(termination)),
            }
        }
    }

    /// Reads what the command wrote before it exited: it may still be on its way through the terminal.
    fn read_last_output(&mut self) -> io::Result<()> {
        let until = (self.instant)() + LAST_OUTPUT;
        while !self.process.is_closed() {
            if self.wait(Some(until))?.termination().is_some() {
                break;
            }
        }
        Ok(())
    }

    fn exit_message(&self) -> Option<String> {
        let status = self.process.status()?;
        Some(match status.signal() {
            Some(signal) => format!("was killed by {}", signal_name::name(signal)),
            None => format!("exited with code {}", shell_code(status)),
        })
    }

    /// Resizes the terminal and queues input.
    fn act(&mut self, entry: &DialogueEntry) {
        if let Some(size) = entry.resize {
            self.resize(size);
        }
        let text = entry.send.as_deref().unwrap_or_default();
        self.unsent.extend_from_slice(text.as_bytes());
        let application_mode = self.emulator().is_in_application_mode();
        let keys = entry.keys.iter();
        let keys = keys.flat_map(|key| key_bytes(*key, application_mode));
        self.unsent.extend(keys);
    }

    /// Resizing fails if the command has exited; the dialogue reports that.
    fn resize(&mut self, size: TerminalSize) {
        self.send();
        self.emulator().resize(size);
        let _ = set_size(&self.input, size);
    }

    /// Terminates the command like a terminal that is closed: an interactive shell ignores SIGTERM.
    fn terminate(&mut self) -> io::Result<()> {
        let group = self.process.pid();
        if self.process.status().is_none() {
            let _ = kill_process_group(group, Signal::HUP);
        }
        self.process.terminate(&KillTarget::Group(group))
    }

    /// Sends queued input and waits for the next event.
    fn wait(&mut self, until: Option<Instant>) -> io::Result<WaitEvent> {
        self.send();
        let mut flags = PollFlags::IN;
        flags.set(PollFlags::OUT, !self.unsent.is_empty());
        let input = (!self.process.is_closed())
            .then(|| PollFd::from_borrowed_fd(self.input.as_fd(), flags));
        self.process.wait_with(until, input.as_slice())
    }

    /// Sends as much as the terminal takes. Input for a command that exited is dropped.
    fn send(&mut self) {
        while !self.unsent.is_empty() {
            match rustix::io::write(&self.input, &self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return,
                Err(_) => return self.unsent.clear(),
            }
        }
    }

    fn emulator(&mut self) -> &mut Emulator {
        let emulator = self.process.emulator();
        emulator.expect("the output of the process is a terminal's")
    }
}

/// The end of the first match in the text.
fn find(expected: &ExpectedText, text: &str) -> Result<Option<usize>, String> {
    match expected {
        ExpectedText::Text(part) => Ok(text.find(part).map(|start| start + part.len())),
        ExpectedText::Pattern(pattern) => find_pattern(pattern, text.as_bytes())
            .map(|found| found.map(|range| next_boundary(text, range.end)))
            .map_err(|error| error.to_string()),
    }
}

/// A pattern can end within a character if the locale is not UTF-8.
fn next_boundary(text: &str, end: usize) -> usize {
    (end..=text.len())
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(text.len())
}

fn shown(expected: &ExpectedText) -> String {
    match expected {
        ExpectedText::Text(text) => quoted(text),
        ExpectedText::Pattern(_) => shortened(&expected.as_written()),
    }
}

/// Converts `\r\n` to `\n`.
fn convert_line_ends(output: &mut Vec<u8>) {
    let mut converted = Vec::with_capacity(output.len());
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => {
                converted.extend_from_slice(line);
                converted.push(b'\n');
            }
            None => converted.extend_from_slice(line),
        }
    }
    *output = converted;
}
