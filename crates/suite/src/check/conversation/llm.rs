//! Decodes the models: of the judge, which may be a jury, and of the simulated user.

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::agent::{check_url, headers};
use super::{Layers, names::KnownNames};
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::conversation::{JUDGE, LLM, MODEL, PRICE};
use crate::model::conversation::{
    Agreement, Judge, Llm, Provider, ScriptedResponses, ScriptedVerdict, ScriptedVerdicts, Verdict,
};
use crate::reader::{Reader, Text};

/// Fields of a scripted model only.
const SCRIPTED: [&str; 3] = ["user", "verdicts", "topics"];
const VERDICTS: [&str; 3] = ["true", "false", "inconclusive"];

/// The models of a conversation.
#[derive(Debug, Default)]
pub(super) struct Models {
    /// One model, or the members of a jury. Empty if the suite has none, or if they are invalid.
    pub(super) judges: Vec<Llm>,
    pub(super) user: Option<Llm>,
    /// Whether the suite has a model for the role, valid or not.
    pub(super) has_judge: bool,
    pub(super) has_user: bool,
}

/// Decodes the models. The fields of a role add to those of `llm`, and those of a test to the suite's. A level with another
/// provider ignores the fields of the levels before it.
pub(super) fn models(
    layers: &Layers<'_>,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Models {
    let all = layers.nodes("llm");
    for node in &all {
        reader.object("`llm`", "llm", node, LLM);
    }
    let jury = layers.nodes("judge").into_iter();
    let jury = jury.rev().find_map(|node| node.get("models"));
    let judge = Role::of("judge", &all, reader);
    let user = Role::of("user", &all, reader);
    Models {
        has_judge: judge.is_configured || jury.is_some(),
        has_user: user.is_configured,
        judges: match jury {
            Some(node) => members(node, &judge, known, reader),
            None => judge.model(known, reader).into_iter().collect(),
        },
        user: user.model(known, reader),
    }
}

/// The levels of settings of one role, the most general first.
struct Role<'n> {
    levels: Vec<&'n Node<'n>>,
    is_configured: bool,
}

impl<'n> Role<'n> {
    fn of(name: &str, all: &[&'n Node<'n>], reader: &mut Reader<'_, '_>) -> Role<'n> {
        let own: Vec<_> = all.iter().filter_map(|node| node.get(name)).collect();
        let own: Vec<_> = own.into_iter().filter(|node| is_role(name, node)).collect();
        for node in &own {
            reader.object(&format!("`llm.{name}`"), name, node, MODEL);
        }
        let has_own_fields = |node: &&Node| {
            let mut entries = node.as_map().unwrap_or_default().iter();
            node.as_map().is_none() || entries.any(|entry| !is_role(&entry.key, &entry.value))
        };
        let is_configured = !own.is_empty() || all.iter().any(has_own_fields);
        Role {
            levels: all.iter().copied().chain(own).collect(),
            is_configured,
        }
    }

    fn model(&self, known: &KnownNames, reader: &mut Reader<'_, '_>) -> Option<Llm> {
        let last = self.levels.last().filter(|_| self.is_configured)?;
        decode(&self.levels, None, last.span, known, reader)
    }
}

/// Whether a field of `llm` contains the settings of a role. The messages of a scripted user are a list.
fn is_role(name: &str, node: &Node) -> bool {
    name == "judge" || name == "user" && node.as_list().is_none()
}

/// The members of a jury: names of models, or mappings with the fields of a model.
fn members(
    node: &Node,
    judge: &Role<'_>,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Vec<Llm> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!("`models` must be a list, not {}", node.describe());
        reader.type_error(node, message);
        return Vec::new();
    };
    if nodes.is_empty() {
        reader.note(
            MISSING_FIELD,
            node.span,
            "`models` must name at least one model",
        );
    }
    let member = |node| {
        if Node::as_map(node).is_some() {
            reader.object("`models`", "models", node, MODEL);
            let levels: Vec<_> = judge.levels.iter().copied().chain([node]).collect();
            return decode(&levels, None, node.span, known, reader);
        }
        let name = reader.non_empty_text("models", node)?;
        decode(&judge.levels, Some(name), node.span, known, reader)
    };
    let all: Vec<Llm> = nodes.iter().filter_map(member).collect();
    check_differ(&all, reader);
    all
}

/// Equal members would send equal requests, which share one recorded response. Scripted ones have no recordings.
fn check_differ(members: &[Llm], reader: &mut Reader<'_, '_>) {
    for (index, member) in members.iter().enumerate() {
        let is_same = |other: &Llm| {
            let span = member.span;
            Llm {
                span,
                ..other.clone()
            } == *member
        };
        let is_scripted = matches!(member.provider, Provider::Scripted(_));
        if !is_scripted && members[..index].iter().any(is_same) {
            let message = format!("`models` contains `{}` twice", member.model);
            reader
                .note(CONFLICT, member.span, message)
                .help_last("`votes` sets the number of votes of each model");
        }
    }
}

/// Decodes one model from its levels. `model` replaces the model of the levels.
fn decode(
    levels: &[&Node<'_>],
    model: Option<String>,
    span: Span,
    known: &KnownNames,
    reader: &mut Reader<'_, '_>,
) -> Option<Llm> {
    let levels = of_last_provider(levels);
    let field = |name: &str| {
        let mut values = levels.iter().rev().filter_map(|node| node.get(name));
        values.find(|node| !is_role(name, node))
    };
    let Some(provider) = field("provider") else {
        // Anything but a mapping has been reported.
        if levels.iter().all(|node| node.as_map().is_some()) {
            reader.note(MISSING_FIELD, span, "`llm` has no `provider`");
        }
        return None;
    };
    let provider = reader.choice("provider", provider, &["anthropic", "openai", "scripted"])?;
    let scripted = provider == "scripted";
    check_fields(&levels, scripted, reader);
    let model = match (model, field("model")) {
        (Some(model), _) => Some(model),
        (None, Some(node)) => reader.non_empty_text("model", node),
        (None, None) if scripted => Some("scripted".to_owned()),
        (None, None) => {
            reader.note(MISSING_FIELD, span, "`llm` has no `model`");
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
            _ => Provider::Scripted(script(&levels, known, reader)),
        },
        url,
        key_env: text("keyEnv", reader),
        headers: field("headers").map_or_else(Vec::new, |node| headers(node, reader)),
        temperature: field("temperature").and_then(|node| temperature(node, reader)),
        max_tokens: count("maxTokens", 1_000_000, reader),
        timeout: field("timeout").and_then(|node| reader.duration("timeout", node)),
        concurrency: count("concurrency", 1000, reader),
        requests_per_minute: count("requestsPerMinute", 1_000_000, reader),
        price: field("price").and_then(|node| price(node, reader)),
        span,
        model: model?,
    })
}

/// The levels from the last one that changes the provider.
fn of_last_provider<'n>(levels: &[&'n Node<'n>]) -> Vec<&'n Node<'n>> {
    let mut kept = Vec::new();
    let mut provider = None;
    for level in levels {
        let own = level.get("provider").and_then(Node::as_text);
        if own.is_some() && provider.is_some() && own != provider {
            kept.clear();
        }
        provider = own.or(provider);
        kept.push(*level);
    }
    kept
}

fn check_fields(nodes: &[&Node], scripted: bool, reader: &mut Reader<'_, '_>) {
    for entry in nodes
        .iter()
        .flat_map(|node| node.as_map().unwrap_or_default())
    {
        let key = &*entry.key;
        let is_scripted_field = SCRIPTED.contains(&key);
        let why = match (scripted, is_scripted_field) {
            _ if is_role(key, &entry.value) => continue,
            (false, true) => "only a `scripted` model uses it",
            (true, false) if !matches!(key, "provider" | "model") => {
                "a `scripted` model takes its responses from the suite"
            }
            _ => continue,
        };
        if MODEL.iter().any(|known| known.name == key) {
            let message = format!("`{key}` has no effect here: {why}");
            reader.note(CONFLICT, entry.key_span, message);
        }
    }
}

fn temperature(node: &Node, reader: &mut Reader<'_, '_>) -> Option<f64> {
    reader.parsed("temperature", node, "a number from 0 to 2", |text| {
        let number = text.parse::<f64>().ok();
        number.filter(|number| (0.0..=2.0).contains(number))
    })
}

pub(super) fn price(node: &Node, reader: &mut Reader<'_, '_>) -> Option<(f64, f64)> {
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
    let field = |name: &str| {
        let mut values = nodes.iter().rev().filter_map(|node| node.get(name));
        values.find(|node| !is_role(name, node))
    };
    let texts = |name: &str, reader: &mut Reader<'_, '_>| -> Vec<Text> {
        field(name)
            .map(|node| reader.list(name, node))
            .unwrap_or_default()
    };
    for node in nodes.iter().filter_map(|node| node.get("verdicts")) {
        reader.map("verdicts", node);
    }
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

/// All nodes that may contain scripted verdicts: `llm`, its roles, and the members of a jury.
pub(super) fn model_nodes<'n>(layers: &Layers<'n>) -> Vec<&'n Node<'n>> {
    let all = layers.nodes("llm");
    let judges = all.iter().filter_map(|node| node.get("judge"));
    let juries = layers.nodes("judge").into_iter();
    let juries = juries.filter_map(|node| node.get("models")?.as_list());
    let nodes = all.iter().copied().chain(judges);
    nodes.chain(juries.flatten()).collect()
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
        if let Some(score) = node.as_text().and_then(|text| text.parse::<f64>().ok()) {
            return score.is_finite().then_some(ScriptedVerdict::Score(score));
        }
        let word = reader.choice(&entry.key, node, &VERDICTS)?;
        Some(ScriptedVerdict::Verdict(match word {
            "true" => Verdict::Passed,
            "false" => Verdict::Failed,
            _ => Verdict::Inconclusive,
        }))
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
    let mut judge = Judge::default();
    for node in layers.nodes("judge") {
        for entry in reader.object("`judge`", "judge", node, JUDGE) {
            let value = &entry.value;
            match &*entry.key {
                "votes" => judge.votes = reader.count("votes", value, 99).unwrap_or(1),
                "self" => judge.itself = reader.bool("self", value).unwrap_or(false),
                "batch" => judge.batch = reader.bool("batch", value).unwrap_or(false),
                "agree" => {
                    judge.agree = match reader.choice("agree", value, &["majority", "all"]) {
                        Some("all") => Agreement::All,
                        _ => Agreement::Majority,
                    };
                }
                _ => {}
            }
        }
    }
    judge
}
