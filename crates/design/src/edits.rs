//! Changes to a text, each with the bytes it takes the place of.

use std::collections::BTreeMap;

/// First byte, the byte behind the last, and what stands there instead.
pub(crate) type Edit = (usize, usize, String);

/// The text with the changes made, and how many were. Edits that belong together are made together, or not at all where
/// one of them would change what another has changed.
pub(crate) fn apply_edits(text: &str, changes: &[Vec<Edit>]) -> (String, usize) {
    let mut accepted = Accepted::default();
    let made = changes.iter().filter(|edits| accepted.take(edits)).count();
    let mut new = String::with_capacity(text.len());
    let mut behind = 0;
    for ((start, end), instead) in accepted.0 {
        new.push_str(&text[behind..start]);
        new.push_str(instead);
        behind = end;
    }
    new.push_str(&text[behind..]);
    (new, made)
}

/// Edits by their places, no two of which overlap.
#[derive(Default)]
struct Accepted<'a>(BTreeMap<(usize, usize), &'a str>);

impl<'a> Accepted<'a> {
    /// Whether all of them could be added.
    fn take(&mut self, edits: &'a [Edit]) -> bool {
        for (at, (start, end, instead)) in edits.iter().enumerate() {
            if !self.is_free(*start, *end) {
                for (start, end, _) in &edits[..at] {
                    self.0.remove(&(*start, *end));
                }
                return false;
            }
            self.0.insert((*start, *end), instead);
        }
        true
    }

    /// As no two overlap, the neighbours tell.
    fn is_free(&self, start: usize, end: usize) -> bool {
        let place = (start, end);
        let before = self.0.range(..place).next_back();
        let behind = self.0.range(place..).next();
        before.is_none_or(|((_, before), _)| *before <= start)
            && behind.is_none_or(|(behind, _)| *behind != place && behind.0 >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, instead: &str) -> Edit {
        (start, end, instead.to_owned())
    }

    #[test]
    fn what_overlaps_is_not_made() {
        for (changes, new, made) in [
            (vec![vec![edit(1, 2, "X")]], "aXcdef", 1),
            // Side by side, and an insertion at either end.
            (
                vec![
                    vec![edit(1, 2, "X"), edit(2, 3, "Y")],
                    vec![edit(1, 1, "<"), edit(3, 3, ">")],
                ],
                "a<XY>def",
                2,
            ),
            // Inside, across, twice: the first is made, and nothing of the second.
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
            assert_eq!(apply_edits("abcdef", &changes), (new.to_owned(), made));
        }
    }
}
