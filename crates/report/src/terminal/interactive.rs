//! The full-screen view of a running run: progress, a tab for each worker, and the lines of the selected one.
//!
//! [`View`] keeps the state and draws it. The owner of the terminal passes keys to it and calls `draw` at any rate.
//! Handling an event only changes memory. All text passes through `page` first, so the output of a test
//! cannot control the terminal.

mod draw;
mod keys;
mod paint;
mod pane;
mod state;

use std::sync::Arc;
use std::time::Duration;

use casebook_record::{Event, ExampleLookup, Listener, ListenerError, Time};
use parking_lot::{Mutex, MutexGuard};
use ratatui_core::terminal::Frame;

use state::ScreenState;

/// A key that the view handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A printable character.
    Char(char),
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home: scrolls to the start.
    Home,
    /// End: scrolls to the end.
    End,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-L.
    Redraw,
}

/// What the owner of the terminal must do after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    /// Nothing.
    Nothing,
    /// Request the run to stop.
    Stop,
    /// Close the view: the run has finished.
    Leave,
    /// Close the view and run the failed tests again: the run has finished.
    Rerun,
    /// Redraw the complete screen.
    Redraw,
}

/// The state of the view. Clones share it.
#[derive(Clone)]
pub struct View {
    state: Arc<Mutex<ScreenState>>,
}

impl View {
    /// Creates the view of a run that has not started. `record` is the record's directory as the user can type it.
    /// `run` must receive events before the view does. `can_rerun`: whether failed tests can be run again.
    pub fn new(
        color: bool,
        record: Option<String>,
        run: impl ExampleLookup + 'static,
        can_rerun: bool,
    ) -> View {
        let mut state = ScreenState::new(color, record, Box::new(run));
        state.offers_rerun = can_rerun;
        View {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// The listener that updates the view.
    pub fn listener(&self) -> impl Listener + use<> {
        ViewListener(self.clone())
    }

    /// Handles a key.
    pub fn press(&self, key: Key) -> KeyAction {
        self.state().press(key)
    }

    /// Shows that the run was requested to stop by other means than a key.
    pub fn stopping(&self) {
        let mut state = self.state();
        state.stop_requests = state.stop_requests.max(1);
        state.version += 1;
    }

    /// Shows that the run has finished.
    pub fn run_finished(&self, now: Time) {
        let mut state = self.state();
        state.ended.get_or_insert(now);
        state.version += 1;
    }

    /// Increases with every visible change. While tests run, the shown time changes too.
    pub fn version(&self) -> u64 {
        self.state().version
    }

    /// Draws the view.
    pub fn draw(&self, frame: &mut Frame<'_>, now: Time) {
        draw::draw(&mut self.state(), frame.buffer_mut(), now);
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.state.lock()
    }
}

struct ViewListener(View);

impl Listener for ViewListener {
    fn name(&self) -> &'static str {
        "screen"
    }

    fn max_delay(&self) -> Duration {
        Duration::from_millis(25)
    }

    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        self.0.state().take(event);
        Ok(())
    }
}
