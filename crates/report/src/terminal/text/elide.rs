//! Hides the middle of long texts and shows how much is hidden.

use std::borrow::Cow;

use super::count;

/// Characters shown, a little more than a screen; the record contains the complete text.
const MAX_CHARS: usize = 6_000;
const MAX_LINES: usize = 60;

/// The text, without its middle if it is too long.
pub(crate) fn elide(text: &str) -> Cow<'_, str> {
    match elide_to(text, MAX_CHARS) {
        Cow::Borrowed(text) => elide_lines(text),
        Cow::Owned(text) => Cow::Owned(elide_lines(&text).into_owned()),
    }
}

/// The text in about `max` characters: two thirds from its beginning, one third from its end.
pub(crate) fn elide_to(text: &str, max: usize) -> Cow<'_, str> {
    // A text has at most as many characters as bytes, so short texts need not be counted.
    if text.len() <= max {
        return text.into();
    }
    let length = text.chars().count();
    if length <= max {
        return text.into();
    }
    let tail = max / 3;
    let head = max - tail;
    let hidden = count(length - max, "character");
    let head = &text[..start_of_char(text, head)];
    let tail = &text[start_of_last_chars(text, tail)..];
    format!("{head} … {hidden} hidden … {tail}").into()
}

/// The last lines of the text, and the number of lines before them. A final line break does not start a line.
pub(crate) fn tail(text: &str, max: usize) -> (Vec<&str>, usize) {
    let lines: Vec<_> = text.lines().collect();
    let hidden = lines.len().saturating_sub(max);
    (lines[hidden..].to_vec(), hidden)
}

fn elide_lines(text: &str) -> Cow<'_, str> {
    let lines: Vec<_> = text.split('\n').collect();
    if lines.len() <= MAX_LINES {
        return text.into();
    }
    let tail = MAX_LINES / 3;
    let head = MAX_LINES - tail;
    let hidden = count(lines.len() - MAX_LINES, "line");
    let (head, tail) = (&lines[..head], &lines[lines.len() - tail..]);
    format!(
        "{}\n… {hidden} hidden …\n{}",
        head.join("\n"),
        tail.join("\n")
    )
    .into()
}

fn start_of_char(text: &str, number: usize) -> usize {
    text.char_indices()
        .nth(number)
        .map_or(text.len(), |(at, _)| at)
}

fn start_of_last_chars(text: &str, chars: usize) -> usize {
    match chars.checked_sub(1) {
        Some(last) => text.char_indices().nth_back(last).map_or(0, |(at, _)| at),
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_hidden() {
        for (text, max, shown) in [
            ("", 0, ""),
            ("abc", 3, "abc"),
            ("äöü", 3, "äöü"),
            ("abcd", 3, "ab … 1 character hidden … d"),
            ("äöüßé", 3, "äö … 2 characters hidden … é"),
            ("abc", 0, " … 3 characters hidden … "),
        ] {
            assert_eq!(elide_to(text, max), shown, "{text:?} to {max}");
        }
    }

    #[test]
    fn megabytes_are_shortened_to_a_screen() {
        assert!(elide(&"x".repeat(5_000_000)).len() < 7_000);
        let shown = elide(&"\n".repeat(5_000)).into_owned();
        assert_eq!(shown.lines().count(), MAX_LINES);
        assert!(shown.contains("4941 lines hidden"), "{shown}");
    }

    #[test]
    fn the_tail_counts_hidden_lines() {
        assert_eq!(tail("a\nb\nc\n", 2), (vec!["b", "c"], 1));
        assert_eq!(tail("a\r\nb", 5), (vec!["a", "b"], 0));
        assert_eq!(tail("", 5), (vec![], 0));
    }
}
