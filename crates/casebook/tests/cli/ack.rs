//! `--ack`: an acknowledged line number means that the line's event is on the disk.

use crate::events::{failed, lines, passed, passing_run, started, suite};
use crate::support::{Project, eventually};

#[test]
fn every_line_except_blank_ones_is_acknowledged() {
    let project = Project::new();
    let input = lines(&[
        suite("numbers"),
        r#"{"event_type":"Nap","payload":{}}"#.into(),
        "nonsense".into(),
        String::new(),
        started("adds"),
        r#"{"event_type":"ExamplePassed","payload":{}}"#.into(),
        passed("adds"),
    ]);
    let outcome = project
        .casebook("record --from jsonl --ack")
        .stdin(input)
        .run()
        .exits(2);
    assert_eq!(
        outcome.stdout,
        "1\n2 skipped\n3 rejected\n5\n6 rejected\n7\n"
    );
}

#[test]
fn without_the_option_standard_output_is_empty() {
    let project = Project::new();
    let outcome = project
        .casebook("record --from jsonl")
        .stdin(lines(&passing_run()))
        .run()
        .exits(0);
    assert_eq!(outcome.stdout, "");
}

#[test]
fn each_line_is_in_the_journal_when_it_is_acknowledged() {
    let project = Project::new();
    let mut live = project
        .casebook("record --from jsonl --ack --record out")
        .start();
    for (number, line) in (1..).zip(passing_run()) {
        live.send(line);
        assert_eq!(live.answer(), number.to_string());
        let journal = project.read("out/events.jsonl");
        assert_eq!(journal.matches('\n').count(), number, "{journal}");
        assert!(!project.exists("out/run.json"));
    }
    live.finish().exits(0);
    assert!(project.exists("out/run.json"));
}

#[test]
fn an_incomplete_line_does_not_delay_earlier_acknowledgements() {
    let project = Project::new();
    let mut live = project
        .casebook("record --from jsonl --ack --record out")
        .start();
    let second = started("adds");
    let (half, rest) = second.split_at(20);
    live.write(format!("{}\n{half}", suite("halves")));
    assert_eq!(live.answer(), "1");
    live.send(rest);
    assert_eq!(live.answer(), "2");
    live.finish().exits(1);
}

#[test]
fn a_blank_line_does_not_delay_earlier_acknowledgements() {
    let project = Project::new();
    let mut live = project
        .casebook("record --from jsonl --ack --record out")
        .start();
    live.write(format!("{}\n\n \r\n", suite("blanks")));
    assert_eq!(live.answer(), "1");
    live.write(format!("{}\n\n", started("adds")));
    assert_eq!(live.answer(), "4");
    live.finish().exits(1);
}

#[test]
fn lines_without_acknowledgement_are_written_to_the_journal_immediately() {
    let project = Project::new();
    let mut live = project.casebook("record --from jsonl --record out").start();
    live.send(suite("live"));
    eventually("the first event is in the journal", || {
        project.exists("out/events.jsonl") && project.read("out/events.jsonl").ends_with('\n')
    });
    live.finish().exits(2);
}

#[test]
fn lines_that_could_not_be_written_are_not_acknowledged() {
    let project = Project::with("file", "");
    let outcome = project
        .casebook("record --from jsonl --ack --record file/out")
        .stdin(lines(&passing_run()))
        .run()
        .exits(2);
    assert_eq!(outcome.stdout, "");
    assert!(
        outcome.stderr.contains(
            "cannot acknowledge further lines: cannot record: cannot create [project]/file/out"
        ),
        "{}",
        outcome.stderr
    );
}

#[test]
fn closing_the_acknowledgement_pipe_does_not_end_the_recording() {
    let project = Project::new();
    let call = project.casebook("record --from jsonl --ack --record out");
    let outcome = call
        .closed_stdout()
        .stdin(lines(&passing_run()))
        .run()
        .exits(0);
    let warning = "warning: cannot acknowledge further lines: Broken pipe";
    assert_eq!(
        outcome.stderr.matches(warning).count(),
        1,
        "{}",
        outcome.stderr
    );
    assert!(outcome.input_was_taken);
    assert_eq!(project.journal("out/events.jsonl").len(), 4);
    assert!(project.exists("out/run.json"));
}

#[test]
fn a_failed_run_is_reported_even_if_the_acknowledgement_pipe_is_closed() {
    let project = Project::new();
    let input = lines(&[started("adds"), failed("adds", "no")]);
    let call = project.casebook("record --from jsonl --ack --record out");
    call.closed_stdout().stdin(input).run().exits(1);
}

#[test]
fn ack_is_rejected_with_options_that_cannot_acknowledge() {
    let project = Project::with("in.tap", "1..1\nok 1\n");
    for (arguments, reason) in [
        (
            "record --from jsonl --ack --record none",
            "--record none writes nothing",
        ),
        (
            "record --from tap --ack in.tap",
            "--ack requires --from jsonl",
        ),
        (
            "record --from junit --ack in.xml",
            "--ack requires --from jsonl",
        ),
    ] {
        let outcome = project.casebook(arguments).run().exits(2);
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
        assert!(!project.exists(".casebook"), "{arguments}");
    }
}
