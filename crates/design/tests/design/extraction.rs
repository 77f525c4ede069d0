//! Table tests, rule by rule: Ruby on the left, its characteristics on the right.

mod cases;
mod combinations;
mod dependencies;
mod different_conditions;
mod exit_operands;
mod names;
mod repetition;
mod setups;
mod values;

use crate::support::{body, same};

/// Checks the characteristics of method bodies.
#[track_caller]
fn bodies(cases: &[(&str, &str)]) {
    for (ruby, expected) in cases {
        same(ruby, &body(ruby), expected);
    }
}
