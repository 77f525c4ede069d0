//! `--watch`: what runs the tests again, and what does not.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::Suite;
use crate::support::eventually;

/// Somebody at work. What is said goes to a file that is not watched, because it is hidden.
struct Watching<'s> {
    suite: &'s Suite,
    child: Child,
}

impl<'s> Watching<'s> {
    fn begin(suite: &'s Suite, arguments: &str) -> Watching<'s> {
        let said = fs::File::create(suite.project.at(".said")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .args(["run", "--watch", "--record", "none"])
            .args(arguments.split_whitespace())
            .current_dir(suite.project.at("."))
            .env("TMPDIR", suite.project.at("tmp"))
            .env_remove("CI")
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap();
        Watching { suite, child }
    }

    fn said(&self) -> String {
        self.suite.project.read(".said")
    }

    /// Waits until so many runs are over, and no more come.
    fn runs(&self, count: usize) -> String {
        let waiting = |said: &str| said.matches("watching for changes").count();
        eventually("that many runs", || waiting(&self.said()) >= count);
        thread::sleep(Duration::from_millis(500));
        let said = self.said();
        assert_eq!(waiting(&said), count, "{said}");
        said
    }

    fn end(mut self) -> Option<i32> {
        let id = i32::try_from(self.child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watching<'_> {
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
fn whatever_is_saved_runs_the_tests_again() {
    let suite = Suite::new(SUITE);
    let project = &suite.project;
    project.write("program", "hello");
    let watching = Watching::begin(&suite, "");
    watching.runs(1);
    project.write("program", "bye");
    assert!(watching.runs(2).contains("\nprogram changed\n"));
    // As editors do it that never leave half a file.
    project.write(".program.new", "hello");
    fs::rename(project.at(".program.new"), project.at("program")).unwrap();
    watching.runs(3);
    project.write("a.casebook.yaml", SUITE.replace("command", "comand"));
    assert!(watching.runs(4).contains("did you mean `command`?"));
    fs::remove_file(project.at("a.casebook.yaml")).unwrap();
    assert!(watching.runs(5).contains("no suite in this folder"));
    project.write("below/b.casebook.yaml", SUITE);
    assert!(
        watching
            .runs(6)
            .contains("✓ below/b.casebook.yaml  1 passed")
    );
    assert_eq!(watching.end(), Some(130));
}

#[test]
fn what_was_saved_while_tests_ran_is_not_lost() {
    let suite = Suite::new(
        "
tests:
  - {name: reads, command: touch begun; sleep 1; cat program, outputContains: hello}
",
    );
    let project = &suite.project;
    project.write("program", "hello");
    let watching = Watching::begin(&suite, "");
    eventually("the test runs", || project.exists("begun"));
    project.write("program", "hello again");
    assert!(watching.runs(2).contains("\nprogram changed\n"));
    assert_eq!(watching.end(), Some(130));
}

#[test]
fn what_tests_and_reports_write_runs_nothing_for_ever() {
    let suite = Suite::new(
        "
tests:
  - name: writes
    command: |
      date +%N | tee old > new
      folder=made/$RANDOM; mkdir -p $folder; touch $folder/file
      mktemp new.XXXXXX
",
    );
    suite.project.write("old", "");
    let watching = Watching::begin(&suite, "--format junit=results.xml --html page.html -q");
    // That `old` changed for the first time might have been somebody's doing.
    assert!(watching.runs(2).contains("\nold changed\n"));
    suite.project.write("a.txt", "");
    watching.runs(3);
    suite.project.write("b.txt", "");
    watching.runs(4);
    assert_eq!(watching.end(), Some(130));
}

#[test]
fn suites_that_are_elsewhere_are_watched_too() {
    let suite = Suite::new(SUITE);
    let elsewhere = Suite::new("tests: [{name: one, command: 'true'}]");
    let path = elsewhere.project.at("a.casebook.yaml");
    let watching = Watching::begin(&suite, path.to_str().unwrap());
    watching.runs(1);
    let two = "tests: [{name: one, command: 'true'}, {name: two, command: 'true'}]";
    elsewhere.project.write("a.casebook.yaml", two);
    assert!(watching.runs(2).contains("2 passed"));
    assert_eq!(watching.end(), Some(130));
}
