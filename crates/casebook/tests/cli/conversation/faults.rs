//! Faulty agents: each fails one example with a reason and leaves no processes.

use std::time::Duration;

use super::{end, failure, suite, transcript};
use crate::support::timed;

/// Runs a suite whose first conversation uses this agent and whose second passes.
fn with(agent: &str, more: &str) -> (crate::run::RunResult, Duration) {
    let suite = suite(&format!(
        "
tests:
  - name: bad
    agent: {{command: {}}}
    conversation: [{{user: hello}}, {{user: again}}]
{more}
  - name: good
    conversation: [{{user: hello, expect: [{{equals: HELLO}}]}}]
",
        serde_json::Value::from(agent)
    ));
    let (ran, took) = timed(|| suite.run("-j1").exits(1));
    assert_eq!(ran.test("good")["status"], "passed");
    (ran, took)
}

/// Executes `what` for each request.
fn each(what: &str) -> String {
    format!("n=0; while read -r line; do n=$((n + 1)); {what}; done")
}

const ANSWER: &str = r#"printf '{"id":%s,"type":"response","text":"fine"}\n' $n"#;

#[test]
fn each_turn_is_in_the_journal_before_the_next_wait() {
    let agent = each(ANSWER) + "; cat .casebook/runs/latest/events.jsonl > at-the-end.jsonl";
    let suite = suite(&format!(
        "
teardown: cat .casebook/runs/latest/events.jsonl > at-teardown.jsonl
tests:
  - name: talks
    agent: {{command: {}}}
    conversation: [{{user: hello, expect: [{{contains: fine}}]}}]
    expect: [{{turns: {{max: 1}}}}]
",
        serde_json::Value::from(agent)
    ));
    suite.call("").run().exits(0);
    let count = |file: &str, word: &str| suite.project.read(file).matches(word).count();
    assert_eq!(count("at-the-end.jsonl", "\"AgentResponse\""), 1);
    assert_eq!(count("at-the-end.jsonl", "\"EvaluationRecorded\""), 1);
    assert_eq!(count("at-teardown.jsonl", "\"EvaluationRecorded\""), 2);
}

#[test]
fn a_failed_agent_is_reported_with_the_cause() {
    let crash = each(&format!(
        "[[ $n == 1 ]] || {{ echo 'Traceback: no rooms' >&2; exit 3; }}; {ANSWER}"
    ));
    for (agent, message) in [
        ("exit 0", "the agent exited with code 0 before it responded"),
        (
            "no-such-agent",
            "the agent exited with code 127 before it responded\ncommand: no-such-agent\nlast lines of standard error:\n  bash: line 1: no-such-agent: command not found",
        ),
        (
            &crash,
            "the agent exited with code 3 before it responded\nlast lines of standard error:\n  Traceback: no rooms",
        ),
        (
            "kill -SEGV $$",
            "the agent was killed by SIGSEGV before it responded",
        ),
        (
            "exec >&-; sleep 60",
            "the agent closed standard output before it responded",
        ),
        (
            "exec <&-; exit 5",
            "the agent exited with code 5 before it responded",
        ),
        (
            &each("echo hello"),
            "a line that is not JSON to standard output: \"hello\"; write logs to standard error",
        ),
        (
            &each("echo '{\"type\":\"response\",\"id\":9,\"text\":\"a\"}'"),
            "the agent's response has the id 9, expected 1",
        ),
        (
            &each("echo '{\"type\":\"response\",\"text\":\"a\"}'"),
            "the agent's response has no `id`, expected 1",
        ),
        (
            &each(&format!("{ANSWER}; {ANSWER}")),
            "the agent responded twice: the response has the id 1, expected 2",
        ),
    ] {
        let (ran, took) = with(agent, "");
        let (class, reason) = failure(&ran, "bad");
        assert_eq!(class, "Casebook::AgentFailed", "{agent}");
        assert!(reason.contains(message), "{agent}: {reason}");
        assert_eq!(end(&ran, "bad"), "agent_error", "{agent}");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = words(&ran.outcome.stdout);
        assert!(
            shown.contains(&words(message.lines().next().unwrap())),
            "{shown}"
        );
        assert!(took < Duration::from_secs(50), "{agent} took {took:?}");
    }
}

#[test]
fn an_extra_reply_at_the_end_is_reported() {
    let agent = each(&format!("{ANSWER}; [[ $n == 1 ]] || {ANSWER}"));
    let (ran, _) = with(&agent, "");
    assert!(
        failure(&ran, "bad")
            .1
            .contains("the agent responded twice: after its last response it wrote")
    );
    assert_eq!(end(&ran, "bad"), "agent_error");
}

#[test]
fn turns_before_a_crash_are_recorded() {
    let call = r#"echo '{"type":"tool_call","name":"look","arguments":{"at":1},"result":true}'"#;
    let agent = each(&format!("[[ $n == 1 ]] || {{ {call}; exit 3; }}; {ANSWER}"));
    let (ran, _) = with(&agent, "");
    assert_eq!(
        transcript(&ran, "bad"),
        ["1 hello → fine", r#"2 again → - look{"at":1}"#]
    );
    let call = &ran.test("bad")["conversation"]["turns"][1]["tool_calls"][0];
    assert_eq!(call["metadata"]["interim"], true);
    let agent = &ran.test("bad")["metadata"]["agent"];
    assert_eq!(agent["exit_code"], 3);
}

#[test]
fn an_agent_that_never_replies_is_killed_at_the_tests_timeout() {
    for agent in [
        "sleep 60",
        "trap '' TERM; while :; do sleep 1; done",
        "(setsid sleep 60 &); sleep 60",
    ] {
        let (ran, took) = with(agent, "    timeout: 0.3");
        let (class, reason) = failure(&ran, "bad");
        assert_eq!(class, "Casebook::Timeout");
        assert!(
            reason.starts_with(
                "timed out after 300 ms: the agent did not respond; check that it ends each response with a newline"
            ),
            "{reason}"
        );
        assert_eq!(end(&ran, "bad"), "timeout");
        assert!(took < Duration::from_secs(50), "{took:?}");
    }
}

#[test]
fn long_standard_error_is_truncated_to_its_end() {
    let agent = "seq 3000000 >&2; echo the end >&2; exit 1";
    let (ran, _) = with(agent, "");
    let message = failure(&ran, "bad").1;
    assert!(
        message.ends_with("  2999999\n  3000000\n  the end"),
        "{message}"
    );
    assert!(message.len() < 1000);
}

#[test]
fn an_endless_line_on_standard_error_is_truncated() {
    let (ran, _) = with(
        "head -c 5000000 /dev/zero | tr '\\0' e >&2; echo; exit 1",
        "",
    );
    let message = failure(&ran, "bad").1;
    assert!(
        message.contains("\n  …eeee") && message.len() < 1000,
        "{message}"
    );
}

#[test]
fn an_endless_line_on_standard_output_fails_the_test() {
    let agent = "read -r line; head -c 50000000 /dev/zero | tr '\\0' x; sleep 600";
    let (ran, took) = with(agent, "");
    assert!(
        failure(&ran, "bad")
            .1
            .contains("a line of more than 16 MiB"),
        "{:?}",
        failure(&ran, "bad")
    );
    assert!(took < Duration::from_secs(120), "{took:?}");
}

#[test]
fn an_agent_may_start_reading_late() {
    // More than a pipe's buffer, sent before the agent starts to read.
    let long = "x".repeat(200_000);
    let agent = format!("sleep 0.2; {}", each(ANSWER));
    let suite = suite(&format!(
        "
tests:
  - name: long
    agent: {{command: {}}}
    conversation: [{{user: {long}, expect: [{{equals: fine}}]}}, {{user: {long}}}]
",
        serde_json::Value::from(agent)
    ));
    suite.run("").exits(0);
}

#[test]
fn processes_left_by_an_agent_are_killed() {
    let suite = suite(
        "
tests:
  - name: leaves
    conversation: [{user: 'run sleep 60 & (setsid sleep 60 >/dev/null 2>&1 &); say fine', expect: [{equals: fine}]}]
",
    );
    let (_, took) = timed(|| suite.run("").exits(0));
    assert!(took < Duration::from_secs(50), "{took:?}");
}
