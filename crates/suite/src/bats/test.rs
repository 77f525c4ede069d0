//! One test as Bats code.

use casebook_source::SourceFile;

use super::{Case, step};
use crate::model::Test;

/// The code of a test.
pub(super) fn code(case: &Case<'_>, file: &SourceFile) -> String {
    format!(
        "{tags}@test \"{title}\" {{\n{steps}}}\n",
        tags = tags(case.test),
        title = case.title.source,
        steps = step::code(case, file),
    )
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
