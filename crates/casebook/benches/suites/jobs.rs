//! What a second job gives.

use std::time::Instant;

use crate::program::{Programs, Took, run};
use crate::table::{Bar, Row, Table, seconds};
use crate::workload;

const COMPUTING: usize = 80;
const SLEEPING: usize = 40;
const LOCKED: usize = 1000;
const WITHOUT_SERVICES: usize = 1000;
const ROUNDS: usize = 4;
/// Some tens of milliseconds of work for bash.
const COMPUTE: &str = "for ((i = 0; i < 10000; i++)); do :; done; echo done";

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    computing(programs, table, "-j");
    sleeping(programs, table);
    locked(programs, table);
    without_services(programs, table);
}

/// The option says who the two are.
pub(crate) fn computing(programs: &Programs, table: &mut Table, option: &str) {
    let tests = workload::repeated(COMPUTING, COMPUTE, "done");
    programs.write("compute.casebook.yaml", &workload::suite(&tests, false));
    programs.write("all.txt", &workload::lines(&tests, false));
    programs.write("half.txt", &workload::lines(&tests[..COMPUTING / 2], false));
    let mut best = [f64::INFINITY; 4];
    for round in 1..=ROUNDS {
        eprintln!("compute, round {round} of {ROUNDS}");
        let took = [
            run(programs.bare_loop("shell", "all.txt")).wall,
            two_loops(programs),
            run(programs.casebook(&[option, "1", "compute.casebook.yaml"])).wall,
            run(programs.casebook(&[option, "2", "compute.casebook.yaml"])).wall,
        ];
        programs.forget();
        best.iter_mut()
            .zip(took)
            .for_each(|(best, took)| *best = best.min(took));
    }
    let [one_loop, two_loops, one_job, two_jobs] = best;
    let (ours, bare) = (one_job / two_jobs, one_loop / two_loops);
    table.add(Row {
        task: format!("`{option} 2` where {COMPUTING} tests compute"),
        casebook: format!("{ours:.2}× as fast as `{option} 1`"),
        yardstick: format!("two loops side by side: {bare:.2}× as fast as one"),
        value: format!("{:.2}×", ours / bare),
        bar: Bar::at_least("≥ 0.9×", ours / bare, 0.9),
    });
}

/// Two loops at once, each over half of the commands.
fn two_loops(programs: &Programs) -> f64 {
    let start = Instant::now();
    let loops = [(); 2].map(|()| {
        let mut half = programs.bare_loop("shell", "half.txt");
        half.spawn().expect("the yardstick runs")
    });
    for mut one in loops {
        assert!(one.wait().expect("a child").success());
    }
    start.elapsed().as_secs_f64()
}

fn sleeping(programs: &Programs, table: &mut Table) {
    let tests = workload::repeated(SLEEPING, "sleep 0.05; echo done", "done");
    programs.write("sleep.casebook.yaml", &workload::suite(&tests, false));
    let (mut one, mut two) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("sleep, round {round} of {ROUNDS}");
        one = one.or(run(programs.casebook(&["-j", "1", "sleep.casebook.yaml"])));
        two = two.or(run(programs.casebook(&["-j", "2", "sleep.casebook.yaml"])));
        programs.forget();
    }
    let ratio = one.wall / two.wall;
    table.add(Row {
        task: format!("`-j 2` where {SLEEPING} tests sleep"),
        casebook: seconds(two.wall),
        yardstick: format!("`-j 1`: {}", seconds(one.wall)),
        value: format!("{ratio:.2}× as fast"),
        bar: Bar::at_least("≥ 1.8×", ratio, 1.8),
    });
}

/// Tests that wait for each other must not take longer than tests that run one after another.
fn locked(programs: &Programs, table: &mut Table) {
    let suite = workload::suite(&workload::shell(LOCKED), false);
    programs.write("lock.casebook.yaml", &format!("locks: [one]\n{suite}"));
    let (mut one, mut eight) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("lock, round {round} of {ROUNDS}");
        one = one.or(run(programs.casebook(&["-j", "1", "lock.casebook.yaml"])));
        eight = eight.or(run(programs.casebook(&["-j", "8", "lock.casebook.yaml"])));
        programs.forget();
    }
    let ratio = eight.wall / one.wall;
    table.add(Row {
        task: format!("`-j 8` where {LOCKED} tests share a lock"),
        casebook: seconds(eight.wall),
        yardstick: format!("`-j 1`: {}", seconds(one.wall)),
        value: format!("{ratio:.2}× the time"),
        bar: Bar::at_most("≤ 1.1×", ratio, 1.1),
    });
}

/// A service that no test to run uses must cost nothing.
fn without_services(programs: &Programs, table: &mut Table) {
    let suite = workload::suite(&workload::shell(WITHOUT_SERVICES), false);
    let declared = format!(
        "services: {{one: {{command: exec sleep 600}}}}\n{suite}  - {{name: skipped, skip: true, uses: [one], command: 'true'}}\n"
    );
    programs.write("without.casebook.yaml", &suite);
    programs.write("declared.casebook.yaml", &declared);
    let (mut without, mut with) = (Took::NOTHING_YET, Took::NOTHING_YET);
    for round in 1..=ROUNDS {
        eprintln!("services, round {round} of {ROUNDS}");
        let run_one = |suite| run(programs.casebook(&["-j", "1", suite]));
        without = without.or(run_one("without.casebook.yaml"));
        with = with.or(run_one("declared.casebook.yaml"));
        programs.forget();
    }
    let ratio = with.wall / without.wall;
    table.add(Row {
        task: format!("{WITHOUT_SERVICES} tests next to a service that they do not use"),
        casebook: seconds(with.wall),
        yardstick: format!("without `services`: {}", seconds(without.wall)),
        value: format!("{ratio:.2}× the time"),
        bar: Bar::at_most("≤ 1.05×", ratio, 1.05),
    });
}
