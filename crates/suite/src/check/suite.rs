//! Decodes the fields of a suite.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Diagnostic, Severity, SourceFile, Span};

use super::test::{self, SuiteDefaults};
use super::{CheckContext, conversation, definition, directory, locks, normalize, service};
use crate::codes::{BAD_NAME, GIVEN_TWICE, MISSING_FIELD, WRONG_VALUE};
use crate::expand::{RunTimeName, Scope, Variables, is_name, is_reserved};
use crate::fields;
use crate::fragment::Fragments;
use crate::matrix::Matrix;
use crate::model::{Hooks, Script, Service, Suite, Test};
use crate::reader::{Findings, Reader, plain_json};
use crate::scenario::Scenarios;
use crate::typed_value::TypedValue;

/// The maximum length of a suite's name in characters.
const MAX_NAME: usize = 256;

/// Decodes the root of a file; `None` if it has no list of tests.
pub(super) fn decode(
    file: &Arc<SourceFile>,
    root: &mut Node,
    context: &CheckContext<'_>,
) -> (Option<Suite>, Findings) {
    let tests = take_tests(root);
    let mut problems = Vec::new();
    let defined = variables(root, &mut problems);
    let variables =
        Variables::new(file, defined, context.environment).with_services(service::names(root));
    let fragments = Fragments::new(fragments(root, &mut problems));
    let deferred = matrix_keys(root, &fragments, &tests);
    problems.extend(variables.problems(&deferred));
    let mut reader = Reader::new(&variables, Scope::of(&[]));
    let suite = read(
        file,
        root,
        tests,
        context,
        &fragments,
        deferred,
        &mut reader,
    );
    let mut found = reader.into_findings();
    problems.append(&mut found.problems);
    (suite, Findings { problems, ..found })
}

/// The keys of all matrices: variables that only tests define.
fn matrix_keys(root: &Node, fragments: &Fragments<'_>, tests: &[Node]) -> HashSet<String> {
    let fragments = fragments.all.iter().map(|fragment| &fragment.value);
    let owners = tests.iter().chain(fragments).chain([root]);
    owners
        .filter_map(|owner| owner.get("matrix")?.as_map())
        .flatten()
        .map(|entry| entry.key.to_string())
        .collect()
}

/// The names of all captured values.
fn captured_names(fragments: &Fragments<'_>, tests: &[Node]) -> Vec<RunTimeName> {
    let fragments = fragments.all.iter().map(|fragment| &fragment.value);
    let steps = tests
        .iter()
        .chain(fragments)
        .filter_map(|owner| owner.get("steps")?.as_list())
        .flatten();
    steps
        .filter_map(|step| step.get("capture")?.as_map())
        .flatten()
        .map(|entry| RunTimeName::available(&entry.key))
        .collect()
}

/// `teardown`, which can use the captured values of its test.
fn teardown(root: &Node, captured: &[RunTimeName], outer: &mut Reader<'_, '_>) -> Option<Script> {
    let node = root.get("teardown").or_else(|| root.get("teardownEach"))?;
    let scope = outer.scope().with_run_time(captured);
    let mut reader = Reader::new(outer.variables, scope);
    let script = reader.script("teardown", node);
    outer.absorb(reader);
    script
}

/// Moves the tests out of the tree. They are most of a file: freeing each node after decoding limits the memory used.
fn take_tests<'f>(root: &mut Node<'f>) -> Vec<Node<'f>> {
    let NodeKind::Map(entries) = &mut root.kind else {
        return Vec::new();
    };
    let tests = entries.iter_mut().find(|entry| entry.key == "tests");
    match tests.map(|entry| &mut entry.value.kind) {
        Some(NodeKind::List(nodes)) => std::mem::take(nodes),
        _ => Vec::new(),
    }
}

fn read(
    file: &Arc<SourceFile>,
    root: &Node,
    nodes: Vec<Node>,
    context: &CheckContext<'_>,
    fragments: &Fragments<'_>,
    deferred: HashSet<String>,
    reader: &mut Reader<'_, '_>,
) -> Option<Suite> {
    let entries = root.as_map().unwrap_or_default();
    let field = |name: &str| root.get(name);
    let own = entries.iter().filter(|entry| !entry.key.starts_with("x-"));
    let mistyped = reader.unknown_fields("a suite", own, fields::SUITE);
    check_aliases(
        &entries.iter().collect::<Vec<_>>(),
        &["setupEach", "teardownEach"],
        reader,
    );
    let teardown = teardown(root, &captured_names(fragments, &nodes), reader);
    let mut defaults = defaults(file, root, context, deferred, reader);
    let name = field("name").and_then(|node| suite_name(node, reader));
    let hooks = hooks(root, teardown, reader);
    let redact = field("redact")
        .map(|node| reader.list("redact", node))
        .into_iter()
        .flatten();
    for fragment in &fragments.all {
        definition::check_fragment(fragment, fragments, &defaults, reader);
    }
    let env = field("env").map(|node| reader.env(node));
    let env = env.unwrap_or_default();
    service::check_texts(&hooks, &env, root, &defaults.services, reader);
    let mut tests = tests(root, nodes, fragments, &mut defaults, &mistyped, reader);
    check_unused_settings(&defaults, reader);
    if !defaults.any_uses {
        use_all_services(&defaults.services, tests.iter_mut().flatten());
    }
    check_unused_services(&defaults.services, tests.as_deref(), reader);
    Some(Suite {
        file: Arc::clone(file),
        name: name.unwrap_or_else(|| context.stem.to_owned()),
        description: field("description").and_then(|node| reader.text("description", node)),
        hooks,
        env,
        unset: field("unset")
            .map(|node| directory::unset(node, field("env"), reader))
            .unwrap_or_default(),
        timeout: defaults.timeout,
        parallel: field("parallel")
            .and_then(|node| reader.bool("parallel", node))
            .unwrap_or(true),
        locks: defaults.locks,
        budget: field("budget")
            .map(|node| conversation::budget(node, reader))
            .unwrap_or_default(),
        redact: redact.map(|pattern| pattern.text).collect(),
        files: defaults.scenarios.texts(),
        services: defaults.services,
        tests: tests?,
    })
}

/// What the tests inherit from the suite.
fn defaults<'n>(
    file: &'n SourceFile,
    root: &'n Node<'n>,
    context: &'n CheckContext<'_>,
    deferred: HashSet<String>,
    reader: &mut Reader<'_, '_>,
) -> SuiteDefaults<'n> {
    let field = |name: &str| root.get(name);
    SuiteDefaults {
        root,
        deferred,
        used_in_teardown: std::mem::take(&mut reader.used),
        services: service::services(root, reader),
        any_uses: false,
        scenarios: Scenarios::new(context.read, file.name()),
        verdicts: conversation::VerdictUse::default(),
        interned: conversation::Interned::default(),
        timeout: field("timeout").and_then(|node| reader.duration("timeout", node)),
        isolate: field("isolate")
            .and_then(|node| reader.bool("isolate", node))
            .unwrap_or(false),
        locks: field("locks")
            .map(|node| locks::locks(node, reader))
            .unwrap_or_default(),
        normalize: field("normalize")
            .map(|node| normalize::normalizers(node, reader))
            .unwrap_or_default(),
        tags: field("tags")
            .map(|node| reader.list("tags", node))
            .into_iter()
            .flatten()
            .map(|tag| tag.text)
            .collect(),
        matrix: field("matrix")
            .map(|node| matrix(node, reader))
            .unwrap_or_default(),
    }
}

/// Reports services that no test uses. With errors it is not known which services the tests use.
fn check_unused_services(
    services: &[Service],
    tests: Option<&[Test]>,
    reader: &mut Reader<'_, '_>,
) {
    let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
    if let Some(tests) = tests
        && !reader.problems.iter().any(is_error)
    {
        reader.problems.extend(service::unused(services, tests));
    }
}

fn hooks(root: &Node, teardown: Option<Script>, reader: &mut Reader<'_, '_>) -> Hooks {
    let mut hook = |names: [&str; 2]| {
        let node = names.iter().find_map(|name| root.get(name))?;
        reader.script(names[0], node)
    };
    Hooks {
        setup_file: hook(["setupFile", "setupFile"]),
        teardown_file: hook(["teardownFile", "teardownFile"]),
        setup: hook(["setup", "setupEach"]),
        teardown,
    }
}

/// Without `uses` in the suite, each test uses all services.
fn use_all_services<'t>(services: &[Service], tests: impl Iterator<Item = &'t mut Test>) {
    let all: Vec<String> = services.iter().map(|one| one.name.clone()).collect();
    for test in tests {
        test.uses.clone_from(&all);
    }
}

/// Checks the suite's settings for conversations that no test uses.
fn check_unused_settings(defaults: &SuiteDefaults<'_>, reader: &mut Reader<'_, '_>) {
    let SuiteDefaults { root, verdicts, .. } = defaults;
    if !verdicts.any_conversation || !verdicts.any_simulation {
        let mut inner = Reader::new(reader.variables, Scope::definition(&defaults.deferred));
        conversation::check_unused(root, !verdicts.any_simulation, &mut inner);
        reader.absorb(inner);
    }
    reader.problems.extend(verdicts.unknown());
}

fn tests(
    root: &Node,
    nodes: Vec<Node>,
    fragments: &Fragments<'_>,
    defaults: &mut SuiteDefaults<'_>,
    mistyped: &[&str],
    reader: &mut Reader<'_, '_>,
) -> Option<Vec<crate::model::Test>> {
    let Some(node) = root.get("tests") else {
        if !mistyped.contains(&"tests") {
            let start = Span::new(root.span.start, root.span.start);
            reader
                .note(MISSING_FIELD, start, "the suite has no `tests`")
                .help_last("write `tests:` and a list of tests");
        }
        return None;
    };
    let NodeKind::List(_) = &node.kind else {
        let message = format!("`tests` must be a list, not {}", node.describe());
        reader
            .type_error(node, message)
            .help_last("begin each test with a dash: `- name: …`");
        return None;
    };
    if nodes.is_empty() {
        reader.note(
            MISSING_FIELD,
            node.span,
            "`tests` must contain at least one test",
        );
    }
    Some(
        nodes
            .into_iter()
            .flat_map(|node| test::decode(&node, fragments, defaults, reader))
            .collect(),
    )
}

fn suite_name(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    let name = reader.non_empty_text("name", node)?;
    let length = name.chars().count();
    if length > MAX_NAME {
        reader.type_error(
            node,
            format!("`name` must not be longer than {MAX_NAME} characters, got {length}"),
        );
    }
    Some(name)
}

/// Reports fields given under both of their names.
pub(super) fn check_aliases(entries: &[&Entry], aliases: &[&str], reader: &mut Reader<'_, '_>) {
    for (alias, name) in fields::ALIASES
        .iter()
        .filter(|(alias, _)| aliases.contains(alias))
    {
        let find = |key: &str| entries.iter().find(|entry| entry.key == key);
        let (Some(first), Some(second)) = (find(name), find(alias)) else {
            continue;
        };
        let alternative = match *name {
            "setup" => "; use `setupFile` for commands that run once before all tests",
            "teardown" => "; use `teardownFile` for commands that run once after all tests",
            _ => "",
        };
        let message = format!("`{alias}` and `{name}` are the same field");
        let problem = Diagnostic::error(GIVEN_TWICE, second.key_span, message)
            .label(first.key_span, "already given here");
        reader
            .problems
            .push(problem.help(format!("keep one of them{alternative}")));
    }
}

/// The variables by name, not yet substituted.
fn variables<'n>(
    root: &'n Node<'n>,
    problems: &mut Vec<Diagnostic>,
) -> HashMap<&'n str, (&'n str, Span)> {
    let mut defined = HashMap::new();
    for entry in entries(root, "variables", problems) {
        let name = &*entry.key;
        if !is_name(name) {
            let message = format!("`{name}` cannot be the name of a variable");
            let help = "a name is a letter or _, then letters, digits and _";
            problems.push(Diagnostic::error(BAD_NAME, entry.key_span, message).help(help));
        } else if is_reserved(name) {
            let message =
                format!("`{name}`: names that begin with bashi_ or casebook_ are reserved");
            let problem = Diagnostic::error(BAD_NAME, entry.key_span, message);
            problems.push(problem.help("give the variable another name"));
        }
        match entry.value.as_text() {
            Some(_) if entry.value.is_null() => drop(defined.insert(name, ("", entry.value.span))),
            Some(text) => drop(defined.insert(name, (text, entry.value.span))),
            None => {
                let message = format!(
                    "the variable `{name}` must be a string, not {}",
                    entry.value.describe()
                );
                problems.push(Diagnostic::error(WRONG_VALUE, entry.value.span, message));
            }
        }
    }
    defined
}

/// The fragments; invalid ones are reported.
fn fragments<'n>(root: &'n Node<'n>, problems: &mut Vec<Diagnostic>) -> Vec<&'n Entry<'n>> {
    let all = entries(root, "fragments", problems);
    for fragment in all {
        let name = &fragment.key;
        if !is_name(&name.replace('-', "_")) || name.starts_with('-') {
            let message = format!("`{name}` cannot be the name of a fragment");
            let help = "a name is a letter or _, then letters, digits, _ and -";
            problems.push(Diagnostic::error(BAD_NAME, fragment.key_span, message).help(help));
        }
        if fragment.value.as_map().is_none() {
            let message = format!(
                "a fragment must be a mapping of a test's fields, not {}",
                fragment.value.describe()
            );
            problems.push(Diagnostic::error(WRONG_VALUE, fragment.value.span, message));
        }
    }
    all.iter().collect()
}

fn entries<'n>(root: &'n Node<'n>, field: &str, problems: &mut Vec<Diagnostic>) -> &'n [Entry<'n>] {
    let Some(node) = root.get(field) else {
        return &[];
    };
    node.as_map().unwrap_or_else(|| {
        let message = format!("`{field}` must be a mapping, not {}", node.describe());
        problems.push(Diagnostic::error(WRONG_VALUE, node.span, message));
        &[]
    })
}

/// A mapping from names to lists of values.
pub(super) fn matrix(node: &Node, reader: &mut Reader<'_, '_>) -> Matrix {
    let mut matrix = Matrix::new();
    for entry in reader.map("matrix", node) {
        if !is_name(&entry.key) {
            let message = format!("`{}` is not a valid matrix key", entry.key);
            reader.note(BAD_NAME, entry.key_span, message).help_last(
                "a matrix key is the name of a variable: a letter or _, then letters, digits and _",
            );
        }
        let values = matrix_values(&entry.key, &entry.value, reader);
        if values.is_empty() && entry.value.as_list().is_some_and(<[Node]>::is_empty) {
            reader.type_error(
                &entry.value,
                format!("`{}` must have at least one value", entry.key),
            );
        }
        matrix.push((entry.key.to_string(), values));
    }
    matrix
}

/// The values of a key. Values without quotes may be booleans or numbers, as in YAML.
fn matrix_values(key: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<TypedValue> {
    let Some(nodes) = node.as_list() else {
        reader.list(key, node);
        return Vec::new();
    };
    let value = |node: &Node| match &node.kind {
        NodeKind::Scalar(scalar) => {
            let text = reader.text(key, node)?;
            let json = if scalar.plain {
                plain_json(&text)
            } else {
                text.as_str().into()
            };
            Some(TypedValue { text, json })
        }
        _ => TypedValue::of(&reader.json(node)?),
    };
    nodes.iter().filter_map(value).collect()
}
