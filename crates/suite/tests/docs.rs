//! The reference of conversations: its examples are right, and it leaves nothing out.

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_suite::fields::Field;
use casebook_suite::fields::conversation::{
    AGENT, BOUNDS, CALL, CHECK, CONVERSATION_TEST, CRITERION, HTTP, JUDGE, LLM, OPENAI, PATTERN,
    PRICE, RULES, SAMPLE, SHARED, SIMULATION, SIMULATOR, TOPIC, TRIGGER, TURN,
};
use casebook_suite::{CheckContext, check, deny_files};

const REFERENCE: &str = include_str!("../../../docs/conversations.md");

/// The examples: whole suites, and lists of checks.
fn examples() -> Vec<&'static str> {
    let mut examples = Vec::new();
    let mut rest = REFERENCE;
    while let Some((_, after)) = rest.split_once("```yaml\n") {
        let (example, after) = after.split_once("```").expect("every example has an end");
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
    let whole = base.replace(before, &format!("        expect:\n          {checks}\n"));
    assert_ne!(whole, base, "the checks have a place in the first example");
    whole
}

#[test]
fn every_example_is_right() {
    for example in examples() {
        let text = if example.starts_with("- ") {
            with_checks(example)
        } else {
            example.to_owned()
        };
        let environment = BTreeMap::new();
        let surroundings = CheckContext {
            environment: &environment,
            stem: "docs",
            read: &deny_files,
        };
        let checked = check(
            SourceFile::new("docs.casebook.yaml", text.clone()),
            &surroundings,
        );
        let problems: Vec<_> = checked.diagnostics.iter().map(|one| &one.message).collect();
        assert!(problems.is_empty(), "{problems:?} in\n{text}");
    }
}

#[test]
fn every_field_is_told_of() {
    let lists: [&[Field]; 20] = [
        AGENT,
        BOUNDS,
        CALL,
        CHECK,
        CRITERION,
        HTTP,
        JUDGE,
        LLM,
        OPENAI,
        PATTERN,
        PRICE,
        RULES,
        SAMPLE,
        &SHARED,
        SIMULATION,
        &[SIMULATOR],
        &CONVERSATION_TEST,
        TOPIC,
        TRIGGER,
        TURN,
    ];
    for field in lists.into_iter().flatten() {
        let name = field.name;
        let told = [
            format!("`{name}`"),
            format!("`{name}:"),
            format!("`{{{name}:"),
        ];
        assert!(told.iter().any(|told| REFERENCE.contains(told)), "{name}");
        let shown = examples()
            .iter()
            .any(|example| example.contains(&format!("{name}:")));
        assert!(shown, "{name} has no example");
    }
}
