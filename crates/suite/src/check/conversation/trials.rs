//! Decodes `trials`: a number, or a mapping with a threshold.

use casebook_source::yaml::{Entry, Node};

use super::Layers;
use crate::codes::{CONFLICT, MISSING_FIELD, VACUOUS, WRONG_VALUE};
use crate::fields::conversation::{MAX_TRIALS, TRIALS};
use crate::model::conversation::{Threshold, Trials};
use crate::reader::Reader;

/// Decodes the trials of a test: its own, or those of the suite.
pub(super) fn trials(layers: &Layers<'_>, reader: &mut Reader<'_, '_>) -> Option<Trials> {
    let node = layers.nodes("trials").into_iter().next_back()?;
    let trials = decode(node, reader)?;
    let retries = layers.fields.iter().find(|entry| entry.key == "retries");
    if let Some(retries) = retries.filter(|_| trials.count > 1) {
        let message = "`retries` has no effect here: a trial is never retried";
        reader
            .note(CONFLICT, retries.key_span, message)
            .help_last("to allow failed trials, write `trials: {count: N, atLeast: M}`");
    }
    Some(trials)
}

/// Decodes `trials`.
pub(super) fn decode(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Trials> {
    if node.as_map().is_none() {
        let count = reader.count("trials", node, MAX_TRIALS)?;
        return Some(Trials {
            count,
            ..Trials::ONE
        });
    }
    let (mut count, mut thresholds) = (None, Vec::new());
    for entry in reader.object("`trials`", "trials", node, TRIALS) {
        match &*entry.key {
            "count" => count = Some(reader.count("count", &entry.value, MAX_TRIALS)?),
            "atLeast" => {
                let number = reader.count("atLeast", &entry.value, MAX_TRIALS)?;
                thresholds.push((entry, Threshold::AtLeast(number)));
            }
            "passRate" => thresholds.push((entry, pass_rate(entry, reader)?)),
            _ => return None,
        }
    }
    let Some(count) = count else {
        reader.note(MISSING_FIELD, node.span, "`trials` has no `count`");
        return None;
    };
    if let [_, (second, _), ..] = thresholds.as_slice() {
        let message = "`trials` has `atLeast` or `passRate`, not both";
        reader.note(CONFLICT, second.key_span, message);
        return None;
    }
    let threshold = thresholds.pop();
    if let Some((entry, Threshold::AtLeast(number))) = threshold
        && number > count
    {
        let message = format!("`trials` can never pass: it needs {number} of {count} trials");
        reader.note(VACUOUS, entry.value.span, message);
        return None;
    }
    Some(Trials {
        count,
        threshold: threshold.map(|(_, threshold)| threshold),
        ..Trials::ONE
    })
}

fn pass_rate(entry: &Entry, reader: &mut Reader<'_, '_>) -> Option<Threshold> {
    let rate = reader.finite_number("passRate", &entry.value)?;
    if rate > 0.0 && rate <= 1.0 {
        return Some(Threshold::PassRate(rate));
    }
    let message = format!("`passRate` must be more than 0 and at most 1, got {rate}");
    reader.note(WRONG_VALUE, entry.value.span, message);
    if rate > 1.0 && rate <= 100.0 {
        reader.help_last(&format!("{rate}% is `passRate: {}`", rate / 100.0));
    }
    None
}
