//! `--watch`: which changes rerun the tests.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::Suite;
use crate::support::eventually;

/// A run in watch mode. Its output goes to a hidden file, which is not watched.
struct WatchedRun<'s> {
    suite: &'s Suite,
    child: Child,
}

impl<'s> WatchedRun<'s> {
    fn start(suite: &'s Suite, arguments: &str) -> WatchedRun<'s> {
        let output = fs::File::create(suite.project.at(".output")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .args(["run", "--watch", "--record", "none"])
            .args(arguments.split_whitespace())
            .current_dir(suite.project.at("."))
            .env("TMPDIR", suite.project.at("tmp"))
            .env_remove("CI")
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap();
        WatchedRun { suite, child }
    }

    fn output(&self) -> String {
        self.suite.project.read(".output")
    }

    /// Waits for this many finished runs, and checks that no more follow.
    fn runs(&self, count: usize) -> String {
        let waiting = |output: &str| output.matches("watching for changes").count();
        eventually("that many runs", || waiting(&self.output()) >= count);
        thread::sleep(Duration::from_millis(500));
        let output = self.output();
        assert_eq!(waiting(&output), count, "{output}");
        output
    }

    fn stop(mut self) -> Option<i32> {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for WatchedRun<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SUITE: &str = "
tests:
  - {name: reads, command: cat program, outputContains: hello}
";

#[test]
fn every_saved_file_reruns_the_tests() {
    let suite = Suite::new(SUITE);
    let project = &suite.project;
    project.write("program", "hello");
    let watching = WatchedRun::start(&suite, "");
    watching.runs(1);
    project.write("program", "bye");
    assert!(watching.runs(2).contains("\nprogram changed\n"));
    // Saved atomically, as many editors do.
    project.write(".program.new", "hello");
    fs::rename(project.at(".program.new"), project.at("program")).unwrap();
    watching.runs(3);
    project.write("a.casebook.yaml", SUITE.replace("command", "comand"));
    assert!(watching.runs(4).contains("did you mean `command`?"));
    fs::remove_file(project.at("a.casebook.yaml")).unwrap();
    assert!(
        watching
            .runs(5)
            .contains("no suites found in this directory")
    );
    project.write("below/b.casebook.yaml", SUITE);
    assert!(
        watching
            .runs(6)
            .contains("✓ below/b.casebook.yaml  1 passed")
    );
    assert_eq!(watching.stop(), Some(130));
}

#[test]
fn the_saved_file_is_named_and_not_the_temporary_file_of_an_editor() {
    let suite = Suite::new(SUITE);
    let project = &suite.project;
    project.write("program", "hello");
    let watching = WatchedRun::start(&suite, "");
    watching.runs(1);
    // As `sed -i` saves a file.
    project.write("sedX1y2z3", "hello");
    fs::rename(project.at("sedX1y2z3"), project.at("program")).unwrap();
    let output = watching.runs(2);
    assert!(output.contains("\nprogram changed\n"), "{output}");
    // As Vim saves a file.
    project.write("4913", "");
    fs::remove_file(project.at("4913")).unwrap();
    fs::rename(project.at("program"), project.at("program~")).unwrap();
    project.write("program", "hello");
    fs::remove_file(project.at("program~")).unwrap();
    let output = watching.runs(3);
    assert_eq!(output.matches("\nprogram changed\n").count(), 2, "{output}");
    assert_eq!(watching.stop(), Some(130));
}

#[test]
fn changes_during_a_run_are_not_lost() {
    let suite = Suite::new(
        "
tests:
  - {name: reads, command: touch begun; sleep 1; cat program, outputContains: hello}
",
    );
    let project = &suite.project;
    project.write("program", "hello");
    let watching = WatchedRun::start(&suite, "");
    eventually("the test runs", || project.exists("begun"));
    project.write("program", "hello again");
    assert!(watching.runs(2).contains("\nprogram changed\n"));
    assert_eq!(watching.stop(), Some(130));
}

#[test]
fn files_written_by_tests_and_reports_do_not_rerun_endlessly() {
    let suite = Suite::new(
        "
tests:
  - name: writes
    command: |
      date +%N | tee old > new
      dir=made/$RANDOM; mkdir -p $dir; touch $dir/file
      mktemp new.XXXXXX
",
    );
    suite.project.write("old", "");
    let watching = WatchedRun::start(&suite, "--format junit=results.xml --html page.html -q");
    // The first change of `old` could have been made by the user.
    assert!(watching.runs(2).contains("\nold changed\n"));
    suite.project.write("a.txt", "");
    watching.runs(3);
    suite.project.write("b.txt", "");
    watching.runs(4);
    assert_eq!(watching.stop(), Some(130));
}

#[test]
fn suites_in_other_directories_are_watched_too() {
    let suite = Suite::new(SUITE);
    let elsewhere = Suite::new("tests: [{name: one, command: 'true'}]");
    let path = elsewhere.project.at("a.casebook.yaml");
    let watching = WatchedRun::start(&suite, path.to_str().unwrap());
    watching.runs(1);
    let two = "tests: [{name: one, command: 'true'}, {name: two, command: 'true'}]";
    elsewhere.project.write("a.casebook.yaml", two);
    assert!(watching.runs(2).contains("2 passed"));
    assert_eq!(watching.stop(), Some(130));
}

#[test]
fn a_change_of_an_included_file_reruns_the_tests() {
    let outside = crate::support::Project::with("shared.yaml", "variables: {x: hello}\n");
    let suite = Suite::new(&format!(
        "include: [\"{}\"]\ntests: [{{name: says, command: 'echo {{{{x}}}}'}}]\n",
        outside.at("shared.yaml").display()
    ));
    let watching = WatchedRun::start(&suite, "");
    watching.runs(1);
    outside.write("shared.yaml", "variables: {x: bye}\n");
    assert!(watching.runs(2).contains("shared.yaml changed\n"));
    // Broken, and repaired.
    outside.write("shared.yaml", "varables: {x: bye}\n");
    assert!(
        watching
            .runs(3)
            .contains("an included file has no field `varables`")
    );
    outside.write("shared.yaml", "variables: {x: good}\n");
    watching.runs(4);
    assert_eq!(watching.stop(), Some(130));
}

#[test]
fn each_run_starts_and_stops_its_services() {
    let suite = Suite::new(
        "services: {api: {command: 'echo $$ >.pid; echo up; exec sleep 600', ready: {log: up}}}
tests: [{name: t, command: 'kill -0 $(cat .pid); cat program'}]
",
    );
    suite.project.write("program", "hello");
    let watching = WatchedRun::start(&suite, "");
    let mut pids = Vec::new();
    for run in 1..=3 {
        let output = watching.runs(run);
        assert_eq!(output.matches("1 test: 1 passed").count(), run, "{output}");
        let pid = suite.project.read(".pid");
        assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid}");
        pids.push(pid);
        suite.project.write("program", format!("hello {run}"));
    }
    pids.dedup();
    assert_eq!(pids.len(), 3);
    watching.runs(4);
    assert_eq!(watching.stop(), Some(130));
}
