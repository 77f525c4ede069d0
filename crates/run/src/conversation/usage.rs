//! What a conversation took: time, tokens and money of the agent, the judge and the simulated user.

use std::time::Duration;

use serde::Serialize;

use crate::llm::ModelCall;
use crate::transcript::{Reply, Tokens, added};

/// What all of a conversation took.
#[derive(Debug, Default)]
pub(super) struct ConversationUsage {
    agent: PartyUsage,
    judge: PartyUsage,
    simulator: PartyUsage,
}

/// What one of them took.
#[derive(Debug, Default, Clone, Copy)]
struct PartyUsage {
    calls: u64,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    latency: Duration,
    retries: u64,
}

impl ConversationUsage {
    pub(super) fn agent(&mut self, reply: &Reply) {
        self.agent.add(PartyUsage {
            calls: 1,
            tokens: reply.tokens,
            cost: reply.cost,
            latency: reply.latency,
            retries: reply.retries.into(),
        });
    }

    pub(super) fn judge(&mut self, calls: &[ModelCall]) {
        calls.iter().for_each(|call| self.judge.add_call(call));
    }

    pub(super) fn simulator(&mut self, call: &ModelCall) {
        self.simulator.add_call(call);
    }

    /// For the record: the sums, and who has which share of them.
    pub(super) fn tracing(&self) -> UsageTrace {
        let mut all = PartyUsage::default();
        let shares = [self.agent, self.judge, self.simulator];
        shares.into_iter().for_each(|share| all.add(share));
        let named = |share: PartyUsage| (share.calls > 0).then(|| share.figures());
        UsageTrace {
            sums: Figures {
                calls: None,
                ..all.figures()
            },
            agent: named(self.agent),
            judge: named(self.judge),
            simulator: named(self.simulator),
        }
    }
}

/// The sums, and the shares.
#[derive(Debug, Serialize)]
pub(super) struct UsageTrace {
    #[serde(flatten)]
    sums: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<Figures>,
}

/// What calls took.
#[derive(Debug, Serialize)]
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
}

impl PartyUsage {
    fn add(&mut self, other: PartyUsage) {
        self.calls += other.calls;
        self.latency += other.latency;
        self.retries += other.retries;
        if let Some(tokens) = other.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(tokens));
        }
        if let Some(cost) = other.cost {
            self.cost = Some(added(self.cost.unwrap_or_default(), cost));
        }
    }

    /// Adds a call to a model as the record has it, with the one that it corrects.
    fn add_call(&mut self, call: &ModelCall) {
        self.add(PartyUsage {
            calls: 1,
            tokens: call.tokens,
            cost: call.cost,
            latency: Duration::from_millis(call.latency_ms.unwrap_or_default()),
            retries: call.retries.into(),
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
    fn shares_add_up_and_only_those_that_there_are_are_named() {
        let mut spent = ConversationUsage::default();
        spent.agent(&Reply {
            latency: Duration::from_millis(20),
            tokens: Some(Tokens {
                input: 5,
                output: 7,
            }),
            retries: 1,
            ..Reply::default()
        });
        let first = ModelCall {
            latency_ms: Some(5),
            cost: Some(0.5),
            ..ModelCall::default()
        };
        spent.judge(&[
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
            json!(spent.tracing()),
            json!({
                "tokens": {"input": 15, "output": 8}, "cost": 0.75, "latency_ms": 32, "retries": 1,
                "agent": {"calls": 1, "tokens": {"input": 5, "output": 7}, "latency_ms": 20, "retries": 1},
                "judge": {"calls": 3, "tokens": {"input": 10, "output": 1}, "cost": 0.75, "latency_ms": 12},
            })
        );
    }
}
