//! Decodes a test, once for each combination of its matrix.

use std::collections::HashSet;
use std::time::Duration;

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Severity, Span};

use super::conversation::{self, Interned, Layers, VerdictUse};
use super::{conditions, directory, effects, locks, normalize, service, step, suite, terminal};
use crate::assertion::decode::assertions;
use crate::codes::{CONFLICT, MISSING_FIELD, TOO_LARGE};
use crate::expand::{Combination, Scope};
use crate::fields;
use crate::fields::conversation::{SHARED, SIMULATOR, is_command_field, is_conversation_field};
use crate::fragment::{Applied, Fragments};
use crate::matrix::{self, MAX_COMBINATIONS, Matrix};
use crate::model::{Action, Conditions, Lock, Script, Service, Step, Test, Workdir};
use crate::normalizer::Normalizer;
use crate::reader::{BoolOrText, Reader};
use crate::scenario::{self, Scenario, Scenarios};

/// The settings shared by the tests of a suite, and values collected over all of them.
pub(super) struct SuiteDefaults<'n> {
    /// The root of the suite's file.
    pub(super) root: &'n Node<'n>,
    /// The keys of all matrices of the file.
    pub(super) deferred: HashSet<String>,
    /// The captured values that `teardown` uses.
    pub(super) used_in_teardown: HashSet<String>,
    /// The services of the suite.
    pub(super) services: Vec<Service>,
    /// Whether any test has `uses`.
    pub(super) any_uses: bool,
    pub(super) scenarios: Scenarios<'n>,
    pub(super) verdicts: VerdictUse,
    /// Equal values of different tests, stored once.
    pub(super) interned: Interned,
    pub(super) timeout: Option<Duration>,
    pub(super) isolate: bool,
    pub(super) locks: Vec<Lock>,
    pub(super) normalize: Vec<Normalizer>,
    pub(super) tags: Vec<String>,
    pub(super) matrix: Matrix,
}

/// Decodes the tests of one entry of `tests`: one for each combination of the matrix and each scenario.
pub(super) fn decode(
    node: &Node,
    fragments: &Fragments<'_>,
    defaults: &mut SuiteDefaults<'_>,
    reader: &mut Reader<'_, '_>,
) -> Vec<Test> {
    let Some(entries) = node.as_map() else {
        reader.type_error(
            node,
            format!(
                "a test must be a mapping with `name` and `command`, not {}",
                node.describe()
            ),
        );
        return Vec::new();
    };
    let (before, scripts_before) = (reader.problems.len(), reader.scripts.len());
    let Applied {
        fields,
        is_incomplete,
    } = fragments.apply(entries, &mut reader.problems);
    let own_and_fragments = fields.iter().copied();
    let mistyped = reader.unknown_fields("a test", own_and_fragments, fields::TEST);
    suite::check_aliases(&fields, &["stderr"], reader);
    let own = find(&fields, "matrix")
        .map(|entry| suite::matrix(&entry.value, reader))
        .unwrap_or_default();
    let matrix = matrix::merged(&defaults.matrix, own);
    let test = RawTest {
        node,
        fields,
        mistyped,
        is_incomplete,
    };
    let tests = if matrix::count(&matrix).is_some_and(|count| count <= MAX_COMBINATIONS) {
        let combinations = matrix::combinations(&matrix);
        combinations
            .into_iter()
            .flat_map(|values| decode_combination(&test, &values, defaults, reader))
            .collect()
    } else {
        reader.note(
            TOO_LARGE,
            node.span,
            format!("the matrix has more than {MAX_COMBINATIONS} combinations"),
        );
        Vec::new()
    };
    let title = title(node, reader);
    set_part(&mut reader.problems[before..], &title, defaults.root);
    for script in &mut reader.scripts[scripts_before..] {
        script.part = Some(title.clone());
    }
    tests
}

/// The test as messages name it: by its name, or by its line.
fn title(node: &Node, reader: &Reader<'_, '_>) -> String {
    let name = node.get("name").and_then(Node::as_text);
    match name.filter(|name| !name.trim().is_empty()) {
        Some(name) => format!("test `{}`", name.escape_debug()),
        None => format!("the test at line {}", reader.variables.line(node.span)),
    }
}

/// Sets the test as the part of the file that its problems are in, except those in settings that it shares with the suite's other tests.
fn set_part(problems: &mut [Diagnostic], title: &str, root: &Node) {
    let shared = SHARED.iter().chain([&SIMULATOR]);
    let shared: Vec<Span> = shared
        .filter_map(|field| root.get(field.name))
        .map(|node| node.span)
        .collect();
    let is_shared = |span: Span| {
        let mut all = shared.iter();
        all.any(|outer| outer.contains(span))
    };
    let own = problems
        .iter_mut()
        .filter(|problem| problem.file.is_none() && !is_shared(problem.span));
    for problem in own {
        problem.part = Some(title.to_owned());
    }
}

pub(crate) fn find<'e>(fields: &[&'e Entry<'e>], name: &str) -> Option<&'e Entry<'e>> {
    fields.iter().find(|entry| entry.key == name).copied()
}

/// A test before decoding, with its fragments applied.
struct RawTest<'n> {
    node: &'n Node<'n>,
    fields: Vec<&'n Entry<'n>>,
    /// Fields suggested for unknown names, so they are not also reported as missing.
    mistyped: Vec<&'static str>,
    /// Whether a `$ref` could not be resolved: its fragment may have the fields that are missing.
    is_incomplete: bool,
}

/// Decodes the tests of one combination: one for each scenario, or one without scenarios.
fn decode_combination(
    test: &RawTest<'_>,
    combination: &Combination,
    defaults: &mut SuiteDefaults<'_>,
    outer: &mut Reader<'_, '_>,
) -> Vec<Test> {
    let node = find(&test.fields, "scenarios").filter(|_| test.is_conversation());
    let Some(entry) = node else {
        return decode_one(test, combination, None, defaults, outer)
            .into_iter()
            .collect();
    };
    let mut reader = Reader::new(outer.variables, Scope::of(combination));
    let scenarios = defaults.scenarios.decode(&entry.value, &mut reader);
    outer.absorb(reader);
    if scenarios.len() > MAX_COMBINATIONS {
        let message = format!("the test has more than {MAX_COMBINATIONS} scenarios");
        outer.note(TOO_LARGE, entry.value.span, message);
        return Vec::new();
    }
    scenarios
        .into_iter()
        .filter_map(|scenario| decode_one(test, combination, Some(scenario), defaults, outer))
        .collect()
}

fn decode_one(
    raw: &RawTest<'_>,
    combination: &Combination,
    scenario: Option<Scenario>,
    defaults: &mut SuiteDefaults<'_>,
    outer: &mut Reader<'_, '_>,
) -> Option<Test> {
    let matrix = matrix::texts(combination);
    let mut title = matrix.clone();
    let mut values = combination.to_vec();
    if let Some(scenario) = &scenario {
        let own = scenario::variables(scenario);
        let name = own.iter().find(|(key, _)| key == "scenario.name");
        if !raw.name_contains_scenario() {
            title.extend(name.map(|(_, name)| ("scenario".to_owned(), name.text.clone())));
        }
        values.extend(own);
    }
    let mut reader = Reader::new(outer.variables, Scope::of(&values));
    let uses = find(&raw.fields, "uses").map(|entry| &entry.value);
    let uses = service::uses(uses, &mut reader);
    defaults.any_uses |= uses.is_some();
    let uses = uses.map(|named| service::with_needs(&named, &defaults.services));
    let test = read(raw, scenario, defaults, &mut reader);
    let test = test.map(|test| Test {
        name: matrix::title(&test.name, &title),
        matrix: matrix.clone(),
        uses: uses.clone().unwrap_or_default(),
        ..test
    });
    if let Some(test) = test.as_ref().filter(|_| !defaults.services.is_empty()) {
        let values = std::mem::take(&mut reader.used);
        let services = &defaults.services;
        service::check_test(test, uses.as_deref(), &values, services, &mut reader);
    }
    let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
    let is_reported =
        raw.is_incomplete || !raw.mistyped.is_empty() || reader.problems.iter().any(is_error);
    if test.is_none() && !is_reported {
        // A test must not be dropped without an error.
        reader.type_error(raw.node, "the test cannot be understood".to_owned());
    }
    outer.absorb(reader);
    test
}

impl RawTest<'_> {
    /// Whether it is a conversation.
    fn is_conversation(&self) -> bool {
        ["conversation", "simulate"]
            .iter()
            .any(|field| find(&self.fields, field).is_some())
    }

    /// Whether it has several commands.
    fn has_steps(&self) -> bool {
        find(&self.fields, "steps").is_some()
    }

    /// Whether its name contains a field of the scenario.
    fn name_contains_scenario(&self) -> bool {
        find(&self.fields, "name")
            .and_then(|entry| entry.value.as_text())
            .is_some_and(|name| name.contains("scenario."))
    }
}

fn read(
    raw: &RawTest<'_>,
    scenario: Option<Scenario>,
    defaults: &mut SuiteDefaults<'_>,
    reader: &mut Reader<'_, '_>,
) -> Option<Test> {
    let RawTest { node, fields, .. } = raw;
    let name = required("name", raw, reader);
    check_kind(raw, reader);
    let action = if raw.is_conversation() {
        let layers = Layers {
            root: defaults.root,
            fields,
        };
        let SuiteDefaults {
            verdicts, interned, ..
        } = defaults;
        let conversation =
            conversation::decode(node, &layers, scenario, verdicts, interned, reader);
        conversation.map(|conversation| Action::Conversation(conversation.into()))
    } else if let Some(entry) = find(fields, "steps") {
        step::steps(&entry.value, &defaults.used_in_teardown, reader).map(Action::Steps)
    } else {
        command(raw, reader).map(|step| Action::Command(step.into()))
    };
    let settings = settings(fields, reader);
    let timeout = settings.timeout.or(defaults.timeout);
    if let Some(action) = action.as_ref().filter(|_| reader.problems.is_empty()) {
        effects::check(node, fields, action, timeout, reader);
    }
    let tags = defaults.tags.iter().cloned();
    Some(Test {
        name: name?.text,
        span: node.span,
        action: action?,
        env: settings.env,
        workdir: settings.workdir,
        isolate: settings.isolate.unwrap_or(defaults.isolate),
        unset: settings.unset,
        skip: settings.skip,
        conditions: settings.conditions,
        fails: settings.fails,
        only: settings.only,
        timeout,
        retries: settings.retries,
        locks: locks::merged(&defaults.locks, settings.locks),
        normalize: normalize::merged(&defaults.normalize, settings.normalize),
        tags: tags.chain(settings.tags).collect(),
        covers: settings.covers,
        matrix: Vec::new(),
        uses: Vec::new(),
    })
}

/// The command of a test, its input and its assertions.
fn command(raw: &RawTest<'_>, reader: &mut Reader<'_, '_>) -> Option<Step> {
    let command = required("command", raw, reader);
    let stdin = find(&raw.fields, "stdin");
    let stdin = stdin.and_then(|entry| reader.text("stdin", &entry.value));
    let assertions = assertions(raw.node, &raw.fields, reader);
    effects::check_ignore_case(raw.node, &raw.fields, &assertions, reader);
    let eventually = find(&raw.fields, "eventually");
    let eventually = eventually.and_then(|entry| step::eventually(&entry.value, reader));
    let terminal = terminal::terminal(&raw.fields, reader);
    terminal::check_use(&raw.fields, &assertions, &[], reader);
    Some(Step {
        name: None,
        span: raw.node.span,
        command: command?,
        stdin,
        env: Vec::new(),
        workdir: None,
        timeout: None,
        captures: Vec::new(),
        eventually,
        terminal,
        assertions,
    })
}

/// The fields of a test besides its name and its action.
pub(super) struct TestSettings {
    env: Vec<(String, String)>,
    workdir: Option<Workdir>,
    isolate: Option<bool>,
    unset: Vec<String>,
    skip: Option<String>,
    conditions: Conditions,
    fails: Option<String>,
    only: Option<Span>,
    timeout: Option<Duration>,
    retries: u32,
    locks: Vec<Lock>,
    normalize: Vec<Normalizer>,
    tags: Vec<String>,
    covers: Vec<(String, String)>,
}

pub(super) fn settings(fields: &[&Entry], reader: &mut Reader<'_, '_>) -> TestSettings {
    let value = |name: &str| find(fields, name).map(|entry| &entry.value);
    let tags = value("tags").map(|node| reader.list("tags", node));
    let env = value("env").map(|node| reader.env(node));
    let workdir = value("workdir").and_then(|node| directory::workdir(node, reader));
    let isolate = value("isolate").and_then(|node| reader.bool("isolate", node));
    let unset = value("unset").map(|node| directory::unset(node, value("env"), reader));
    let skip = value("skip").and_then(|node| skip(node, reader));
    let conditions = conditions::decode(fields, reader);
    let fails = value("fails").and_then(|node| conditions::fails(node, reader));
    let only = value("only").filter(|node| reader.bool("only", node) == Some(true));
    let timeout = value("timeout").and_then(|node| reader.duration("timeout", node));
    let retries = value("retries").and_then(|node| reader.number("retries", node, 100));
    let locks = value("locks").map(|node| locks::locks(node, reader));
    let normalize = value("normalize").map(|node| normalize::normalizers(node, reader));
    let covers = value("covers").map(|node| reader.text_map("covers", node));
    let tags = tags.into_iter().flatten().map(|tag| tag.text);
    TestSettings {
        env: env.unwrap_or_default(),
        workdir,
        isolate,
        unset: unset.unwrap_or_default(),
        skip,
        conditions,
        fails,
        only: only.map(|node| node.span),
        timeout,
        retries: retries.unwrap_or(0),
        locks: locks.unwrap_or_default(),
        normalize: normalize.unwrap_or_default(),
        tags: tags.collect(),
        covers: covers.unwrap_or_default(),
    }
}

/// Reports more than one kind of action, and fields that have no effect for the test's kind.
fn check_kind(raw: &RawTest<'_>, reader: &mut Reader<'_, '_>) {
    let kinds = ["command", "steps", "conversation", "simulate"];
    let given: Vec<_> = kinds
        .iter()
        .filter_map(|kind| find(&raw.fields, kind))
        .collect();
    let is_mixed =
        |first: &Entry, second: &Entry| first.key == "conversation" && second.key == "simulate";
    if let [first, second, ..] = given.as_slice()
        && !is_mixed(first, second)
    {
        let message = format!("a test has `{}` or `{}`, not both", first.key, second.key);
        let problem = Diagnostic::error(CONFLICT, second.key_span, message)
            .label(first.key_span, "the other field")
            .help("remove one of them");
        reader.problems.push(problem);
        return;
    }
    let is_mistyped = raw.mistyped.iter().any(|field| kinds.contains(field));
    if given.is_empty() && (is_mistyped || raw.is_incomplete) {
        return;
    }
    for entry in &raw.fields {
        let key = &*entry.key;
        let is_for_commands = is_command_field(key) || key == "normalize";
        let message = if raw.is_conversation() && is_for_commands {
            format!("`{key}` is for commands, but this test is a conversation")
        } else if key != "steps" && raw.has_steps() && is_command_field(key) {
            format!("`{key}` is a field of a step: this test has `steps`")
        } else if !raw.is_conversation() && is_conversation_field(key) {
            format!("`{key}` is for conversations (`conversation` or `simulate`)")
        } else {
            continue;
        };
        reader.note(CONFLICT, entry.key_span, message);
    }
}

fn required(field: &str, test: &RawTest<'_>, reader: &mut Reader<'_, '_>) -> Option<Script> {
    let Some(Entry { value: node, .. }) = find(&test.fields, field) else {
        let conversations = ["steps", "conversation", "simulate"];
        let mut mistyped = test.mistyped.iter();
        let is_suggested =
            |known: &&str| *known == field || field == "command" && conversations.contains(known);
        let may_be_in_fragment = test.is_incomplete && field == "command";
        if !may_be_in_fragment && !mistyped.any(is_suggested) {
            let start = Span::new(test.node.span.start, test.node.span.start + 1);
            reader.note(MISSING_FIELD, start, format!("the test has no `{field}`"));
            if field == "command" {
                reader.help_last("add `command`, `steps`, `conversation` or `simulate`");
            }
        }
        return None;
    };
    if node.is_null() {
        reader.note(MISSING_FIELD, node.span, format!("`{field}` has no value"));
        return None;
    }
    match field {
        "command" => reader.non_empty_script(field, node),
        _ => reader.non_empty_text(field, node).map(|text| Script {
            text,
            span: node.span,
        }),
    }
}

/// The reason to skip: empty for `true`, `None` for `false`.
fn skip(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    match reader.bool_or_text("skip", node, "true, false or the reason")? {
        BoolOrText::Bool(skip) => skip.then(String::new),
        BoolOrText::Text(reason) => Some(reason),
    }
}
