//! What the program says to people, on standard error, while standard output carries data.

use std::io::Write;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use casebook_record::Redactor;
use parking_lot::Mutex;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Tells people things; clones tell them in the same place, one whole line at a time.
#[derive(Clone)]
pub(crate) struct Messages {
    out: Arc<Mutex<Box<dyn Write + Send>>>,
    color: bool,
    redactor: Redactor,
}

impl Messages {
    pub(crate) fn new(out: Box<dyn Write + Send>, color: bool) -> Messages {
        Messages {
            out: Arc::new(Mutex::new(out)),
            color,
            redactor: Redactor::default(),
        }
    }

    pub(crate) fn is_colored(&self) -> bool {
        self.color
    }

    pub(crate) fn without_color(&mut self) {
        self.color = false;
    }

    /// Hides these secrets in all that is said from now on.
    pub(crate) fn redact(&mut self, redactor: Redactor) {
        self.redactor = redactor;
    }

    /// Lets everything that is said go another way from now on, for all clones.
    pub(crate) fn redirect(&self, out: Box<dyn Write + Send>) {
        *self.out.lock() = out;
    }

    /// Says what is coloured already, and holds nothing that must not reach a terminal.
    pub(crate) fn write_rendered(&self, text: &str) {
        self.write(&format!("{}\n", self.redactor.text(text)));
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

    /// Hands on what others say, as they say it.
    pub(crate) fn write_raw(&self, bytes: &[u8]) {
        let mut out = self.out.lock();
        // Nobody can be told that telling failed.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    fn line(&self, label: &str, style: Style, text: &str) {
        let style = if self.color { style } else { Style::new() };
        let text = visible(&self.redactor.text(text));
        self.write(&format!("{style}{label}{style:#}{text}\n"));
    }

    fn write(&self, text: &str) {
        self.write_raw(text.as_bytes());
    }
}

/// Messages quote input, and input may hold anything: no control character of it reaches the terminal.
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
