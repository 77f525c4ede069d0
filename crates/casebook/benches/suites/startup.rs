//! How long the binary takes to start.

use crate::program::{Programs, Took, run};
use crate::table::{Bar, Row, Table, seconds};

const ROUNDS: usize = 100;

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    let (mut ours, mut nothing) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for _ in 0..ROUNDS {
        let mut version = programs.command(env!("CARGO_BIN_EXE_casebook"));
        version.arg("--version");
        ours = ours.or(run(version));
        nothing = nothing.or(run(programs.command("/bin/true")));
    }
    let more = (ours.wall - nothing.wall) * 1e3;
    table.add(Row {
        task: "start: `casebook --version`".into(),
        casebook: seconds(ours.wall),
        yardstick: format!("`/bin/true`: {}", seconds(nothing.wall)),
        value: format!("{more:.2} ms more"),
        bar: Bar::at_most("< 5 ms more", more, 5.0),
    });
}
