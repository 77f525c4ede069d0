//! Text with styles. It is cleaned, measured and cut as plain text; styles are applied last.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::Style;

use super::style::DIM;
use super::text::{clean, elide, fit, one_line};

/// A style and its text, which may contain anything.
pub(super) type Span<'t> = (Style, &'t str);

/// The separator between a title and a location; empty if the location is unknown, as in results of other tools.
pub(super) fn dot(location: &str) -> Span<'static> {
    (DIM, if location.is_empty() { "" } else { " · " })
}

/// Spans joined into one text without control characters.
pub(super) struct Styled {
    text: String,
    /// The end of each style's text. Adjacent styles differ.
    ends: Vec<(usize, Style)>,
}

impl Styled {
    /// Joins the spans. Keeps line breaks; hides the middle of a very long text.
    pub(super) fn new(spans: &[Span]) -> Styled {
        Styled::join(spans, |text| clean(&elide(text)))
    }

    /// Joins the spans. Line breaks become spaces.
    pub(super) fn one_line(spans: &[Span]) -> Styled {
        Styled::join(spans, one_line)
    }

    fn join(spans: &[Span], harmless: impl Fn(&str) -> String) -> Styled {
        let mut styled = Styled {
            text: String::new(),
            ends: Vec::with_capacity(spans.len()),
        };
        for (style, text) in spans {
            styled.text.push_str(&harmless(text));
            let end = styled.text.len();
            match styled.ends.last_mut() {
                Some((last_end, last)) if last == style => *last_end = end,
                _ => styled.ends.push((end, *style)),
            }
        }
        styled
    }

    /// The text without its styles.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The range of the complete text.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.text.len()
    }

    /// Truncates the text to this many columns, ending with an ellipsis.
    pub(super) fn cut(&mut self, columns: usize) {
        if fit(&self.text, columns) == self.text.len() {
            return;
        }
        let kept = fit(&self.text, columns.saturating_sub(1));
        self.text.truncate(kept);
        self.text.push('…');
        let length = self.text.len();
        // The ellipsis takes three bytes, so styles that ended in the cut text now end after it.
        for (end, _) in &mut self.ends {
            *end = if *end > kept { length } else { *end };
        }
        if let Some((end, _)) = self.ends.last_mut() {
            *end = length;
        }
    }

    /// A part of the text, with ANSI sequences if `color` is set.
    pub(super) fn paint(&self, range: Range<usize>, color: bool) -> String {
        if !color {
            return self.text[range].to_owned();
        }
        let mut painted = String::new();
        let mut start = range.start;
        for (end, style) in &self.ends {
            let end = (*end).min(range.end);
            if start < end {
                let part = &self.text[start..end];
                write!(painted, "{style}{part}{style:#}").expect("writing to a string succeeds");
                start = end;
            }
        }
        painted
    }
}

#[cfg(test)]
mod tests {
    use super::super::style::{BOLD, PLAIN};
    use super::*;

    #[test]
    fn a_cut_keeps_the_styles_of_the_rest() {
        let mut styled = Styled::one_line(&[(BOLD, "bold "), (PLAIN, "and plain")]);
        styled.cut(9);
        assert_eq!(styled.paint(styled.all(), false), "bold and…");
        assert_eq!(
            styled.paint(styled.all(), true),
            "\u{1b}[1mbold \u{1b}[0mand…"
        );
    }

    #[test]
    fn no_style_ends_within_the_ellipsis() {
        for columns in 0..12 {
            let mut styled =
                Styled::one_line(&[(BOLD, "a"), (PLAIN, "bc"), (DIM, "d"), (PLAIN, "efg")]);
            styled.cut(columns);
            let plain = styled.paint(styled.all(), false);
            let painted = styled.paint(styled.all(), true);
            let stripped = painted.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
            assert_eq!(stripped.replace("\u{1b}[0m", ""), plain, "{columns}");
        }
    }

    #[test]
    fn a_range_is_painted_with_its_own_styles() {
        let styled = Styled::new(&[(BOLD, "one "), (PLAIN, "two")]);
        assert_eq!(styled.paint(2..6, true), "\u{1b}[1me \u{1b}[0mtw");
    }
}
