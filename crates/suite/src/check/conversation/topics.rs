//! Decodes the graph of topics.

use std::collections::HashSet;

use casebook_source::Diagnostic;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::Layers;
use super::agent::required_text;
use super::call;
use super::checks::Checks;
use crate::codes::{CONFLICT, MISSING_FIELD, TOPIC_GRAPH, VACUOUS};
use crate::fields::conversation::{TOPIC, TRIGGER};
use crate::model::conversation::{Topic, Trigger};
use crate::reader::Reader;

/// The topics of the suite and the test. A topic of the test replaces the suite's topic of the same name.
pub(super) fn entries<'n>(layers: &Layers<'n>, reader: &mut Reader<'_, '_>) -> Vec<&'n Entry<'n>> {
    let mut topics: Vec<&Entry> = Vec::new();
    for node in layers.nodes("topics") {
        for entry in reader.map("topics", node) {
            match topics.iter_mut().find(|known| known.key == entry.key) {
                Some(known) => *known = entry,
                None => topics.push(entry),
            }
        }
    }
    topics
}

pub(super) fn topics(entries: &[&Entry], checks: &mut Checks<'_, '_, '_>) -> Vec<Topic> {
    let topics: Vec<_> = entries
        .iter()
        .filter_map(|entry| topic(entry, checks))
        .collect();
    // Only if all topics are valid: an invalid one has no `next`, so others would be reported as unreachable.
    if topics.len() == entries.len() {
        report_unreachable(&topics, checks.reader);
    }
    topics
}

fn topic(entry: &Entry, checks: &mut Checks<'_, '_, '_>) -> Option<Topic> {
    let node = &entry.value;
    let fields: Vec<&Entry> = checks
        .reader
        .object("a topic", &entry.key, node, TOPIC)
        .iter()
        .collect();
    let what = format!("the topic `{}`", entry.key);
    let description = required_text(&what, "description", node, checks.reader);
    let intent = node
        .get("intent")
        .and_then(|node| checks.reader.non_empty_text("intent", node));
    let triggers = node
        .get("triggers")
        .map(|node| triggers(node, checks))
        .unwrap_or_default();
    let next = node
        .get("next")
        .map(|node| next(&entry.key, node, checks))
        .unwrap_or_default();
    let expectations = checks.both(fields);
    Some(Topic {
        name: entry.key.to_string(),
        span: entry.key_span,
        description: description?.0,
        intent,
        triggers,
        next,
        expectations,
    })
}

fn next(name: &str, node: &Node, checks: &mut Checks<'_, '_, '_>) -> Vec<String> {
    let mut next = Vec::new();
    for topic in checks.reader.list("next", node) {
        if topic.text == name {
            let message = format!("the topic `{name}` leads to itself");
            checks
                .reader
                .note(TOPIC_GRAPH, topic.span, message)
                .help_last("remove it: a conversation stays in its topic by itself");
        } else if checks.known.topic(&topic, checks.reader) {
            next.push(topic.text);
        }
    }
    next
}

fn report_unreachable(topics: &[Topic], reader: &mut Reader<'_, '_>) {
    let Some(first) = topics.first() else { return };
    let mut reached = HashSet::from([first.name.as_str()]);
    let mut pending = vec![first];
    while let Some(topic) = pending.pop() {
        let next = topics
            .iter()
            .filter(|other| topic.next.contains(&other.name));
        pending.extend(next.filter(|other| reached.insert(&other.name)));
    }
    for topic in topics
        .iter()
        .filter(|topic| !reached.contains(topic.name.as_str()))
        // A suite need not use all of the topics that it shares with others.
        .filter(|topic| !reader.variables.is_included(topic.span))
    {
        let message = format!(
            "the topic `{}` cannot be reached from `{}`, where every conversation starts",
            topic.name, first.name
        );
        let problem = Diagnostic::error(TOPIC_GRAPH, topic.span, message);
        reader
            .problems
            .push(problem.help("add it to the `next` of a topic"));
    }
}

fn triggers(node: &Node, checks: &mut Checks<'_, '_, '_>) -> Vec<Trigger> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!("`triggers` must be a list, not {}", node.describe());
        checks.reader.type_error(node, message);
        return Vec::new();
    };
    if nodes.is_empty() {
        let message = "`triggers` is empty; remove it to let a judge recognize the topic";
        checks.reader.note(VACUOUS, node.span, message);
    }
    nodes
        .iter()
        .flat_map(|node| trigger(node, checks))
        .collect()
}

fn trigger(node: &Node, checks: &mut Checks<'_, '_, '_>) -> Vec<Trigger> {
    let reader = &mut *checks.reader;
    match reader.object("a trigger", "triggers", node, TRIGGER) {
        [] => {
            if node.as_map().is_some() {
                reader.note(MISSING_FIELD, node.span, "the trigger is empty");
            }
            Vec::new()
        }
        [entry] => condition(entry, checks),
        [_, second, ..] => {
            let message =
                "a trigger must have one condition; write each as a separate list element";
            reader.note(CONFLICT, second.key_span, message);
            Vec::new()
        }
    }
}

fn condition(entry: &Entry, checks: &mut Checks<'_, '_, '_>) -> Vec<Trigger> {
    let reader = &mut *checks.reader;
    let (key, value) = (&*entry.key, &entry.value);
    let mut patterns = |kind: fn(String) -> Trigger| {
        let patterns = reader.patterns(key, value).into_iter();
        patterns.map(|pattern| kind(pattern.text)).collect()
    };
    match key {
        "agentMatches" => patterns(Trigger::AgentMatches),
        "userMatches" => patterns(Trigger::UserMatches),
        "afterTurns" => {
            let turns = reader.count(key, value, 1000);
            turns.map(Trigger::AfterTurns).into_iter().collect()
        }
        "called" => {
            let calls = call::calls(key, value, checks.known, reader);
            for (node, _) in &calls {
                let why = "a trigger checks a single call";
                call::reject_fields(&["times", "before", "after"], why, node, reader);
            }
            let calls = calls.into_iter();
            calls
                .map(|(_, check)| Trigger::Called(check.call))
                .collect()
        }
        _ => Vec::new(),
    }
}
