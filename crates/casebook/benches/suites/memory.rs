//! The most memory that a run ever holds: 10,000 tests with 1 MB of output each.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::program::Programs;
use crate::table::{Bar, Row, Table};
use crate::workload;

const TESTS: usize = 10_000;
const OUTPUT: usize = 1_000_000;

pub(crate) fn measure(programs: &Programs, table: &mut Table) {
    eprintln!("memory");
    let line = "all work and no play makes a long line of text\n";
    let output: String = line.chars().cycle().take(OUTPUT).collect();
    programs.write("output", &output);
    let tests = workload::repeated(TESTS, "cat output", "a long line of text");
    programs.write("output.casebook.yaml", &workload::suite(&tests, false));
    let peak = peak_megabytes(programs.casebook(&["output.casebook.yaml"]));
    programs.forget();
    table.add(Row {
        task: format!("peak memory, {TESTS} tests with 1 MB of output each"),
        casebook: format!("{peak:.0} MB"),
        yardstick: String::new(),
        value: String::new(),
        bar: Bar::at_most("< 200 MB", peak, 200.0),
    });
}

/// Reads the peak memory from the system until the process has exited; the peak never decreases.
pub(crate) fn peak_megabytes(mut command: Command) -> f64 {
    let mut child = command.spawn().expect("casebook runs");
    let mut peak = 0.0;
    let status = loop {
        peak = peak_kilobytes(&child.id().to_string()).unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    assert!(status.success(), "{command:?} ends well");
    peak * 1024.0 / 1e6
}

pub(crate) fn peak_kilobytes(process: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
