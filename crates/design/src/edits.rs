//! Applies replacements to a text.

use std::collections::BTreeMap;

/// Start byte, end byte (exclusive) and the replacement text.
pub(crate) type Edit = (usize, usize, String);

/// Applies groups of edits. Returns the new text and the number of groups applied. A group is applied completely, or
/// not at all if one of its edits overlaps an edit already accepted.
pub(crate) fn apply_edits(text: &str, changes: &[Vec<Edit>]) -> (String, usize) {
    let mut accepted = Accepted::default();
    let applied = changes
        .iter()
        .filter(|edits| accepted.try_add(edits))
        .count();
    let mut new = String::with_capacity(text.len());
    let mut next = 0;
    for ((start, end), replacement) in accepted.0 {
        new.push_str(&text[next..start]);
        new.push_str(replacement);
        next = end;
    }
    new.push_str(&text[next..]);
    (new, applied)
}

/// Accepted edits by byte range; no two of them overlap.
#[derive(Default)]
struct Accepted<'a>(BTreeMap<(usize, usize), &'a str>);

impl<'a> Accepted<'a> {
    /// Adds all edits, or none if one of them overlaps. Returns whether they were added.
    fn try_add(&mut self, edits: &'a [Edit]) -> bool {
        for (at, (start, end, replacement)) in edits.iter().enumerate() {
            if !self.is_free(*start, *end) {
                for (start, end, _) in &edits[..at] {
                    self.0.remove(&(*start, *end));
                }
                return false;
            }
            self.0.insert((*start, *end), replacement);
        }
        true
    }

    /// Because no two accepted ranges overlap, only the two neighbors need checking.
    fn is_free(&self, start: usize, end: usize) -> bool {
        let range = (start, end);
        let before = self.0.range(..range).next_back();
        let next = self.0.range(range..).next();
        before.is_none_or(|((_, before), _)| *before <= start)
            && next.is_none_or(|(next, _)| *next != range && next.0 >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, replacement: &str) -> Edit {
        (start, end, replacement.to_owned())
    }

    #[test]
    fn overlapping_edits_are_not_applied() {
        for (changes, new, applied) in [
            (vec![vec![edit(1, 2, "X")]], "aXcdef", 1),
            // Adjacent, and an insertion at either end.
            (
                vec![
                    vec![edit(1, 2, "X"), edit(2, 3, "Y")],
                    vec![edit(1, 1, "<"), edit(3, 3, ">")],
                ],
                "a<XY>def",
                2,
            ),
            // Inside, across, twice: the first group is applied, and nothing of the second.
            (
                vec![
                    vec![edit(1, 4, "X")],
                    vec![edit(0, 0, "<"), edit(2, 3, "Y")],
                ],
                "aXef",
                1,
            ),
            (
                vec![
                    vec![edit(2, 3, "Y")],
                    vec![edit(1, 4, "X"), edit(5, 6, "Z")],
                ],
                "abYdef",
                1,
            ),
            (
                vec![vec![edit(1, 1, "X")], vec![edit(1, 1, "Y")]],
                "aXbcdef",
                1,
            ),
            (
                vec![vec![edit(1, 3, "X")], vec![edit(2, 2, "Y")]],
                "aXdef",
                1,
            ),
        ] {
            assert_eq!(apply_edits("abcdef", &changes), (new.to_owned(), applied));
        }
    }
}
