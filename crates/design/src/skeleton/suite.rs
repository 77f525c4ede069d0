//! Writes a Casebook suite for an executable Ruby script: one test per leaf, with the states that it covers.

use serde_json::{Map, Value, json};

use super::tree::{Context, contexts};
use crate::metadata::read::Plan;
use crate::metadata::to_yaml;

/// A suite with one skipped test per leaf. The `skip` reason says what to fill in.
pub fn suite(plan: &Plan) -> String {
    let mut tests = Vec::new();
    let mut path = Vec::new();
    let contexts = contexts(plan);
    for context in &contexts {
        leaves(plan, context, &mut path, &mut tests);
    }
    if tests.is_empty() {
        tests.push(test(plan, &[]));
    }
    let file = plan.file.clone().unwrap_or_default();
    let document = Map::from_iter([
        (
            "name".to_owned(),
            json!(format!(
                "{}{}{}",
                plan.class,
                plan.method_type.sign(),
                plan.method
            )),
        ),
        (
            "variables".to_owned(),
            json!({ "script": format!("ruby {file}") }),
        ),
        ("tests".to_owned(), Value::Array(tests)),
    ]);
    to_yaml(&document)
}

fn leaves<'c>(
    plan: &Plan,
    context: &'c Context,
    path: &mut Vec<&'c Context>,
    tests: &mut Vec<Value>,
) {
    path.push(context);
    if context.children.is_empty() {
        tests.push(test(plan, path));
    }
    for child in &context.children {
        leaves(plan, child, path, tests);
    }
    path.pop();
}

fn test(plan: &Plan, path: &[&Context]) -> Value {
    let words: Vec<_> = path
        .iter()
        .map(|context| format!("{} {}", context.word.unwrap_or("with"), context.description))
        .collect();
    let name = if words.is_empty() {
        plan.method.clone()
    } else {
        words.join(" ")
    };
    let covers: Map<String, Value> = path
        .iter()
        .map(|context| {
            (
                plan.entries[context.entry].name.clone(),
                json!(context.state),
            )
        })
        .collect();
    let mut test = json!({
        "name": name,
        "command": "{{script}}",
        "skip": "fill in arguments and expectations",
    });
    if let (Some(map), false) = (test.as_object_mut(), covers.is_empty()) {
        map.insert("covers".to_owned(), Value::Object(covers));
    }
    test
}
