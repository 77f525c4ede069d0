//! The time, tokens and cost of a conversation: of the agent, the judge and the simulated user.

use std::time::Duration;

use casebook_record::Metadata;
use serde::{Deserialize, Serialize};

use crate::llm::ModelCall;
use crate::spending::Spent;
use crate::transcript::{Reply, Tokens, added};

/// The usage of a conversation.
#[derive(Debug, Default)]
pub(super) struct ConversationUsage {
    agent: PartyUsage,
    judge: PartyUsage,
    simulator: PartyUsage,
    /// Of the participants together, without cached responses.
    spent: Spent,
}

/// The usage of one participant.
#[derive(Debug, Default, Clone)]
struct PartyUsage {
    calls: u64,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    latency: Duration,
    retries: u64,
    retried_on: Vec<u16>,
}

impl ConversationUsage {
    pub(super) fn agent(&mut self, reply: &Reply) {
        self.spent.add_reply(reply);
        self.agent.add(PartyUsage {
            calls: 1,
            tokens: reply.tokens,
            cost: reply.cost,
            latency: reply.latency,
            retries: reply.retries.into(),
            retried_on: reply.retried_on.clone(),
        });
    }

    pub(super) fn judge(&mut self, calls: &[ModelCall]) {
        for call in calls.iter().filter(|call| !call.shared) {
            self.spent.add_call(call);
            self.judge.add_call(call);
        }
    }

    pub(super) fn simulator(&mut self, call: &ModelCall) {
        self.spent.add_call(call);
        self.simulator.add_call(call);
    }

    /// What the conversation has spent.
    pub(super) fn spent(&self) -> Spent {
        self.spent
    }

    /// The recorded usage of agent and simulated user. The judge has not been called yet.
    pub(super) fn of_record(metadata: &Metadata) -> ConversationUsage {
        let party = |path| {
            let figures = metadata.dig(path).cloned();
            let figures = figures.and_then(|figures| serde_json::from_value(figures).ok());
            figures.map_or_else(PartyUsage::default, PartyUsage::of)
        };
        ConversationUsage {
            agent: party("tracing.agent"),
            judge: PartyUsage::default(),
            simulator: party("tracing.simulator"),
            spent: Spent::default(),
        }
    }

    /// The total and the usage of each participant, for the record.
    pub(super) fn tracing(&self) -> UsageTrace {
        let mut total = PartyUsage::default();
        let participants = [&self.agent, &self.judge, &self.simulator];
        participants
            .into_iter()
            .for_each(|participant| total.add(participant.clone()));
        let figures_if_used =
            |participant: &PartyUsage| (participant.calls > 0).then(|| participant.figures());
        UsageTrace {
            total: Figures {
                calls: None,
                retried_on: Vec::new(),
                ..total.figures()
            },
            agent: figures_if_used(&self.agent),
            judge: figures_if_used(&self.judge),
            simulator: figures_if_used(&self.simulator),
        }
    }
}

/// The total and the usage of each participant that made calls.
#[derive(Debug, Serialize)]
pub(super) struct UsageTrace {
    #[serde(flatten)]
    total: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<Figures>,
}

/// The recorded numbers of one or more calls.
#[derive(Debug, Serialize, Deserialize)]
struct Figures {
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    latency_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    retries: Option<u64>,
    /// The statuses of the responses that were retried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retried_on: Vec<u16>,
}

impl PartyUsage {
    fn of(figures: Figures) -> PartyUsage {
        PartyUsage {
            calls: figures.calls.unwrap_or_default(),
            tokens: figures.tokens,
            cost: figures.cost,
            latency: Duration::from_millis(figures.latency_ms),
            retries: figures.retries.unwrap_or_default(),
            retried_on: figures.retried_on,
        }
    }

    fn add(&mut self, other: PartyUsage) {
        self.calls += other.calls;
        self.latency += other.latency;
        self.retries += other.retries;
        self.retried_on.extend(other.retried_on);
        if let Some(tokens) = other.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(tokens));
        }
        if let Some(cost) = other.cost {
            self.cost = Some(added(self.cost.unwrap_or_default(), cost));
        }
    }

    /// Adds a model call, and the call that it corrects.
    fn add_call(&mut self, call: &ModelCall) {
        self.add(PartyUsage {
            calls: 1,
            tokens: call.tokens,
            cost: call.cost,
            latency: Duration::from_millis(call.latency_ms.unwrap_or_default()),
            retries: call.retries.into(),
            retried_on: Vec::new(),
        });
        if let Some(first) = &call.corrects {
            self.add_call(first);
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            calls: Some(self.calls),
            tokens: self.tokens,
            cost: self.cost,
            latency_ms: millis(self.latency),
            retries: (self.retries > 0).then_some(self.retries),
            retried_on: self.retried_on.clone(),
        }
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn usage_is_added_up_and_unused_participants_are_left_out() {
        let mut usage = ConversationUsage::default();
        usage.agent(&Reply {
            latency: Duration::from_millis(20),
            tokens: Some(Tokens {
                input: 5,
                output: 7,
            }),
            retries: 1,
            retried_on: vec![503],
            ..Reply::default()
        });
        let first = ModelCall {
            latency_ms: Some(5),
            cost: Some(0.5),
            ..ModelCall::default()
        };
        usage.judge(&[
            ModelCall {
                tokens: Some(Tokens {
                    input: 10,
                    output: 1,
                }),
                cost: Some(0.25),
                latency_ms: Some(3),
                ..ModelCall::default()
            },
            ModelCall {
                latency_ms: Some(4),
                corrects: Some(Box::new(first)),
                ..ModelCall::default()
            },
        ]);
        assert_eq!(
            json!(usage.tracing()),
            json!({
                "tokens": {"input": 15, "output": 8}, "cost": 0.75, "latency_ms": 32, "retries": 1,
                "agent": {"calls": 1, "tokens": {"input": 5, "output": 7}, "latency_ms": 20, "retries": 1, "retried_on": [503]},
                "judge": {"calls": 3, "tokens": {"input": 10, "output": 1}, "cost": 0.75, "latency_ms": 12},
            })
        );
    }
}
