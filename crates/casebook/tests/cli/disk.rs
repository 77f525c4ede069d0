//! A full disk and read-only directories: reported, exit code 2, and never a damaged run.json.

use std::fs;

use insta::assert_snapshot;

use crate::events::{lines, long_run, passing_run};
use crate::support::{Outcome, Project, not_tested};

/// Limits the size of files to this many KiB, which has the effect of a full disk.
fn limited(project: &Project, kib: usize, arguments: &str) -> Outcome {
    let script = format!(r#"trap "" XFSZ; ulimit -f {kib}; exec "$CASEBOOK" {arguments}"#);
    project.bash(&script).run()
}

#[test]
fn a_full_disk_leaves_the_journal_so_far_and_no_run_file() {
    let project = Project::with("in.jsonl", lines(&long_run(100)));
    let outcome = limited(&project, 8, "record --from jsonl --record out in.jsonl");
    assert_snapshot!(outcome.shown(), @r#"
    exit code 2
    --- stderr
    error: cannot write [project]/out/events.jsonl: file too large
    100 examples: 100 passed in 2.00 s
    run.json was not written; `casebook recover out` writes it from the recorded events
    "#);
    assert_eq!(project.files("out"), ["events.jsonl"]);

    project.casebook("recover out").run().exits(0);
    let recovered = project.json("out/run.json")["examples"]
        .as_object()
        .unwrap()
        .len();
    assert!((10..100).contains(&recovered), "{recovered}");
}

#[test]
fn a_report_that_does_not_fit_leaves_the_previous_one() {
    let test = |number| format!("- {{name: test number {number}, command: 'true'}}\n");
    let tests: String = (0..40).map(test).collect();
    let project = Project::with("s.casebook.yaml", format!("tests:\n{tests}"));
    for format in ["junit", "json"] {
        project.write("report", "the one before");
        let arguments = format!("run --record none --format {format}=report s.casebook.yaml");
        let outcome = limited(&project, 0, &arguments).exits(2);
        let message = "error: cannot write report: file too large";
        assert!(outcome.stderr.contains(message), "{outcome:?}");
        assert_eq!(project.read("report"), "the one before");
    }
    assert_eq!(project.files("."), ["report", "s.casebook.yaml"]);
}

#[test]
fn a_report_of_a_record_is_written_completely_or_not_at_all() {
    let project = Project::with("in.jsonl", lines(&long_run(100)));
    let record = "record --from jsonl --record out in.jsonl";
    project.casebook(record).run().exits(0);
    for format in ["--junit report", "--format tap=report", "--html report"] {
        project.write("report", "the one before");
        let outcome = limited(&project, 1, &format!("report {format} out")).exits(2);
        let message = "error: cannot write report: file too large";
        assert!(outcome.stderr.contains(message), "{outcome:?}");
        assert_eq!(project.read("report"), "the one before", "{format}");
    }
    assert_eq!(project.files("."), ["in.jsonl", "out", "report"]);
}

#[test]
fn a_run_file_that_does_not_fit_is_not_created_and_can_be_rebuilt() {
    let project = Project::with("in.jsonl", lines(&long_run(100)));
    project
        .casebook("record --from jsonl --record whole in.jsonl")
        .run()
        .exits(0);
    let size = |file: &str| usize::try_from(fs::metadata(project.at(file)).unwrap().len()).unwrap();
    let (journal, run) = (size("whole/events.jsonl"), size("whole/run.json"));
    assert!(journal + 2048 < run, "{journal} {run}");

    let outcome = limited(
        &project,
        journal / 1024 + 1,
        "record --from jsonl --record out in.jsonl",
    )
    .exits(2);
    assert!(
        outcome
            .stderr
            .contains("error: cannot write [project]/out/run.json"),
        "{}",
        outcome.stderr
    );
    assert_eq!(project.files("out"), ["events.jsonl"]);
    assert_eq!(
        project.read("out/events.jsonl"),
        project.read("whole/events.jsonl")
    );

    project.casebook("recover out").run().exits(0);
    assert_eq!(project.read("out/run.json"), project.read("whole/run.json"));
}

#[test]
fn an_existing_run_file_survives_a_recovery_that_does_not_fit() {
    let project = Project::with("run/events.jsonl", lines(&long_run(100)));
    project.write("run/run.json", "the old one");
    project.write("other/run.json", "another");
    let outcome = limited(&project, 8, "recover run").exits(2);
    assert!(
        outcome
            .stderr
            .contains("error: cannot write [project]/run/run.json"),
        "{}",
        outcome.stderr
    );
    assert_eq!(project.files("run"), ["events.jsonl", "run.json"]);
    assert_eq!(project.read("run/run.json"), "the old one");
    assert_eq!(project.read("other/run.json"), "another");
}

#[test]
fn on_a_full_disk_only_written_lines_are_acknowledged() {
    let project = Project::with("in.jsonl", lines(&long_run(100)));
    let outcome = limited(
        &project,
        8,
        "record --from jsonl --ack --record out <in.jsonl",
    )
    .exits(2);
    let journal = project.read("out/events.jsonl");
    let whole = journal.matches('\n').count();
    assert!(outcome.stdout.lines().count() <= whole, "{outcome:#?}");
    assert!(
        outcome
            .stderr
            .contains("error: cannot acknowledge further lines: cannot write"),
        "{}",
        outcome.stderr
    );
}

/// Enough for the formatter, which is written to the temporary directory, and too little for the records below.
const FORMATTER_KIB: usize = 64;

#[test]
fn a_command_whose_record_does_not_fit_fails_even_if_it_succeeds() {
    let project = Project::with("in.jsonl", lines(&long_run(1_000)));
    project.write("send.py", SEND);
    for (exit, code) in [(0, 2), (3, 3)] {
        let command = format!("record --record out{exit} -- python3 send.py in.jsonl {exit}");
        let outcome = limited(&project, FORMATTER_KIB, &command).exits(code);
        let message = format!("error: cannot write [project]/out{exit}/");
        assert_eq!(outcome.stderr.matches(&message).count(), 1, "{outcome:#?}");
        assert!(!outcome.stderr.contains("recorded in"), "{outcome:#?}");
    }
}

/// Sends the lines of a file as events and exits with a code.
const SEND: &str = r#"
import os, socket, sys
channel = socket.socket(socket.AF_UNIX)
channel.connect(os.environ["CASEBOOK_EVENTS"])
channel.sendall(open(sys.argv[1], "rb").read())
sys.exit(int(sys.argv[2]))
"#;

#[test]
fn an_rspec_run_whose_record_does_not_fit_is_an_error() {
    let project = Project::with(
        "spec/a_spec.rb",
        "RSpec.describe('a') { 200.times { |i| it(\"#{i} #{'x' * 200}\") {} } }\n",
    );
    for record in ["", "--record out"] {
        let outcome = limited(&project, FORMATTER_KIB, &format!("rspec -w 1 {record}")).exits(2);
        let message = "error: cannot write [project]/";
        assert_eq!(outcome.stderr.matches(message).count(), 1, "{outcome:#?}");
        assert!(!outcome.stderr.contains("recorded in"), "{outcome:#?}");
    }
}

/// A real file system of 32 KiB, if one can be mounted on this machine.
#[test]
fn a_full_tmpfs_leaves_the_journal_and_no_run_file() {
    let project = Project::with("in.jsonl", lines(&long_run(200)));
    project.write("old/run.json", "the old one");
    let Some(outcome) = on_a_small_disk(&project, "record --from jsonl --record disk/out in.jsonl")
    else {
        return not_tested(
            "a full disk that is mounted",
            "cannot mount a tmpfs; ulimit -f is used instead",
        );
    };
    assert_eq!(outcome.code, 2, "{outcome:#?}");
    assert!(
        outcome.stderr.contains("no space left on device"),
        "{}",
        outcome.stderr
    );
    assert_eq!(project.files("kept/out"), ["events.jsonl"]);
    assert_eq!(project.read("old/run.json"), "the old one");

    project.casebook("recover kept/out").run().exits(0);
    let recovered = project.json("kept/out/run.json")["examples"]
        .as_object()
        .unwrap()
        .len();
    assert!((10..200).contains(&recovered), "{recovered}");
}

/// Runs the command in a directory with a small file system mounted at `disk`; copies its files to `kept` afterwards.
fn on_a_small_disk(project: &Project, arguments: &str) -> Option<Outcome> {
    let mount = "mount -t tmpfs -o size=32k tmpfs disk";
    let script = format!(
        r#"mkdir -p disk && {mount} || exit 99; "$CASEBOOK" {arguments}; code=$?; cp -r disk kept; chmod -R a+rwX kept; exit $code"#
    );
    project.write("script", script);
    ["unshare -m", "unshare -rm"]
        .into_iter()
        .filter(|namespace| {
            let probe = format!("{namespace} bash -c 'mkdir -p disk && {mount}'");
            project.bash(&probe).run().code == 0
        })
        .map(|namespace| project.bash(&format!("{namespace} bash ./script")).run())
        .next()
}

#[test]
fn a_directory_that_cannot_be_created_is_reported_and_the_input_is_still_read() {
    // More than a pipe's buffer, so that the test fails if the recorder stops reading.
    let input = lines(&long_run(2_000));
    for dir in ["file/out", "/proc/casebook/out", "/dev/null"] {
        let project = Project::with("file", "");
        let outcome = project
            .casebook(&format!("record --from jsonl --record {dir}"))
            .stdin(&input)
            .run()
            .exits(2);
        assert!(outcome.input_was_taken, "{dir}");
        let named = dir.strip_prefix('/').unwrap_or(dir);
        assert!(
            outcome.stderr.starts_with("error: cannot create "),
            "{}",
            outcome.stderr
        );
        assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
        assert!(
            outcome.stderr.ends_with("nothing was recorded\n"),
            "{}",
            outcome.stderr
        );
        assert_eq!(project.files("."), ["file"]);
    }
}

#[test]
fn a_store_that_cannot_be_created_is_reported() {
    let project = Project::with(".casebook", "a file where the directory should be");
    let outcome = project
        .casebook("record --from jsonl")
        .stdin(lines(&passing_run()))
        .run();
    assert_snapshot!(outcome.shown(), @"
    exit code 2
    --- stderr
    error: cannot create [project]/.casebook/runs: not a directory
    1 example: 1 passed in 2.00 s
    nothing was recorded
    ");
}
