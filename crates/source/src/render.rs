//! Renders a diagnostic as text: location and message, then the source line with a caret.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::file::SourceFile;
use crate::span::Span;

/// Source lines longer than this (in bytes) are data, not text; no snippet is shown.
const MAX_LINE: usize = 400;

/// Renders a diagnostic: `file:line:column: error: message [code]`, the source line with a caret, and the help.
pub fn render(file: &SourceFile, diagnostic: &Diagnostic, color: bool) -> String {
    let file = diagnostic.file.as_deref().unwrap_or(file);
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut text = headline(file, diagnostic, color);
    text.push('\n');
    text.push_str(&renderer.render(&[snippet(file, diagnostic)]));
    text
}

fn headline(file: &SourceFile, diagnostic: &Diagnostic, color: bool) -> String {
    let position = file.position(diagnostic.span.start);
    let (word, style) = match diagnostic.severity {
        Severity::Error => ("error", "\u{1b}[1;31m"),
        Severity::Warning => ("warning", "\u{1b}[1;33m"),
    };
    let (on, off) = if color {
        (style, "\u{1b}[0m")
    } else {
        ("", "")
    };
    format!(
        "{}:{}:{}: {on}{word}{off}: {} [{}]",
        file.name(),
        position.line,
        position.column,
        diagnostic.message,
        diagnostic.code
    )
}

fn snippet<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let group = Group::with_level(level);
    let group = match window(file, diagnostic) {
        Some(snippet) => group.element(snippet),
        None => group,
    };
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// The source lines with annotations; `None` if one of them is longer than [`MAX_LINE`].
fn window<'a>(
    file: &'a SourceFile,
    diagnostic: &'a Diagnostic,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let text = file.text();
    let spans = std::iter::once(diagnostic.span);
    let spans = spans.chain(diagnostic.labels.iter().map(|label| label.span));
    let lines = spans.map(|span| file.position(at_character(text, span.start)).line);
    let lines: Vec<_> = lines.collect();
    if lines.iter().any(|line| file.line(*line).len() > MAX_LINE) {
        return None;
    }
    // Only the lines from the first to the last annotation: the renderer scans its whole input for each diagnostic.
    let (first, last) = (*lines.iter().min()?, *lines.iter().max()?);
    let begin = file.start_of_line(first);
    let end = file.start_of_line(last) + file.line(last).len();
    // Only the first line of a span is underlined: marking all lines of a long span adds nothing.
    let one_line = |span: Span| {
        let start = at_character(text, span.start).min(end);
        let line_end = text[start..end].find('\n').map_or(end, |at| start + at);
        let stop = at_character(text, span.end).clamp(start, line_end);
        start - begin..stop - begin
    };
    let primary = AnnotationKind::Primary.span(one_line(diagnostic.span));
    let others = diagnostic.labels.iter().map(|label| {
        AnnotationKind::Context
            .span(one_line(label.span))
            .label(label.text.as_str())
    });
    Some(
        Snippet::source(&text[begin..end])
            .line_start(first)
            .annotation(primary)
            .annotations(others),
    )
}

/// The start of the character that contains this byte. Wrong spans must not make rendering panic.
fn at_character(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset)
        .rev()
        .find(|offset| text.is_char_boundary(*offset))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::DUPLICATE_KEY;

    #[test]
    fn shows_the_line_the_caret_and_the_help() {
        let file = SourceFile::new(
            "suite.yaml",
            "name: é\ntests:\n  - nmae: lists\n    command: ls\n",
        );
        let diagnostic =
            Diagnostic::error(DUPLICATE_KEY, Span::new(20, 24), "unknown field `nmae`")
                .label(Span::new(0, 4), "here it is right")
                .help("did you mean `name`?");
        insta::assert_snapshot!(render(&file, &diagnostic, false), @r"
        suite.yaml:3:5: error: unknown field `nmae` [duplicate-key]
          |
        1 | name: é
          | ---- here it is right
        2 | tests:
        3 |   - nmae: lists
          |     ^^^^
          |
          = help: did you mean `name`?
        ");
    }

    #[test]
    fn line_numbers_stay_right_far_down() {
        let text = "first: é\n".to_owned() + &"more: 1\n".repeat(9_998) + "last: 2";
        let start = text.len() - "last: 2".len();
        let file = SourceFile::new("suite.yaml", text);
        let diagnostic = Diagnostic::error(DUPLICATE_KEY, Span::new(start, start + 4), "m");
        insta::assert_snapshot!(render(&file, &diagnostic, false), @r"
        suite.yaml:10000:1: error: m [duplicate-key]
              |
        10000 | last: 2
              | ^^^^
        ");
    }

    #[test]
    fn wrong_spans_do_not_panic() {
        let file = SourceFile::new("suite.yaml", "a: é\n");
        for span in [
            Span::new(4, 5),
            Span::new(3, 4),
            Span::new(6, 99),
            Span::new(99, 100),
        ] {
            let rendered = render(&file, &Diagnostic::error(DUPLICATE_KEY, span, "m"), false);
            assert!(rendered.starts_with("suite.yaml:"), "{rendered}");
        }
    }

    #[test]
    fn colors_only_on_request() {
        let file = SourceFile::new("suite.yaml", "a: 1\n");
        let diagnostic = Diagnostic::warning(DUPLICATE_KEY, Span::new(0, 1), "m");
        assert!(!render(&file, &diagnostic, false).contains('\u{1b}'));
        assert!(render(&file, &diagnostic, true).contains('\u{1b}'));
    }

    #[test]
    fn a_line_of_a_megabyte_is_not_shown() {
        let file = SourceFile::new("suite.yaml", "x".repeat(1_000_000));
        let rendered = render(
            &file,
            &Diagnostic::error(DUPLICATE_KEY, Span::new(5, 6), "m").help("h"),
            false,
        );
        assert!(rendered.len() < 200, "{}", rendered.len());
    }
}
