//! Decodes the user of a conversation: scripted or simulated.

use std::slice;

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::Layers;
use super::agent::required_text;
use super::capture::captures as captures_of_turn;
use super::checks::Checks;
use super::message::{self, Message};
use crate::check::capture;
use crate::codes::MISSING_FIELD;
use crate::expand::RunTimeName;
use crate::fields::conversation::{RULES, SIMULATION, TURN};
use crate::model::conversation::{Simulation, StopReason, Turn, User, UserRules};
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
    let captures: Vec<_> = nodes.iter().map(capture::captured_names).collect();
    let mut turns = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        let (before, after) = (names(&captures, index), names(&captures, index + 1));
        let message = checks.with_names(&before, |checks| message(node, checks.reader));
        turns.push(checks.with_names(&after, |checks| turn(node, message, checks)));
    }
    turns.into_iter().collect()
}

/// The captured values of all turns of the script.
pub(super) fn captured_names<'n>(layers: &Layers<'n>) -> Vec<Vec<&'n str>> {
    let turns = layers.test("conversation").and_then(Node::as_list);
    let turns = turns.unwrap_or_default().iter();
    turns.map(capture::captured_names).collect()
}

/// The captured values, as a turn or a check sees them; empty if there are none.
pub(super) fn names(captures: &[Vec<&str>], available: usize) -> Vec<RunTimeName> {
    capture::names(captures, available, |turn| {
        format!("turn {turn} captures it, after its reply")
    })
}

/// Warns of values that a script captures and nothing uses.
pub(super) fn warn_of_unused_captures(user: Option<&User>, reader: &mut Reader<'_, '_>) {
    let turns = user.map(User::script).unwrap_or_default().iter();
    let captures = turns.flat_map(|turn| &turn.captures);
    let captures = captures.map(|capture| (&capture.name, capture.span));
    let unused = capture::unused(captures, "turn", &reader.used);
    reader.problems.extend(unused);
}

/// The user's message of a turn.
fn message(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Message> {
    let Some(entries) = node.as_map() else {
        let message = format!(
            "a turn must be a mapping with `user`, not {}",
            node.describe()
        );
        reader.type_error(node, message);
        return None;
    };
    let mistyped = reader.unknown_fields("a turn", entries, TURN);
    if mistyped.contains(&"user") {
        return None;
    }
    if let Some(user) = node.get("user").filter(|user| user.as_map().is_some()) {
        return message::with_files(user, reader);
    }
    let message = required_text("the turn", "user", node, reader);
    message.map(|(text, _)| Message {
        text,
        files: Vec::new(),
    })
}

fn turn(node: &Node, message: Option<Message>, checks: &mut Checks<'_, '_, '_>) -> Option<Turn> {
    let entries = node.as_map()?;
    let expectations = checks.both(entries);
    let allow = node.get("allow").map(|node| allow(node, checks.reader));
    let captures = node.get("capture");
    let captures = captures.map(|node| captures_of_turn(node, checks.known, checks.reader));
    let Message { text, files } = message?;
    Some(Turn {
        text,
        files,
        span: node.span,
        expectations,
        allow: allow.unwrap_or_default(),
        captures: captures.unwrap_or_default(),
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
    let layers = [
        ("simulator", layers.suite("simulator")),
        ("simulate", layers.test("simulate")),
    ];
    let mut nodes = Vec::new();
    for (field, node) in layers {
        let Some(node) = node else { continue };
        checks
            .reader
            .object("a simulated user", field, node, SIMULATION);
        nodes.push(node);
    }
    let own = *nodes.last()?;
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
