//! The judge's response: a vote on each criterion of a request.

use casebook_suite::model::conversation::Verdict;
use serde::Deserialize;
use serde_json::{Value, json};

use super::VerdictQuery;
use crate::llm::response;

/// A vote on one criterion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vote {
    /// The verdict; `None` for a score.
    word: Option<Verdict>,
    pub(super) score: Option<f64>,
    pub(super) reason: String,
}

impl Vote {
    pub(super) fn inconclusive(reason: String) -> Vote {
        Vote {
            word: Some(Verdict::Inconclusive),
            score: None,
            reason,
        }
    }

    /// The verdict, which for a score depends on the required minimum.
    pub(super) fn verdict(&self, min: Option<f64>) -> Verdict {
        match (self.word, self.score, min) {
            (Some(word), ..) => word,
            (None, Some(score), Some(min)) if score >= min => Verdict::Passed,
            (None, Some(_), Some(_)) => Verdict::Failed,
            (None, ..) => Verdict::Inconclusive,
        }
    }
}

/// The response to a request with several criteria.
#[derive(Deserialize)]
struct BatchResponse {
    verdicts: Vec<VoteResponse>,
}

/// The vote as JSON, with a verdict or a score. Other fields, such as a confidence, are ignored.
#[derive(Deserialize)]
struct VoteResponse {
    criterion: String,
    reasons: String,
    verdict: Option<VerdictWord>,
    #[serde(default)]
    score: ScoreResponse,
}

/// A missing score is malformed; null is inconclusive.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(from = "Option<f64>")]
enum ScoreResponse {
    #[default]
    Missing,
    Null,
    Number(f64),
}

impl From<Option<f64>> for ScoreResponse {
    fn from(score: Option<f64>) -> ScoreResponse {
        score.map_or(ScoreResponse::Null, ScoreResponse::Number)
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum VerdictWord {
    Passed,
    Failed,
    Inconclusive,
}

impl From<VerdictWord> for Verdict {
    fn from(word: VerdictWord) -> Verdict {
        match word {
            VerdictWord::Passed => Verdict::Passed,
            VerdictWord::Failed => Verdict::Failed,
            VerdictWord::Inconclusive => Verdict::Inconclusive,
        }
    }
}

/// Parses the votes on these criteria, which are found by their ids.
pub(super) fn parse(text: &str, queries: &[VerdictQuery]) -> Result<Vec<Vote>, String> {
    let [query] = queries else {
        return parse_batch(text, queries);
    };
    let response: VoteResponse = response::parse(text)?;
    if response.criterion != query.id {
        return Err(format!(
            "it is about the criterion {:?} instead of {:?}",
            response.criterion, query.id
        ));
    }
    Ok(vec![vote(&response, query)?])
}

fn parse_batch(text: &str, queries: &[VerdictQuery]) -> Result<Vec<Vote>, String> {
    let BatchResponse { verdicts } = response::parse(text)?;
    let is_known = |vote: &&VoteResponse| queries.iter().any(|query| query.id == vote.criterion);
    if let Some(unknown) = verdicts.iter().find(|vote| !is_known(vote)) {
        return Err(format!("unknown criterion {:?}", unknown.criterion));
    }
    let votes = queries.iter().map(|query| {
        let mut own = verdicts.iter().filter(|vote| vote.criterion == query.id);
        match (own.next(), own.next()) {
            (Some(only), None) => vote(only, query),
            (None, _) => Err(format!("it has no verdict on {:?}", query.id)),
            (Some(_), Some(_)) => Err(format!("it has two verdicts on {:?}", query.id)),
        }
    });
    votes.collect()
}

fn vote(response: &VoteResponse, query: &VerdictQuery) -> Result<Vote, String> {
    if response.reasons.trim().is_empty() {
        return Err("it gives no reasons".to_owned());
    }
    let reason = response.reasons.clone();
    let missing = |what: &str| Err(format!("it has no {what} for {:?}", query.id));
    match (query.scale, response.verdict, response.score) {
        (None, Some(word), ScoreResponse::Missing) => Ok(Vote {
            word: Some(word.into()),
            score: None,
            reason,
        }),
        (None, ..) => missing("verdict"),
        (Some(_), None, ScoreResponse::Null) => Ok(Vote::inconclusive(reason)),
        (Some((min, max)), None, ScoreResponse::Number(score)) => {
            if (min..=max).contains(&score) {
                return Ok(Vote {
                    word: None,
                    score: Some(score),
                    reason,
                });
            }
            Err(format!(
                "the score {score} of {:?} is not between {min} and {max}",
                query.id
            ))
        }
        (Some(_), ..) => missing("score"),
    }
}

/// The JSON Schema of the response to a request with these criteria.
pub(in crate::llm) fn schema(queries: &[VerdictQuery]) -> Value {
    let votes: Vec<_> = queries.iter().map(vote_schema).collect();
    match <[Value; 1]>::try_from(votes) {
        Ok([only]) => only,
        Err(votes) => json!({
            "type": "object",
            "properties": {"verdicts": {"type": "array", "items": {"anyOf": votes}}},
            "required": ["verdicts"],
            "additionalProperties": false,
        }),
    }
}

fn vote_schema(query: &VerdictQuery) -> Value {
    let (name, values) = match query.scale {
        None => (
            "verdict",
            json!({"type": "string", "enum": ["passed", "failed", "inconclusive"]}),
        ),
        Some(_) => ("score", json!({"type": ["number", "null"]})),
    };
    json!({
        "type": "object",
        "properties": {
            "criterion": {"type": "string", "enum": [query.id]},
            "reasons": {"type": "string"},
            name: values,
        },
        "required": ["criterion", "reasons", name],
        "additionalProperties": false,
    })
}
