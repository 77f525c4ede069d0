//! Turns, tokens and cost of the conversations of a run.

use std::iter;

use casebook_record::model::ConversationData;
use casebook_record::{ExampleData, Metadata, RunData};
use serde::Serialize;
use serde_json::Value;

use crate::terminal::text::thousands;

/// One quantity in both runs.
#[derive(Debug, Serialize)]
pub struct Usage {
    /// The name of the quantity.
    pub what: &'static str,
    /// The total in the earlier run.
    pub base: f64,
    /// The total in the later run.
    pub new: f64,
    /// The average per conversation in the earlier run, so that runs of different sizes can be compared.
    pub base_each: Option<f64>,
    /// The average per conversation in the later run.
    pub new_each: Option<f64>,
}

/// The quantities in the order they are shown.
const QUANTITIES: [&str; 5] = [
    "conversations",
    "turns",
    "input tokens",
    "output tokens",
    "cost",
];

/// Compares the usage of both runs.
pub(super) fn compare(base: &RunData, new: &RunData) -> Vec<Usage> {
    let (base, new) = (totals(base), totals(new));
    let each = |totals: [f64; QUANTITIES.len()], index| {
        (index > 0 && totals[0] > 0.0).then(|| totals[index] / totals[0])
    };
    QUANTITIES
        .into_iter()
        .enumerate()
        .map(|(index, what)| Usage {
            what,
            base: base[index],
            new: new[index],
            base_each: each(base, index),
            new_each: each(new, index),
        })
        .filter(|usage| usage.base > 0.0 || usage.new > 0.0)
        .collect()
}

fn totals(run: &RunData) -> [f64; QUANTITIES.len()] {
    let mut totals = [0.0; QUANTITIES.len()];
    for example in run.examples.values() {
        let Some(conversation) = example.transcript() else {
            continue;
        };
        let used = |path| used(example, conversation, path);
        #[expect(clippy::cast_precision_loss, reason = "counts of turns stay below 2⁵³")]
        let turns = conversation.turns.len() as f64;
        let of_this = [
            1.0,
            turns,
            used("tracing.tokens.input"),
            used("tracing.tokens.output"),
            used("tracing.cost"),
        ];
        for (total, more) in totals.iter_mut().zip(of_this) {
            *total += more;
        }
    }
    totals
}

/// The value at the example's end, or the sum of the values in the agent's responses.
fn used(example: &ExampleData, conversation: &ConversationData, path: &str) -> f64 {
    let number = |metadata: &Metadata| metadata.dig(path).and_then(Value::as_f64);
    let responses = conversation
        .turns
        .iter()
        .filter_map(|turn| turn.agent_response.as_ref());
    number(&example.metadata).unwrap_or_else(|| {
        responses
            .filter_map(|response| number(&response.metadata))
            .sum()
    })
}

impl Usage {
    /// `120 → 150 (+25%)`
    pub fn totals(&self) -> String {
        change(self.base, self.new)
    }

    /// The averages per conversation.
    pub fn each(&self) -> Option<String> {
        Some(format!(
            "{} → {}",
            number(self.base_each?),
            number(self.new_each?)
        ))
    }
}

fn change(base: f64, new: f64) -> String {
    let part = match base {
        base if base > 0.0 && base.to_bits() != new.to_bits() => {
            format!(" ({:+.0}%)", (new / base - 1.0) * 100.0)
        }
        _ => String::new(),
    };
    format!("{} → {}{part}", number(base), number(new))
}

/// Integers with thousands separators; other numbers with as many digits as matter.
fn number(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, and nothing here is negative"
    )]
    let rounded = value.round() as usize;
    match value {
        value if value.fract() == 0.0 || value >= 1_000.0 => thousands(rounded),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value if value >= 0.001 => format!("{value:.4}"),
        value => {
            let zeros = iter::successors(Some(value * 10.0), |value| Some(value * 10.0))
                .take_while(|value| *value < 1.0);
            format!("{value:.*}", zeros.count().min(15) + 2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_matter() {
        for (value, text) in [
            (0.0, "0"),
            (3.0, "3"),
            (12_345.0, "12,345"),
            (3.256, "3.26"),
            (33.33, "33.3"),
            (0.00123, "0.0012"),
            (0.000_02, "0.000020"),
            (0.000_999, "0.00100"),
            (1_234.56, "1,235"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(change(120.0, 150.0), "120 → 150 (+25%)");
        assert_eq!(change(0.0, 1.0), "0 → 1");
        assert_eq!(change(2.0, 2.0), "2 → 2");
    }
}
