//! What a test costs beyond its processes: 1,000 trivial tests, one at a time.

use crate::program::{Programs, Took, run};
use crate::table::{Bar, Row, Table, seconds};
use crate::workload::{self, Trivial};

pub(crate) const TESTS: usize = 1_000;
const ROUNDS: usize = 5;

/// How long one test takes.
pub(crate) struct Times {
    pub(crate) plain: f64,
    pub(crate) hooked: f64,
}

pub(crate) fn measure(programs: &Programs, table: &mut Table) -> Times {
    let shell = workload::shell(TESTS);
    compare(
        programs,
        table,
        &Kind {
            task: "a program and its arguments, executed directly",
            yardstick: "spawn it",
            name: "direct",
            looped: "direct",
            tests: &workload::direct(TESTS),
            hooks: false,
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
            tests: &shell,
            hooks: false,
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
            tests: &shell,
            hooks: true,
        },
    );
    Times { plain, hooked }
}

struct Kind<'a> {
    task: &'a str,
    yardstick: &'a str,
    name: &'a str,
    looped: &'a str,
    tests: &'a [Trivial],
    hooks: bool,
}

/// How long a test takes in Casebook.
fn compare(programs: &Programs, table: &mut Table, kind: &Kind) -> f64 {
    let suite = format!("{}.casebook.yaml", kind.name);
    let lines = format!("{}.txt", kind.name);
    programs.write(&suite, &workload::suite(kind.tests, kind.hooks));
    programs.write(&lines, &workload::lines(kind.tests, kind.hooks));
    let (mut ours, mut bare) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("{}, round {round} of {ROUNDS}", kind.name);
        bare = bare.or(run(programs.bare_loop(kind.looped, &lines)));
        ours = ours.or(run(programs.casebook(&["-j", "1", &suite])));
        programs.forget();
    }
    let ratio = ours.wall / bare.wall;
    let each = |took: Took| seconds(took.wall / kind.tests.len() as f64);
    table.add(Row {
        task: kind.task.into(),
        casebook: each(ours),
        yardstick: format!("{}: {}", kind.yardstick, each(bare)),
        value: format!("{ratio:.2}× (CPU {:.2}×)", ours.cpu / bare.cpu),
        bar: Bar::at_most("≤ 1.3×", ratio, 1.3),
    });
    ours.wall / kind.tests.len() as f64
}
