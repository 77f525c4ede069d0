//! Whether the parts of a conversation make sense together.

use casebook_source::{Diagnostic, Span};

use super::Layers;
use super::names::JudgeQuery;
use crate::codes::{MISSING_FIELD, NO_MODEL, SELF_JUDGE, VACUOUS};
use crate::model::conversation::{
    Agent, Bounds, ConversationCheck, Expectation, Judge, Llm, Provider, Topic, User,
};
use crate::reader::Reader;

/// Where the `openai` provider is unless another address is given.
const OPENAI: &str = "https://api.openai.com/v1";

/// The parts.
pub(super) struct ConversationParts<'a> {
    pub(super) layers: &'a Layers<'a>,
    pub(super) agent: Option<&'a Agent>,
    pub(super) llm: Option<&'a Llm>,
    pub(super) judge: Judge,
    pub(super) topics: &'a [Topic],
    /// What a judge is asked in turns and at the end.
    pub(super) asked: &'a [JudgeQuery],
    /// What a judge is asked in topics, if the conversation comes there.
    pub(super) asked_in_topics: &'a [JudgeQuery],
}

impl ConversationParts<'_> {
    pub(super) fn check(
        &self,
        user: Option<&User>,
        expectations: &[Expectation],
        reader: &mut Reader<'_, '_>,
    ) {
        if self.layers.nodes("llm").is_empty() {
            self.needs_model(reader);
        }
        self.has_verdicts(reader);
        self.is_not_its_own_judge(reader);
        self.possible_topics(expectations, reader);
        if let Some(user) = user {
            if let User::Scripted(turns) = user {
                for turn in turns {
                    self.possible_topics(&turn.expectations, reader);
                }
            }
            possible_turns(user, expectations, reader);
        }
    }

    /// Whether a conversation can go this way, step by step. What leaves the graph fails whoever expects it.
    fn possible_topics(&self, expectations: &[Expectation], reader: &mut Reader<'_, '_>) {
        for expectation in expectations {
            let ConversationCheck::Topics(way) = &expectation.check else {
                continue;
            };
            let is_step = |from: &str, to: &str| {
                let mut topics = self.topics.iter();
                let from = topics.find(|topic| topic.name == from);
                from.is_none_or(|from| from.next.iter().any(|next| next == to))
            };
            let wrong = way.windows(2).find(|step| {
                step[0] == step[1] || expectation.hard && !is_step(&step[0], &step[1])
            });
            if let Some([from, to]) = wrong {
                let message = format!("`topics` can never hold: `{to}` does not follow `{from}`");
                reader.note(VACUOUS, expectation.span, message);
            }
        }
    }

    fn needs_model(&self, reader: &mut Reader<'_, '_>) {
        const HELP: &str = "say which: `llm: {provider: …, model: …}`";
        for asked in self.asked.iter().chain(self.asked_in_topics) {
            let message = format!("`{}` asks a judge, and there is no `llm`", asked.check);
            reader.note(NO_MODEL, asked.span, message).help_last(HELP);
        }
        if let Some(node) = self.layers.test("simulate") {
            let start = Span::new(node.span.start, node.span.start + 1);
            let message = "somebody must speak for the simulated user, and there is no `llm`";
            reader.note(NO_MODEL, start, message).help_last(HELP);
        }
        let is_next = |topic: &&Topic| {
            self.topics
                .iter()
                .any(|other| other.next.contains(&topic.name))
        };
        for topic in self.topics.iter().filter(is_next) {
            if topic.triggers.is_empty() && !self.writes_triggers(&topic.name) {
                let message = format!(
                    "the topic `{}` has no `triggers`, so that a judge must recognise it, and there is no `llm`",
                    topic.name
                );
                reader.note(NO_MODEL, topic.span, message).help_last(HELP);
            }
        }
    }

    /// Whether it has triggers, be they understood or not.
    fn writes_triggers(&self, topic: &str) -> bool {
        let mut topics = self.layers.nodes("topics").into_iter();
        topics.any(|topics| {
            topics
                .get(topic)
                .is_some_and(|topic| topic.get("triggers").is_some())
        })
    }

    /// A script must answer whatever it will be asked for certain.
    fn has_verdicts(&self, reader: &mut Reader<'_, '_>) {
        let Some(Provider::Scripted(script)) = self.llm.map(|llm| &llm.provider) else {
            return;
        };
        for asked in self.asked {
            let own = format!("{} {}", asked.check, asked.text);
            let is_there = |(name, _): &(String, _)| *name == asked.text || *name == own;
            if !script.verdicts.iter().any(is_there) {
                let message = format!(
                    "`llm.verdicts` has no verdict on `{}`, which `{}` asks for",
                    asked.text, asked.check
                );
                reader.note(MISSING_FIELD, asked.span, message);
            }
        }
    }

    fn is_not_its_own_judge(&self, reader: &mut Reader<'_, '_>) {
        let (
            Some(Agent::OpenAi {
                endpoint, model, ..
            }),
            Some(llm),
        ) = (self.agent, self.llm)
        else {
            return;
        };
        let judged = self.asked.len() + self.asked_in_topics.len() > 0;
        let same = llm.provider == Provider::OpenAi
            && llm.model == *model
            && place(llm.url.as_deref().unwrap_or(OPENAI)) == place(&endpoint.url);
        if judged && same && !self.judge.itself {
            let message = format!("the model `{model}` is under test and would judge itself");
            let problem = Diagnostic::error(SELF_JUDGE, llm.span, message)
                .label(
                    endpoint.span,
                    "the agent is the same model at the same address",
                )
                .help("let another model judge, or say that it is meant: `judge: {self: true}`");
            reader.problems.push(problem);
        }
    }
}

/// Where it is, written in one of the ways that lead there.
fn place(url: &str) -> String {
    let url = url.trim_end_matches('/').to_ascii_lowercase();
    let below = url.strip_suffix("/chat/completions").unwrap_or(&url);
    below.trim_end_matches('/').to_owned()
}

/// Whether the conversation can have as many turns as are demanded.
fn possible_turns(user: &User, expectations: &[Expectation], reader: &mut Reader<'_, '_>) {
    match user {
        User::Scripted(turns) => {
            for (turn, number) in turns.iter().zip(1_u32..) {
                let here = |bounds: Bounds| {
                    (!bounds.contains(f64::from(number))).then(|| format!("this is turn {number}"))
                };
                impossible(&turn.expectations, here, reader);
            }
            let count = u32::try_from(turns.len()).unwrap_or(u32::MAX);
            let at_end = |bounds: Bounds| {
                let ending = if count == 1 { "" } else { "s" };
                let problem = format!("the script has {count} turn{ending}");
                (!bounds.contains(f64::from(count))).then_some(problem)
            };
            impossible(expectations, at_end, reader);
        }
        User::Simulated(simulation) => {
            let max = simulation.max_turns;
            let at_end = |bounds: Bounds| {
                let too_many = bounds.min.is_some_and(|min| min > f64::from(max));
                let too_few = bounds.max.is_some_and(|most| most < 1.0);
                let problem = format!("a conversation has 1 to {max} turns here");
                (too_many || too_few).then_some(problem)
            };
            impossible(expectations, at_end, reader);
        }
    }
}

fn impossible(
    expectations: &[Expectation],
    why: impl Fn(Bounds) -> Option<String>,
    reader: &mut Reader<'_, '_>,
) {
    for expectation in expectations {
        if let ConversationCheck::Turns(bounds) = expectation.check
            && let Some(why) = why(bounds)
        {
            let message = format!("`turns` can never hold: {why}");
            reader.note(VACUOUS, expectation.span, message);
        }
    }
}
