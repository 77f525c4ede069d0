//! Table tests, rule by rule: Ruby on the left, what varies in it on the right.

mod cases;
mod combinations;
mod dependencies;
mod names;
mod repetition;
mod setups;
mod values;

use crate::support::{body, same};

/// Bodies of a method and what varies in them.
#[track_caller]
fn bodies(cases: &[(&str, &str)]) {
    for (ruby, expected) in cases {
        same(ruby, &body(ruby), expected);
    }
}
