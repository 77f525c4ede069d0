//! The value of `--budget`.

use std::str::FromStr;

use casebook_suite::model::conversation::Budget;

const EXPECTED: &str = "must be limits such as cost=5,tokens=100000,calls=200";

/// What the conversations of a run may spend.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RunBudget(pub(crate) Budget);

impl FromStr for RunBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<RunBudget, String> {
        let mut budget = Budget::default();
        for part in text.split(',') {
            let (name, limit) = part.trim().split_once('=').ok_or(EXPECTED)?;
            let is_given = match name {
                "cost" => budget.cost.replace(cost(limit)?).is_some(),
                "tokens" => budget.tokens.replace(count(limit)?).is_some(),
                "calls" => budget.calls.replace(count(limit)?).is_some(),
                _ => return Err(format!("has no limit `{name}`; it {EXPECTED}")),
            };
            if is_given {
                return Err(format!("contains `{name}` twice"));
            }
        }
        Ok(RunBudget(budget))
    }
}

fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse().ok();
    let cost = cost.filter(|cost: &f64| cost.is_finite() && *cost > 0.0);
    cost.ok_or_else(|| format!("`cost` must be a number greater than 0, got '{text}'"))
}

fn count(text: &str) -> Result<u64, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| format!("'{text}' must be a whole number of at least 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_separated_by_commas() {
        let budget = "cost=0.5, tokens=1000,calls=20".parse::<RunBudget>();
        let expected = Budget {
            cost: Some(0.5),
            tokens: Some(1000),
            calls: Some(20),
        };
        assert_eq!(budget, Ok(RunBudget(expected)));
        for (bad, message) in [
            ("", EXPECTED),
            ("5", EXPECTED),
            ("price=5", "has no limit `price`"),
            ("cost=0", "greater than 0, got '0'"),
            ("cost=inf", "greater than 0, got 'inf'"),
            ("calls=1.5", "'1.5' must be a whole number"),
            ("calls=1,calls=2", "contains `calls` twice"),
        ] {
            let error = bad.parse::<RunBudget>().unwrap_err();
            assert!(error.contains(message), "{bad}: {error}");
        }
    }
}
