//! [`Screen`]: the full screen of the terminal, always restored.
//!
//! Panics and the third signal call [`restore`] before the program exits. It does nothing if the screen is not taken.

use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use ratatui_core::terminal::{Frame, Terminal};
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::context::Context;

/// Switches to the alternate screen without a cursor, and back.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE: &[u8] = b"\x1b[?25h\x1b[?1049l";

/// Whether the screen is taken.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Locked while drawing, because nothing may be drawn after the screen was restored.
static DRAWING: Mutex<()> = Mutex::new(());

/// Wait at most this long for a terminal that blocks.
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

    /// Draws, if the screen is still taken.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _drawing = drawing();
        if TAKEN.load(Ordering::SeqCst) {
            self.terminal.draw(draw)?;
        }
        Ok(())
    }

    /// Clears the screen, so that everything is redrawn.
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

/// Restores the terminal, if the screen was taken.
pub(crate) fn restore() {
    let _drawing = drawing_is_done();
    if TAKEN.swap(false, Ordering::SeqCst) {
        // An error of the terminal cannot be reported on it.
        let _ = disable_raw_mode();
        let _ = write(LEAVE);
    }
}

fn drawing() -> MutexGuard<'static, ()> {
    DRAWING.lock()
}

/// Waits for the end of a drawing, for a limited time.
fn drawing_is_done() -> Option<MutexGuard<'static, ()>> {
    DRAWING.try_lock_for(PATIENCE)
}

/// Makes panic messages readable. A panic of a listener is caught by the bus, and the run continues.
fn restore_on_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !casebook_record::is_delivering() {
            restore();
        }
        before(panic);
    }));
}

/// Bypasses the buffer of standard output, which may be locked.
fn write(bytes: &[u8]) -> io::Result<()> {
    rustix::io::write(rustix::stdio::stdout(), bytes)?;
    Ok(())
}
