//! How long checking takes, in this process: from a file's text to the suite.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use casebook_source::SourceFile;
use casebook_suite::{CheckContext, check, deny_files};

use crate::table::{Bar, Row, Table, seconds};
use crate::workload;

pub(crate) fn measure(table: &mut Table) {
    let [hundred, thousand, many] = [(100, 200), (1_000, 40), (100_000, 3)]
        .map(|(tests, rounds)| best_of(rounds, &workload::suite(&workload::shell(tests), false)));
    table.add(Row {
        task: "check 100 tests".into(),
        casebook: seconds(hundred),
        yardstick: String::new(),
        value: String::new(),
        bar: Bar::at_most("≤ 1 ms", hundred, 0.001),
    });
    let (of_many, of_thousand) = (many / 100_000.0, thousand / 1_000.0);
    let ratio = of_many / of_thousand;
    table.add(Row {
        task: "check one of 100,000 tests".into(),
        casebook: seconds(of_many),
        yardstick: format!("one of 1,000: {}", seconds(of_thousand)),
        value: format!("{ratio:.2}×"),
        bar: Bar::at_most("≤ 2×", ratio, 2.0),
    });
}

/// The suite is dropped after the clock has stopped.
fn best_of(rounds: usize, text: &str) -> f64 {
    let environment = BTreeMap::new();
    let surroundings = CheckContext {
        environment: &environment,
        stem: "bench",
        read: &deny_files,
    };
    let times = (0..rounds).map(|_| {
        let file = SourceFile::new("bench.casebook.yaml", text);
        let start = Instant::now();
        let checked = black_box(check(file, &surroundings));
        let took = start.elapsed().as_secs_f64();
        assert!(checked.suite.is_some(), "the suite is good");
        took
    });
    times.fold(f64::INFINITY, f64::min)
}
