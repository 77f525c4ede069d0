//! [`Messages`]: messages to the user, on standard error.

use std::io::Write;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use casebook_record::Redactor;
use parking_lot::{Mutex, RwLock};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Writes complete lines. Clones write to the same stream and redact the same secrets.
#[derive(Clone)]
pub(crate) struct Messages {
    out: Arc<Mutex<Box<dyn Write + Send>>>,
    color: bool,
    redactor: Arc<RwLock<Redactor>>,
}

impl Messages {
    pub(crate) fn new(out: Box<dyn Write + Send>, color: bool) -> Messages {
        Messages {
            out: Arc::new(Mutex::new(out)),
            color,
            redactor: Arc::default(),
        }
    }

    pub(crate) fn is_colored(&self) -> bool {
        self.color
    }

    pub(crate) fn set_color(&mut self, color: bool) {
        self.color = color;
    }

    /// Redacts these secrets in all later messages, also of clones.
    pub(crate) fn redact(&self, redactor: Redactor) {
        *self.redactor.write() = redactor;
    }

    /// Redirects all later messages, also of clones.
    pub(crate) fn redirect(&self, out: Box<dyn Write + Send>) {
        *self.out.lock() = out;
    }

    /// Writes text that is already colored and contains no control characters of input.
    pub(crate) fn write_rendered(&self, text: &str) {
        self.write(&format!("{}\n", self.redactor.read().text(text)));
    }

    pub(crate) fn info(&self, text: &str) {
        self.line("", Style::new(), text);
    }

    pub(crate) fn warn(&self, text: &str) {
        self.line("warning: ", WARNING, text);
    }

    pub(crate) fn error(&self, text: &str) {
        self.line("error: ", ERROR, text);
    }

    /// Writes the output of other processes, unchanged.
    pub(crate) fn write_raw(&self, bytes: &[u8]) {
        let mut out = self.out.lock();
        // A failed write to standard error cannot be reported.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    fn line(&self, label: &str, style: Style, text: &str) {
        let style = if self.color { style } else { Style::new() };
        let text = visible(&self.redactor.read().text(text));
        self.write(&format!("{style}{label}{style:#}{text}\n"));
    }

    fn write(&self, text: &str) {
        self.write_raw(text.as_bytes());
    }
}

/// Replaces control characters, because messages quote input.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\n' && c != '\t' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}
