//! Checks that the parts of a conversation are consistent.

use casebook_source::{Diagnostic, Span};

use super::Layers;
use super::llm::Models;
use super::names::JudgeQuery;
use crate::codes::{CONFLICT, MISSING_FIELD, NO_MODEL, SELF_JUDGE, VACUOUS};
use crate::model::conversation::{
    Agent, Bounds, ConversationCheck, Expectation, Judge, Llm, ModelAgent, ModelApi, Provider,
    Topic, User,
};
use crate::reader::Reader;

/// The default URL of the `openai` provider.
const OPENAI: &str = "https://api.openai.com/v1";
/// The default URL of the `anthropic` provider.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// The decoded parts of a conversation.
pub(super) struct ConversationParts<'a> {
    pub(super) layers: &'a Layers<'a>,
    pub(super) agent: Option<&'a Agent>,
    pub(super) models: &'a Models,
    pub(super) judge: Judge,
    pub(super) topics: &'a [Topic],
    /// The judge queries of turns and of the end.
    pub(super) queries: &'a [JudgeQuery],
    /// The judge queries of topics, which are made only if the conversation reaches them.
    pub(super) topic_queries: &'a [JudgeQuery],
}

impl ConversationParts<'_> {
    pub(super) fn check(
        &self,
        user: Option<&User>,
        expectations: &[Expectation],
        reader: &mut Reader<'_, '_>,
    ) {
        self.check_model(reader);
        self.check_scripted_verdicts(reader);
        self.check_self_judge(reader);
        self.check_topics(expectations, reader);
        for topic in self.topics {
            reject_ended(&topic.expectations, reader);
        }
        if let Some(user) = user {
            for turn in user.script() {
                self.check_topics(&turn.expectations, reader);
                reject_ended(&turn.expectations, reader);
            }
            if let Some(simulation) = user.simulation() {
                reject_ended(&simulation.stop_when, reader);
            }
            check_turns(user, expectations, reader);
            check_ended(user, expectations, reader);
        }
    }

    /// Reports `topics` checks that can never pass. A move outside of the graph fails a test that has a hard expectation
    /// about topics, so only a soft check may contain one.
    fn check_topics(&self, expectations: &[Expectation], reader: &mut Reader<'_, '_>) {
        for expectation in expectations {
            let leaves = expectation.check.leaves();
            let topics = leaves.into_iter().find_map(|check| match check {
                ConversationCheck::Topics(path) => Some(path),
                _ => None,
            });
            let Some(path) = topics else {
                continue;
            };
            let is_step = |from: &str, to: &str| {
                let mut topics = self.topics.iter();
                let from = topics.find(|topic| topic.name == from);
                from.is_none_or(|from| from.next.iter().any(|next| next == to))
            };
            let wrong = path.windows(2).find(|step| {
                step[0] == step[1] || expectation.hard && !is_step(&step[0], &step[1])
            });
            if let Some([from, to]) = wrong {
                let message = format!("`topics` can never pass: `{to}` does not follow `{from}`");
                reader.note(VACUOUS, expectation.span, message);
            }
        }
    }

    fn check_model(&self, reader: &mut Reader<'_, '_>) {
        const HELP: &str = "add `llm: {provider: …, model: …}`";
        if let Some(node) = self
            .layers
            .test("simulate")
            .filter(|_| !self.models.has_user)
        {
            let start = Span::new(node.span.start, node.span.start + 1);
            let message = "`simulate` requires a model";
            reader.note(NO_MODEL, start, message).help_last(HELP);
        }
        if self.models.has_judge {
            return;
        }
        for query in self.queries.iter().chain(self.topic_queries) {
            let message = format!("`{}` requires a model as the judge", query.check);
            reader.note(NO_MODEL, query.span, message).help_last(HELP);
        }
        let is_next = |topic: &&Topic| {
            self.topics
                .iter()
                .any(|other| other.next.contains(&topic.name))
        };
        for topic in self.topics.iter().filter(is_next) {
            if topic.triggers.is_empty() && !self.has_triggers(&topic.name) {
                let message = format!(
                    "the topic `{}` has no `triggers`, so it requires a model as the judge",
                    topic.name
                );
                reader.note(NO_MODEL, topic.span, message).help_last(HELP);
            }
        }
    }

    /// Whether the topic has a `triggers` field, valid or not.
    fn has_triggers(&self, topic: &str) -> bool {
        let mut topics = self.layers.nodes("topics").into_iter();
        topics.any(|topics| {
            topics
                .get(topic)
                .is_some_and(|topic| topic.get("triggers").is_some())
        })
    }

    /// Reports queries without a scripted verdict. Those in topics may never be made, so they are not checked.
    fn check_scripted_verdicts(&self, reader: &mut Reader<'_, '_>) {
        for judge in &self.models.judges {
            let Provider::Scripted(script) = &judge.provider else {
                continue;
            };
            for query in self.queries {
                let [text, qualified] = query.keys();
                let is_for_query = |(name, _): &(String, _)| *name == text || *name == qualified;
                if !script.verdicts.iter().any(is_for_query) {
                    let message = format!(
                        "`llm.verdicts` has no verdict on `{text}`, which `{}` requires",
                        query.check
                    );
                    let problem = Diagnostic::error(MISSING_FIELD, query.span, message)
                        .help(format!("add `{text}: true` or `false` to `verdicts`"));
                    reader.problems.push(problem);
                }
            }
        }
    }

    fn check_self_judge(&self, reader: &mut Reader<'_, '_>) {
        let Some(Agent::Model(agent)) = self.agent else {
            return;
        };
        let ModelAgent {
            endpoint, model, ..
        } = &**agent;
        let (provider, default_url) = match agent.api {
            ModelApi::OpenAi => (Provider::OpenAi, OPENAI),
            ModelApi::Anthropic => (Provider::Anthropic, ANTHROPIC),
        };
        let is_agent = |llm: &&Llm| {
            llm.provider == provider
                && llm.model == *model
                && normalized(llm.url.as_deref().unwrap_or(default_url))
                    == normalized(&endpoint.url)
        };
        let has_queries = self.queries.len() + self.topic_queries.len() > 0;
        let same = self.models.judges.iter().find(is_agent);
        if let Some(llm) = same.filter(|_| has_queries && !self.judge.itself) {
            let message = format!("the model `{model}` is under test and would judge itself");
            let problem = Diagnostic::error(SELF_JUDGE, llm.span, message)
                .label(endpoint.span, "the agent is the same model at the same URL")
                .help("use another model as the judge, or allow it with `judge: {self: true}`");
            reader.problems.push(problem);
        }
    }
}

/// The URL in one form: lower case, one name for the local machine, without the scheme's own port, trailing slashes and
/// the path that is appended to it.
fn normalized(url: &str) -> String {
    const LOCAL: [&str; 4] = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"];
    let url = url.trim_end_matches('/').to_ascii_lowercase();
    let mut paths = ["/chat/completions", "/v1/messages"].iter();
    let base = paths
        .find_map(|path| url.strip_suffix(path))
        .unwrap_or(&url);
    let base = base.trim_end_matches('/');
    let Some((scheme, rest)) = base.split_once("://") else {
        return base.to_owned();
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let default_port = if scheme == "https" { ":443" } else { ":80" };
    let authority = authority.strip_suffix(default_port).unwrap_or(authority);
    let local = LOCAL
        .iter()
        .find_map(|name| authority.strip_prefix(name))
        .filter(|rest| rest.is_empty() || rest.starts_with(':'));
    match local {
        Some(port) => format!("{scheme}://localhost{port}{path}"),
        None => format!("{scheme}://{authority}{path}"),
    }
}

/// Reports `ended` checks before the end.
fn reject_ended(expectations: &[Expectation], reader: &mut Reader<'_, '_>) {
    for expectation in expectations {
        let leaves = expectation.check.leaves();
        let mut leaves = leaves.into_iter();
        if leaves.any(|check| matches!(check, ConversationCheck::Ended(_))) {
            let message = "`ended` has no effect here: the conversation has not ended";
            reader
                .note(CONFLICT, expectation.span, message)
                .help_last("move it to `expect` or `evaluate` of the test");
        }
    }
}

/// Reports `ended` checks that can never pass.
fn check_ended(user: &User, expectations: &[Expectation], reader: &mut Reader<'_, '_>) {
    let (possible, why): (&[&str], _) = match user {
        User::Scripted(_) => (
            &["script_end"],
            "a script that passes ends with `script_end`",
        ),
        User::Simulated(_) | User::Mixed(..) => (
            &["stop_condition", "goal_reached", "max_turns"],
            "a simulated user does not end with a script",
        ),
    };
    for expectation in expectations {
        for check in expectation.check.leaves() {
            let ConversationCheck::Ended(reasons) = check else {
                continue;
            };
            if !reasons.iter().any(|one| possible.contains(&one.as_str())) {
                let message = format!("`ended` can never pass: {why}");
                reader.note(VACUOUS, expectation.span, message);
            }
        }
    }
}

/// Reports `turns` checks that can never pass.
fn check_turns(user: &User, expectations: &[Expectation], reader: &mut Reader<'_, '_>) {
    for (turn, number) in user.script().iter().zip(1_u32..) {
        let at_turn = |bounds: Bounds| {
            (!bounds.contains(f64::from(number))).then(|| format!("this is turn {number}"))
        };
        report_impossible(&turn.expectations, at_turn, reader);
    }
    let scripted = u32::try_from(user.script().len()).unwrap_or(u32::MAX);
    let (min, max) = match user.simulation() {
        None => (scripted, scripted),
        Some(simulation) => (
            scripted.max(1),
            scripted.saturating_add(simulation.max_turns),
        ),
    };
    let at_end = |bounds: Bounds| {
        let too_many = bounds.min.is_some_and(|least| least > f64::from(max));
        let too_few = bounds.max.is_some_and(|most| most < f64::from(min));
        (too_many || too_few).then(|| match user {
            User::Scripted(_) if max == 1 => "the script has 1 turn".to_owned(),
            User::Scripted(_) => format!("the script has {max} turns"),
            _ => format!("a conversation has {min} to {max} turns here"),
        })
    };
    report_impossible(expectations, at_end, reader);
}

fn report_impossible(
    expectations: &[Expectation],
    why: impl Fn(Bounds) -> Option<String>,
    reader: &mut Reader<'_, '_>,
) {
    for expectation in expectations {
        for check in expectation.check.leaves() {
            if let ConversationCheck::Turns(bounds) = check
                && let Some(why) = why(*bounds)
            {
                let message = format!("`turns` can never pass: {why}");
                reader.note(VACUOUS, expectation.span, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_server_has_one_url() {
        for (one, other, same) in [
            (
                "http://localhost:8080/v1",
                "http://127.0.0.1:8080/v1/",
                true,
            ),
            (
                "http://localhost:8080/v1",
                "http://[::1]:8080/v1/chat/completions",
                true,
            ),
            ("http://LOCALHOST/v1", "http://localhost:80/v1", true),
            (
                "https://api.example.com:443/v1/",
                "https://api.example.com/v1",
                true,
            ),
            ("http://localhost:8080", "http://0.0.0.0:8080/", true),
            ("http://localhost:8080", "http://localhost:8081", false),
            ("http://localhost.example.com", "http://127.0.0.1", false),
            ("https://localhost:80/v1", "https://localhost/v1", false),
        ] {
            assert_eq!(normalized(one) == normalized(other), same, "{one} {other}");
        }
    }
}
