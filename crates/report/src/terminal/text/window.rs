//! Cuts a long line around the emphasized part.

/// Longer lines are cut.
const MAX_CHARS: usize = 240;
/// Characters shown before the emphasized part.
const BEFORE: usize = 60;

/// The parts of one line. A long line is cut around the first emphasized part.
pub(crate) fn window(parts: Vec<(bool, String)>) -> Vec<(bool, String)> {
    // A text has at most as many characters as bytes, so short lines need not be counted.
    let bytes: usize = parts.iter().map(|(_, part)| part.len()).sum();
    if bytes <= MAX_CHARS {
        return parts;
    }
    let length: usize = parts.iter().map(|(_, part)| part.chars().count()).sum();
    if length <= MAX_CHARS {
        return parts;
    }
    let first: usize = parts
        .iter()
        .take_while(|(emphasized, _)| !emphasized)
        .map(|(_, part)| part.chars().count())
        .sum();
    let first = if first == length { 0 } else { first };
    let start = first.saturating_sub(BEFORE).min(length - MAX_CHARS);
    cut(&parts, start, length)
}

fn cut(parts: &[(bool, String)], start: usize, length: usize) -> Vec<(bool, String)> {
    let end = start + MAX_CHARS;
    let mut shown = Vec::with_capacity(parts.len() + 2);
    if start > 0 {
        shown.push((false, "… ".to_owned()));
    }
    let mut at = 0;
    for (emphasized, part) in parts {
        let chars = part.chars().count();
        let from = start.saturating_sub(at).min(chars);
        let to = end.saturating_sub(at).min(chars);
        if from < to {
            let part = part.chars().skip(from).take(to - from).collect();
            shown.push((*emphasized, part));
        }
        at += chars;
    }
    if end < length {
        shown.push((false, format!(" … {} more characters", length - end)));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[(bool, &str)]) -> String {
        let parts = parts.iter().map(|(e, part)| (*e, (*part).to_owned()));
        let shown = window(parts.collect()).into_iter();
        shown.map(|(_, part)| part).collect()
    }

    #[test]
    fn a_long_line_is_cut_around_the_emphasized_part() {
        let long = "x".repeat(1_000);
        assert_eq!(shown(&[(false, "short")]), "short");
        let cut = shown(&[(false, &long), (true, "HERE"), (false, &long)]);
        assert!(cut.starts_with("… xxx") && cut.contains("xHEREx"), "{cut}");
        assert!(cut.ends_with("… 824 more characters"), "{cut}");
        let cut = shown(&[(false, &long)]);
        assert!(
            cut.starts_with("xxx") && cut.ends_with("760 more characters"),
            "{cut}"
        );
        let cut = shown(&[(false, &long), (true, "END")]);
        assert!(cut.starts_with("… xxx") && cut.ends_with("xEND"), "{cut}");
    }
}
