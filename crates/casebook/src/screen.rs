//! The whole screen: taken, drawn on, and always given back.
//!
//! Whoever ends the program, by a panic or by a third signal, calls [`restore`] first. It does nothing where nobody has taken
//! the screen.

use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use ratatui_core::terminal::{Frame, Terminal};
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::context::Context;

/// The other screen, without a cursor; and back.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE: &[u8] = b"\x1b[?25h\x1b[?1049l";

/// Whether the screen is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Held while something is drawn: nothing may be drawn after the screen was given back.
static DRAWING: Mutex<()> = Mutex::new(());

/// A terminal that does not take what is drawn is not waited for longer than this.
const PATIENCE: Duration = Duration::from_millis(200);

/// The screen, until it is dropped.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Box<dyn Write + Send>>>,
}

impl Screen {
    /// Takes the screen.
    pub(crate) fn take() -> io::Result<Screen> {
        let terminal = Terminal::new(CrosstermBackend::new(Context::stdout()))?;
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        restore_on_panic();
        let screen = Screen { terminal };
        write(ENTER)?;
        Ok(screen)
    }

    /// Draws, if the screen is still ours.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _drawing = drawing();
        if TAKEN.load(Ordering::SeqCst) {
            self.terminal.draw(draw)?;
        }
        Ok(())
    }

    /// Forgets what is drawn, so that all of it is drawn anew.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let _drawing = drawing();
        self.terminal.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the screen back, if it was taken.
pub(crate) fn restore() {
    let _drawing = drawing_is_done();
    if TAKEN.swap(false, Ordering::SeqCst) {
        // Nobody can be told on a terminal that does not listen.
        let _ = disable_raw_mode();
        let _ = write(LEAVE);
    }
}

fn drawing() -> MutexGuard<'static, ()> {
    DRAWING.lock()
}

/// Waits for what is being drawn, but not for ever.
fn drawing_is_done() -> Option<MutexGuard<'static, ()>> {
    DRAWING.try_lock_for(PATIENCE)
}

/// What a panic says is worth reading. That of a listener is caught by the bus, and the run goes on.
fn restore_on_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !casebook_record::is_delivering() {
            restore();
        }
        before(panic);
    }));
}

/// Past the buffer of standard output, which somebody may hold.
fn write(bytes: &[u8]) -> io::Result<()> {
    rustix::io::write(rustix::stdio::stdout(), bytes)?;
    Ok(())
}
