//! A run as it happens on the whole screen: how far it is, a tab for each worker, and what that worker does.
//!
//! [`View`] holds what is known and draws it; whoever owns the terminal hands it keys and asks it to draw, as often as
//! it likes. Taking an event only changes memory. All text goes through a page first, so nothing that a test wrote can
//! steer the terminal.

mod draw;
mod paint;
mod pane;
mod state;

use std::sync::Arc;
use std::time::Duration;

use casebook_record::{Event, Listener, ListenerError, RunBuilder, Time};
use parking_lot::{Mutex, MutexGuard};
use ratatui_core::terminal::Frame;

use state::ScreenState;

/// A key that means something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A letter, a digit, a space.
    Char(char),
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// A screen back.
    PageUp,
    /// A screen on.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-L.
    Redraw,
}

/// What a key asks for that is not the view's to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    /// Nothing.
    Nothing,
    /// The run is to stop.
    Stop,
    /// The run is over, and has been looked at.
    Leave,
    /// Everything is to be drawn anew.
    Redraw,
}

/// What is known of a run, and what of it is looked at. Clones are the same view.
#[derive(Clone)]
pub struct View {
    board: Arc<Mutex<ScreenState>>,
}

impl View {
    /// Nothing has happened yet. `record` is the record's folder as the reader would type it. The `run` must hear of
    /// events before this does.
    pub fn new(color: bool, record: Option<String>, run: RunBuilder) -> View {
        View {
            board: Arc::new(Mutex::new(ScreenState::new(color, record, run))),
        }
    }

    /// Lets the view know what happens.
    pub fn listener(&self) -> impl Listener + use<> {
        ViewListener(self.clone())
    }

    /// Takes a key.
    pub fn press(&self, key: Key) -> KeyAction {
        self.board().press(key)
    }

    /// Says that the run was asked to stop by other means than a key.
    pub fn stopping(&self) {
        let mut board = self.board();
        board.asked = board.asked.max(1);
        board.version += 1;
    }

    /// Says that nothing more will happen.
    pub fn run_finished(&self, now: Time) {
        let mut board = self.board();
        board.ended.get_or_insert(now);
        board.version += 1;
    }

    /// Changes with whatever could be seen. While tests run, the time does too.
    pub fn version(&self) -> u64 {
        self.board().version
    }

    /// Draws what there is to see.
    pub fn draw(&self, frame: &mut Frame<'_>, now: Time) {
        draw::draw(&mut self.board(), frame.buffer_mut(), now);
    }

    fn board(&self) -> MutexGuard<'_, ScreenState> {
        self.board.lock()
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
        self.0.board().take(event);
        Ok(())
    }
}
