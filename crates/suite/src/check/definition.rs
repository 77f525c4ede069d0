//! Checks the fragments of a suite by themselves, so that the problems of unused ones are found too.

use casebook_source::Code;
use casebook_source::yaml::Entry;

use super::conversation::{self, Interned, Layers, VerdictUse};
use super::test::{self, SuiteDefaults, find};
use super::{service, suite, terminal};
use crate::assertion::decode::assertions;
use crate::codes::{
    CONFLICT, MISSING_FIELD, NO_MODEL, SELF_JUDGE, TOPIC_GRAPH, UNKNOWN_CRITERION, UNKNOWN_TOOL,
    UNKNOWN_TOPIC,
};
use crate::expand::Scope;
use crate::fields;
use crate::fields::conversation::is_conversation_field;
use crate::fragment::Fragments;
use crate::reader::Reader;

/// Problems that depend on the rest of the test: it may have the agent, the criteria or the topics that the fragment lacks.
const OF_TESTS: [Code; 8] = [
    CONFLICT,
    MISSING_FIELD,
    NO_MODEL,
    SELF_JUDGE,
    TOPIC_GRAPH,
    UNKNOWN_CRITERION,
    UNKNOWN_TOOL,
    UNKNOWN_TOPIC,
];

/// Checks a fragment, whether a test uses it or not.
pub(super) fn check_fragment<'n>(
    fragment: &'n Entry<'n>,
    fragments: &Fragments<'n>,
    defaults: &SuiteDefaults<'_>,
    outer: &mut Reader<'_, '_>,
) {
    let Some(own) = fragment.value.as_map() else {
        return;
    };
    let mut reader = Reader::new(outer.variables, Scope::definition(&defaults.deferred));
    reader.unknown_fields("a test", own, fields::TEST);
    let fields = fragments
        .apply_to_fragment(fragment, &mut reader.problems)
        .fields;
    suite::check_aliases(&fields, &["stderr"], &mut reader);
    for name in ["name", "command"] {
        if let Some(entry) = find(&fields, name) {
            match name {
                "command" => drop(reader.non_empty_script(name, &entry.value)),
                _ => drop(reader.non_empty_text(name, &entry.value)),
            }
        }
    }
    if let Some(entry) = find(&fields, "matrix") {
        suite::matrix(&entry.value, &mut reader);
    }
    if let Some(entry) = find(&fields, "scenarios") {
        defaults.scenarios.decode(&entry.value, &mut reader);
    }
    assertions(&fragment.value, &fields, &mut reader);
    terminal::terminal(&fields, &mut reader);
    test::settings(&fields, &mut reader);
    let uses = find(&fields, "uses").map(|entry| &entry.value);
    service::uses(uses, &mut reader);
    check_conversation(fragment, &fields, defaults, &mut reader);
    let variables = outer.variables;
    reader
        .problems
        .retain(|problem| !variables.may_be_defined(problem));
    let part = format!("fragment `{}`", fragment.key.escape_debug());
    for problem in reader
        .problems
        .iter_mut()
        .filter(|problem| problem.file.is_none())
    {
        problem.part = Some(part.clone());
    }
    for script in &mut reader.scripts {
        script.part = Some(part.clone());
    }
    outer.absorb(reader);
}

fn check_conversation(
    fragment: &Entry,
    fields: &[&Entry],
    defaults: &SuiteDefaults<'_>,
    reader: &mut Reader<'_, '_>,
) {
    if !fields.iter().any(|entry| is_conversation_field(&entry.key)) {
        return;
    }
    let before = reader.problems.len();
    let layers = Layers {
        root: defaults.root,
        fields,
    };
    let (mut verdicts, mut interned) = (VerdictUse::default(), Interned::default());
    conversation::decode(
        &fragment.value,
        &layers,
        None,
        &mut verdicts,
        &mut interned,
        reader,
    );
    let found = reader.problems.split_off(before);
    let is_own = |code: Code| !OF_TESTS.contains(&code);
    let own = found.into_iter().filter(|problem| is_own(problem.code));
    reader.problems.extend(own);
}
