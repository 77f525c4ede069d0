//! Tests that talk to an agent: what the suite says of them and what the test says, joined and checked.

mod agent;
mod bounds;
mod call;
mod checks;
mod consistency;
mod criteria;
mod interned;
mod llm;
mod names;
mod pattern;
mod topics;
mod user;
mod verdicts;

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node};
use serde_json::{Map, Value};

use crate::codes::{CONFLICT, MISSING_FIELD, UNDEFINED_VARIABLE};
use crate::model::conversation::{Conversation, User};
use crate::reader::Reader;
use checks::Checks;
pub(super) use interned::Interned;
use names::KnownNames;
pub(super) use verdicts::VerdictUse;

/// Where something can be said: in the suite, in the test.
pub(super) struct Layers<'n> {
    /// The suite.
    pub(super) root: &'n Node<'n>,
    /// The test's fields, its fragments applied.
    pub(super) fields: &'n [&'n Entry<'n>],
}

impl<'n> Layers<'n> {
    fn suite(&self, field: &str) -> Option<&'n Node<'n>> {
        self.root.get(field)
    }

    fn test(&self, field: &str) -> Option<&'n Node<'n>> {
        let mut fields = self.fields.iter();
        fields
            .find(|entry| entry.key == field)
            .map(|entry| &entry.value)
    }

    /// What both say, the suite first.
    fn nodes(&self, field: &str) -> Vec<&'n Node<'n>> {
        let both = [self.suite(field), self.test(field)];
        both.into_iter().flatten().collect()
    }
}

/// Decodes the conversation that a test is.
pub(super) fn decode(
    test: &Node,
    layers: &Layers<'_>,
    scenario: Option<Map<String, Value>>,
    verdicts: &mut VerdictUse,
    alike: &mut Interned,
    reader: &mut Reader<'_, '_>,
) -> Option<Conversation> {
    let criteria = criteria::criteria(layers, reader);
    let topic_entries = topics::entries(layers, reader);
    let known = KnownNames {
        criteria: criteria.iter().map(|one| one.name.clone()).collect(),
        topics: topic_entries
            .iter()
            .map(|entry| entry.key.to_string())
            .collect(),
        tools: tools(layers, reader),
    };
    let agent = layers.nodes("agent").into_iter().next_back();
    if agent.is_none() {
        let start = Span::new(test.span.start, test.span.start + 1);
        reader
            .note(
                MISSING_FIELD,
                start,
                "there is no `agent` that the test could talk to",
            )
            .help_last("say at the top of the suite what it is: `agent: {command: …}`");
    }
    let agent = agent.and_then(|node| agent::agent(node, reader));
    let llm = llm::llm(layers, &known, reader);
    let judge = llm::judge(layers, reader);
    let trials = layers
        .test("trials")
        .and_then(|node| reader.count("trials", node, 1000));
    let mut checks = Checks {
        reader,
        known: &known,
        asked: Vec::new(),
    };
    let user = user(layers, &mut checks);
    let expectations = checks.both(layers.fields.iter().copied());
    let asked = std::mem::take(&mut checks.asked);
    let topics = topics::topics(&topic_entries, &mut checks);
    let asked_in_topics = std::mem::take(&mut checks.asked);
    let sense = consistency::ConversationParts {
        layers,
        agent: agent.as_ref(),
        llm: llm.as_ref(),
        judge,
        topics: &topics,
        asked: &asked,
        asked_in_topics: &asked_in_topics,
    };
    sense.check(user.as_ref(), &expectations, reader);
    verdicts.add_test(layers, &known, asked.into_iter().chain(asked_in_topics));
    Some(Conversation {
        agent: alike.agent.or(agent?),
        llm: llm.map(|llm| alike.llm.or(llm)),
        judge,
        criteria: alike.criteria.or(criteria),
        topics: alike.topics.or(topics),
        user: user?,
        expectations,
        scenario,
        trials: trials.unwrap_or(1),
    })
}

fn user(layers: &Layers<'_>, checks: &mut Checks<'_, '_, '_>) -> Option<User> {
    let during = layers.test("during");
    if let Some(node) = layers.test("conversation") {
        if let Some(during) = during {
            let message = "`during` has no meaning here: it is for simulated users";
            checks.reader.note(CONFLICT, during.span, message);
        }
        return user::turns(node, checks).map(User::Scripted);
    }
    let simulation = user::simulation(layers, during, checks);
    simulation.map(|simulation| User::Simulated(Box::new(simulation)))
}

fn tools(layers: &Layers<'_>, reader: &mut Reader<'_, '_>) -> Vec<String> {
    let nodes = layers.nodes("tools").into_iter();
    nodes
        .flat_map(|node| reader.list("tools", node))
        .map(|tool| tool.text)
        .collect()
}

/// Checks what the suite says of conversations that no test of it has. What would be a scenario's is not known then.
pub(super) fn check_unused(root: &Node, simulator: bool, reader: &mut Reader<'_, '_>) {
    let before = reader.problems.len();
    let layers = Layers { root, fields: &[] };
    let criteria = criteria::criteria(&layers, reader);
    let entries = topics::entries(&layers, reader);
    let known = KnownNames {
        criteria: criteria.into_iter().map(|one| one.name).collect(),
        topics: entries.iter().map(|entry| entry.key.to_string()).collect(),
        tools: tools(&layers, reader),
    };
    if let Some(node) = layers.suite("agent") {
        agent::agent(node, reader);
    }
    llm::llm(&layers, &known, reader);
    llm::judge(&layers, reader);
    let mut checks = Checks {
        reader,
        known: &known,
        asked: Vec::new(),
    };
    topics::topics(&entries, &mut checks);
    if simulator && layers.suite("simulator").is_some() {
        user::simulation(&layers, None, &mut checks);
    }
    let mut place = 0;
    reader.problems.retain(|problem| {
        place += 1;
        let goal_comes_later = problem.message == "`simulate` has no `goal`";
        place <= before || problem.code != UNDEFINED_VARIABLE && !goal_comes_later
    });
}
