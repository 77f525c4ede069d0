//! The run on the whole screen: a thread that draws what is known and hands on keys.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use casebook_report::interactive::{View, Wish};
use casebook_run::Stop;
use rustix::process::{Signal, getpid, kill_process};

use super::keys;
use crate::context::Context;
use crate::screen::Screen;

/// How often there may be something new to see.
const INTERVAL: Duration = Duration::from_millis(50);

/// The run is on its way, it is over and can be looked at, or nobody looks any more.
const RUNNING: u8 = 0;
const OVER: u8 = 1;
const LEFT: u8 = 2;

/// The thread that has the screen.
pub(crate) struct Interactive {
    view: View,
    phase: Arc<AtomicU8>,
    thread: Option<JoinHandle<()>>,
}

impl Interactive {
    /// Takes the screen and shows the view there.
    pub(crate) fn begin(view: View, stop: Arc<Stop>) -> io::Result<Interactive> {
        let screen = Screen::take()?;
        let phase = Arc::new(AtomicU8::new(RUNNING));
        let thread = thread::Builder::new().name("screen".into()).spawn({
            let mut shown = Shown {
                view: view.clone(),
                stop,
                phase: Arc::clone(&phase),
                screen,
                drawn: None,
                has_keys: true,
            };
            move || shown.work()
        })?;
        Ok(Interactive {
            view,
            phase,
            thread: Some(thread),
        })
    }

    /// The run is over. Somebody who did not stop it may want to look at it, until a key says otherwise.
    pub(crate) fn end(mut self, look: bool) {
        self.view.over(Context::now());
        self.leave(if look { OVER } else { LEFT });
    }

    fn leave(&mut self, phase: u8) {
        self.phase.store(phase, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // It gives the screen back by itself, also where it panics.
            let _ = thread.join();
        }
    }
}

impl Drop for Interactive {
    fn drop(&mut self) {
        self.leave(LEFT);
    }
}

struct Shown {
    view: View,
    stop: Arc<Stop>,
    phase: Arc<AtomicU8>,
    screen: Screen,
    /// What was known when it was drawn.
    drawn: Option<(u64, i64)>,
    /// Whether keys can be read.
    has_keys: bool,
}

impl Shown {
    fn work(&mut self) {
        // Before a key can come, there is something to see.
        let mut goes_on = self.draw();
        while goes_on {
            if self.stop.is_asked() {
                self.view.stopping();
            }
            goes_on = self.handle_keys()
                && match self.phase.load(Ordering::SeqCst) {
                    LEFT => false,
                    OVER if self.stop.is_asked() || !self.has_keys => false,
                    _ => self.draw(),
                };
        }
    }

    /// What the keys ask for that come soon; whether there is still something to look at.
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

    /// Whether there is still something to look at.
    fn apply_action(&mut self, wish: Wish) -> bool {
        match wish {
            Wish::Nothing => true,
            Wish::Leave => false,
            Wish::Redraw => {
                self.drawn = None;
                self.screen.clear().is_ok()
            }
            // Just what Ctrl-C does where the terminal sends it.
            Wish::Stop => kill_process(getpid(), Signal::INT).is_ok(),
        }
    }

    /// Draws what is new; whether the terminal took it.
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
