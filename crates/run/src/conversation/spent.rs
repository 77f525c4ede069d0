//! What a conversation took: time, tokens and money of the agent, the judge and the simulated user.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Reply, Tokens};

/// What all of a conversation took.
#[derive(Debug, Default)]
pub(super) struct Spent {
    agent: Share,
    judge: Share,
    simulator: Share,
}

/// What one of them took.
#[derive(Debug, Default, Clone, Copy)]
struct Share {
    calls: u64,
    tokens: Option<Tokens>,
    cost: Option<f64>,
    latency: Duration,
    retries: u64,
}

impl Spent {
    pub(super) fn agent(&mut self, reply: &Reply) {
        self.agent.add(Share {
            calls: 1,
            tokens: reply.tokens,
            cost: reply.cost,
            latency: reply.latency,
            retries: reply.retries.into(),
        });
    }

    pub(super) fn judge(&mut self, calls: &[Value]) {
        calls.iter().for_each(|call| self.judge.add_call(call));
    }

    pub(super) fn simulator(&mut self, call: &Value) {
        self.simulator.add_call(call);
    }

    /// For the record: the sums, and who has which share of them.
    pub(super) fn tracing(&self) -> Value {
        let shares = [
            ("agent", self.agent),
            ("judge", self.judge),
            ("simulator", self.simulator),
        ];
        let mut all = Share::default();
        shares.iter().for_each(|(_, share)| all.add(*share));
        let mut tracing = all.described();
        tracing.remove("calls");
        for (name, share) in shares.iter().filter(|(_, share)| share.calls > 0) {
            tracing.insert((*name).to_owned(), share.described().into());
        }
        Value::Object(tracing)
    }
}

impl Share {
    fn add(&mut self, other: Share) {
        self.calls += other.calls;
        self.latency += other.latency;
        self.retries += other.retries;
        if let Some(tokens) = other.tokens {
            let sum = self.tokens.get_or_insert_default();
            sum.input += tokens.input;
            sum.output += tokens.output;
        }
        if let Some(cost) = other.cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }

    /// Adds a call to a model as the record has it, with the one that it corrects.
    fn add_call(&mut self, call: &Value) {
        let number = |name: &str| call.get(name).and_then(Value::as_u64);
        let tokens = |name: &str| call["tokens"][name].as_u64();
        self.add(Share {
            calls: 1,
            tokens: tokens("input")
                .zip(tokens("output"))
                .map(|(input, output)| Tokens { input, output }),
            cost: call.get("cost").and_then(Value::as_f64),
            latency: Duration::from_millis(number("latency_ms").unwrap_or_default()),
            retries: number("retries").unwrap_or_default(),
        });
        if let Some(first) = call.get("corrects") {
            self.add_call(first);
        }
    }

    fn described(&self) -> Map<String, Value> {
        let mut described = Map::from_iter([("calls".to_owned(), self.calls.into())]);
        if let Some(tokens) = self.tokens {
            described.insert("tokens".into(), tokens_as_json(tokens));
        }
        if let Some(cost) = self.cost {
            described.insert("cost".into(), cost.into());
        }
        described.insert("latency_ms".into(), millis(self.latency));
        if self.retries > 0 {
            described.insert("retries".into(), self.retries.into());
        }
        described
    }
}

pub(super) fn tokens_as_json(tokens: Tokens) -> Value {
    json!({"input": tokens.input, "output": tokens.output})
}

pub(super) fn millis(duration: Duration) -> Value {
    u64::try_from(duration.as_millis())
        .unwrap_or(u64::MAX)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_only_those_that_there_are_are_named() {
        let mut spent = Spent::default();
        spent.agent(&Reply {
            latency: Duration::from_millis(20),
            tokens: Some(Tokens {
                input: 5,
                output: 7,
            }),
            retries: 1,
            ..Reply::default()
        });
        spent.judge(&[
            json!({"tokens": {"input": 10, "output": 1}, "cost": 0.25, "latency_ms": 3}),
            json!({"latency_ms": 4, "corrects": {"latency_ms": 5, "cost": 0.5}}),
        ]);
        assert_eq!(
            spent.tracing(),
            json!({
                "tokens": {"input": 15, "output": 8}, "cost": 0.75, "latency_ms": 32, "retries": 1,
                "agent": {"calls": 1, "tokens": {"input": 5, "output": 7}, "latency_ms": 20, "retries": 1},
                "judge": {"calls": 3, "tokens": {"input": 10, "output": 1}, "cost": 0.75, "latency_ms": 12},
            })
        );
    }
}
