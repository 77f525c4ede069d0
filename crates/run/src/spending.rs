//! [`Spending`]: what the conversations of a run have spent, to compare it with budgets.

use std::collections::HashMap;

use casebook_suite::model::conversation::Budget;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::llm::{ModelCall, SCRIPTED};
use crate::transcript::{Reply, Tokens, added};

/// What conversations have spent: agent, judge and simulated user together. Cached responses cost nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spent {
    calls: u64,
    tokens: u64,
    cost: f64,
    /// Whether a call has no cost, so that the cost is not complete.
    lacks_cost: bool,
    /// Whether a call has no tokens.
    lacks_tokens: bool,
}

impl Spent {
    /// Adds a reply of the agent.
    pub(crate) fn add_reply(&mut self, reply: &Reply) {
        self.add(Spent::of_call(reply.tokens, reply.cost));
    }

    /// Adds a call of a model, and the call that it corrects.
    pub(crate) fn add_call(&mut self, call: &ModelCall) {
        if let Some(first) = &call.corrects {
            self.add_call(first);
        }
        if call.cached {
            return;
        }
        let spent = Spent::of_call(call.tokens, call.cost);
        let is_free = call.error.is_some() || call.provider.as_deref() == Some(SCRIPTED);
        self.add(Spent {
            lacks_cost: spent.lacks_cost && !is_free,
            lacks_tokens: spent.lacks_tokens && !is_free,
            ..spent
        });
    }

    fn of_call(tokens: Option<Tokens>, cost: Option<f64>) -> Spent {
        Spent {
            calls: 1,
            tokens: tokens.map_or(0, Tokens::all),
            cost: cost.unwrap_or_default(),
            lacks_cost: cost.is_none(),
            lacks_tokens: tokens.is_none(),
        }
    }

    fn add(&mut self, other: Spent) {
        self.calls += other.calls;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.cost = added(self.cost, other.cost);
        self.lacks_cost |= other.lacks_cost;
        self.lacks_tokens |= other.lacks_tokens;
    }

    /// The first limit of the budget that is reached, such as `cost 1.02 of 1`.
    pub(crate) fn limit_reached(&self, budget: &Budget) -> Option<String> {
        let count = |name: &str, spent: u64, limit: Option<u64>| {
            let limit = limit.filter(|limit| spent >= *limit)?;
            Some(format!("{name} {spent} of {limit}"))
        };
        let cost = budget.cost.filter(|limit| self.cost >= *limit);
        cost.map(|limit| format!("cost {} of {limit}", self.cost))
            .or_else(|| count("tokens", self.tokens, budget.tokens))
            .or_else(|| count("calls", self.calls, budget.calls))
    }

    /// The limit of the budget that calls without figures do not count toward.
    pub(crate) fn uncounted_limit(&self, budget: &Budget) -> Option<&'static str> {
        match budget {
            _ if self.lacks_cost && budget.cost.is_some() => Some("cost"),
            _ if self.lacks_tokens && budget.tokens.is_some() => Some("tokens"),
            _ => None,
        }
    }
}

/// What the conversations of a run have spent, by the file of the suite.
#[derive(Debug, Default)]
pub(crate) struct Spending {
    suites: Mutex<HashMap<String, Spent>>,
}

impl Spending {
    /// Adds what a conversation of the suite has spent.
    pub(crate) fn add(&self, suite: &str, spent: Spent) {
        let mut suites = self.suites.lock();
        match suites.get_mut(suite) {
            Some(all) => all.add(spent),
            None => drop(suites.insert(suite.to_owned(), spent)),
        }
    }

    /// What the conversations of a suite have spent.
    pub(crate) fn of_suite(&self, suite: &str) -> Spent {
        self.suites.lock().get(suite).copied().unwrap_or_default()
    }

    /// What all conversations have spent.
    pub(crate) fn total(&self) -> Spent {
        let mut total = Spent::default();
        let suites = self.suites.lock();
        suites.values().for_each(|spent| total.add(*spent));
        total
    }

    /// What was spent since the last call.
    pub(crate) fn take(&self) -> Spent {
        let total = self.total();
        self.suites.lock().clear();
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(input: u64, cost: Option<f64>) -> ModelCall {
        ModelCall {
            tokens: Some(Tokens { input, output: 0 }),
            cost,
            ..ModelCall::default()
        }
    }

    #[test]
    fn cached_responses_cost_nothing_and_corrected_calls_count() {
        let mut spent = Spent::default();
        spent.add_call(&ModelCall {
            corrects: Some(Box::new(call(10, Some(0.1)))),
            ..call(5, Some(0.2))
        });
        spent.add_call(&ModelCall {
            cached: true,
            ..call(1000, None)
        });
        let expected = Spent {
            calls: 2,
            tokens: 15,
            cost: 0.3,
            ..Spent::default()
        };
        assert_eq!(spent, expected);
    }

    #[test]
    fn a_budget_is_spent_when_a_limit_is_reached() {
        let mut spent = Spent::default();
        spent.add_call(&call(15, Some(0.3)));
        for (budget, reached) in [
            (Budget::default(), None),
            (cost(0.3), Some("cost 0.3 of 0.3")),
            (cost(0.31), None),
            (tokens(15), Some("tokens 15 of 15")),
            (tokens(16), None),
            (calls(1), Some("calls 1 of 1")),
            (calls(2), None),
        ] {
            assert_eq!(spent.limit_reached(&budget).as_deref(), reached);
        }
    }

    #[test]
    fn calls_without_figures_are_noticed_except_scripted_and_failed_ones() {
        let unknown = ModelCall::default();
        let scripted = ModelCall {
            provider: Some("scripted".to_owned()),
            ..ModelCall::default()
        };
        let failed = ModelCall {
            error: Some("refused".to_owned()),
            ..ModelCall::default()
        };
        for (call, budget, limit) in [
            (&unknown, cost(1.0), Some("cost")),
            (&unknown, tokens(1), Some("tokens")),
            (&unknown, calls(9), None),
            (&scripted, cost(1.0), None),
            (&failed, cost(1.0), None),
        ] {
            let mut spent = Spent::default();
            spent.add_call(call);
            assert_eq!(spent.uncounted_limit(&budget), limit, "{call:?}");
        }
    }

    fn cost(limit: f64) -> Budget {
        Budget {
            cost: Some(limit),
            ..Budget::default()
        }
    }

    fn tokens(limit: u64) -> Budget {
        Budget {
            tokens: Some(limit),
            ..Budget::default()
        }
    }

    fn calls(limit: u64) -> Budget {
        Budget {
            calls: Some(limit),
            ..Budget::default()
        }
    }
}
