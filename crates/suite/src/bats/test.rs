//! One test as Bats code.

use casebook_source::SourceFile;

use super::quote::quote;
use super::{Case, step};
use crate::model::Test;

/// The code of a test.
pub(super) fn code(case: &Case<'_>, file: &SourceFile) -> String {
    format!(
        "{tags}@test \"{title}\" {{\n{steps}{unexpected_pass}}}\n",
        tags = tags(case.test),
        title = case.title.source,
        steps = step::code(case, file),
        unexpected_pass = unexpected_pass(case.test, file),
    )
}

/// The command after the last step of a test that is expected to fail.
fn unexpected_pass(test: &Test, file: &SourceFile) -> String {
    let line = file.position(test.span.start).line;
    test.fails.as_ref().map_or_else(String::new, |reason| {
        format!("  casebook_unexpected_pass {line} {}\n", quote(reason))
    })
}

/// The tags for `bats --filter-tags`; tags that Bats does not support are omitted.
fn tags(test: &Test) -> String {
    let is_tag = |tag: &&String| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        !tag.is_empty() && tag.chars().all(is_allowed) && !tag.starts_with("bats:")
    };
    let tags: Vec<_> = test
        .tags
        .iter()
        .filter(is_tag)
        .map(String::as_str)
        .collect();
    if tags.is_empty() {
        String::new()
    } else {
        format!("# bats test_tags={}\n", tags.join(","))
    }
}
