//! The titles of tests in Bats.

use std::collections::HashSet;

/// The title of a test in its three forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Title {
    /// The title in reports and in `BATS_TEST_DESCRIPTION`.
    pub(super) shown: String,
    /// The title in the code, escaped for double quotes.
    pub(super) source: String,
    /// The values of `BATS_TEST_NAME`: in a UTF-8 locale, and in other locales if that differs.
    pub(super) names: Vec<String>,
}

/// The titles of tests with these names. Bats rejects two tests with the same name, so later ones get a number.
pub(super) fn titles<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Title> {
    let mut taken = HashSet::new();
    names
        .map(|name| unique_title(&one_line(name), &mut taken))
        .collect()
}

fn unique_title(name: &str, taken: &mut HashSet<String>) -> Title {
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    let mut candidates = std::iter::once(name.to_owned())
        .chain(numbered)
        .map(|name| title(&name));
    let title = candidates
        .find(|title| title.names.iter().all(|name| !taken.contains(name)))
        .expect("an infinite iterator has a next element");
    taken.extend(title.names.iter().cloned());
    title
}

fn title(name: &str) -> Title {
    let source = escape(name);
    let mut names = vec![encode_characters(&source), encode_bytes(&source)];
    names.dedup();
    Title {
        // Bats keeps the backslash before `#` in its output; TAP also uses it for a `#` that is not a directive.
        shown: name.replace('#', r"\#"),
        source,
        names,
    }
}

/// The name with control characters replaced, because a title is one line.
fn one_line(name: &str) -> String {
    let name = name.trim_end_matches(['\n', '\r']);
    name.replace(|c: char| c.is_control(), " ")
}

/// Escapes a name for double quotes, which Bats evaluates.
fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '\\' | '"' | '$' | '`' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// The name of a test's function in a UTF-8 locale, where letters of all languages are kept.
fn encode_characters(source: &str) -> String {
    let is_letter = |c: char| c.is_alphabetic() || c.is_ascii_digit();
    encode(source, is_letter, |c| format!("-{:02x}", u32::from(c)))
}

/// The name of a test's function in the C locale, where every byte is a character.
fn encode_bytes(source: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    encode(source, is_letter, |c| {
        let mut buffer = [0; 4];
        let bytes = c.encode_utf8(&mut buffer).bytes();
        let each: Vec<_> = bytes.map(|byte| format!("-{byte:02x}")).collect();
        each.concat()
    })
}

fn encode(
    source: &str,
    is_letter: impl Fn(char) -> bool,
    hexadecimal: impl Fn(char) -> String,
) -> String {
    let is_simple = |c: char| is_letter(c) || matches!(c, ' ' | '_' | '-');
    if source.chars().all(is_simple) {
        let dashes = source.replace('_', "-5f").replace('-', "-2d");
        return format!("test_{}", dashes.replace(' ', "_"));
    }
    let encoded = source.chars().map(|c| match c {
        ' ' => "_".to_owned(),
        c if is_letter(c) => c.to_string(),
        c => hexadecimal(c),
    });
    format!("test_{}", encoded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(names: &[&str]) -> Vec<Title> {
        titles(names.iter().copied())
    }

    #[test]
    fn repeated_names_get_a_number() {
        let shown = |names: &[&str]| -> Vec<_> {
            all(names).into_iter().map(|title| title.shown).collect()
        };
        assert_eq!(shown(&["a", "a", "b", "a"]), ["a", "a (2)", "b", "a (3)"]);
        assert_eq!(shown(&["a (2)", "a", "a"]), ["a (2)", "a", "a (3)"]);
        // Both names have the same function name in Bats.
        assert_eq!(shown(&["a_", "a-5f"]), ["a_", "a-5f (2)"]);
    }

    #[test]
    fn titles_are_one_line_and_escaped() {
        let title = &all(&["two\nlines\r\n"])[0];
        assert_eq!(title.shown, "two lines");
        let title = &all(&["costs $5 `x` \\ \"q\" # skip"])[0];
        assert_eq!(title.source, r#"costs \$5 \`x\` \\ \"q\" \# skip"#);
        assert_eq!(title.shown, "costs $5 `x` \\ \"q\" \\# skip");
    }

    #[test]
    fn function_names_are_those_of_bats() {
        for (name, expected) in [
            ("one two", vec!["test_one_two"]),
            ("a_b-c", vec!["test_a-2d5fb-2dc"]),
            ("a_b!", vec!["test_a-5fb-21"]),
            ("$x", vec!["test_-5c-24x"]),
            ("ö_", vec!["test_ö-2d5f", "test_-c3-b6-5f"]),
            (
                "größe ²",
                vec!["test_größe_-b2", "test_gr-c3-b6-c3-9fe_-c2-b2"],
            ),
        ] {
            assert_eq!(all(&[name])[0].names, expected);
        }
    }
}
