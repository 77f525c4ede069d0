//! Runs that are too large for a test, in virtual time.
//!
//! [`divide`], [`RunProgress`] and [`EarlierAttempts`] are those of real runs. Only the queue, the network and the workers are
//! simulated: workers die, are slow or cannot be reached for a while, tests kill their workers, and messages arrive
//! late. Each test must have exactly one result, and the run must take little more time than the work requires.
//!
//! [`divide`]: crate::schedule::divide
//! [`RunProgress`]: crate::progress::RunProgress
//! [`EarlierAttempts`]: crate::worker::EarlierAttempts

mod control;
mod queue;
mod random;
mod scenario;
mod work;
mod world;

use scenario::{Estimates, Scenario};
use world::{Report, SimulatedCluster};

/// What the run may take, as a multiple of the time that the work requires.
const BAR: f64 = 1.15;

fn simulate(scenario: &Scenario) -> Report {
    let report = SimulatedCluster::new(scenario).run();
    assert_eq!(report.without_result, 0, "{}: {report:?}", scenario.name);
    assert_eq!(report.with_several, 0, "{}: {report:?}", scenario.name);
    report
}

/// All scenarios, with so many workers and tests.
fn scenarios(workers: usize, tests: usize) -> Vec<Scenario> {
    let plain = Scenario {
        name: "no failures",
        workers,
        tests,
        deaths: 0,
        stragglers: 0,
        unreachable: 0,
        poison: 0,
        estimates: Estimates::Exact,
    };
    let percent = |percent: usize| (workers * percent).div_ceil(100);
    let everything = Scenario {
        name: "all of these",
        deaths: percent(1),
        stragglers: percent(10),
        unreachable: percent(1),
        poison: 3,
        estimates: Estimates::Wrong,
        ..plain
    };
    vec![
        plain,
        Scenario {
            name: "1 % of the workers die",
            deaths: percent(1),
            ..plain
        },
        Scenario {
            name: "10 % of the workers are 3 times slower",
            stragglers: percent(10),
            ..plain
        },
        Scenario {
            name: "estimates wrong by a factor of up to 4",
            estimates: Estimates::Wrong,
            ..plain
        },
        Scenario {
            name: "unknown durations",
            estimates: Estimates::Unknown,
            ..plain
        },
        Scenario {
            name: "3 tests kill every worker",
            poison: 3,
            ..plain
        },
        Scenario {
            name: "1 % of the workers cannot be reached for 90 s",
            unreachable: percent(1),
            ..plain
        },
        everything,
        Scenario {
            name: "all of these, unknown durations",
            estimates: Estimates::Unknown,
            ..everything
        },
    ]
}

#[test]
fn nothing_is_lost_or_duplicated_and_no_time_wasted() {
    for scenario in scenarios(30, 12_000) {
        let report = simulate(&scenario);
        assert!(report.ratio() <= BAR, "{}: {report:?}", scenario.name);
        assert_eq!(
            report.failed, report.poison,
            "{}: {report:?}",
            scenario.name
        );
    }
}

#[test]
fn small_runs_with_many_failures_lose_nothing() {
    for seed in 0..60 {
        let scenario = Scenario {
            name: "small",
            workers: 5 + seed % 7,
            tests: 200 + seed,
            deaths: seed % 4,
            stragglers: seed % 3,
            unreachable: seed % 4,
            poison: seed % 9,
            estimates: Estimates::Wrong,
        };
        let report = simulate(&scenario);
        // Further tests may be running when their workers die.
        assert!(report.failed >= report.poison, "{report:?}");
    }
}

/// Prints the table of docs/cluster.md; run by `script/bench cluster`.
#[test]
#[ignore = "takes a minute, and needs an optimized build"]
#[expect(clippy::print_stdout, reason = "script/bench reads the table")]
fn table_of_a_thousand_workers() {
    println!("| scenario | chunks | redelivered | shortest possible | run | ratio | bar |");
    println!("|---|---|---|---|---|---|---|");
    for scenario in scenarios(1_000, 1_000_000) {
        let report = simulate(&scenario);
        let verdict = if report.ratio() <= BAR {
            ""
        } else {
            ", **missed**"
        };
        println!(
            "| {} | {} | {} | {} s | {} s | {:.2}× | ≤ {BAR}×{verdict} |",
            scenario.name,
            report.chunks,
            report.redelivered,
            report.lower_bound / 1000,
            report.makespan / 1000,
            report.ratio(),
        );
    }
}
