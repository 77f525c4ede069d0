//! Finds citations in comments, such as `rule E14`.

/// A reference in a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Citation {
    /// `rule E14`.
    Rule(String),
    /// An id without the word `rule`.
    BareId(String),
    /// A number such as `11.5` that is not the version of a format.
    BareNumber(String),
    /// A document outside of the repository, or one of its sections.
    Elsewhere(String),
}

/// The citations in the comments of a source file, each with its line.
pub(super) fn citations(source: &str) -> Vec<(usize, Citation)> {
    let mut found = Vec::new();
    // A citation may continue on the next line of a comment.
    let mut state = State::default();
    for (line, text) in (1..).zip(source.lines()) {
        let Some((_, comment)) = text.split_once("//") else {
            state = State::default();
            continue;
        };
        let words = comment.trim_start_matches(['/', '!']).split_whitespace();
        let cited = words.filter_map(|word| state.next(word));
        found.extend(cited.map(|citation| (line, citation)));
    }
    found
}

/// Whether a word is a rule id: a capital letter, one or two digits, and optionally a lowercase letter.
pub(super) fn is_rule_id(word: &str) -> bool {
    let Some(rest) = word.strip_prefix(|first: char| first.is_ascii_uppercase()) else {
        return false;
    };
    let digits = rest.trim_end_matches(|last: char| last.is_ascii_lowercase());
    (1..=2).contains(&digits.len())
        && rest.len() - digits.len() <= 1
        && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// What the previous words were.
#[derive(Default)]
struct State {
    in_citation: bool,
    last: String,
}

impl State {
    fn next(&mut self, word: &str) -> Option<Citation> {
        let is_punctuation = |letter: char| !letter.is_alphanumeric();
        let plain = word.trim_matches(is_punctuation).trim_end_matches("'s");
        let before = std::mem::replace(&mut self.last, plain.to_lowercase());
        let ends_sentence = word.ends_with(['.', ';', ':', ')']);
        let cited = if is_rule_id(plain) {
            Some(if self.in_citation {
                Citation::Rule(plain.to_owned())
            } else {
                Citation::BareId(plain.to_owned())
            })
        } else {
            elsewhere(&before, plain)
        };
        self.in_citation = !ends_sentence
            && (matches!(self.last.as_str(), "rule" | "rules")
                || self.in_citation && (is_rule_id(plain) || is_joint(&self.last)));
        cited
    }
}

/// Words between the ids of one citation.
fn is_joint(word: &str) -> bool {
    matches!(word, "to" | "and" | "or")
}

fn elsewhere(before: &str, word: &str) -> Option<Citation> {
    let is_contract = before == "the" && word == "contract";
    let is_section = matches!(before, "section" | "sections")
        && word.starts_with(|first: char| first.is_ascii_digit());
    if is_contract || is_section {
        return Some(Citation::Elsewhere(format!("{before} {word}")));
    }
    let is_cited = is_section_number(word) && !VERSIONS.contains(&word) && before != "now";
    is_cited.then(|| Citation::BareNumber(word.to_owned()))
}

/// Versions of the metadata formats and of YAML.
const VERSIONS: [&str; 4] = ["1.1", "1.2", "1.3", "2.0"];

fn is_section_number(word: &str) -> bool {
    let is_number = |text: &str| {
        (1..=2).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit())
    };
    let parts = word.split_once('.');
    parts.is_some_and(|(whole, part)| is_number(whole) && is_number(part))
}

#[test]
fn citations_of_every_form_are_found() {
    let rule = |id: &str| Citation::Rule(id.to_owned());
    let bare = |id: &str| Citation::BareId(id.to_owned());
    let number = |text: &str| Citation::BareNumber(text.to_owned());
    let elsewhere = |text: &str| Citation::Elsewhere(text.to_owned());
    for (source, expected) in [
        ("let e14 = E14; // the same as before", vec![]),
        ("//! Chains: rule E8.", vec![(1, rule("E8"))]),
        ("x // (rule E18r)", vec![(1, rule("E18r"))]),
        (
            "/// Rules E1b, E2 and V7 to\n/// V12b; E3 too.",
            vec![
                (1, rule("E1b")),
                (1, rule("E2")),
                (1, rule("V7")),
                (2, rule("V12b")),
                (2, bare("E3")),
            ],
        ),
        (
            "// Rules\nlet x = 1;\n// E2 is not cited.",
            vec![(3, bare("E2"))],
        ),
        ("/// As in E14.", vec![(1, bare("E14"))]),
        (
            "/// Rule 20 (now 10.3) of the guide, E2E, U+200C, E123",
            vec![],
        ),
        (
            "/// Format 1.3 and YAML 1.1: 5.3.",
            vec![(1, number("5.3"))],
        ),
        (
            "// The contract's words",
            vec![(1, elsewhere("the contract"))],
        ),
        ("// see section 11.5", vec![(1, elsewhere("section 11.5"))]),
        ("// a contract, the section on names", vec![]),
    ] {
        assert_eq!(citations(source), expected, "{source}");
    }
}
