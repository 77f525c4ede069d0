//! The prompts of the judge: the same frame for every check, with the check's criterion.

use std::borrow::Cow;
use std::sync::LazyLock;

use casebook_suite::model::conversation::{
    Conversation, ConversationCheck, CriterionRef, Sample, Scale, is_tool,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::llm::quote::{self, Calls};
use crate::llm::{MAX_TOKENS, Message, ModelRequest, Purpose, Role, VerdictQuery};
use crate::transcript::Scope;

const SYSTEM: &str = "\
You judge what an agent said to a user, by exactly one criterion and nothing else.

<criterion> contains the criterion, <judged> contains what you judge. <earlier>, if present, contains what was said before: \
context that you do not judge.";

const VERDICTS: &str = "\
Respond with one JSON object: `criterion` is the id of the criterion, `reasons` are your reasons in one to three sentences, with the words \
or tool results that they are based on, written before you decide, and `verdict` follows from them: `passed` if the criterion \
is met, `failed` if it is not, `inconclusive` if the data does not show which. Never guess: `inconclusive` is a valid verdict.";

const BATCH_SYSTEM: &str = "\
You judge what an agent said to a user, by each of several criteria separately and by nothing else.

<criteria> contains the criteria, <judged> contains what you judge. <earlier>, if present, contains what was said before: \
context that you do not judge.";

const BATCH_VERDICTS: &str = "\
Respond with one JSON object: `verdicts` is a list with one object for each criterion. Decide on each criterion by itself.";

/// Added for criteria with a scale.
const SCORES: &str = "\
For a criterion with a `scale`, `score` takes the place of `verdict`: a number from the scale's `min` to its `max`, or null if the \
data does not show which.";

/// The system prompt, which is the same for every check of one criterion with a verdict.
fn system(tasks: &[JudgeTask<'_>]) -> Cow<'static, str> {
    static SINGLE: LazyLock<String> = LazyLock::new(|| {
        let notice = quote::data_notice("<earlier>, <sources> and <judged>");
        format!("{SYSTEM}\n\n{notice}\n\n{VERDICTS}")
    });
    let has_scale = tasks.iter().any(|task| task.scale.is_some());
    let scores = if has_scale { SCORES } else { "" };
    let text = match tasks {
        [_] if !has_scale => return Cow::Borrowed(SINGLE.as_str()),
        [_] => format!("{}\n\n{scores}", *SINGLE),
        _ => {
            let notice = quote::data_notice("<earlier> and <judged>");
            let each = VERDICTS.replacen("Respond with one JSON object", "In each object", 1);
            format!("{BATCH_SYSTEM}\n\n{notice}\n\n{BATCH_VERDICTS} {each}\n\n{scores}")
        }
    };
    Cow::Owned(text.trim_end().to_owned())
}

/// What the judge has to decide for a check.
struct JudgeTask<'a> {
    check: &'static str,
    /// The criterion's name or text in the suite.
    criterion_text: &'a str,
    id: String,
    /// What the criterion means.
    meaning: Cow<'a, str>,
    examples: &'a [Sample],
    scale: Option<&'a Scale>,
    /// The tool results that statements must be based on, for `grounded`.
    sources: Option<Vec<quote::Call<'a>>>,
}

/// Whether a check can be judged together with others. `grounded` cannot, because its judge must not see the tool calls.
pub(crate) fn can_batch(check: &ConversationCheck) -> bool {
    matches!(
        check,
        ConversationCheck::Satisfies(_)
            | ConversationCheck::Intent(_)
            | ConversationCheck::Claims(_)
            | ConversationCheck::NotClaims(_)
            | ConversationCheck::Language(_)
    )
}

/// The request for these checks; `None` if one of them does not use a judge.
pub(super) fn request(
    conversation: &Conversation,
    checks: &[&ConversationCheck],
    scope: Scope<'_>,
) -> Option<ModelRequest> {
    let mut tasks = Vec::with_capacity(checks.len());
    for check in checks {
        let mut task = task(conversation, check, scope)?;
        if tasks.iter().any(|other: &JudgeTask| other.id == task.id) {
            task.id = format!("{}-{}", task.id, tasks.len() + 1);
        }
        tasks.push(task);
    }
    Some(ModelRequest {
        turn: scope.turn_index.map(|index| index + 1),
        system: system(&tasks),
        messages: vec![Message {
            role: Role::User,
            text: text(&tasks, scope),
        }],
        purpose: Purpose::Verdicts(tasks.into_iter().map(JudgeTask::query).collect()),
        temperature: 0.0,
        max_tokens: MAX_TOKENS,
    })
}

impl JudgeTask<'_> {
    fn query(self) -> VerdictQuery {
        VerdictQuery {
            check: self.check,
            criterion: self.criterion_text.to_owned(),
            id: self.id,
            scale: self.scale.map(|scale| (scale.min, scale.max)),
        }
    }
}

fn text(tasks: &[JudgeTask<'_>], scope: Scope<'_>) -> String {
    let sources = tasks.iter().find_map(|task| task.sources.as_ref());
    let calls = match sources {
        Some(_) => Calls::Hidden,
        None => Calls::Shown,
    };
    let all = &scope.transcript.turns;
    let first = scope.turn_index.unwrap_or(0).min(all.len());
    let data: Vec<_> = tasks.iter().map(JudgeTask::data).collect();
    let mut text = match &data[..] {
        [only] => quote::block("criterion", only),
        data => quote::block("criteria", &data),
    };
    let earlier = quote::with_history(scope.transcript, first, calls);
    if !earlier.is_empty() {
        text.push_str(&quote::block("earlier", &earlier));
    }
    if let Some(sources) = sources {
        text.push_str(&quote::block("sources", sources));
    }
    let judged = quote::turns(scope.turns(), first, calls);
    text.push_str(&quote::block("judged", &judged));
    let what = match scope.turn_index {
        Some(_) => "the agent's reply in <judged>",
        None => "what the agent said in the whole conversation in <judged>",
    };
    match tasks {
        [only] => format!("{text}\nJudge {what} by the criterion {:?}.", only.id),
        _ => format!("{text}\nJudge {what} by each criterion in <criteria>."),
    }
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
        meaning: meaning.into(),
        examples: &[],
        scale: None,
        sources: None,
    };
    Some(match check {
        ConversationCheck::Satisfies(CriterionRef::Text(text)) => {
            plain("satisfies", text, text.clone())
        }
        ConversationCheck::Satisfies(
            CriterionRef::Criterion(name) | CriterionRef::Scored { name, .. },
        ) => named_criterion(conversation, name),
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
        ConversationCheck::Language(language) => plain(
            "language",
            language,
            format!(
                "The agent's words are written in this language: {language}. Names, quotations, code and technical terms in other languages do not matter."
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

/// The task for a criterion of the suite, with its examples and scale.
fn named_criterion<'a>(conversation: &'a Conversation, name: &'a str) -> JudgeTask<'a> {
    let known = conversation.criteria.iter().find(|one| one.name == name);
    JudgeTask {
        check: "satisfies",
        criterion_text: name,
        id: name.to_owned(),
        meaning: known.map_or(name, |known| &known.description).into(),
        examples: known.map_or(&[], |known| &known.examples),
        scale: known.and_then(|known| known.scale.as_ref()),
        sources: None,
    }
}

/// A criterion as JSON data.
#[derive(Serialize)]
struct CriterionData<'a> {
    id: &'a str,
    criterion: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<Value>,
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

impl JudgeTask<'_> {
    fn data(&self) -> CriterionData<'_> {
        let examples = self.examples.iter().map(|example| ExampleData {
            reply: &example.text,
            verdict: if example.passes { "passed" } else { "failed" },
            edge_case: example.edge,
            why: example.why.as_deref(),
        });
        CriterionData {
            id: &self.id,
            criterion: &self.meaning,
            scale: self.scale.map(scale_data),
            examples: examples.collect(),
        }
    }
}

fn scale_data(scale: &Scale) -> Value {
    let anchors = scale.anchors.iter();
    let meanings: Vec<_> = anchors
        .map(|(score, meaning)| json!({"score": score, "meaning": meaning}))
        .collect();
    let mut data = json!({"min": scale.min, "max": scale.max});
    if !meanings.is_empty() {
        data["meanings"] = meanings.into();
    }
    data
}

/// The tool calls up to the judged reply; of all tools if `from` is empty.
fn sources<'a>(scope: Scope<'a>, from: &[String]) -> Vec<quote::Call<'a>> {
    let all = &scope.transcript.turns;
    let end = scope.turn_index.map_or(all.len(), |index| index + 1);
    let history = scope.transcript.history.iter();
    history
        .chain(&all[..end.min(all.len())])
        .filter_map(|turn| turn.reply.as_ref())
        .flat_map(|reply| &reply.calls)
        .filter(|call| from.is_empty() || from.iter().any(|tool| is_tool(tool, &call.name)))
        .map(quote::call)
        .collect()
}
