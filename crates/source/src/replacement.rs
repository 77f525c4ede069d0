//! [`Diagnostic::replacement`]: the change that a help text suggests, for editors and other programs.

use crate::diagnostic::Diagnostic;
use crate::file::SourceFile;
use crate::span::Span;

const QUESTION: &str = "did you mean `";

/// A text to write instead of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Diagnostic {
    /// The change that removes this problem: its help asks "did you mean `name`?", and its span is the name that the message quotes.
    /// `file` is the file that the span is in.
    pub fn replacement(&self, file: &SourceFile) -> Option<Replacement> {
        let question = self.help.as_deref()?.strip_prefix(QUESTION)?;
        let (text, _) = question.split_once("`?")?;
        let span = without_quotes(file, self.span);
        let span = if text.starts_with("{{") {
            self.variable_in(file, span)?
        } else {
            span
        };
        let written = file.text().get(span.range())?;
        self.is_about(written, text).then(|| Replacement {
            span,
            text: text.to_owned(),
        })
    }

    /// The only `{{name}}` in a span whose name the message quotes.
    fn variable_in(&self, file: &SourceFile, span: Span) -> Option<Span> {
        let text = file.text().get(span.range())?;
        let mut found = text.match_indices("{{").filter_map(|(start, _)| {
            let end = start + text[start..].find("}}")? + 2;
            let name = text[start + 2..end - 2].trim();
            let is_wrong = self.message.contains(&format!("`{name}`"));
            is_wrong.then(|| Span::new(span.start + start, span.start + end))
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether the written text alone is wrong. A span may contain more than the name, and then replacing it would lose something.
    fn is_about(&self, written: &str, suggested: &str) -> bool {
        let is_variable = |text: &str| {
            text.starts_with("{{") && text.ends_with("}}") && text.matches("{{").count() == 1
        };
        let quoted = [format!("`{written}`"), format!("'{written}'")];
        is_variable(written) && is_variable(suggested)
            || quoted.iter().any(|quoted| self.message.contains(quoted))
    }
}

/// The span without the quotes of a YAML string.
fn without_quotes(file: &SourceFile, span: Span) -> Span {
    let text = file.text().get(span.range()).unwrap_or_default();
    let is_quoted = |quote| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    if is_quoted('"') || is_quoted('\'') {
        Span::new(span.start + 1, span.end - 1)
    } else {
        span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::DUPLICATE_KEY;

    fn replaced(text: &str, message: &str, help: &str) -> Option<String> {
        let file = SourceFile::new("a.yaml", text);
        let span = Span::new(0, text.len());
        let problem = Diagnostic::error(DUPLICATE_KEY, span, message).help(help);
        let replacement = problem.replacement(&file)?;
        let mut text = text.to_owned();
        text.replace_range(replacement.span.range(), &replacement.text);
        Some(text)
    }

    #[test]
    fn only_a_name_that_the_message_quotes_is_replaced() {
        for (text, message, help, expected) in [
            (
                "nmae",
                "no field `nmae`",
                "did you mean `name`?",
                Some("name"),
            ),
            (
                "'TREM'",
                "got 'TREM'",
                "did you mean `TERM`?",
                Some("'TERM'"),
            ),
            (
                "\"nmae\"",
                "no field `nmae`",
                "did you mean `name`?",
                Some("\"name\""),
            ),
            (
                "{{usr}}",
                "`usr` is not defined",
                "did you mean `{{user}}`? (or not)",
                Some("{{user}}"),
            ),
            (
                "echo {{usr}} {{x}}",
                "`usr` is not defined",
                "did you mean `{{user}}`?",
                Some("echo {{user}} {{x}}"),
            ),
            (
                "{{usr}} {{usr}}",
                "`usr` is not defined",
                "did you mean `{{user}}`?",
                None,
            ),
            ("nmae: x", "no field `nmae`", "did you mean `name`?", None),
            ("nmae", "no field `nmae`", "write `name`", None),
        ] {
            let replaced = replaced(text, message, help);
            assert_eq!(replaced.as_deref(), expected, "{text}");
        }
    }
}
