//! Tests that the reference of conversations has valid examples and documents every field.

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_suite::fields::Field;
use casebook_suite::fields::agent::{
    AGENT, ANTHROPIC, HTTP, OPENAI, RESPONSE, RETRY, TOKENS, TOOL, TOOL_RESULT,
};
use casebook_suite::fields::conversation::{
    BOUNDS, CALL, CHECK, CONVERSATION_TEST, CRITERION, JUDGE, LATENCY, LLM, PATTERN, PRICE, RULES,
    SAMPLE, SCORED, SHARED, SIMULATION, SIMULATOR, TOPIC, TRIALS, TRIGGER, TURN,
};
use casebook_suite::{CheckContext, check, deny_files};

const REFERENCE: &str = concat!(
    include_str!("../../../docs/conversations.md"),
    include_str!("../../../docs/conversations/checks.md"),
    include_str!("../../../docs/conversations/trials.md"),
    include_str!("../../../docs/conversations/users.md"),
);

/// The examples: complete suites and lists of checks.
fn examples() -> Vec<&'static str> {
    let mut examples = Vec::new();
    let mut rest = REFERENCE;
    while let Some((_, after)) = rest.split_once("```yaml\n") {
        let (example, after) = after
            .split_once("```")
            .expect("every example must be closed");
        examples.push(example);
        rest = after;
    }
    examples
}

/// The first example, with these checks after its first turn.
fn with_checks(checks: &str) -> String {
    let before = "        expect: [{notCalled: book_room}, {topic: greeting}]\n";
    let base = examples()[0].replace("tools: [check_availability, book_room]", "");
    let checks: Vec<_> = checks.lines().collect();
    let checks = checks.join("\n          ");
    let suite = base.replace(before, &format!("        expect:\n          {checks}\n"));
    assert_ne!(
        suite, base,
        "the first example must contain the line to replace"
    );
    suite
}

#[test]
fn every_example_is_valid() {
    for example in examples() {
        let text = if example.starts_with("- ") {
            with_checks(example)
        } else {
            example.to_owned()
        };
        let environment = BTreeMap::new();
        let context = CheckContext {
            environment: &environment,
            stem: "docs",
            read: &deny_files,
        };
        let checked = check(
            SourceFile::new("docs.casebook.yaml", text.clone()),
            &context,
        );
        let problems: Vec<_> = checked
            .diagnostics
            .iter()
            .map(|problem| &problem.message)
            .collect();
        assert!(problems.is_empty(), "{problems:?} in\n{text}");
    }
}

#[test]
fn every_field_is_documented() {
    let lists: [&[Field]; 29] = [
        AGENT,
        ANTHROPIC,
        RESPONSE,
        RETRY,
        TOKENS,
        TOOL,
        TOOL_RESULT,
        BOUNDS,
        CALL,
        CHECK,
        CRITERION,
        HTTP,
        JUDGE,
        LATENCY,
        LLM,
        OPENAI,
        PATTERN,
        PRICE,
        RULES,
        SAMPLE,
        SCORED,
        &SHARED,
        SIMULATION,
        &[SIMULATOR],
        &CONVERSATION_TEST,
        TOPIC,
        TRIALS,
        TRIGGER,
        TURN,
    ];
    for field in lists.into_iter().flatten() {
        let name = field.name;
        let spellings = [
            format!("`{name}`"),
            format!("`{name}:"),
            format!("`{{{name}:"),
        ];
        assert!(
            spellings.iter().any(|text| REFERENCE.contains(text)),
            "{name}"
        );
        let has_example = examples()
            .iter()
            .any(|example| example.contains(&format!("{name}:")));
        assert!(has_example, "{name} has no example");
    }
}
