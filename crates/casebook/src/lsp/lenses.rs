//! Code lenses: *run · last: failed 2 min ago* above each test.

use std::collections::HashMap;

use casebook_source::Span;
use serde_json::{Value, json};

use super::document::Document;
use super::position::range;
use super::results::{LastResult, Results};

/// The command of a lens; its arguments are the URI of a suite and a line, counted from 1.
pub(super) const RUN: &str = "casebook.run";

/// The lenses of a suite.
pub(super) fn lenses(document: &Document, uri: &str, results: &Results) -> Vec<Value> {
    let Some(parsed) = document.parsed() else {
        return Vec::new();
    };
    let ids = document.test_ids();
    let lenses = parsed.symbols.tests.iter().map(|test| {
        let start = Span::new(test.start, test.start);
        let line = parsed.file.position(test.start).line;
        let last = last_result(&ids, line, results);
        let title = match last {
            Some(last) => format!("run · last: {}", last.describe()),
            None => "run".to_owned(),
        };
        let command = json!({ "title": title, "command": RUN, "arguments": [uri, line] });
        json!({ "range": range(&parsed.file, start), "command": command })
    });
    lenses.collect()
}

/// The last result of the test that begins at the line of an offset.
pub(super) fn last_result(
    ids: &HashMap<usize, Vec<String>>,
    line: usize,
    results: &Results,
) -> Option<LastResult> {
    results.of(ids.get(&line)?)
}
