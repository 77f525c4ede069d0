//! Progress on standard error while the command's output goes to a file or a pipe.

use std::io::{self, Write as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use casebook_report::live::{Live, Messages, Options};

use crate::commands::record::session::RecordingSession;
use crate::context::{self, Context};
use crate::error::CommandError;

/// The progress display; inactive without a terminal.
pub(super) struct Progress {
    messages: Option<Messages>,
}

impl Progress {
    /// Starts the display. The command's standard error is then forwarded, because it would disturb the display.
    pub(super) fn begin(
        command: &mut Command,
        session: &RecordingSession,
        context: &mut Context,
    ) -> Result<Progress, CommandError> {
        let is_drawn = context.progress == context::Progress::Alone;
        let Some(run) = session.run().filter(|_| is_drawn) else {
            return Ok(Progress { messages: None });
        };
        let options = Options {
            color: context.messages.is_colored(),
            progress: true,
            ..Options::default()
        };
        let clock = Box::new(Context::now);
        // Result lines are discarded: the command prints its own.
        let live = Live::new(options, clock, run, Box::new(io::sink()), Context::stderr())?;
        let messages = live.messages();
        context.messages.redirect(Box::new(live.messages()));
        session.subscribe(live)?;
        command.stderr(Stdio::piped());
        Ok(Progress {
            messages: Some(messages),
        })
    }

    pub(super) fn pass_errors(self, child: &mut Child) -> StderrForwarder {
        let (Some(messages), Some(errors)) = (self.messages, child.stderr.take()) else {
            return StderrForwarder(None);
        };
        let (done, ended) = channel();
        thread::spawn(move || {
            // A failed write to standard error cannot be reported.
            let _ = pass(errors, messages);
            let _ = done.send(());
        });
        StderrForwarder(Some(ended))
    }
}

fn pass(mut errors: ChildStderr, mut messages: Messages) -> io::Result<()> {
    io::copy(&mut errors, &mut messages)?;
    messages.flush()
}

/// Forwards the command's standard error.
pub(super) struct StderrForwarder(Option<Receiver<()>>);

impl StderrForwarder {
    /// Waits for the end of the stream, at most this long: a daemon may keep it open.
    pub(super) fn end(self, timeout: Duration) {
        if let Some(ended) = self.0 {
            let _ = ended.recv_timeout(timeout);
        }
    }
}
