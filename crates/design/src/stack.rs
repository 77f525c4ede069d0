//! Room for recursion.
//!
//! Syntax trees are followed by recursion, Prism's own included, and code may be nested thousands of levels deep.

use std::panic::resume_unwind;
use std::thread;

/// Address space, not memory: only what is used is ever there.
pub const STACK: usize = 512 << 20;

/// Runs this on a stack that is deep enough for any code that the analyzer accepts.
pub fn on_deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run)
            .expect("the system has room for one more thread");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
