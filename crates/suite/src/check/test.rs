//! The fields of a test, once for each combination of its matrix.

use std::time::Duration;

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Severity, Span};

use super::conversation::{self, Interned, Layers, VerdictUse};
use super::suite;
use crate::assertion::decode::assertions;
use crate::codes::{CONFLICT, MISSING_FIELD, TOO_LARGE};
use crate::fields;
use crate::fields::conversation::{SHARED, SIMULATOR, is_conversation_field, is_for_commands};
use crate::fragment::Fragments;
use crate::matrix::{self, MAX_COMBINATIONS, Matrix};
use crate::model::{Action, Script, Test};
use crate::reader::{Reader, as_bool};
use crate::scenario::{self, Scenario, Scenarios};

/// What the tests of a suite have in common.
pub(super) struct SuiteDefaults<'n> {
    /// The suite.
    pub(super) root: &'n Node<'n>,
    pub(super) scenarios: Scenarios<'n>,
    pub(super) verdicts: VerdictUse,
    /// What its tests have in common.
    pub(super) alike: Interned,
    pub(super) timeout: Option<Duration>,
    pub(super) tags: Vec<String>,
    pub(super) matrix: Matrix,
}

/// Decodes a test: one for each combination of its matrix.
pub(super) fn decode(
    node: &Node,
    fragments: &Fragments<'_>,
    common: &mut SuiteDefaults<'_>,
    reader: &mut Reader<'_, '_>,
) -> Vec<Test> {
    let Some(entries) = node.as_map() else {
        reader.type_error(
            node,
            format!(
                "a test is a mapping with `name` and `command`, not {}",
                node.describe()
            ),
        );
        return Vec::new();
    };
    let before = reader.problems.len();
    let mistyped = reader.unknown_fields("a test", entries, fields::TEST);
    let fields = fragments.apply(entries, &mut reader.problems);
    suite::check_aliases(&fields, &["stderr"], reader);
    let own = find(&fields, "matrix")
        .map(|entry| suite::matrix(&entry.value, reader))
        .unwrap_or_default();
    let matrix = matrix::joined(&common.matrix, own);
    let test = RawTest {
        node,
        fields,
        mistyped,
    };
    let tests = if matrix::count(&matrix).is_some_and(|count| count <= MAX_COMBINATIONS) {
        let combinations = matrix::combinations(&matrix);
        combinations
            .into_iter()
            .flat_map(|values| decode_combination(&test, &values, common, reader))
            .collect()
    } else {
        reader.note(
            TOO_LARGE,
            node.span,
            format!("the matrix has more than {MAX_COMBINATIONS} combinations"),
        );
        Vec::new()
    };
    name_the_test(&mut reader.problems[before..], entries, common.root);
    tests
}

/// Lets every problem of a test say which test it is; what the suite says of conversations is no test's.
fn name_the_test(problems: &mut [Diagnostic], entries: &[Entry], root: &Node) {
    let shared = SHARED.iter().chain([&SIMULATOR]);
    let shared: Vec<Span> = shared
        .filter_map(|field| root.get(field.name))
        .map(|node| node.span)
        .collect();
    let is_shared = |span: Span| {
        let mut all = shared.iter();
        all.any(|whole| whole.start <= span.start && span.end <= whole.end)
    };
    let name = entries
        .iter()
        .find(|entry| entry.key == "name")
        .and_then(|entry| entry.value.as_text());
    let own = problems
        .iter_mut()
        .filter(|problem| problem.file.is_none() && !is_shared(problem.span));
    for problem in own {
        problem.test = name.map(str::to_owned);
    }
}

pub(crate) fn find<'e>(fields: &[&'e Entry<'e>], name: &str) -> Option<&'e Entry<'e>> {
    fields.iter().find(|entry| entry.key == name).copied()
}

/// A test as it is written, its fragments applied.
struct RawTest<'n> {
    node: &'n Node<'n>,
    fields: Vec<&'n Entry<'n>>,
    /// Fields that were most likely meant by names that do not exist: they are not missing as well.
    mistyped: Vec<&'static str>,
}

/// The tests of one combination: one for each scenario, if there are scenarios.
fn decode_combination(
    test: &RawTest<'_>,
    combination: &[(String, String)],
    common: &mut SuiteDefaults<'_>,
    outer: &mut Reader<'_, '_>,
) -> Vec<Test> {
    let node = find(&test.fields, "scenarios").filter(|_| test.talks());
    let Some(entry) = node else {
        return one(test, combination, None, common, outer)
            .into_iter()
            .collect();
    };
    let mut reader = Reader::new(outer.variables, combination);
    let scenarios = common.scenarios.of(&entry.value, &mut reader);
    outer.problems.append(&mut reader.problems);
    if scenarios.len() > MAX_COMBINATIONS {
        let message = format!("there are more than {MAX_COMBINATIONS} scenarios");
        outer.note(TOO_LARGE, entry.value.span, message);
        return Vec::new();
    }
    scenarios
        .into_iter()
        .filter_map(|scenario| one(test, combination, Some(scenario), common, outer))
        .collect()
}

fn one(
    written: &RawTest<'_>,
    combination: &[(String, String)],
    scenario: Option<Scenario>,
    common: &mut SuiteDefaults<'_>,
    outer: &mut Reader<'_, '_>,
) -> Option<Test> {
    let mut title = combination.to_vec();
    let mut values = title.clone();
    if let Some(scenario) = &scenario {
        let own = scenario::variables(scenario);
        let name = own.iter().find(|(key, _)| key == "scenario.name");
        if !written.names_its_scenario() {
            title.extend(name.map(|(_, name)| ("scenario".to_owned(), name.clone())));
        }
        values.extend(own);
    }
    let mut reader = Reader::new(outer.variables, &values);
    let test = read(written, scenario, common, &mut reader);
    let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
    let is_told = !written.mistyped.is_empty() || reader.problems.iter().any(is_error);
    if test.is_none() && !is_told {
        // No test may get lost, whatever else is.
        reader.type_error(written.node, "the test cannot be understood".to_owned());
    }
    outer.problems.append(&mut reader.problems);
    test.map(|test| Test {
        name: matrix::title(&test.name, &title),
        matrix: combination.to_vec(),
        ..test
    })
}

impl RawTest<'_> {
    /// Whether it talks to an agent.
    fn talks(&self) -> bool {
        ["conversation", "simulate"]
            .iter()
            .any(|field| find(&self.fields, field).is_some())
    }

    /// Whether its name tells which scenario it is for.
    fn names_its_scenario(&self) -> bool {
        find(&self.fields, "name")
            .and_then(|entry| entry.value.as_text())
            .is_some_and(|name| name.contains("scenario."))
    }
}

fn read(
    written: &RawTest<'_>,
    scenario: Option<Scenario>,
    common: &mut SuiteDefaults<'_>,
    reader: &mut Reader<'_, '_>,
) -> Option<Test> {
    let RawTest { node, fields, .. } = written;
    let value = |name: &str| find(fields, name).map(|entry| &entry.value);
    let name = required("name", written, reader);
    check_kind(written, reader);
    let (action, assertions) = if written.talks() {
        let layers = Layers {
            root: common.root,
            fields,
        };
        let SuiteDefaults {
            verdicts, alike, ..
        } = common;
        let talk = conversation::decode(node, &layers, scenario, verdicts, alike, reader);
        (
            talk.map(|talk| Action::Conversation(talk.into())),
            Vec::new(),
        )
    } else {
        let command = required("command", written, reader).map(Action::Command);
        (command, assertions(node, fields, reader))
    };
    let own_tags = value("tags").map(|node| reader.list("tags", node));
    let own_tags = own_tags.into_iter().flatten().map(|tag| tag.text);
    let stdin = value("stdin").and_then(|node| reader.text("stdin", node));
    let env = value("env").map(|node| reader.env(node));
    let workdir = value("workdir").and_then(|node| reader.non_empty_text("workdir", node));
    let skip = value("skip").and_then(|node| skip(node, reader));
    let only = value("only").filter(|node| reader.bool("only", node) == Some(true));
    let timeout = value("timeout").and_then(|node| reader.duration("timeout", node));
    let retries = value("retries").and_then(|node| reader.number("retries", node, 100));
    let covers = value("covers").map(|node| reader.text_map("covers", node));
    Some(Test {
        name: name?.text,
        span: node.span,
        action: action?,
        stdin,
        env: env.unwrap_or_default(),
        workdir,
        skip,
        only: only.map(|node| node.span),
        timeout: timeout.or(common.timeout),
        retries: retries.unwrap_or(0),
        tags: common.tags.iter().cloned().chain(own_tags).collect(),
        covers: covers.unwrap_or_default(),
        matrix: Vec::new(),
        assertions,
    })
}

/// A test runs a command or talks to an agent, and what is said of the one has no meaning for the other.
fn check_kind(written: &RawTest<'_>, reader: &mut Reader<'_, '_>) {
    let kinds = ["command", "conversation", "simulate"];
    let given: Vec<_> = kinds
        .iter()
        .filter_map(|kind| find(&written.fields, kind))
        .collect();
    if let [first, second, ..] = given.as_slice() {
        let message = format!("a test has `{}` or `{}`, not both", first.key, second.key);
        let problem = Diagnostic::error(CONFLICT, second.key_span, message)
            .label(first.key_span, "given here already");
        reader.problems.push(problem);
        return;
    }
    if given.is_empty() && written.mistyped.iter().any(|field| kinds.contains(field)) {
        return;
    }
    for entry in &written.fields {
        let key = &*entry.key;
        let message = if written.talks() && is_for_commands(key) {
            format!("`{key}` is for commands, and this test talks to an agent")
        } else if !written.talks() && is_conversation_field(key) {
            format!("`{key}` is for tests that talk to an agent, with `conversation` or `simulate`")
        } else {
            continue;
        };
        reader.note(CONFLICT, entry.key_span, message);
    }
}

fn required(field: &str, test: &RawTest<'_>, reader: &mut Reader<'_, '_>) -> Option<Script> {
    let Some(Entry { value: node, .. }) = find(&test.fields, field) else {
        let talks = ["conversation", "simulate"];
        let mut mistyped = test.mistyped.iter();
        let meant = |known: &&str| *known == field || field == "command" && talks.contains(known);
        if !mistyped.any(meant) {
            let start = Span::new(test.node.span.start, test.node.span.start + 1);
            reader.note(MISSING_FIELD, start, format!("the test has no `{field}`"));
            if field == "command" {
                reader.help_last("a test has a `command`, or talks to an agent with `conversation` or `simulate`");
            }
        }
        return None;
    };
    if node.is_null() {
        reader.note(MISSING_FIELD, node.span, format!("`{field}` has no value"));
        return None;
    }
    reader.non_empty_text(field, node).map(|text| Script {
        text,
        span: node.span,
    })
}

/// `true` is a skip without a reason, `false` none, anything else the reason.
fn skip(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    let text = reader.non_empty_text("skip", node)?;
    match as_bool(&text) {
        Some(true) => Some(String::new()),
        Some(false) => None,
        None => Some(text),
    }
}
