//! Decodes conversation tests: merges the settings of the suite and the test, and checks them.

mod agent;
mod bounds;
mod budget;
mod call;
mod capture;
mod checks;
mod combined;
mod consistency;
mod criteria;
mod ended;
mod history;
mod interned;
mod json;
mod llm;
mod message;
mod names;
mod pattern;
mod topics;
mod trials;
mod user;
mod verdicts;

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node};
use serde_json::{Map, Value};

use crate::codes::{CONFLICT, MISSING_FIELD, SERVICE_PORT};
use crate::model::conversation::{Agent, Conversation, Trials, User};
use crate::reader::Reader;
pub(super) use agent::check_url;
pub(super) use budget::budget;
use checks::Checks;
pub(super) use interned::Interned;
use names::KnownNames;
pub(crate) use pattern::conditions;
pub(super) use verdicts::VerdictUse;

/// The two levels of settings: the suite and the test.
pub(super) struct Layers<'n> {
    /// The root of the suite's file.
    pub(super) root: &'n Node<'n>,
    /// The test's fields with its fragments applied.
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

    /// The values of a field in the suite and in the test, in this order.
    fn nodes(&self, field: &str) -> Vec<&'n Node<'n>> {
        let both = [self.suite(field), self.test(field)];
        both.into_iter().flatten().collect()
    }
}

/// Decodes the conversation of a test.
pub(super) fn decode(
    test: &Node,
    layers: &Layers<'_>,
    scenario: Option<Map<String, Value>>,
    verdicts: &mut VerdictUse,
    interned: &mut Interned,
    reader: &mut Reader<'_, '_>,
) -> Option<Conversation> {
    let criteria = criteria::criteria(layers, reader);
    let topic_entries = topics::entries(layers, reader);
    let mut known = KnownNames {
        criteria: criteria.iter().map(names::known_criterion).collect(),
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
            .note(MISSING_FIELD, start, "the test requires an `agent`")
            .help_last("add it at the top of the suite: `agent: {command: …}`");
    }
    let used_before = std::mem::take(&mut reader.used);
    let agent = agent.and_then(|node| agent::agent(node, reader));
    let used_by_agent = std::mem::replace(&mut reader.used, used_before);
    let own_tools = agent.iter().flat_map(Agent::tools);
    known.tools.extend(own_tools.map(|tool| tool.name.clone()));
    let models = llm::models(layers, &known, reader);
    let judge = llm::judge(layers, reader);
    let trials = trials::trials(layers, reader);
    let history = layers.test("history");
    let history = history.map(|node| history::history(node, &known, reader));
    let mut checks = Checks {
        reader,
        known: &known,
        queries: Vec::new(),
    };
    let user = user(layers, &mut checks);
    let captures = user::captured_names(layers);
    let names = user::names(&captures, captures.len());
    let expectations =
        checks.with_names(&names, |checks| checks.both(layers.fields.iter().copied()));
    user::warn_of_unused_captures(user.as_ref(), checks.reader);
    let script = user.as_ref().map(User::script).unwrap_or_default();
    message::check_files(script, agent.as_ref(), checks.reader);
    let queries = std::mem::take(&mut checks.queries);
    let topics = topics::topics(&topic_entries, &mut checks);
    let topic_queries = std::mem::take(&mut checks.queries);
    let parts = consistency::ConversationParts {
        layers,
        agent: agent.as_ref(),
        models: &models,
        judge,
        topics: &topics,
        queries: &queries,
        topic_queries: &topic_queries,
    };
    parts.check(user.as_ref(), &expectations, reader);
    check_ports(test, reader);
    reader.used.extend(used_by_agent);
    verdicts.add_test(layers, &known, queries.into_iter().chain(topic_queries));
    Some(Conversation {
        agent: interned.agent.or(agent?),
        judges: interned.judges.or(models.judges),
        user_model: models.user.map(|model| interned.user_model.or(model)),
        judge,
        criteria: interned.criteria.or(criteria),
        topics: interned.topics.or(topics),
        history: history.unwrap_or_default(),
        user: user?,
        expectations,
        scenario,
        trials: trials.unwrap_or(Trials::ONE),
    })
}

/// Reports ports of services outside of `agent`: the other texts are the same in every run, so that verdicts can be cached.
fn check_ports(test: &Node, reader: &mut Reader<'_, '_>) {
    let port = reader
        .used
        .iter()
        .find(|name| name.starts_with("services."));
    if let Some(port) = port {
        let start = Span::new(test.span.start, test.span.start + 1);
        let message = format!("in a conversation, only `agent` can contain {{{{{port}}}}}");
        reader.note(SERVICE_PORT, start, message);
    }
}

fn user(layers: &Layers<'_>, checks: &mut Checks<'_, '_, '_>) -> Option<User> {
    let during = layers.test("during");
    let script = layers.test("conversation");
    let script = script.map(|node| user::turns(node, checks));
    let is_simulated = script.is_none() || layers.test("simulate").is_some();
    // The simulated user follows the script and knows its values.
    let captures = user::captured_names(layers);
    let names = user::names(&captures, captures.len());
    let simulation = is_simulated
        .then(|| checks.with_names(&names, |checks| user::simulation(layers, during, checks)));
    if let Some(during) = during.filter(|_| !is_simulated) {
        let message = "`during` has no effect here: it is for simulated users";
        checks.reader.note(CONFLICT, during.span, message);
    }
    Some(match (script, simulation) {
        (Some(turns), None) => User::Scripted(turns?),
        (None, simulation) => User::Simulated(Box::new(simulation??)),
        (Some(turns), Some(simulation)) => User::Mixed(turns?, Box::new(simulation?)),
    })
}

fn tools(layers: &Layers<'_>, reader: &mut Reader<'_, '_>) -> Vec<String> {
    let nodes = layers.nodes("tools").into_iter();
    nodes
        .flat_map(|node| reader.list("tools", node))
        .map(|tool| tool.text)
        .collect()
}

/// Checks the suite's settings for conversations if no test uses them.
pub(super) fn check_unused(root: &Node, simulator: bool, reader: &mut Reader<'_, '_>) {
    let before = reader.problems.len();
    let layers = Layers { root, fields: &[] };
    let criteria = criteria::criteria(&layers, reader);
    let entries = topics::entries(&layers, reader);
    let known = KnownNames {
        criteria: criteria.iter().map(names::known_criterion).collect(),
        topics: entries.iter().map(|entry| entry.key.to_string()).collect(),
        tools: tools(&layers, reader),
    };
    if let Some(node) = layers.suite("agent") {
        agent::agent(node, reader);
    }
    llm::models(&layers, &known, reader);
    llm::judge(&layers, reader);
    trials::trials(&layers, reader);
    let mut checks = Checks {
        reader,
        known: &known,
        queries: Vec::new(),
    };
    topics::topics(&entries, &mut checks);
    if simulator && layers.suite("simulator").is_some() {
        user::simulation(&layers, None, &mut checks);
    }
    let mut seen = 0;
    reader.problems.retain(|problem| {
        seen += 1;
        let goal_may_follow = problem.message == "`simulate` has no `goal`";
        seen <= before || !goal_may_follow
    });
}
