//! What a test costs beyond its processes: 1,000 trivial tests, one at a time.

use crate::program::{Programs, Took, run};
use crate::table::{Bar, Row, Table, seconds};
use crate::workload;

pub(crate) const TESTS: usize = 1_000;
const STEPS: usize = 3;
const ROUNDS: usize = 5;

/// How long one test takes.
pub(crate) struct Times {
    pub(crate) plain: f64,
    pub(crate) hooked: f64,
}

pub(crate) fn measure(programs: &Programs, table: &mut Table) -> Times {
    let (shell, direct) = (workload::shell(TESTS), workload::direct(TESTS));
    compare(
        programs,
        table,
        &Kind {
            task: "a program and its arguments, executed directly",
            yardstick: "spawn it",
            name: "direct",
            looped: "direct",
            suite: workload::suite(&direct, false),
            lines: workload::lines(&direct, false),
        },
    );
    let plain = compare(
        programs,
        table,
        &Kind {
            task: "a command for `bash -c`",
            yardstick: "spawn `bash -c`",
            name: "plain",
            looped: "shell",
            suite: workload::suite(&shell, false),
            lines: workload::lines(&shell, false),
        },
    );
    let hooked = compare(
        programs,
        table,
        &Kind {
            task: "the same with `setup` and `teardown`",
            yardstick: "spawn two shells",
            name: "hooked",
            looped: "shell",
            suite: workload::suite(&shell, true),
            lines: workload::lines(&shell, true),
        },
    );
    let steps = workload::shell(TESTS * STEPS);
    compare(
        programs,
        table,
        &Kind {
            task: "a test of three steps",
            yardstick: "spawn three `bash -c`",
            name: "steps",
            looped: "shell",
            suite: workload::suite_of_steps(&steps, STEPS),
            lines: workload::lines(&steps, false),
        },
    );
    Times { plain, hooked }
}

struct Kind<'a> {
    task: &'a str,
    yardstick: &'a str,
    name: &'a str,
    looped: &'a str,
    suite: String,
    lines: String,
}

/// How long a test takes in Casebook.
fn compare(programs: &Programs, table: &mut Table, kind: &Kind) -> f64 {
    let suite = format!("{}.casebook.yaml", kind.name);
    let lines = format!("{}.txt", kind.name);
    programs.write(&suite, &kind.suite);
    programs.write(&lines, &kind.lines);
    let (mut ours, mut bare) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("{}, round {round} of {ROUNDS}", kind.name);
        bare = bare.or(run(programs.bare_loop(kind.looped, &lines)));
        ours = ours.or(run(programs.casebook(&["-j", "1", &suite])));
        programs.forget();
    }
    let ratio = ours.wall / bare.wall;
    let each = |took: Took| seconds(took.wall / TESTS as f64);
    table.add(Row {
        task: kind.task.into(),
        casebook: each(ours),
        yardstick: format!("{}: {}", kind.yardstick, each(bare)),
        value: format!("{ratio:.2}× (CPU {:.2}×)", ours.cpu / bare.cpu),
        bar: Bar::at_most("≤ 1.3×", ratio, 1.3),
    });
    ours.wall / TESTS as f64
}
