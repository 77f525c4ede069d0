//! Decodes the user of a conversation: scripted or simulated.

use std::slice;

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::Layers;
use super::agent::required_text;
use super::checks::Checks;
use crate::codes::MISSING_FIELD;
use crate::fields::conversation::{RULES, SIMULATION, TURN};
use crate::model::conversation::{Simulation, StopReason, Turn, UserRules};
use crate::reader::{Reader, Text};

/// The default of `maxTurns`.
const MAX_TURNS: u32 = 15;

/// Decodes the turns of a scripted user.
pub(super) fn turns(node: &Node, checks: &mut Checks<'_, '_, '_>) -> Option<Vec<Turn>> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!("`conversation` must be a list, not {}", node.describe());
        checks
            .reader
            .type_error(node, message)
            .help_last("write `- user: …` for each turn");
        return None;
    };
    if nodes.is_empty() {
        let message = "`conversation` must have at least one turn";
        checks.reader.note(MISSING_FIELD, node.span, message);
    }
    let turns: Vec<_> = nodes.iter().map(|node| turn(node, checks)).collect();
    turns.into_iter().collect()
}

fn turn(node: &Node, checks: &mut Checks<'_, '_, '_>) -> Option<Turn> {
    let Some(entries) = node.as_map() else {
        let message = format!(
            "a turn must be a mapping with `user`, not {}",
            node.describe()
        );
        checks.reader.type_error(node, message);
        return None;
    };
    let mistyped = checks.reader.unknown_fields("a turn", entries, TURN);
    let text = if mistyped.contains(&"user") {
        None
    } else {
        required_text("the turn", "user", node, checks.reader)
    };
    let expectations = checks.both(entries);
    let allow = node.get("allow").map(|node| allow(node, checks.reader));
    Some(Turn {
        text: text?.0,
        span: node.span,
        expectations,
        allow: allow.unwrap_or_default(),
    })
}

/// The incomplete replies that a turn allows.
fn allow(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<StopReason> {
    let nodes = match &node.kind {
        NodeKind::List(nodes) => nodes,
        _ => slice::from_ref(node),
    };
    let words = nodes
        .iter()
        .filter_map(|node| reader.choice("allow", node, StopReason::ALLOWED));
    words.filter_map(StopReason::of_word).collect()
}

/// Merges the suite's `simulator` and the test's `simulate`: lists are concatenated, other fields replaced.
pub(super) fn simulation(
    layers: &Layers<'_>,
    during: Option<&Node>,
    checks: &mut Checks<'_, '_, '_>,
) -> Option<Simulation> {
    let nodes: Vec<&Node> = [layers.suite("simulator"), layers.test("simulate")]
        .into_iter()
        .flatten()
        .collect();
    let own = *nodes.last()?;
    for (field, node) in ["simulator", "simulate"]
        .iter()
        .rev()
        .zip(nodes.iter().rev())
    {
        checks
            .reader
            .object("a simulated user", field, node, SIMULATION);
    }
    let reader = &mut *checks.reader;
    let field = |name: &str| nodes.iter().rev().find_map(|node| node.get(name));
    let text = |name: &str, reader: &mut Reader<'_, '_>| {
        field(name).and_then(|node| reader.non_empty_text(name, node))
    };
    let lists = |name: &str, reader: &mut Reader<'_, '_>| -> Vec<String> {
        let nodes = nodes.iter().filter_map(|node| node.get(name));
        nodes.flat_map(|node| list(name, node, reader)).collect()
    };
    if field("goal").is_none() && own.as_map().is_some() {
        let start = Span::new(own.span.start, own.span.start + 1);
        reader.note(MISSING_FIELD, start, "`simulate` has no `goal`");
    }
    let goal = text("goal", reader);
    let role = text("role", reader);
    let personality = lists("personality", reader);
    let context = lists("context", reader);
    let mut rules = UserRules::default();
    for node in nodes.iter().filter_map(|node| node.get("rules")) {
        add(&mut rules, self::rules("rules", node, reader));
    }
    let max_turns = field("maxTurns")
        .and_then(|node| reader.count("maxTurns", node, 1000))
        .unwrap_or(MAX_TURNS);
    let mut stop_when = Vec::new();
    if let Some(node) = field("stopWhen") {
        checks.expectations("stopWhen", node, true, &mut stop_when);
    }
    let during = during
        .map(|node| self::during(node, checks))
        .unwrap_or_default();
    Some(Simulation {
        goal: goal?,
        role,
        personality,
        context,
        rules,
        during,
        max_turns,
        stop_when,
    })
}

fn add(rules: &mut UserRules, more: UserRules) {
    rules.should.extend(more.should);
    rules.should_not.extend(more.should_not);
}

/// Decodes `during`: the additional rules for topics.
fn during(node: &Node, checks: &mut Checks<'_, '_, '_>) -> Vec<(String, UserRules)> {
    let entries: &[Entry] = checks.reader.map("during", node);
    let mut all = Vec::new();
    for entry in entries {
        let topic = Text {
            text: entry.key.to_string(),
            span: entry.key_span,
        };
        checks.known.topic(&topic, checks.reader);
        all.push((
            entry.key.to_string(),
            rules(&entry.key, &entry.value, checks.reader),
        ));
    }
    all
}

fn rules(field: &str, node: &Node, reader: &mut Reader<'_, '_>) -> UserRules {
    let mut rules = UserRules::default();
    for entry in reader.object(&format!("`{field}`"), field, node, RULES) {
        match &*entry.key {
            "should" => rules.should = list("should", &entry.value, reader),
            "shouldNot" => rules.should_not = list("shouldNot", &entry.value, reader),
            _ => {}
        }
    }
    rules
}

/// A string or a list of strings, which may be empty.
fn list(field: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Vec<String> {
    let texts = match &node.kind {
        NodeKind::List(_) => reader.list(field, node),
        _ => reader.texts(field, node),
    };
    texts.into_iter().map(|text| text.text).collect()
}
