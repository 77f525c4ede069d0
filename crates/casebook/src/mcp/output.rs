//! [`Output`]: writes messages to the client, one per line.

use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};

/// The client's end. A client that is gone is not an error: its standard input ends too, and then the server.
pub(super) struct Output {
    file: Mutex<File>,
    is_closed: AtomicBool,
}

impl Output {
    pub(super) fn new(file: File) -> Output {
        Output {
            file: Mutex::new(file),
            is_closed: AtomicBool::new(false),
        }
    }

    pub(super) fn send(&self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        let written = self.file.lock().write_all(line.as_bytes());
        if written.is_err() {
            self.is_closed.store(true, Ordering::SeqCst);
        }
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Whether a message could not be written.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }
}
