//! What is going on, drawn on standard error where the command's own output goes somewhere else.

use std::io::{self, Write as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use casebook_report::live::{Live, Messages, Options};

use crate::commands::record::session::RecordingSession;
use crate::context::{self, Context};
use crate::error::CommandError;

/// Draws, or does nothing.
pub(super) struct Progress {
    messages: Option<Messages>,
}

impl Progress {
    /// What the command writes to standard error would tear the drawing, so it then goes through us.
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
        // The lines that stay are not wanted: the command has its own.
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
            // Whoever cannot be told anything cannot be told that.
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

/// The command's standard error on its way.
pub(super) struct StderrForwarder(Option<Receiver<()>>);

impl StderrForwarder {
    /// Waits for the last of it. A daemon may keep the stream for ever.
    pub(super) fn end(self, patience: Duration) {
        if let Some(ended) = self.0 {
            let _ = ended.recv_timeout(patience);
        }
    }
}
