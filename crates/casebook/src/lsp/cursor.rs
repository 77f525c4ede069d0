//! [`Cursor`]: the fields around a position. The text before it need not be valid: it is being written.

/// A step from the root of a suite to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    /// An element of a list.
    Element,
}

/// A position in a suite.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cursor<'t> {
    /// The keys and lists around it.
    pub(super) path: Vec<Step>,
    /// What is written before it, of a key or of a value.
    pub(super) written: &'t str,
    /// Whether it is after a key and a colon.
    pub(super) is_value: bool,
}

impl<'t> Cursor<'t> {
    /// The cursor at an offset.
    pub(super) fn at(text: &'t str, offset: usize) -> Cursor<'t> {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = Line::of(&before[start..]);
        let first = line
            .elements
            .first()
            .map_or(line.written_at, |(column, _)| *column);
        let mut limit = Limit {
            column: first,
            is_element: matches!(line.elements.first(), Some((_, Step::Element))),
        };
        let mut path: Vec<Step> = line.elements.into_iter().map(|(_, step)| step).collect();
        for above in before[..start].lines().rev() {
            if limit.column == 0 && !limit.is_element {
                break;
            }
            let elements = Line::of(above).elements;
            for (column, step) in elements.into_iter().rev() {
                if limit.admits(column, &step) {
                    limit = Limit {
                        column,
                        is_element: step == Step::Element,
                    };
                    path.insert(0, step);
                }
            }
        }
        Cursor {
            path,
            written: line.written,
            is_value: line.is_value,
        }
    }

    /// The innermost key.
    pub(super) fn key(&self) -> Option<&str> {
        self.path.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Element => None,
        })
    }
}

/// What contains the lines below it has a smaller indentation.
struct Limit {
    column: usize,
    is_element: bool,
}

impl Limit {
    /// Elements of a list may have the indentation of its key.
    fn admits(&self, column: usize, step: &Step) -> bool {
        let is_list_of_element = self.is_element && column == self.column && *step != Step::Element;
        column < self.column || is_list_of_element
    }
}

/// What a line, or its beginning, opens and does not close.
struct Line<'t> {
    /// With their columns.
    elements: Vec<(usize, Step)>,
    written: &'t str,
    written_at: usize,
    is_value: bool,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Line<'t> {
        let mut elements = Vec::new();
        let mut at = line.len() - line.trim_start_matches(' ').len();
        if line[at..].starts_with('#') {
            return Line::end(elements, "", at, false);
        }
        while line[at..] == *"-" || line[at..].starts_with("- ") {
            elements.push((at, Step::Element));
            at += 1 + spaces(&line[at + 1..]);
        }
        let mut is_value = false;
        if let Some((key, length)) = block_key(&line[at..]) {
            elements.push((at, Step::Key(key.to_owned())));
            at += length;
            at += spaces(&line[at..]);
            is_value = true;
        }
        if !line[at..].starts_with(['{', '[']) {
            let written = line[at..].trim_start_matches(['"', '\'']);
            return Line::end(elements, written, at, is_value);
        }
        let flow = Flow::of(&line[at..]);
        let opened = flow.open.into_iter().filter_map(Bracket::step);
        elements.extend(opened.map(|step| (at, step)));
        Line::end(elements, flow.written, at, flow.is_value)
    }

    fn end(
        elements: Vec<(usize, Step)>,
        written: &'t str,
        written_at: usize,
        is_value: bool,
    ) -> Line<'t> {
        Line {
            elements,
            written,
            written_at,
            is_value,
        }
    }
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// The key at the start of a text, and its length with the colon.
fn block_key(text: &str) -> Option<(&str, usize)> {
    if text.starts_with(['{', '[', '|', '>', '&', '*', '!']) {
        return None;
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let quoted = quote.and_then(|quote| text[1..].find(quote));
    let after = quoted.map_or(0, |length| length + 2);
    let colon = text[after..].match_indices(':').map(|(at, _)| after + at);
    let mut ends = colon.filter(|at| text[at + 1..].is_empty() || text[at + 1..].starts_with(' '));
    let end = ends.next()?;
    Some((text[..end].trim_matches(['"', '\'']), end + 1))
}

/// `{…}` or `[…]` that may not be closed.
struct Flow<'t> {
    open: Vec<Bracket<'t>>,
    written: &'t str,
    is_value: bool,
}

enum Bracket<'t> {
    /// With the key whose value is not complete.
    Map(Option<&'t str>),
    List,
}

impl Bracket<'_> {
    fn step(self) -> Option<Step> {
        match self {
            Bracket::Map(key) => key.map(|key| Step::Key(key.to_owned())),
            Bracket::List => Some(Step::Element),
        }
    }
}

impl<'t> Flow<'t> {
    fn of(text: &'t str) -> Flow<'t> {
        let mut open: Vec<Bracket<'t>> = Vec::new();
        let (mut start, mut quote) = (0, None);
        for (at, c) in text.char_indices() {
            let word = || text[start..at].trim().trim_matches(['"', '\'']);
            let ends_key = || matches!(text.as_bytes().get(at + 1), None | Some(b' '));
            match (quote, c) {
                (Some(open), c) => quote = Some(open).filter(|open| *open != c),
                (None, '"' | '\'') if text[start..at].trim().is_empty() => quote = Some(c),
                (None, '{') => open.push(Bracket::Map(None)),
                (None, '[') => open.push(Bracket::List),
                (None, '}' | ']') => _ = open.pop(),
                (None, ',') => {
                    if let Some(Bracket::Map(key)) = open.last_mut() {
                        *key = None;
                    }
                }
                (None, ':') if ends_key() => {
                    let word = word();
                    if let Some(Bracket::Map(key)) = open.last_mut() {
                        *key = Some(word);
                    }
                }
                _ => continue,
            }
            if quote.is_none() && matches!(c, '{' | '[' | '}' | ']' | ',' | ':') {
                start = at + 1;
            }
        }
        let written = text[start..].trim_start().trim_start_matches(['"', '\'']);
        let is_value = matches!(open.last(), Some(Bracket::Map(Some(_))));
        Flow {
            open,
            written,
            is_value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path as `tests.*.name`, what is written, and whether it is a value.
    fn cursor_at(text: &str) -> (String, &str, bool) {
        let cursor = Cursor::at(text, text.len());
        let steps = cursor.path.iter().map(|step| match step {
            Step::Key(key) => key.as_str(),
            Step::Element => "*",
        });
        (
            steps.collect::<Vec<_>>().join("."),
            cursor.written,
            cursor.is_value,
        )
    }

    #[test]
    fn places_have_the_fields_around_them() {
        for (text, path, written, is_value) in [
            ("te", "", "te", false),
            ("name: x\nte", "", "te", false),
            ("name: ", "name", "", true),
            ("tests:\n  - na", "tests.*", "na", false),
            ("tests:\n- na", "tests.*", "na", false),
            ("tests:\n- name: a\n  com", "tests.*", "com", false),
            (
                "tests:\n  - name: a\n    # b: c\n\n    $ref: ba",
                "tests.*.$ref",
                "ba",
                true,
            ),
            (
                "tests:\n  - name: a\n    tags:\n      - fa",
                "tests.*.tags.*",
                "fa",
                false,
            ),
            (
                "tests:\n  - name: a\n    tags:\n    - fa",
                "tests.*.tags.*",
                "fa",
                false,
            ),
            ("tests:\n  - name: a\n  - comm", "tests.*", "comm", false),
            ("tests:\n  - {name: a, co", "tests.*", "co", false),
            ("tests:\n  - {name: a,\n     co", "tests.*", "co", false),
            (
                "tests:\n  - {name: 'a, b', $ref: [x, y",
                "tests.*.$ref.*",
                "y",
                false,
            ),
            ("tests: [{name: a, $ref: \"y", "tests.*.$ref", "y", true),
            ("tests: [{name: a, env: {A: 1}, ti", "tests.*", "ti", false),
            ("files:\n  'a: b':\n    con", "files.a: b", "con", false),
            ("a:\n  b:\n    c: 1\n  d:\n    e", "a.d", "e", false),
            ("a: {b: 1}\nc", "", "c", false),
        ] {
            assert_eq!(
                cursor_at(text),
                (path.to_owned(), written, is_value),
                "{text}"
            );
        }
    }
}
