//! The most memory that one task ever holds, measured in a process that does nothing else.

use std::path::Path;
use std::process::Command;

use casebook_record::{Redactor, read_run, replay};

/// Runs a task in a child and returns its peak in MB.
pub(crate) fn peak_megabytes(task: &str, path: &Path) -> f64 {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this)
        .arg(task)
        .arg(path)
        .output()
        .expect("this program runs");
    let kilobytes: f64 = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .expect("a number");
    kilobytes * 1024.0 / 1e6
}

/// Does the task and prints the peak in kB, as the system counts it.
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
