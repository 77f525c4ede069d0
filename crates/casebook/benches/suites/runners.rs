//! Other runners on the same tests. They get fewer where they are slow; none of them is slower per test with fewer.

use std::process::Command;

use crate::overhead::Times;
use crate::program::{Programs, Took, exists, run};
use crate::table::{Bar, Row, Table, seconds};
use crate::workload;

const FEW: usize = 300;
const MANY: usize = 1_000;
const ROUNDS: usize = 2;

pub(crate) fn measure(programs: &Programs, times: &Times, table: &mut Table) {
    let few = workload::shell(FEW);
    for (name, hooks) in [("bats", false), ("bats-hooked", true)] {
        let suite = format!("{name}.casebook.yaml");
        let bats = format!("{name}.bats");
        programs.write(&suite, &workload::suite(&few, hooks));
        let mut compile = programs.command(env!("CARGO_BIN_EXE_casebook"));
        compile.args(["compile", &suite, "-o", &bats]);
        run(compile);
        let (ours, bar, limit) = if hooks {
            (times.hooked, "≥ 15×", 15.0)
        } else {
            (times.plain, "≥ 20×", 20.0)
        };
        let with = if hooks {
            " with `setup` and `teardown`"
        } else {
            ""
        };
        let peer = Peer {
            program: "bats",
            task: format!("a test in `bats` ({FEW} compiled{with})"),
            tests: FEW,
        };
        let command = || {
            let mut command = programs.command("bats");
            command.arg(&bats);
            command
        };
        peer.compare(ours, command, table, |ratio| {
            Bar::at_least(bar, ratio, limit)
        });
    }
    programs.write("many.test", &workload::shelltest(&workload::shell(MANY)));
    let shelltest = Peer {
        program: "shelltest",
        task: format!("a test in shelltestrunner ({MANY}, by `sh -c`)"),
        tests: MANY,
    };
    let command = || {
        let mut command = programs.command("shelltest");
        command.args(["-a", "many.test"]);
        command
    };
    shelltest.compare(times.plain, command, table, |_| Bar::None);
    programs.write("few.bash", &workload::shunit2(&few));
    let shunit2 = Peer {
        program: "shunit2",
        task: format!("a test in shunit2 ({FEW} in one shell)"),
        tests: FEW,
    };
    let command = || {
        let mut command = programs.command("bash");
        command.arg("few.bash");
        command
    };
    shunit2.compare(times.plain, command, table, |_| Bar::None);
}

struct Peer {
    program: &'static str,
    task: String,
    tests: usize,
}

impl Peer {
    fn compare(
        &self,
        ours: f64,
        command: impl Fn() -> Command,
        table: &mut Table,
        bar: impl Fn(f64) -> Bar,
    ) {
        if !exists(self.program) {
            table.add(Row {
                task: self.task.clone(),
                casebook: seconds(ours),
                yardstick: "not installed".into(),
                value: "not measured".into(),
                bar: bar(f64::NAN),
            });
            return;
        }
        let mut best = Took::NOTHING_YET;
        for round in 1..=ROUNDS {
            eprintln!("{}, round {round} of {ROUNDS}", self.program);
            best = best.or(run(command()));
        }
        let theirs = best.wall / self.tests as f64;
        table.add(Row {
            task: self.task.clone(),
            casebook: seconds(ours),
            yardstick: seconds(theirs),
            value: format!("{:.1}× as fast", theirs / ours),
            bar: bar(theirs / ours),
        });
    }
}
