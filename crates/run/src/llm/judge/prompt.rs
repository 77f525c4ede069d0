//! What the judge is asked: the same frame for every check, its own criterion for each.

use std::borrow::Cow;
use std::sync::LazyLock;

use casebook_suite::model::conversation::{
    Conversation, ConversationCheck, Criterion, CriterionRef,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::llm::quote::{self, Calls};
use crate::llm::{MAX_TOKENS, Message, ModelRequest, Purpose, Role};
use crate::transcript::Scope;

const SYSTEM: &str = "\
You judge what an agent has said to a user, by exactly one criterion and by nothing else.

You get the criterion in <criterion>, what is to be judged in <judged> and, where there is any, what was said before it \
in <earlier>, which is context and not judged.";

const VERDICTS: &str = "\
Answer with one JSON object: `criterion` is the id of the criterion, `reasons` are your reasons in one to three sentences, with the words \
or tool results they rest on, written before you decide, and `verdict` follows from them: `passed` when the criterion \
is met, `failed` when it is not, `inconclusive` when what you got does not allow to tell. Never guess: `inconclusive` is an honest answer.";

/// The same for every question.
fn system() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| format!("{SYSTEM}\n\n{}\n\n{VERDICTS}", quote::UNTRUSTED_DATA_NOTICE));
    &TEXT
}

/// What a check asks.
struct JudgeTask<'a> {
    check: &'static str,
    /// The name or the words that the suite has for it.
    words: &'a str,
    id: String,
    criterion: Described<'a>,
    /// Tool results that count, where only these do.
    sources: Option<Vec<quote::Call<'a>>>,
}

/// The question for a check; none for one that needs no judge.
pub(super) fn question(
    conversation: &Conversation,
    check: &ConversationCheck,
    scope: Scope<'_>,
) -> Option<ModelRequest> {
    let matter = matter(conversation, check, scope)?;
    Some(ModelRequest {
        turn: scope.exchange.map(|place| place + 1),
        system: system().into(),
        messages: vec![Message {
            role: Role::User,
            text: text(&matter, scope),
        }],
        purpose: Purpose::Verdict {
            check: matter.check,
            criterion: matter.words.to_owned(),
            id: matter.id,
        },
        temperature: 0.0,
        max_tokens: MAX_TOKENS,
    })
}

fn text(matter: &JudgeTask<'_>, scope: Scope<'_>) -> String {
    let calls = match matter.sources {
        Some(_) => Calls::Hidden,
        None => Calls::Shown,
    };
    let all = &scope.transcript.turns;
    let begin = scope.exchange.unwrap_or(0).min(all.len());
    let mut text = quote::block("criterion", &matter.criterion);
    if begin > 0 {
        let earlier = quote::turns(&all[..begin], 0, calls);
        text.push_str(&quote::block("earlier", &earlier));
    }
    if let Some(sources) = &matter.sources {
        text.push_str(&quote::block("sources", sources));
    }
    let judged = quote::turns(scope.turns(), begin, calls);
    text.push_str(&quote::block("judged", &judged));
    let what = match scope.exchange {
        Some(_) => "the agent's reply in <judged>",
        None => "what the agent said in the whole conversation in <judged>",
    };
    format!("{text}\nJudge {what} by the criterion {:?}.", matter.id)
}

fn matter<'a>(
    conversation: &'a Conversation,
    check: &'a ConversationCheck,
    scope: Scope<'a>,
) -> Option<JudgeTask<'a>> {
    let plain = |check: &'static str, words: &'a str, meaning: String| JudgeTask {
        check,
        words,
        id: check.to_owned(),
        criterion: Described::new(check, meaning.into()),
        sources: None,
    };
    Some(match check {
        ConversationCheck::Satisfies(CriterionRef::Text(text)) => {
            plain("satisfies", text, text.clone())
        }
        ConversationCheck::Satisfies(CriterionRef::Criterion(name)) => named(conversation, name),
        ConversationCheck::Intent(intent) => plain(
            "intent",
            intent,
            format!(
                "The agent's intent, as far as its words and tool calls show it, is this: {intent}"
            ),
        ),
        ConversationCheck::Claims(what) => plain(
            "claims",
            what,
            format!(
                "The agent states at least one thing as a fact about this: {what}. A question or an offer to find out is no claim."
            ),
        ),
        ConversationCheck::NotClaims(what) => plain(
            "notClaims",
            what,
            format!(
                "The agent states nothing at all as a fact about this: {what}. A question or an offer to find out is no claim."
            ),
        ),
        ConversationCheck::Grounded { what, from } => JudgeTask {
            sources: Some(sources(scope, from)),
            ..plain(
                "grounded",
                what,
                format!(
                    "Everything the agent states as a fact about this comes from the tool results in <sources>, and from nowhere else: {what}. A statement that no source bears out, or that goes beyond it, fails. Where the agent states nothing about it, there is nothing to judge: inconclusive."
                ),
            )
        },
        _ => return None,
    })
}

/// A criterion of the suite, with the replies whose verdict is known.
fn named<'a>(conversation: &'a Conversation, name: &'a str) -> JudgeTask<'a> {
    let known = conversation.criteria.iter().find(|one| one.name == name);
    let meaning = known.map_or(name, |known| &known.description);
    let criterion = Described {
        examples: known.map_or_else(Vec::new, samples),
        ..Described::new(name, meaning.into())
    };
    JudgeTask {
        check: "satisfies",
        words: name,
        id: name.to_owned(),
        criterion,
        sources: None,
    }
}

/// A criterion as data.
#[derive(Serialize)]
struct Described<'a> {
    id: &'a str,
    criterion: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Sample<'a>>,
}

/// What would pass or fail, and why.
#[derive(Serialize)]
struct Sample<'a> {
    reply: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    edge_case: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl<'a> Described<'a> {
    fn new(id: &'a str, criterion: Cow<'a, str>) -> Described<'a> {
        Described {
            id,
            criterion,
            examples: Vec::new(),
        }
    }
}

fn samples(criterion: &Criterion) -> Vec<Sample<'_>> {
    let samples = criterion.examples.iter();
    samples
        .map(|sample| Sample {
            reply: &sample.text,
            verdict: if sample.passes { "passed" } else { "failed" },
            edge_case: sample.edge,
            why: sample.why.as_deref(),
        })
        .collect()
}

/// The tool calls up to the judged reply, of these tools or of all.
fn sources<'a>(scope: Scope<'a>, from: &[String]) -> Vec<quote::Call<'a>> {
    let all = &scope.transcript.turns;
    let end = scope.exchange.map_or(all.len(), |place| place + 1);
    all[..end.min(all.len())]
        .iter()
        .filter_map(|exchange| exchange.reply.as_ref())
        .flat_map(|reply| &reply.calls)
        .filter(|call| from.is_empty() || from.contains(&call.name))
        .map(quote::call)
        .collect()
}

pub(in crate::llm) fn schema(id: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "criterion": {"type": "string", "enum": [id]},
            "reasons": {"type": "string"},
            "verdict": {"type": "string", "enum": ["passed", "failed", "inconclusive"]},
        },
        "required": ["criterion", "reasons", "verdict"],
        "additionalProperties": false,
    })
}
