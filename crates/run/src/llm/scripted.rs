//! A model whose answers stand in the suite.
//!
//! It answers as a real one does, with JSON as the question's schema has it, so that everything behind it is the same.

use std::collections::HashMap;
use std::time::Duration;

use casebook_record::to_line;
use casebook_suite::model::conversation::{ScriptedResponses, ScriptedVerdicts, Verdict};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::json;

use super::judge::verdict_word;
use super::{Model, ModelError, ModelRequest, ModelResponse, Purpose};
use crate::stop::Cancellation;

/// Why a verdict is what it is.
const REASONS: &str = "The suite says so.";

/// A verdict as a judge gives it.
#[derive(Serialize)]
struct ScriptedVerdict<'a> {
    criterion: &'a str,
    reasons: &'a str,
    verdict: &'a str,
}

fn said(answer: &impl Serialize) -> String {
    to_line(answer).expect("texts are JSON").into()
}

/// What the suite answers in one conversation.
pub(super) struct ScriptedModel {
    answers: ScriptedResponses,
    model: String,
    /// How many answers were taken from each list.
    taken: Mutex<HashMap<String, usize>>,
}

impl ScriptedModel {
    pub(super) fn new(answers: &ScriptedResponses, model: &str) -> ScriptedModel {
        ScriptedModel {
            answers: answers.clone(),
            model: model.to_owned(),
            taken: Mutex::default(),
        }
    }

    /// As JSON.
    fn answer(&self, question: &ModelRequest) -> Result<String, ModelError> {
        match &question.purpose {
            Purpose::User => {
                let text = self.next("llm.user", &self.answers.user, "text")?;
                Ok(said(&json!({"message": text, "goal_reached": false})))
            }
            Purpose::Topic(choice) => {
                let topic = self.next("llm.topics", &self.answers.topics, "topic")?;
                if !choice.contains(topic) {
                    return Err(ModelError::MissingScriptedResponse(format!(
                        "`llm.topics` says {topic:?} where the choice is between {}",
                        choice.join(", ")
                    )));
                }
                Ok(said(&json!({"reasons": REASONS, "topic": topic})))
            }
            Purpose::Verdict {
                check,
                criterion,
                id,
            } => {
                let verdict = self.verdict(check, criterion)?;
                Ok(said(&ScriptedVerdict {
                    criterion: id,
                    reasons: REASONS,
                    verdict: verdict_word(verdict),
                }))
            }
        }
    }

    /// The verdict under `CHECK CRITERION`, for criteria that several checks have in common, or under `CRITERION`.
    fn verdict(&self, check: &str, criterion: &str) -> Result<Verdict, ModelError> {
        let own = format!("{check} {criterion}");
        let under = |name: &str| self.answers.verdicts.iter().find(|(key, _)| key == name);
        let Some((name, verdicts)) = under(&own).or_else(|| under(criterion)) else {
            return Err(ModelError::MissingScriptedResponse(format!(
                "`llm.verdicts` has no verdict on {criterion:?}, which `{check}` asks for: add it there"
            )));
        };
        match verdicts {
            ScriptedVerdicts::Always(verdict) => Ok(*verdict),
            ScriptedVerdicts::InOrder(list) => self
                .next(&format!("llm.verdicts.{name}"), list, "verdict")
                .copied(),
        }
    }

    fn next<'a, T>(&self, list: &str, all: &'a [T], what: &str) -> Result<&'a T, ModelError> {
        let mut taken = self.taken.lock();
        let place = taken.entry(list.to_owned()).or_default();
        let Some(one) = all.get(*place) else {
            return Err(ModelError::MissingScriptedResponse(exhausted(
                list,
                all.len(),
                what,
            )));
        };
        *place += 1;
        Ok(one)
    }
}

fn exhausted(list: &str, there: usize, what: &str) -> String {
    let plural = if there == 1 { "" } else { "s" };
    match there {
        0 => format!("`{list}` has no {what}, and one is asked for: add it there"),
        _ => format!(
            "`{list}` has {there} {what}{plural}, and one more is asked for: add it there, or let the conversation end earlier"
        ),
    }
}

impl Model for ScriptedModel {
    fn ask(
        &self,
        question: &ModelRequest,
        _: Cancellation<'_>,
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse {
            text: self.answer(question)?,
            provider: "scripted".to_owned(),
            model: self.model.clone(),
            tokens: None,
            cost: None,
            latency: Duration::ZERO,
            retries: 0,
            cached: false,
            without: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use casebook_suite::model::conversation::{ConversationCheck, CriterionRef};

    use crate::llm::judge::judge;
    use crate::llm::testing::{conversation, patient, transcript};
    use crate::transcript::{Scope, Transcript};

    use super::*;

    fn script() -> ScriptedModel {
        let verdicts = vec![
            (
                "friendly".to_owned(),
                ScriptedVerdicts::Always(Verdict::Passed),
            ),
            (
                "prices".to_owned(),
                ScriptedVerdicts::InOrder(vec![Verdict::Failed, Verdict::Inconclusive]),
            ),
            (
                "notClaims prices".to_owned(),
                ScriptedVerdicts::Always(Verdict::Passed),
            ),
        ];
        let answers = ScriptedResponses {
            user: vec!["Hi".to_owned()],
            verdicts,
            topics: Vec::new(),
        };
        ScriptedModel::new(&answers, "")
    }

    fn verdict(script: &ScriptedModel, check: &ConversationCheck) -> Result<Verdict, ModelError> {
        let transcript: Transcript = transcript("x");
        let scope = Scope {
            transcript: &transcript,
            exchange: None,
        };
        patient(|patience| judge(script, &conversation(), check, scope, patience))
            .map(|judged| judged.verdict)
            .map_err(|unanswered| unanswered.error)
    }

    #[test]
    fn verdicts_come_by_criterion_and_in_order() {
        let script = script();
        let friendly = ConversationCheck::Satisfies(CriterionRef::Criterion("friendly".to_owned()));
        let claims = ConversationCheck::Claims("prices".to_owned());
        let not = ConversationCheck::NotClaims("prices".to_owned());
        for (check, wanted) in [
            (&friendly, Verdict::Passed),
            (&claims, Verdict::Failed),
            (&not, Verdict::Passed),
            (&friendly, Verdict::Passed),
            (&claims, Verdict::Inconclusive),
        ] {
            assert_eq!(verdict(&script, check), Ok(wanted));
        }
        assert_eq!(
            verdict(&script, &claims).unwrap_err().to_string(),
            "`llm.verdicts.prices` has 2 verdicts, and one more is asked for: add it there, or let the conversation end earlier"
        );
        assert_eq!(
            verdict(&script, &ConversationCheck::Intent("sell".to_owned()))
                .unwrap_err()
                .to_string(),
            "`llm.verdicts` has no verdict on \"sell\", which `intent` asks for: add it there"
        );
    }

    #[test]
    fn an_exhausted_list_says_which_one() {
        for (list, there, words) in [
            ("llm.user", 1, "`llm.user` has 1 text, and one more"),
            ("llm.topics", 0, "`llm.topics` has no text, and one is"),
        ] {
            assert!(exhausted(list, there, "text").starts_with(words));
        }
    }
}
