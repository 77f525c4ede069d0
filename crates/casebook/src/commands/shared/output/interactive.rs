//! The full-screen view: a thread that draws the run and handles keys.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use casebook_report::interactive::{KeyAction, View};
use casebook_run::StopToken;
use rustix::process::{Signal, getpid, kill_process};

use super::keys;
use crate::context::Context;
use crate::screen::Screen;

/// Redraw interval.
const INTERVAL: Duration = Duration::from_millis(50);

/// Phases: running, finished and still shown, closed.
const RUNNING: u8 = 0;
const OVER: u8 = 1;
const LEFT: u8 = 2;

/// The thread that owns the screen.
pub(crate) struct Interactive {
    view: View,
    phase: Arc<AtomicU8>,
    thread: Option<JoinHandle<CloseReason>>,
}

/// Why the view was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The run or the view is over.
    Quit,
    /// The user wants to run the failed tests again.
    Rerun,
}

impl Interactive {
    /// Takes the screen and starts the thread.
    pub(crate) fn begin(view: View, stop: Arc<StopToken>) -> io::Result<Interactive> {
        let screen = Screen::take()?;
        let phase = Arc::new(AtomicU8::new(RUNNING));
        let thread = thread::Builder::new().name("screen".into()).spawn({
            let mut shown = OpenView {
                view: view.clone(),
                stop,
                phase: Arc::clone(&phase),
                screen,
                drawn: None,
                has_keys: true,
                leaving: CloseReason::Quit,
            };
            move || shown.work()
        })?;
        Ok(Interactive {
            view,
            phase,
            thread: Some(thread),
        })
    }

    /// The run has finished. With `look`, the view stays until a key closes it.
    pub(crate) fn end(mut self, look: bool) -> CloseReason {
        self.view.run_finished(Context::now());
        self.leave(if look { OVER } else { LEFT })
    }

    fn leave(&mut self, phase: u8) -> CloseReason {
        self.phase.store(phase, Ordering::SeqCst);
        // The thread restores the screen itself, even if it panics.
        let leaving = self.thread.take().map(JoinHandle::join);
        leaving.and_then(Result::ok).unwrap_or(CloseReason::Quit)
    }
}

impl Drop for Interactive {
    fn drop(&mut self) {
        self.leave(LEFT);
    }
}

struct OpenView {
    view: View,
    stop: Arc<StopToken>,
    phase: Arc<AtomicU8>,
    screen: Screen,
    /// The state that was drawn last.
    drawn: Option<(u64, i64)>,
    /// Whether keys can be read.
    has_keys: bool,
    leaving: CloseReason,
}

impl OpenView {
    fn work(&mut self) -> CloseReason {
        // Draws before the first key.
        let mut continues = self.draw();
        while continues {
            if self.stop.is_requested() {
                self.view.stopping();
            }
            continues = self.handle_keys()
                && match self.phase.load(Ordering::SeqCst) {
                    LEFT => false,
                    OVER if self.stop.is_requested() || !self.has_keys => false,
                    _ => self.draw(),
                };
        }
        self.leaving
    }

    /// Handles the keys pressed within the interval; returns whether the view stays open.
    fn handle_keys(&mut self) -> bool {
        if !self.has_keys {
            thread::sleep(INTERVAL);
            return true;
        }
        let pressed = keys::read_keys(INTERVAL);
        self.has_keys = pressed.is_ok();
        let mut pressed = pressed.unwrap_or_default().into_iter();
        pressed.all(|key| self.apply_action(self.view.press(key)))
    }

    /// Returns whether the view stays open.
    fn apply_action(&mut self, wish: KeyAction) -> bool {
        match wish {
            KeyAction::Nothing => true,
            KeyAction::Leave => false,
            // Before the record is complete, only the view knows that the run is over.
            KeyAction::Rerun if self.phase.load(Ordering::SeqCst) == RUNNING => true,
            KeyAction::Rerun => {
                self.leaving = CloseReason::Rerun;
                false
            }
            KeyAction::Redraw => {
                self.drawn = None;
                self.screen.clear().is_ok()
            }
            // The same as Ctrl-C, which the terminal does not send in raw mode.
            KeyAction::Stop => kill_process(getpid(), Signal::INT).is_ok(),
        }
    }

    /// Draws if anything changed; returns whether the terminal accepted it.
    fn draw(&mut self) -> bool {
        let now = Context::now();
        let tenths = now.millis_since(casebook_record::Time::from_millis(0)) / 100;
        let known = (self.view.version(), tenths);
        if self.drawn == Some(known) {
            return true;
        }
        self.drawn = Some(known);
        let view = &self.view;
        self.screen.draw(|frame| view.draw(frame, now)).is_ok()
    }
}
