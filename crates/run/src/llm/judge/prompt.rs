//! The prompts of the judge: the same frame for every check, with the check's criterion.

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
You judge what an agent said to a user, by exactly one criterion and nothing else.

<criterion> contains the criterion, <judged> contains what you judge. <earlier>, if present, contains what was said before: \
context that you do not judge.";

const VERDICTS: &str = "\
Respond with one JSON object: `criterion` is the id of the criterion, `reasons` are your reasons in one to three sentences, with the words \
or tool results that they are based on, written before you decide, and `verdict` follows from them: `passed` if the criterion \
is met, `failed` if it is not, `inconclusive` if the data does not show which. Never guess: `inconclusive` is a valid verdict.";

/// The system prompt, which is the same for every check.
fn system() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let notice = quote::data_notice("<earlier>, <sources> and <judged>");
        format!("{SYSTEM}\n\n{notice}\n\n{VERDICTS}")
    });
    &TEXT
}

/// What the judge has to decide for a check.
struct JudgeTask<'a> {
    check: &'static str,
    /// The criterion's name or text in the suite.
    criterion_text: &'a str,
    id: String,
    criterion: CriterionData<'a>,
    /// The tool results that statements must be based on, for `grounded`.
    sources: Option<Vec<quote::Call<'a>>>,
}

/// The request for a check; `None` if the check does not use a judge.
pub(super) fn request(
    conversation: &Conversation,
    check: &ConversationCheck,
    scope: Scope<'_>,
) -> Option<ModelRequest> {
    let task = task(conversation, check, scope)?;
    Some(ModelRequest {
        turn: scope.turn_index.map(|index| index + 1),
        system: system().into(),
        messages: vec![Message {
            role: Role::User,
            text: text(&task, scope),
        }],
        purpose: Purpose::Verdict {
            check: task.check,
            criterion: task.criterion_text.to_owned(),
            id: task.id,
        },
        temperature: 0.0,
        max_tokens: MAX_TOKENS,
    })
}

fn text(task: &JudgeTask<'_>, scope: Scope<'_>) -> String {
    let calls = match task.sources {
        Some(_) => Calls::Hidden,
        None => Calls::Shown,
    };
    let all = &scope.transcript.turns;
    let first = scope.turn_index.unwrap_or(0).min(all.len());
    let mut text = quote::block("criterion", &task.criterion);
    if first > 0 {
        let earlier = quote::turns(&all[..first], 0, calls);
        text.push_str(&quote::block("earlier", &earlier));
    }
    if let Some(sources) = &task.sources {
        text.push_str(&quote::block("sources", sources));
    }
    let judged = quote::turns(scope.turns(), first, calls);
    text.push_str(&quote::block("judged", &judged));
    let what = match scope.turn_index {
        Some(_) => "the agent's reply in <judged>",
        None => "what the agent said in the whole conversation in <judged>",
    };
    format!("{text}\nJudge {what} by the criterion {:?}.", task.id)
}

fn task<'a>(
    conversation: &'a Conversation,
    check: &'a ConversationCheck,
    scope: Scope<'a>,
) -> Option<JudgeTask<'a>> {
    let plain = |check: &'static str, criterion_text: &'a str, meaning: String| JudgeTask {
        check,
        criterion_text,
        id: check.to_owned(),
        criterion: CriterionData::new(check, meaning.into()),
        sources: None,
    };
    Some(match check {
        ConversationCheck::Satisfies(CriterionRef::Text(text)) => {
            plain("satisfies", text, text.clone())
        }
        ConversationCheck::Satisfies(CriterionRef::Criterion(name)) => {
            named_criterion(conversation, name)
        }
        ConversationCheck::Intent(intent) => plain(
            "intent",
            intent,
            format!("The agent's intent, as its words and tool calls show it, is this: {intent}"),
        ),
        ConversationCheck::Claims(what) => plain(
            "claims",
            what,
            format!(
                "The agent states at least one thing as a fact about this: {what}. A question or an offer to find out is not a claim."
            ),
        ),
        ConversationCheck::NotClaims(what) => plain(
            "notClaims",
            what,
            format!(
                "The agent states nothing at all as a fact about this: {what}. A question or an offer to find out is not a claim."
            ),
        ),
        ConversationCheck::Grounded { what, from } => JudgeTask {
            sources: Some(sources(scope, from)),
            ..plain(
                "grounded",
                what,
                format!(
                    "Everything that the agent states as a fact about this comes from the tool results in <sources> and from nothing else: {what}. A statement that no source supports, or that goes beyond it, fails. If the agent states nothing about it, the verdict is inconclusive."
                ),
            )
        },
        _ => return None,
    })
}

/// The task for a criterion of the suite, with its examples.
fn named_criterion<'a>(conversation: &'a Conversation, name: &'a str) -> JudgeTask<'a> {
    let known = conversation.criteria.iter().find(|one| one.name == name);
    let meaning = known.map_or(name, |known| &known.description);
    let criterion = CriterionData {
        examples: known.map_or_else(Vec::new, examples),
        ..CriterionData::new(name, meaning.into())
    };
    JudgeTask {
        check: "satisfies",
        criterion_text: name,
        id: name.to_owned(),
        criterion,
        sources: None,
    }
}

/// A criterion as JSON data.
#[derive(Serialize)]
struct CriterionData<'a> {
    id: &'a str,
    criterion: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<ExampleData<'a>>,
}

/// An example reply of a criterion, with its verdict.
#[derive(Serialize)]
struct ExampleData<'a> {
    reply: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    edge_case: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl<'a> CriterionData<'a> {
    fn new(id: &'a str, criterion: Cow<'a, str>) -> CriterionData<'a> {
        CriterionData {
            id,
            criterion,
            examples: Vec::new(),
        }
    }
}

fn examples(criterion: &Criterion) -> Vec<ExampleData<'_>> {
    let examples = criterion.examples.iter();
    examples
        .map(|example| ExampleData {
            reply: &example.text,
            verdict: if example.passes { "passed" } else { "failed" },
            edge_case: example.edge,
            why: example.why.as_deref(),
        })
        .collect()
}

/// The tool calls up to the judged reply; of all tools if `from` is empty.
fn sources<'a>(scope: Scope<'a>, from: &[String]) -> Vec<quote::Call<'a>> {
    let all = &scope.transcript.turns;
    let end = scope.turn_index.map_or(all.len(), |index| index + 1);
    all[..end.min(all.len())]
        .iter()
        .filter_map(|turn| turn.reply.as_ref())
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
