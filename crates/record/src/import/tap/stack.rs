//! Reads JavaScript errors: a message, `Name [CODE]: message` and the frames `at …`.

/// The parts of an error's text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrorText<'a> {
    pub(super) message: &'a str,
    pub(super) class: Option<&'a str>,
    /// Without `at`.
    pub(super) frames: Vec<String>,
}

impl ErrorText<'_> {
    /// Splits off the frames at the end. mocha writes the message twice: alone, and with its class above the frames.
    pub(super) fn read(text: &str) -> ErrorText<'_> {
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let end = last(&lines, |line| !line.trim().is_empty());
        let start = last(&lines[..end], |line| frame(line).is_none());
        let frames: Vec<_> = lines[start..end]
            .iter()
            .copied()
            .filter_map(frame)
            .map(str::to_owned)
            .collect();
        let head = if frames.is_empty() {
            &lines[..]
        } else {
            &lines[..start]
        };
        let half = head.len() / 2;
        let repeated = (head.len().is_multiple_of(2) && half > 0)
            .then(|| repeats(&head[..half], &head[half..]));
        let (length, class) = match repeated.flatten() {
            Some(class) => (half, Some(class)),
            None => (head.len(), None),
        };
        let bytes = head[..length].iter().map(|line| line.len()).sum::<usize>();
        ErrorText {
            message: text[..bytes].trim_end(),
            class,
            frames,
        }
    }
}

/// The number of lines up to the last one for which this is true.
fn last(lines: &[&str], is: impl Fn(&str) -> bool) -> usize {
    lines
        .iter()
        .rposition(|line| is(line))
        .map_or(0, |at| at + 1)
}

/// The class if the second lines are the first ones after `Class: `.
fn repeats<'a>(first: &[&str], second: &[&'a str]) -> Option<&'a str> {
    let (head, rest) = (second.first()?, &second[1..]);
    let class = class(head)?;
    let (_, message) = head.split_once(": ")?;
    let same = |(a, b): (&&str, &&str)| a.trim_end() == b.trim_end();
    let is_same = message.trim_end() == first.first()?.trim_end();
    (is_same && first[1..].iter().zip(rest).all(same)).then_some(class)
}

/// The class in `TypeError: message` or `AssertionError [ERR_ASSERTION]: message`.
pub(super) fn class(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(": ")?;
    let name = match name.split_once(" [") {
        Some((name, code)) if code.ends_with(']') => name,
        _ => name,
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// The frame in `at f (file:1:2)` or `at file:1:2`.
fn frame(line: &str) -> Option<&str> {
    let frame = line.trim().strip_prefix("at ")?;
    let (_, end) = frame.rsplit_once(':').unwrap_or(("", ""));
    let is_position = end
        .trim_end_matches(')')
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    ((is_position && !end.is_empty()) || frame.ends_with("(<anonymous>)")).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_split_into_message_class_and_frames() {
        for (text, message, class, frames) in [
            ("", "", None, &[][..]),
            ("why\nindeed\n", "why\nindeed", None, &[]),
            (
                "no\nTypeError: no\n    at f (a.js:1:2)\n    at node:x:3:4\n",
                "no",
                Some("TypeError"),
                &["f (a.js:1:2)", "node:x:3:4"],
            ),
            (
                "a\n\nb\n\nAssertionError [ERR]: a\n\nb\n\n    at f (a.js:1:2)\n",
                "a\n\nb",
                Some("AssertionError"),
                &["f (a.js:1:2)"],
            ),
            ("no\nError: no\n", "no", Some("Error"), &[]),
            ("a\nb: c\n", "a\nb: c", None, &[]),
            ("Error: no\n  at a.js:1:2", "Error: no", None, &["a.js:1:2"]),
            // Perl's location is part of the message.
            (
                "Failed test\n at t/a.t line 3.\n",
                "Failed test\n at t/a.t line 3.",
                None,
                &[],
            ),
        ] {
            let read = ErrorText::read(text);
            assert_eq!((read.message, read.class), (message, class), "{text}");
            assert_eq!(read.frames, frames, "{text}");
        }
    }

    #[test]
    fn classes() {
        for (line, name) in [
            ("TypeError: no", Some("TypeError")),
            ("AssertionError [ERR_ASSERTION]: no", Some("AssertionError")),
            ("the cause: no", None),
            ("TypeError", None),
        ] {
            assert_eq!(class(line), name, "{line}");
        }
    }
}
