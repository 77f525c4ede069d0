//! Decodes the criteria for the judge.

use casebook_source::yaml::{Entry, Node, NodeKind};

use super::Layers;
use super::agent::required_text;
use crate::codes::{CONFLICT, MISSING_FIELD};
use crate::fields::conversation::{CRITERION, SAMPLE};
use crate::model::conversation::{Criterion, Sample};
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
    })
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
