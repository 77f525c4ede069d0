//! Decodes the criteria for the judge.

use casebook_source::yaml::{Entry, Node, NodeKind};

use super::Layers;
use super::agent::required_text;
use crate::codes::{CONFLICT, MISSING_FIELD, WRONG_VALUE};
use crate::fields::conversation::{CRITERION, SAMPLE};
use crate::model::conversation::{Criterion, Sample, Scale};
use crate::reader::Reader;

/// The criteria of the suite and the test. A criterion of the test replaces the suite's criterion of the same name.
pub(super) fn criteria(layers: &Layers<'_>, reader: &mut Reader<'_, '_>) -> Vec<Criterion> {
    let mut criteria: Vec<Criterion> = Vec::new();
    for node in layers.nodes("criteria") {
        for entry in reader.map("criteria", node) {
            let Some(criterion) = criterion(entry, reader) else {
                continue;
            };
            match criteria.iter_mut().find(|known| known.name == entry.key) {
                Some(known) => *known = criterion,
                None => criteria.push(criterion),
            }
        }
    }
    criteria
}

fn criterion(entry: &Entry, reader: &mut Reader<'_, '_>) -> Option<Criterion> {
    let node = &entry.value;
    let name = entry.key.to_string();
    if node.as_map().is_none() {
        return Some(Criterion {
            name,
            description: reader.non_empty_text(&entry.key, node)?,
            examples: Vec::new(),
            scale: None,
        });
    }
    let what = format!("the criterion `{name}`");
    let fields = reader.object("a criterion", &entry.key, node, CRITERION);
    let description = required_text(&what, "description", node, reader);
    let mut examples = Vec::new();
    for field in fields {
        let kind = &*field.key;
        if !matches!(kind, "good" | "bad" | "edge") {
            continue;
        }
        let NodeKind::List(nodes) = &field.value.kind else {
            let message = format!("`{kind}` must be a list, not {}", field.value.describe());
            reader.type_error(&field.value, message);
            continue;
        };
        examples.extend(nodes.iter().filter_map(|node| sample(kind, node, reader)));
    }
    Some(Criterion {
        name,
        description: description?.0,
        examples,
        scale: scale(node, reader),
    })
}

/// The scale of a criterion with `scale` or `score: true`.
fn scale(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Scale> {
    let score = node.get("score");
    let is_scored = score.is_some_and(|node| reader.bool("score", node) == Some(true));
    let Some(node) = node.get("scale") else {
        return is_scored.then(|| Scale {
            min: 0.0,
            max: 1.0,
            anchors: Vec::new(),
        });
    };
    if let Some(score) = score {
        let message = "`score` has no effect here: the criterion has a `scale`";
        reader.note(CONFLICT, score.span, message);
    }
    let mut anchors = Vec::new();
    for entry in reader.map("scale", node) {
        let number = entry
            .key
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite());
        let Some(number) = number else {
            let message = format!("a key of `scale` must be a number, got '{}'", entry.key);
            reader.note(WRONG_VALUE, entry.key_span, message);
            continue;
        };
        anchors.push((number, reader.non_empty_text(&entry.key, &entry.value)?));
    }
    anchors.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    match &anchors[..] {
        [(min, _), .., (max, _)] if min < max => Some(Scale {
            min: *min,
            max: *max,
            anchors,
        }),
        _ => {
            let message = "`scale` must describe at least two numbers";
            reader
                .note(MISSING_FIELD, node.span, message)
                .help_last("write `scale: {1: …, 5: …}`");
            None
        }
    }
}

fn sample(kind: &str, node: &Node, reader: &mut Reader<'_, '_>) -> Option<Sample> {
    let edge = kind == "edge";
    let verdict = node.get("verdict");
    let passes = match (edge, verdict) {
        (true, Some(node)) => reader.bool("verdict", node),
        (true, None) => {
            let message = "an `edge` example requires a `verdict`: true or false";
            reader.note(MISSING_FIELD, node.span, message);
            None
        }
        (false, Some(node)) => {
            let message =
                format!("`verdict` has no effect here: the verdict of a `{kind}` example is fixed");
            reader.note(CONFLICT, node.span, message);
            None
        }
        (false, None) => Some(kind == "good"),
    };
    if node.as_map().is_none() {
        return Some(Sample {
            text: reader.non_empty_text(kind, node)?,
            passes: passes?,
            edge,
            why: None,
        });
    }
    reader.object("an example", kind, node, SAMPLE);
    let why = node
        .get("why")
        .and_then(|node| reader.non_empty_text("why", node));
    let text = required_text("the example", "text", node, reader);
    Some(Sample {
        text: text?.0,
        passes: passes?,
        edge,
        why,
    })
}
