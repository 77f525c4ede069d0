//! Worked examples of the extraction rules, with exact results.

use casebook_design::Characteristic;
use casebook_source::SourceFile;
use casebook_source::yaml::{Node, parse};

use crate::support::analysis;

pub(crate) const VECTORS: &str = include_str!("vectors.yml");

#[test]
fn every_vector_matches() {
    let file = SourceFile::new("vectors.yml", VECTORS);
    let parsed = parse(&file);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let vectors = parsed.documents[0].as_list().unwrap();
    assert_eq!(vectors.len(), 32);
    let wrong: Vec<String> = vectors.iter().filter_map(mismatch).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn mismatch(vector: &Node) -> Option<String> {
    let ruby = vector.get("ruby").unwrap().as_text().unwrap();
    let expected: Vec<String> = vector
        .get("expect")
        .unwrap()
        .as_list()
        .unwrap()
        .iter()
        .map(expected)
        .collect();
    let found: Vec<String> = analysis(ruby).characteristics.iter().map(found).collect();
    let id = vector.get("id").unwrap().as_text().unwrap();
    (found != expected).then(|| format!("{id}\nexpected {expected:#?}\nfound {found:#?}"))
}

pub(crate) fn expected(node: &Node) -> String {
    let text = |key: &str| {
        node.get(key)
            .and_then(Node::as_text)
            .unwrap_or("null")
            .to_owned()
    };
    let list = |node: &Node| match node.as_list() {
        Some(items) => items
            .iter()
            .map(|item| item.as_text().unwrap())
            .collect::<Vec<_>>()
            .join(","),
        None => node.as_text().unwrap().to_owned(),
    };
    format!(
        "{} {} [{}] default {} depends {} when {} level {}",
        text("name"),
        text("type"),
        list(node.get("states").unwrap()),
        text("default"),
        text("depends_on"),
        node.get("when_parent")
            .map_or_else(|| "null".to_owned(), list),
        node.get("level")
            .map_or("1", |level| level.as_text().unwrap()),
    )
}

pub(crate) fn found(found: &Characteristic) -> String {
    let or_null = |text: Option<&String>| text.cloned().unwrap_or_else(|| "null".to_owned());
    let when_parent = match found.when_parent.as_slice() {
        [] => "null".to_owned(),
        states => states.join(","),
    };
    format!(
        "{} {} [{}] default {} depends {} when {when_parent} level {}",
        found.name,
        found.kind,
        found.states.join(","),
        or_null(found.default.as_ref()),
        or_null(found.depends_on.as_ref()),
        found.level,
    )
}
