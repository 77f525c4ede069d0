//! [`Diagnostic::replacement`]: the change that a help text suggests, for editors and other programs.

use crate::diagnostic::Diagnostic;
use crate::file::SourceFile;
use crate::span::Span;

const QUESTION: &str = "did you mean `";
const INSTEAD: &str = "write `";
const ADDITION: &str = "add `";
const QUOTES: &str = "put quotes around a string that ";

/// A text to write instead of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Diagnostic {
    /// The change that removes this problem, if its help states the text to write and its message quotes the text that is wrong.
    /// `file` is the file that the span is in.
    pub fn replacement(&self, file: &SourceFile) -> Option<Replacement> {
        let help = self.help.as_deref()?;
        if let Some(question) = help.strip_prefix(QUESTION) {
            self.suggestion(question, file)
        } else if let Some(instead) = help.strip_prefix(INSTEAD) {
            self.instead(instead, file)
        } else if let Some(field) = help.strip_prefix(ADDITION) {
            self.addition(field.strip_suffix('`')?, file)
        } else {
            self.quotes(help.strip_prefix(QUOTES)?, file)
        }
    }

    /// "did you mean `name`?": the span is the name.
    fn suggestion(&self, question: &str, file: &SourceFile) -> Option<Replacement> {
        let (text, _) = question.split_once("`?")?;
        let span = file.without_quotes(self.span);
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

    /// "write `[0-9]`": the span contains `\d`. "write `{{id|sh}}` without quotes": the span contains `{{id}}`.
    fn instead(&self, instead: &str, file: &SourceFile) -> Option<Replacement> {
        let (text, rest) = instead.split_once('`')?;
        let span = if text.starts_with("{{") && rest.starts_with(" without quotes") {
            let span = self.variable_in(file, file.without_quotes(self.span))?;
            let around =
                [span.start.checked_sub(1)?, span.end].map(|at| file.text().as_bytes().get(at));
            let is_quoted = around.iter().any(|c| matches!(c, Some(b'"' | b'\'')));
            (!is_quoted).then_some(span)?
        } else {
            let is_plain = rest.is_empty() && !text.contains(['"', '\'', '\\']);
            is_plain.then(|| self.escape_in(file)).flatten()?
        };
        let text = text.to_owned();
        Some(Replacement { span, text })
    }

    /// The only place in the span of the escape that the message quotes; in double quotes its backslash is doubled.
    fn escape_in(&self, file: &SourceFile) -> Option<Span> {
        let (_, quoted) = self.message.split_once("`\\")?;
        let (escape, _) = quoted.split_once('`')?;
        let text = file.text().get(self.span.range())?;
        let backslashes = if text.starts_with('"') { "\\\\" } else { "\\" };
        let escape = format!("{backslashes}{escape}");
        let mut found = text.match_indices(&escape);
        let (at, _) = found.next().filter(|_| found.next().is_none())?;
        let start = self.span.start + at;
        Some(Span::new(start, start + escape.len()))
    }

    /// "add `tty: true`": the span is the field that requires the other one.
    fn addition(&self, field: &str, file: &SourceFile) -> Option<Replacement> {
        let name = file.without_quotes(self.span);
        let is_field = field.contains(": ") && !field.contains('…');
        let is_about = self.message.contains(&format!("`{}`", file.slice(name)));
        let before = file.text().get(..self.span.start)?;
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let separator = if line.trim_end().ends_with(['{', ',']) {
            ", ".to_owned()
        } else if line.trim_matches([' ', '-']).is_empty() {
            format!("\n{}", " ".repeat(line.len()))
        } else {
            return None;
        };
        (is_field && is_about).then(|| Replacement {
            span: Span::new(self.span.start, self.span.start),
            text: format!("{field}{separator}"),
        })
    }

    /// "put quotes around a string that begins with braces: \"{{a}} b\"": the line of the span ends with the string.
    fn quotes(&self, help: &str, file: &SourceFile) -> Option<Replacement> {
        let start = [": \"", ": '"]
            .iter()
            .filter_map(|begin| help.find(begin))
            .min()?;
        let quoted = &help[start + 2..];
        let inner = quoted.get(1..quoted.len() - 1)?;
        let string = if quoted.starts_with('"') {
            inner.replace("\\\"", "\"").replace("\\\\", "\\")
        } else {
            inner.replace("''", "'")
        };
        let line = file.line(file.position(self.span.start).line);
        let line_start = line.as_ptr().addr() - file.text().as_ptr().addr();
        let end = line.trim_end().len();
        let begin = end.checked_sub(string.len())?;
        let is_value = line.get(begin..end) == Some(&*string) && line[..begin].ends_with(' ');
        is_value.then(|| Replacement {
            span: Span::new(line_start + begin, line_start + end),
            text: quoted.to_owned(),
        })
    }

    /// The only `{{name}}` in a span whose name the message quotes.
    fn variable_in(&self, file: &SourceFile, span: Span) -> Option<Span> {
        let text = file.text().get(span.range())?;
        let mut found = text.match_indices("{{").filter_map(|(start, _)| {
            let end = start + text[start..].find("}}")? + 2;
            let name = text[start + 2..end - 2].trim();
            let is_quoted = |name: &str| self.message.contains(&format!("`{name}`"));
            let is_wrong = is_quoted(name) || name.split('.').any(is_quoted);
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
            (
                "{{services.aip.port}}",
                "unknown service `aip`",
                "did you mean `{{services.api.port}}`?",
                Some("{{services.api.port}}"),
            ),
            (
                r"'\d+'",
                r"in POSIX `\d` is just the letter `d`",
                "write `[0-9]`",
                Some("'[0-9]+'"),
            ),
            (
                r#""a\\w""#,
                r"`\w` works with the GNU C library",
                "write `[[:alnum:]_]`",
                Some(r#""a[[:alnum:]_]""#),
            ),
            (r"\d\d", r"in POSIX `\d`", "write `[0-9]`", None),
            (
                "show {{id}}",
                "the captured value `id`",
                "write `{{id|sh}}` without quotes around it",
                Some("show {{id|sh}}"),
            ),
            (
                "show '{{id}}' b",
                "the captured value `id`",
                "write `{{id|sh}}` without quotes around it",
                None,
            ),
            (
                "c: {{p}} --all",
                "did not find expected key",
                "put quotes around a string that begins with braces: \"{{p}} --all\"",
                Some("c: \"{{p}} --all\""),
            ),
            (
                "dialogue",
                "`dialogue` needs a terminal",
                "add `tty: true`",
                Some("tty: true\ndialogue"),
            ),
            ("llm", "`llm` is missing", "add `llm: {model: …}`", None),
        ] {
            let replaced = replaced(text, message, help);
            assert_eq!(replaced.as_deref(), expected, "{text}");
        }
    }
}
