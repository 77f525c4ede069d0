//! Decodes checks and the expectations that contain them.

use std::{mem, slice};

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::agent::required_text;
use super::bounds::{self, Unit, bounds};
use super::names::{JudgeQuery, KnownNames};
use super::{call, ended, json};
use crate::assertion::decode::with_key;
use crate::check::quoting::warn_of_unquoted_values;
use crate::codes::{CONFLICT, MISSING_FIELD, VACUOUS, WRONG_VALUE};
use crate::expand::RunTimeName;
use crate::fields::conversation::{CHECK, CHECK_OPTIONS, SCORED};
use crate::model::TextCheck;
use crate::model::conversation::{CallCheck, ConversationCheck, CriterionRef, Expectation};
use crate::reader::{Reader, Text};

/// Decodes checks and collects the judge queries they make.
pub(super) struct Checks<'r, 'v, 'c> {
    pub(super) reader: &'r mut Reader<'v, 'c>,
    pub(super) known: &'r KnownNames,
    pub(super) queries: Vec<JudgeQuery>,
}

impl Checks<'_, '_, '_> {
    /// Decodes something that can use these captured values.
    pub(super) fn with_names<T>(
        &mut self,
        names: &[RunTimeName],
        decode: impl FnOnce(&mut Checks<'_, '_, '_>) -> T,
    ) -> T {
        if names.is_empty() {
            return decode(self);
        }
        let scope = self.reader.scope().with_run_time(names);
        let mut reader = Reader::new(self.reader.variables, scope);
        let mut inner = Checks {
            reader: &mut reader,
            known: self.known,
            queries: mem::take(&mut self.queries),
        };
        let decoded = decode(&mut inner);
        self.queries = inner.queries;
        self.reader.absorb(reader);
        decoded
    }
}

type Located = (Span, ConversationCheck);

impl Checks<'_, '_, '_> {
    /// The expectations of `expect` and `evaluate`, in file order.
    pub(super) fn both<'n>(
        &mut self,
        entries: impl IntoIterator<Item = &'n Entry<'n>>,
    ) -> Vec<Expectation> {
        let mut expectations = Vec::new();
        for entry in entries {
            match &*entry.key {
                "expect" => self.expectations("expect", &entry.value, true, &mut expectations),
                "evaluate" => self.expectations("evaluate", &entry.value, false, &mut expectations),
                _ => {}
            }
        }
        expectations
    }

    /// Decodes a check or a list of checks.
    pub(super) fn expectations(
        &mut self,
        field: &str,
        node: &Node,
        hard: bool,
        expectations: &mut Vec<Expectation>,
    ) {
        let nodes = match &node.kind {
            NodeKind::List(nodes) => nodes,
            _ => slice::from_ref(node),
        };
        if nodes.is_empty() {
            let message = format!("`{field}` is an empty list and asserts nothing");
            self.reader.note(VACUOUS, node.span, message);
        }
        // Exact, because most turns have one expectation and a suite may have thousands of turns.
        expectations.reserve_exact(nodes.len());
        for node in nodes {
            self.check(field, node, hard, expectations);
        }
    }

    /// Decodes one check.
    pub(super) fn check(
        &mut self,
        field: &str,
        node: &Node,
        hard: bool,
        expectations: &mut Vec<Expectation>,
    ) {
        let Some(entries) = node.as_map() else {
            let message = format!(
                "`{field}` must contain checks such as `contains: TEXT`, not {}",
                node.describe()
            );
            self.reader.type_error(node, message);
            return;
        };
        let given = entries.len();
        self.reader.unknown_fields("a check", entries, CHECK);
        let known = |entry: &&Entry| CHECK.iter().any(|known| known.name == entry.key);
        let is_option = |entry: &&Entry| CHECK_OPTIONS.iter().any(|(name, _)| *name == entry.key);
        let all = || entries.iter().filter(known);
        let mut own = all().filter(|entry| !is_option(entry));
        match (own.next(), own.next()) {
            (None, _) if all().count() == given => {
                self.report_missing_condition(node, all().next());
            }
            (None, _) => {}
            (Some(one), None) => {
                self.check_options(one, all());
                self.expectation(one, node, hard, expectations);
            }
            (Some(first), Some(second)) => {
                let message = format!(
                    "a check must have one condition, not both `{}` and `{}`",
                    first.key, second.key
                );
                self.reader
                    .note(CONFLICT, second.key_span, message)
                    .help_last("write each as a separate list element: `- {…}`");
            }
        }
    }

    fn report_missing_condition(&mut self, node: &Node, first: Option<&Entry>) {
        match first {
            None => self
                .reader
                .note(VACUOUS, node.span, "the check is empty and asserts nothing"),
            Some(entry) => {
                let option = CHECK_OPTIONS.iter().find(|(name, _)| *name == entry.key);
                let owners = option.map_or_else(String::new, |(_, owners)| any_of(owners));
                let message = format!("`{}` requires {owners}", entry.key);
                self.reader.note(MISSING_FIELD, entry.key_span, message)
            }
        };
    }

    fn check_options<'n>(&mut self, own: &Entry, all: impl Iterator<Item = &'n Entry<'n>>) {
        for entry in all {
            let option = CHECK_OPTIONS.iter().find(|(name, _)| *name == entry.key);
            if let Some((name, owners)) = option.filter(|(_, owners)| !owners.contains(&&*own.key))
            {
                let owners = any_of(owners);
                let message = format!("`{name}` belongs to {owners}, not to `{}`", own.key);
                self.reader.note(CONFLICT, entry.key_span, message);
            }
        }
    }

    fn expectation(
        &mut self,
        entry: &Entry,
        node: &Node,
        hard: bool,
        expectations: &mut Vec<Expectation>,
    ) {
        let Some(field) = CHECK.iter().find(|field| field.name == entry.key) else {
            return;
        };
        let before = self.reader.problems.len();
        let checks = self.decode(field.name, &entry.value, node);
        if checks.is_empty() && self.reader.problems.len() == before {
            // An expectation must not be dropped without an error.
            let message = format!("`{}` checks nothing", field.name);
            self.reader.note(VACUOUS, entry.value.span, message);
        }
        expectations.extend(checks.into_iter().map(|(span, check)| Expectation {
            hard,
            field: field.name,
            span: with_key(entry, span),
            check,
        }));
    }

    fn decode(&mut self, name: &'static str, value: &Node, check_node: &Node) -> Vec<Located> {
        match name {
            "contains" | "notContains" | "matches" | "notMatches" => {
                self.texts(name, value, check_node)
            }
            "json" => json::checks(value, self.reader),
            "returned" => call::returned(value, self.known, self.reader),
            "called" => self.calls(name, value, ConversationCheck::Called),
            "notCalled" => self.calls(name, value, ConversationCheck::NotCalled),
            "satisfies" => self.satisfies(value),
            "intent" | "grounded" | "claims" | "notClaims" | "language" => {
                self.judged(name, value, check_node)
            }
            "latency" => {
                let checks = bounds::latency(value, self.reader).into_iter();
                checks.map(|check| (value.span, check)).collect()
            }
            "reachedTopic" => {
                let topics = self
                    .names(name, value, KnownNames::topic)
                    .unwrap_or_default();
                let reached =
                    |topic: Text| (topic.span, ConversationCheck::ReachedTopic(topic.text));
                topics.into_iter().map(reached).collect()
            }
            _ => self
                .single(name, value, check_node)
                .map(|check| (value.span, check))
                .into_iter()
                .collect(),
        }
    }

    /// Decodes the checks that have a single value.
    fn single(
        &mut self,
        name: &'static str,
        value: &Node,
        check_node: &Node,
    ) -> Option<ConversationCheck> {
        let mut within = |unit| bounds(name, value, unit, self.reader);
        Some(match name {
            "equals" => ConversationCheck::Text(TextCheck::Equals(self.reader.text(name, value)?)),
            "maxLength" => ConversationCheck::MaxLength(self.reader.count(name, value, 1_000_000)?),
            "minLength" => ConversationCheck::MinLength(self.reader.count(name, value, 1_000_000)?),
            "anyOf" => self.any_of(value)?,
            "not" => self.not(value)?,
            "ended" => ConversationCheck::Ended(ended::ended(value, self.reader)?),
            "turns" => ConversationCheck::Turns(within(Unit::Count)?),
            "tokens" => ConversationCheck::Tokens(within(Unit::Count)?),
            "cost" => ConversationCheck::Cost(within(Unit::Amount)?),
            "onlyCalled" => ConversationCheck::OnlyCalled(self.only(value)?),
            "calledInOrder" => ConversationCheck::CalledInOrder {
                tools: all_texts(self.names(name, value, KnownNames::tool)?),
                exact: match check_node.get("exact") {
                    Some(exact) => self.reader.bool("exact", exact)?,
                    None => false,
                },
            },
            "topic" => {
                let text = self.reader.non_empty_text(name, value)?;
                let span = value.span;
                let topic = Text { text, span };
                let is_known = self.known.topic(&topic, self.reader);
                is_known.then_some(ConversationCheck::Topic(topic.text))?
            }
            "topics" => ConversationCheck::Topics(self.topics(value)?),
            _ => {
                let script = self.reader.non_empty_script(name, value)?;
                warn_of_unquoted_values(&script, self.reader);
                ConversationCheck::Run(script.text)
            }
        })
    }

    /// Decodes comparisons of the reply.
    fn texts(&mut self, name: &str, node: &Node, check_node: &Node) -> Vec<Located> {
        let check = match name {
            "contains" => TextCheck::Contains,
            "notContains" => TextCheck::NotContains,
            "matches" => TextCheck::Matches,
            _ => TextCheck::NotMatches,
        };
        let ignore_case = check_node.get("ignoreCase");
        let ignore_case = ignore_case.and_then(|node| self.reader.bool("ignoreCase", node));
        let comparison = match ignore_case {
            Some(true) => ConversationCheck::TextIgnoringCase,
            _ => ConversationCheck::Text,
        };
        let texts = match name {
            "contains" | "notContains" => self.reader.non_empty_texts(name, node),
            _ => self.reader.patterns(name, node),
        };
        let texts = texts.into_iter();
        texts
            .map(|text| (text.span, comparison(check(text.text))))
            .collect()
    }

    fn calls(
        &mut self,
        name: &str,
        node: &Node,
        check: fn(Box<CallCheck>) -> ConversationCheck,
    ) -> Vec<Located> {
        let calls = call::calls(name, node, self.known, self.reader);
        if name == "notCalled" {
            for (node, _) in &calls {
                let why = "use `called` to limit how often a tool is called";
                call::reject_fields(&["times"], why, node, self.reader);
            }
        }
        let calls = calls.into_iter();
        calls
            .map(|(node, call)| (node.span, check(Box::new(call))))
            .collect()
    }

    /// An empty list means that no tool may be called.
    fn only(&mut self, node: &Node) -> Option<Vec<String>> {
        let tools = self.reader.list("onlyCalled", node);
        node.as_list()?;
        tools
            .iter()
            .all(|tool| self.known.tool(tool, self.reader))
            .then(|| all_texts(tools))
    }

    fn topics(&mut self, node: &Node) -> Option<Vec<String>> {
        let topics = self.names("topics", node, KnownNames::topic)?;
        let start = self.known.topics.first()?;
        if topics.first().is_some_and(|first| first.text != *start) {
            let message = format!("this can never pass: every conversation starts in `{start}`");
            self.reader.note(VACUOUS, topics[0].span, message);
        }
        Some(all_texts(topics))
    }

    /// Decodes names; `None` with a problem if one is unknown.
    fn names(
        &mut self,
        field: &str,
        node: &Node,
        is_known: fn(&KnownNames, &Text, &mut Reader<'_, '_>) -> bool,
    ) -> Option<Vec<Text>> {
        let before = self.reader.problems.len();
        let names = self.reader.texts(field, node);
        for name in &names {
            is_known(self.known, name, self.reader);
        }
        (self.reader.problems.len() == before).then_some(names)
    }

    /// Decodes criteria: names, sentences, or mappings with a name and the required score.
    fn satisfies(&mut self, value: &Node) -> Vec<Located> {
        let nodes = value.as_list().unwrap_or(slice::from_ref(value));
        let mut checks = Vec::new();
        for node in nodes {
            let criterion = match node.as_map() {
                Some(_) => self.scored(node),
                None => self.criterion(node),
            };
            let Some((text, criterion)) = criterion else {
                continue;
            };
            self.queries.push(JudgeQuery {
                span: text.span,
                check: "satisfies",
                text: text.text,
            });
            checks.push((text.span, ConversationCheck::Satisfies(criterion)));
        }
        checks
    }

    /// A criterion by name or as a sentence.
    fn criterion(&mut self, node: &Node) -> Option<(Text, CriterionRef)> {
        let text = Text {
            text: self.reader.non_empty_text("satisfies", node)?,
            span: node.span,
        };
        let criterion = self.known.criterion(&text, self.reader)?;
        Some((text, criterion))
    }

    /// `{criterion: NAME, min: SCORE}`
    fn scored(&mut self, node: &Node) -> Option<(Text, CriterionRef)> {
        self.reader.object("`satisfies`", "satisfies", node, SCORED);
        let name = required_text("`satisfies`", "criterion", node, self.reader);
        let (text, span) = name?;
        let text = Text { text, span };
        let criterion = match node.get("min") {
            Some(min) => {
                let number = self.reader.finite_number("min", min)?;
                self.known.scored(&text, (number, min.span), self.reader)?
            }
            None => self.known.criterion(&text, self.reader)?,
        };
        Some((text, criterion))
    }

    fn language(&mut self, value: &Node) -> Vec<Text> {
        let text = self.reader.text("language", value);
        let span = value.span;
        text.map(|text| Text { text, span }).into_iter().collect()
    }

    /// Decodes the other checks that a judge decides.
    fn judged(&mut self, name: &'static str, value: &Node, check_node: &Node) -> Vec<Located> {
        let from = match check_node.get("from") {
            Some(node) if name == "grounded" => self.names("from", node, KnownNames::tool),
            _ => Some(Vec::new()),
        };
        let Some(from) = from.map(all_texts) else {
            return Vec::new();
        };
        let mut checks = Vec::new();
        let texts = match name {
            // A reply has one language.
            "language" => self.language(value),
            _ => self.reader.texts(name, value),
        };
        for text in texts {
            if text.text.trim().is_empty() {
                let message = format!("`{name}` must not be empty");
                self.reader.note(WRONG_VALUE, text.span, message);
                continue;
            }
            let what = text.text.clone();
            let check = match name {
                "intent" => ConversationCheck::Intent(what),
                "claims" => ConversationCheck::Claims(what),
                "notClaims" => ConversationCheck::NotClaims(what),
                "language" => ConversationCheck::Language(what),
                _ => ConversationCheck::Grounded {
                    what,
                    from: from.clone(),
                },
            };
            self.queries.push(JudgeQuery {
                span: text.span,
                check: name,
                text: text.text,
            });
            checks.push((text.span, check));
        }
        checks
    }
}

/// `a`, `b` or `c`.
fn any_of(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        names => names.concat(),
    }
}

fn all_texts(texts: Vec<Text>) -> Vec<String> {
    texts.into_iter().map(|text| text.text).collect()
}
