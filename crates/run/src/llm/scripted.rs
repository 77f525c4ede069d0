//! A model whose responses are in the suite.
//!
//! It responds with JSON that matches the request's schema, as a real model does, so that the same code parses it.

use std::collections::HashMap;
use std::time::Duration;

use casebook_record::to_line;
use casebook_suite::model::conversation::{
    ScriptedResponses, ScriptedVerdict, ScriptedVerdicts, Verdict,
};
use casebook_suite::run_time::is_instance;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};

use super::judge::verdict_word;
use super::{Model, ModelError, ModelRequest, ModelResponse, Purpose, VerdictQuery};
use crate::stop::Cancellation;

/// The name of the provider whose responses are in the suite.
pub(crate) const SCRIPTED: &str = "scripted";

/// The reasons of a response: the list that it comes from.
fn reasons(list: &str) -> String {
    format!("scripted in `{list}`")
}

fn to_json(response: &impl Serialize) -> String {
    to_line(response).expect("strings serialize to JSON").into()
}

/// The scripted responses for one conversation.
pub(super) struct ScriptedModel {
    responses: ScriptedResponses,
    model: String,
    /// How many responses were taken from each list.
    taken: Mutex<HashMap<String, usize>>,
}

impl ScriptedModel {
    pub(super) fn new(responses: &ScriptedResponses, model: &str) -> ScriptedModel {
        ScriptedModel {
            responses: responses.clone(),
            model: model.to_owned(),
            taken: Mutex::default(),
        }
    }

    /// The next scripted response, as JSON.
    fn response(&self, request: &ModelRequest) -> Result<String, ModelError> {
        match &request.purpose {
            Purpose::User => {
                let text = self.next("llm.user", &self.responses.user, "message")?;
                Ok(to_json(&json!({"message": text, "goal_reached": false})))
            }
            Purpose::Topic(choice) => {
                let topic = self.next("llm.topics", &self.responses.topics, "topic")?;
                if !choice.contains(topic) {
                    return Err(ModelError::MissingScriptedResponse(format!(
                        "`llm.topics` has {topic:?} where the topic must be one of {}",
                        choice.join(", ")
                    )));
                }
                Ok(to_json(
                    &json!({"reasons": reasons("llm.topics"), "topic": topic}),
                ))
            }
            Purpose::Verdicts(queries) => {
                let votes = queries.iter().map(|query| self.vote(query));
                let mut votes = votes.collect::<Result<Vec<_>, _>>()?;
                Ok(match votes.pop() {
                    Some(only) if votes.is_empty() => to_json(&only),
                    last => {
                        votes.extend(last);
                        to_json(&json!({"verdicts": votes}))
                    }
                })
            }
        }
    }

    /// The vote on a criterion, in the format of the judge's response.
    fn vote(&self, query: &VerdictQuery) -> Result<Value, ModelError> {
        let (name, value) = match (self.verdict(query.check, &query.criterion)?, query.scale) {
            (ScriptedVerdict::Verdict(verdict), None) => ("verdict", verdict_word(verdict).into()),
            (ScriptedVerdict::Score(score), Some(_)) => ("score", score.into()),
            (ScriptedVerdict::Verdict(Verdict::Inconclusive), Some(_)) => ("score", Value::Null),
            (_, scale) => {
                let kind = if scale.is_some() {
                    "a number"
                } else {
                    "true, false or inconclusive"
                };
                return Err(ModelError::MissingScriptedResponse(format!(
                    "the verdict on {:?} in `llm.verdicts` must be {kind}",
                    query.criterion
                )));
            }
        };
        Ok(json!({
            "criterion": query.id,
            "reasons": reasons("llm.verdicts"),
            name: value,
        }))
    }

    /// The verdict under the key `CHECK CRITERION`, which is for criteria of several checks, or under `CRITERION`.
    fn verdict(&self, check: &str, criterion: &str) -> Result<ScriptedVerdict, ModelError> {
        let qualified = format!("{check} {criterion}");
        let all = &self.responses.verdicts;
        let is = |name: &str| all.iter().find(|(key, _)| key == name);
        // A criterion with captured values has `{{name}}` in the key.
        let is_like = |name: &str| all.iter().find(|(key, _)| is_instance(name, key));
        let found = is(&qualified)
            .or_else(|| is(criterion))
            .or_else(|| is_like(&qualified))
            .or_else(|| is_like(criterion));
        let Some((name, verdicts)) = found else {
            return Err(ModelError::MissingScriptedResponse(format!(
                "`llm.verdicts` has no verdict on {criterion:?}, which `{check}` requires; add it"
            )));
        };
        match verdicts {
            ScriptedVerdicts::Always(verdict) => Ok(*verdict),
            ScriptedVerdicts::InOrder(list) => self
                .next(&format!("llm.verdicts.{name}"), list, "verdict")
                .copied(),
        }
    }

    fn next<'a, T>(&self, list: &str, items: &'a [T], noun: &str) -> Result<&'a T, ModelError> {
        let mut taken = self.taken.lock();
        let index = taken.entry(list.to_owned()).or_default();
        let Some(item) = items.get(*index) else {
            return Err(ModelError::MissingScriptedResponse(exhausted(
                list,
                items.len(),
                noun,
            )));
        };
        *index += 1;
        Ok(item)
    }
}

fn exhausted(list: &str, count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    match count {
        0 => format!("`{list}` is empty, but a {noun} is required; add one"),
        _ => format!(
            "`{list}` has {count} {noun}{plural}, but the conversation needs one more; add it or shorten the conversation"
        ),
    }
}

impl Model for ScriptedModel {
    fn complete(
        &self,
        request: &ModelRequest,
        _: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse {
            text: self.response(request)?,
            provider: SCRIPTED.to_owned(),
            model: self.model.clone(),
            tokens: None,
            cost: None,
            latency: Duration::ZERO,
            retries: 0,
            cached: false,
            without: Vec::new(),
        })
    }

    fn name(&self) -> (&str, &str) {
        (SCRIPTED, &self.model)
    }
}

#[cfg(test)]
mod tests {
    use casebook_suite::model::conversation::{ConversationCheck, CriterionRef};

    use crate::llm::judge::judge;
    use crate::llm::testing::{conversation, transcript, without_deadline};
    use crate::transcript::{Scope, Transcript};

    use super::*;

    fn script() -> ScriptedModel {
        let verdicts = vec![
            (
                "friendly".to_owned(),
                ScriptedVerdicts::Always(Verdict::Passed.into()),
            ),
            (
                "prices".to_owned(),
                ScriptedVerdicts::InOrder(vec![
                    Verdict::Failed.into(),
                    Verdict::Inconclusive.into(),
                ]),
            ),
            (
                "notClaims prices".to_owned(),
                ScriptedVerdicts::Always(Verdict::Passed.into()),
            ),
        ];
        let responses = ScriptedResponses {
            user: vec!["Hi".to_owned()],
            verdicts,
            topics: Vec::new(),
        };
        ScriptedModel::new(&responses, "")
    }

    fn verdict(script: &ScriptedModel, check: &ConversationCheck) -> Result<Verdict, ModelError> {
        let transcript: Transcript = transcript("x");
        let scope = Scope {
            transcript: &transcript,
            turn_index: None,
        };
        let models: [&dyn Model; 1] = [script];
        without_deadline(|cancellation| {
            judge(&models, &conversation(), &[check], scope, cancellation)
        })
        .map(|judged| judged[0].verdict)
        .map_err(|failed_call| failed_call.error)
    }

    #[test]
    fn verdicts_are_found_by_criterion_and_taken_in_order() {
        let script = script();
        let friendly = ConversationCheck::Satisfies(CriterionRef::Criterion("friendly".to_owned()));
        let claims = ConversationCheck::Claims("prices".to_owned());
        let not = ConversationCheck::NotClaims("prices".to_owned());
        for (check, expected) in [
            (&friendly, Verdict::Passed),
            (&claims, Verdict::Failed),
            (&not, Verdict::Passed),
            (&friendly, Verdict::Passed),
            (&claims, Verdict::Inconclusive),
        ] {
            assert_eq!(verdict(&script, check), Ok(expected));
        }
        assert_eq!(
            verdict(&script, &claims).unwrap_err().to_string(),
            "`llm.verdicts.prices` has 2 verdicts, but the conversation needs one more; add it or shorten the conversation"
        );
        assert_eq!(
            verdict(&script, &ConversationCheck::Intent("sell".to_owned()))
                .unwrap_err()
                .to_string(),
            "`llm.verdicts` has no verdict on \"sell\", which `intent` requires; add it"
        );
    }

    #[test]
    fn the_message_of_an_exhausted_list_names_it() {
        for (list, count, words) in [
            (
                "llm.user",
                1,
                "`llm.user` has 1 message, but the conversation",
            ),
            ("llm.topics", 0, "`llm.topics` is empty, but a message is"),
        ] {
            assert!(exhausted(list, count, "message").starts_with(words));
        }
    }
}
