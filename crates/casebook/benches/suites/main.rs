//! What Casebook adds to the commands it runs, as ratios to programs that do the same unavoidable work.
//!
//! The yardsticks are bare loops in a program of their own (`bench/loops`), Bats on the compiled suite, and other
//! runners on the same tests in their own formats. All of them are whole processes, started by this one and timed from
//! outside; they take turns, round by round, and the best time of each counts: noise only adds. Recording is on.

#![expect(
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark times and tells"
)]

mod check;
mod cluster;
mod conversations;
mod jobs;
mod memory;
mod overhead;
mod program;
mod runners;
mod server;
mod startup;
mod table;
mod waiting;
mod workers;
mod workload;

use program::Programs;
use table::Table;

fn main() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let programs = Programs::build(dir.path());
    let mut table = Table::new();
    let asked_for = |name: &str| std::env::args().any(|argument| argument == name);
    if asked_for("workers") {
        workers::measure(&programs, &mut table);
        return table.print();
    }
    if asked_for("cluster") {
        cluster::measure(&programs, &mut table);
        return table.print();
    }
    if asked_for("conversations") {
        conversations::measure(&programs, &mut table);
        waiting::measure(&programs, &mut table);
        return table.print();
    }
    let times = overhead::measure(&programs, &mut table);
    runners::measure(&programs, &times, &mut table);
    jobs::measure(&programs, &mut table);
    check::measure(&mut table);
    startup::measure(&programs, &mut table);
    memory::measure(&programs, &mut table);
    table.print();
}
