//! Decodes the model and the settings of the judge.

use casebook_source::yaml::{Entry, Node, NodeKind};

use super::agent::check_url;
use super::{Layers, names::KnownNames};
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::conversation::{JUDGE, LLM, PRICE};
use crate::model::conversation::{
    Judge, Llm, Provider, ScriptedResponses, ScriptedVerdicts, Verdict,
};
use crate::reader::{Reader, Text};

/// Fields of a scripted model only.
const SCRIPTED: [&str; 3] = ["user", "verdicts", "topics"];
const VERDICTS: [&str; 3] = ["true", "false", "inconclusive"];

/// Merges the `llm` of the suite and the test. If the test sets another provider, the suite's fields are ignored.
pub(super) fn llm(
    layers: &Layers<'_>,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Option<Llm> {
    let nodes = layers.nodes("llm");
    for node in &nodes {
        reader.object("`llm`", "llm", node, LLM);
    }
    let own = *nodes.last()?;
    let provider_of = |node: &Node| {
        node.get("provider")
            .and_then(Node::as_text)
            .map(str::to_owned)
    };
    let is_other = provider_of(own).is_some() && provider_of(own) != provider_of(nodes[0]);
    let nodes = if is_other { vec![own] } else { nodes };
    let field = |name: &str| nodes.iter().rev().find_map(|node| node.get(name));
    let Some(provider) = field("provider") else {
        reader.note(MISSING_FIELD, own.span, "`llm` has no `provider`");
        return None;
    };
    let provider = reader.choice("provider", provider, &["anthropic", "openai", "scripted"])?;
    let scripted = provider == "scripted";
    check_fields(&nodes, scripted, reader);
    let model = match field("model") {
        Some(node) => reader.non_empty_text("model", node),
        None if scripted => Some("scripted".to_owned()),
        None => {
            reader.note(MISSING_FIELD, own.span, "`llm` has no `model`");
            None
        }
    };
    let text = |name: &str, reader: &mut Reader<'_, '_>| {
        field(name).and_then(|node| reader.non_empty_text(name, node))
    };
    let url = text("url", reader);
    if let (Some(url), Some(node)) = (&url, field("url")) {
        check_url(url, node.span, reader);
    }
    let count = |name: &str, max: u32, reader: &mut Reader<'_, '_>| {
        field(name).and_then(|node| reader.count(name, node, max))
    };
    Some(Llm {
        provider: match provider {
            "anthropic" => Provider::Anthropic,
            "openai" => Provider::OpenAi,
            _ => Provider::Scripted(script(&nodes, known, reader)),
        },
        url,
        key_env: text("keyEnv", reader),
        timeout: field("timeout").and_then(|node| reader.duration("timeout", node)),
        concurrency: count("concurrency", 1000, reader),
        requests_per_minute: count("requestsPerMinute", 1_000_000, reader),
        price: field("price").and_then(|node| price(node, reader)),
        span: own.span,
        model: model?,
    })
}

fn check_fields(nodes: &[&Node], scripted: bool, reader: &mut Reader<'_, '_>) {
    for entry in nodes
        .iter()
        .flat_map(|node| node.as_map().unwrap_or_default())
    {
        let key = &*entry.key;
        let is_scripted_field = SCRIPTED.contains(&key);
        let why = match (scripted, is_scripted_field) {
            (false, true) => "only a `scripted` model uses it",
            (true, false) if !matches!(key, "provider" | "model") => {
                "a `scripted` model takes its responses from the suite"
            }
            _ => continue,
        };
        if LLM.iter().any(|known| known.name == key) {
            let message = format!("`{key}` has no effect here: {why}");
            reader.note(CONFLICT, entry.key_span, message);
        }
    }
}

fn price(node: &Node, reader: &mut Reader<'_, '_>) -> Option<(f64, f64)> {
    reader.object("`price`", "price", node, PRICE);
    let mut decode = |field: &str| match node.get(field) {
        Some(node) => {
            let price = reader.finite_number(field, node)?;
            if price < 0.0 {
                reader.type_error(
                    node,
                    format!("`{field}` must not be less than 0, got '{price}'"),
                );
            }
            Some(price)
        }
        None => Some(0.0),
    };
    let (input, output) = (decode("input"), decode("output"));
    Some((input?, output?))
}

/// Decodes scripted responses; verdicts of the test override the suite's.
fn script(nodes: &[&Node], known: &KnownNames, reader: &mut Reader<'_, '_>) -> ScriptedResponses {
    let field = |name: &str| nodes.iter().rev().find_map(|node| node.get(name));
    let texts = |name: &str, reader: &mut Reader<'_, '_>| -> Vec<Text> {
        field(name)
            .map(|node| reader.list(name, node))
            .unwrap_or_default()
    };
    let mut verdicts: Vec<(String, ScriptedVerdicts)> = Vec::new();
    for entry in verdict_entries(nodes) {
        if let Some(scripted) = scripted_verdicts(entry, reader) {
            verdicts.retain(|(name, _)| *name != entry.key);
            verdicts.push((entry.key.to_string(), scripted));
        }
    }
    let topics = texts("topics", reader);
    for topic in &topics {
        known.topic(topic, reader);
    }
    let all = |texts: Vec<Text>| texts.into_iter().map(|text| text.text).collect();
    ScriptedResponses {
        user: all(texts("user", reader)),
        verdicts,
        topics: all(topics),
    }
}

/// The entries of `verdicts`, the suite's first.
pub(super) fn verdict_entries<'n>(nodes: &[&'n Node<'n>]) -> Vec<&'n Entry<'n>> {
    let verdicts = nodes.iter().filter_map(|node| node.get("verdicts"));
    verdicts
        .flat_map(|node| node.as_map().unwrap_or_default())
        .collect()
}

fn scripted_verdicts(entry: &Entry, reader: &mut Reader<'_, '_>) -> Option<ScriptedVerdicts> {
    let mut one = |node: &Node| {
        let word = reader.choice(&entry.key, node, &VERDICTS)?;
        Some(match word {
            "true" => Verdict::Passed,
            "false" => Verdict::Failed,
            _ => Verdict::Inconclusive,
        })
    };
    match &entry.value.kind {
        NodeKind::List(nodes) => {
            let all: Vec<_> = nodes.iter().map(&mut one).collect();
            all.into_iter()
                .collect::<Option<_>>()
                .map(ScriptedVerdicts::InOrder)
        }
        _ => one(&entry.value).map(ScriptedVerdicts::Always),
    }
}

/// Decodes the settings of the judge; those of the test override the suite's.
pub(super) fn judge(layers: &Layers<'_>, reader: &mut Reader<'_, '_>) -> Judge {
    let mut judge = Judge {
        votes: 1,
        itself: false,
    };
    for node in layers.nodes("judge") {
        for entry in reader.object("`judge`", "judge", node, JUDGE) {
            let value = &entry.value;
            match &*entry.key {
                "votes" => judge.votes = reader.count("votes", value, 99).unwrap_or(1),
                "self" => judge.itself = reader.bool("self", value).unwrap_or(false),
                _ => {}
            }
        }
    }
    judge
}
