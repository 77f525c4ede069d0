//! The peak memory of one task, measured in a separate process.

use std::path::Path;
use std::process::Command;

use casebook_record::{Redactor, read_run, replay};

/// Runs a task in a child process; returns its peak memory in MB.
pub(crate) fn peak_megabytes(task: &str, path: &Path) -> f64 {
    let this = std::env::current_exe().expect("cannot find this program's path");
    let output = Command::new(this)
        .arg(task)
        .arg(path)
        .output()
        .expect("cannot start this program");
    let kilobytes: f64 = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .expect("a number");
    kilobytes * 1024.0 / 1e6
}

/// Runs the task and prints the peak memory in kB, as reported by the system.
pub(crate) fn child(task: &str, path: &Path) {
    let run = match task {
        "read" => read_run(path).expect("a run.json"),
        "rebuild" => replay(path, &Redactor::default()).expect("a journal").run,
        other => panic!("unknown task {other}"),
    };
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("Linux");
    println!("{}", peak.trim().trim_end_matches(" kB"));
    drop(run);
}
