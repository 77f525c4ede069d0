//! Changes to a text, each with the bytes it takes the place of.

/// First byte, the byte behind the last, and what stands there instead.
pub(crate) type Edit = (usize, usize, String);

/// The text with all changes made. Of two that begin at the same byte, the first is made.
pub(crate) fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort();
    edits.dedup_by_key(|(start, _, _)| *start);
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    text
}
