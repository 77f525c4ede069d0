//! The agents and models of a run, for its metadata. A comparison of two runs shows them first.

use std::collections::BTreeSet;

use casebook_record::Metadata;
use casebook_suite::model::conversation::{Agent, Conversation, Llm, Provider};
use casebook_suite::run_time::shown;
use serde_json::{Map, Value, json};

use crate::http::public_url;
use crate::plan::{Plan, PlannedSuite};

/// The longest list of names; there may be an agent for each scenario.
const MAX_LISTED: usize = 20;

/// The metadata key `configuration` with agents and models; empty for a run without conversations.
pub(crate) fn configuration(plan: &Plan) -> Metadata {
    let all_conversations = || plan.suites.iter().flat_map(conversations);
    let agents: BTreeSet<_> = all_conversations()
        .map(|conversation| agent(&conversation.agent))
        .collect();
    let models: BTreeSet<_> = all_conversations()
        .flat_map(|conversation| conversation.models().map(model))
        .collect();
    let lists = [("agents", agents), ("models", models)].into_iter();
    let entries: Map<String, Value> = lists
        .filter(|(_, names)| !names.is_empty())
        .map(|(key, names)| (key.to_owned(), names.into_iter().take(MAX_LISTED).collect()))
        .collect();
    if entries.is_empty() {
        return Metadata::new();
    }
    Metadata::from_iter([("configuration", json!(entries))])
}

fn conversations(suite: &PlannedSuite) -> impl Iterator<Item = &Conversation> {
    let tests = suite.tests.iter();
    tests.filter_map(|planned| suite.suite.tests[planned.index].conversation())
}

fn agent(agent: &Agent) -> String {
    match agent {
        Agent::Command(script) => shown(&script.text),
        Agent::Http(agent) => shown(&public_url(&agent.endpoint.url)),
        Agent::Model(agent) => {
            let url = public_url(&agent.endpoint.url);
            shown(&format!("{} at {url}", agent.model))
        }
    }
}

fn model(llm: &Llm) -> String {
    let provider = match llm.provider {
        Provider::Anthropic => "anthropic",
        Provider::OpenAi => "openai",
        Provider::Scripted(_) => "scripted",
    };
    match &llm.url {
        Some(url) => format!("{provider} {} at {}", llm.model, public_url(url)),
        None if llm.model == provider => provider.to_owned(),
        None => format!("{provider} {}", llm.model),
    }
}
