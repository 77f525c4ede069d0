//! Runs code on a thread with a large stack. Syntax trees are visited recursively, also inside Prism, and code may be
//! nested thousands of levels deep.

use std::panic::resume_unwind;
use std::thread;

/// In bytes of address space. Memory is only used for the pages that are touched.
pub const STACK: usize = 512 << 20;

/// Runs `run` on a stack that is large enough for any code that the analyzer accepts.
pub fn on_deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run)
            .expect("the system has room for one more thread");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
