//! Values that are known only while a test runs: captured values, the ports of services, and the environment of compiled code.
//!
//! In the texts of a checked suite, such a value is a mark: its name between two characters that no other text contains. Before a
//! text is used, [`substitute`] replaces its marks; Bats code refers to variables instead.

use std::borrow::Cow;

use crate::expand::literals;

/// Noncharacters: Unicode reserves them for use within a program.
const START: char = '\u{fdd0}';
const END: char = '\u{fdd1}';

/// The end of a name whose value is quoted for the shell: `{{name|sh}}`.
const SHELL_QUOTED: &str = "|sh";

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'t> {
    /// Text that is used as it is.
    Literal(&'t str),
    /// A value that is known at run time.
    Value(ValueReference<'t>),
}

/// A reference to a value that is known at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueReference<'t> {
    /// The name of the value.
    pub name: &'t str,
    /// Whether the value is quoted as a word of the shell.
    pub is_shell_quoted: bool,
}

/// The mark of a value.
pub(crate) fn mark(name: &str) -> String {
    format!("{START}{name}{END}")
}

/// Splits a text at its marks.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((literal, (name, after))) = rest
        .split_once(START)
        .and_then(|(literal, marked)| Some((literal, marked.split_once(END)?)))
    {
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        let unquoted = name.strip_suffix(SHELL_QUOTED);
        parts.push(Part::Value(ValueReference {
            name: unquoted.unwrap_or(name),
            is_shell_quoted: unquoted.is_some(),
        }));
        rest = after;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(Part::Literal(rest));
    }
    parts
}

/// The values that a text refers to.
pub fn references(text: &str) -> impl Iterator<Item = ValueReference<'_>> {
    let parts = if text.contains(START) {
        parts(text)
    } else {
        Vec::new()
    };
    parts.into_iter().filter_map(|part| match part {
        Part::Value(reference) => Some(reference),
        Part::Literal(_) => None,
    })
}

/// The name of the value if the text is nothing else.
pub fn only_reference(text: &str) -> Option<&str> {
    match parts(text).as_slice() {
        [Part::Value(reference)] => Some(reference.name),
        _ => None,
    }
}

/// The text with its marks replaced by these values. A value that is missing is empty.
pub fn substitute<'t, 'v>(text: &'t str, value: impl Fn(&str) -> Option<&'v str>) -> Cow<'t, str> {
    if !text.contains(START) {
        return text.into();
    }
    let parts = parts(text).into_iter().map(|part| match part {
        Part::Literal(text) => Cow::Borrowed(text),
        Part::Value(reference) => {
            let value = value(reference.name).unwrap_or_default();
            if reference.is_shell_quoted {
                shell_quoted(value).into()
            } else {
                value.to_owned().into()
            }
        }
    });
    parts.collect::<String>().into()
}

/// The text with those of its marks replaced that have a value.
pub fn substitute_known<'t, 'v>(
    text: &'t str,
    value: impl Fn(&str) -> Option<&'v str>,
) -> Cow<'t, str> {
    if !text.contains(START) {
        return text.into();
    }
    let parts = parts(text).into_iter().map(|part| match part {
        Part::Literal(text) => text.to_owned(),
        Part::Value(reference) => match (value(reference.name), reference.is_shell_quoted) {
            (Some(value), true) => shell_quoted(value),
            (Some(value), false) => value.to_owned(),
            (None, true) => mark(&format!("{}{SHELL_QUOTED}", reference.name)),
            (None, false) => mark(reference.name),
        },
    });
    parts.collect::<String>().into()
}

/// The text as a message shows it: `{{name}}` for each mark.
pub fn shown(text: &str) -> String {
    text.replace(START, "{{").replace(END, "}}")
}

/// Whether the text is the template with some value in place of each `{{name}}`.
pub fn is_instance(text: &str, template: &str) -> bool {
    let literals = literals(template);
    let [first, inner @ .., last] = literals.as_slice() else {
        return literals.first().is_some_and(|only| only == text);
    };
    let rest = inner
        .iter()
        .try_fold(text.strip_prefix(first.as_str()), |rest, literal| {
            let (_value, rest) = rest?.split_once(literal.as_str())?;
            Some(Some(rest))
        });
    rest.flatten()
        .is_some_and(|rest| rest.ends_with(last.as_str()))
}

/// The text as one word of the shell, with the values of its marks quoted too.
pub(crate) fn shell_quoted_with_marks(text: &str) -> String {
    let parts = parts(text).into_iter().map(|part| match part {
        Part::Literal(text) => shell_quoted(text),
        Part::Value(reference) => mark(&format!("{}{SHELL_QUOTED}", reference.name)),
    });
    parts.collect()
}

/// The text as one word of the shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_replaced_by_values() {
        let text = format!(
            "show {} as {}{}",
            mark("id|sh"),
            mark("id"),
            mark("missing")
        );
        let value = |name: &str| (name == "id").then_some("it's");
        assert_eq!(substitute(&text, value), r"show 'it'\''s' as it's");
        assert_eq!(substitute("none", value), "none");
        let known = substitute_known(&text, value);
        assert_eq!(shown(&known), r"show 'it'\''s' as it's{{missing}}");
        assert_eq!(shown(&text), "show {{id|sh}} as {{id}}{{missing}}");
        let names: Vec<_> = references(&text).map(|found| found.name).collect();
        assert_eq!(names, ["id", "id", "missing"]);
    }

    #[test]
    fn a_template_has_any_value_in_place_of_its_names() {
        for (template, text, fits) in [
            ("It says {{v}}", "It says a", true),
            ("It says {{v}}", "It says ", true),
            ("It says {{v}}", "He says a", false),
            ("{{v}} and {{w}}!", "a and b!", true),
            ("{{v}} and {{w}}!", "a and b", false),
            ("{{v}}, {{w}}, {{x}}", "a, b", false),
            ("aa{{v}}aa", "aaa", false),
            ("It says", "It says", true),
            ("It says", "It says so", false),
            (r"It says \{{v}}", "It says {{v}}", true),
            (r"It says \{{v}}", "It says a", false),
        ] {
            assert_eq!(is_instance(text, template), fits, "{template}: {text}");
        }
    }
}
