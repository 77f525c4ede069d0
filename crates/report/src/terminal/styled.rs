//! Text with styles: harmless, measured and cut as plain text, painted last.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::Style;

use super::style::DIM;
use super::text::{clean, elide, fit, one_line};

/// A style and the text it is for. The text may be anything.
pub(super) type Span<'t> = (Style, &'t str);

/// What stands between a title and a place; nothing where the place is not known, as in results of other tools.
pub(super) fn dot(place: &str) -> Span<'static> {
    (DIM, if place.is_empty() { "" } else { " · " })
}

/// Spans joined into one text that is safe to show.
pub(super) struct Styled {
    text: String,
    /// Where each style's text ends; neighbours differ.
    ends: Vec<(usize, Style)>,
}

impl Styled {
    /// Keeps line breaks; the middle of a very long text is left out.
    pub(super) fn new(spans: &[Span]) -> Styled {
        Styled::join(spans, |text| clean(&elide(text)))
    }

    /// Makes each line break a space.
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

    /// The range of the whole text.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.text.len()
    }

    /// Leaves out what exceeds so many columns, and says so with an ellipsis.
    pub(super) fn cut(&mut self, columns: usize) {
        if fit(&self.text, columns) == self.text.len() {
            return;
        }
        let kept = fit(&self.text, columns.saturating_sub(1));
        self.text.truncate(kept);
        self.text.push('…');
        let length = self.text.len();
        // Whatever was cut has the ellipsis, which is longer than a letter: no style may end within it.
        for (end, _) in &mut self.ends {
            *end = if *end > kept { length } else { *end };
        }
        if let Some((end, _)) = self.ends.last_mut() {
            *end = length;
        }
    }

    /// A part of the text, with ANSI sequences around what is styled if there is to be colour.
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
    fn a_cut_keeps_the_styles_of_what_is_left() {
        let mut styled = Styled::one_line(&[(BOLD, "bold "), (PLAIN, "and plain")]);
        styled.cut(9);
        assert_eq!(styled.paint(styled.all(), false), "bold and…");
        assert_eq!(
            styled.paint(styled.all(), true),
            "\u{1b}[1mbold \u{1b}[0mand…"
        );
    }

    #[test]
    fn a_cut_anywhere_ends_no_style_within_the_ellipsis() {
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
