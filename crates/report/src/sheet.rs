//! A sheet: a small HTML page of charts and tables that needs no script and nothing from anywhere.
//!
//! Everything in it is text; the template escapes it, and the page's own policy forbids script altogether.

use std::io;

use askama::Template;

use crate::html::digest;

/// So many rows of a table; the JSON form has all of them.
const ROWS: usize = 500;

/// A chart has room for so many bars at least.
const MIN_BARS: usize = 30;

const STYLE: &str = concat!(
    include_str!("html/style/base.css"),
    include_str!("sheet/style.css"),
);

/// What is on the page, from top to bottom.
#[derive(Default)]
pub(crate) struct TablePage {
    pub(crate) title: String,
    /// What the page is about, one line each.
    pub(crate) facts: Vec<String>,
    /// The result in a few words each.
    pub(crate) chips: Vec<Chip>,
    pub(crate) charts: Vec<Chart>,
    pub(crate) sections: Vec<Section>,
}

pub(crate) struct Chip {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// What colour a thing has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Good,
    Bad,
    Warn,
    Dim,
}

pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) columns: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What is best folded until somebody looks for it.
    pub(crate) folded: bool,
}

/// One cell: a text, what is said below it, and what can be copied from it.
#[derive(Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    pub(crate) below: String,
    pub(crate) code: String,
}

/// Bars side by side, each of parts on top of each other.
pub(crate) struct Chart {
    pub(crate) heading: &'static str,
    /// What the highest bar stands for.
    pub(crate) scale: String,
    pub(crate) bars: Vec<Bar>,
}

pub(crate) struct Bar {
    /// What is told when somebody points at it.
    pub(crate) tip: String,
    /// From the bottom up, in parts of the chart's height.
    pub(crate) parts: Vec<(Tone, f64)>,
}

/// A part of a bar where it is drawn.
struct Block {
    tone: Tone,
    y: String,
    height: String,
}

#[derive(Template)]
#[template(path = "sheet.html")]
struct Page<'s> {
    sheet: &'s TablePage,
    style: &'static str,
    policy: String,
}

impl TablePage {
    /// Writes the page.
    pub(crate) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let page = Page {
            sheet: self,
            style: STYLE,
            policy: format!(
                "default-src 'none'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
                digest(STYLE)
            ),
        };
        page.write_into(&mut { out })
    }

    /// Adds a section, if there is anything in it.
    pub(crate) fn section(
        &mut self,
        heading: &str,
        folded: bool,
        columns: &[&'static str],
        rows: Vec<Vec<Cell>>,
    ) {
        if rows.is_empty() {
            return;
        }
        self.sections.push(Section {
            heading: heading.to_owned(),
            columns: columns.to_vec(),
            rows,
            folded,
        });
    }
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "even",
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Warn => "warn",
            Tone::Dim => "dim",
        }
    }
}

impl Section {
    fn shown(&self) -> &[Vec<Cell>] {
        &self.rows[..self.rows.len().min(ROWS)]
    }

    /// Each cell with what it is, for screens too narrow for a head.
    fn labelled<'c>(&self, row: &'c [Cell]) -> impl Iterator<Item = (&'static str, &'c Cell)> {
        self.columns.clone().into_iter().zip(row)
    }

    fn hidden(&self) -> usize {
        self.rows.len().saturating_sub(ROWS)
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            ..Cell::default()
        }
    }

    pub(crate) fn code(code: impl Into<String>) -> Cell {
        Cell {
            code: code.into(),
            ..Cell::default()
        }
    }

    pub(crate) fn with_note(self, below: impl Into<String>) -> Cell {
        Cell {
            below: below.into(),
            ..self
        }
    }

    pub(crate) fn tone(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }
}

impl Chart {
    /// How wide it is, in its own measure: a few bars do not fill the page.
    fn width(&self) -> usize {
        self.bars.len().max(MIN_BARS) * 10
    }
}

impl Bar {
    fn blocks(&self) -> Vec<Block> {
        let mut top = 100.0;
        self.parts
            .iter()
            .map(|(tone, part)| {
                let height = part.clamp(0.0, 1.0) * 100.0;
                top -= height;
                Block {
                    tone: *tone,
                    y: format!("{top:.2}"),
                    height: format!("{height:.2}"),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_ends_where_it_should() {
        let style = STYLE.to_lowercase();
        assert!(!style.contains("</s") && !style.contains("<!--"));
    }

    #[test]
    fn what_is_shown_stays_text() {
        let hostile = "</title><script>alert(1)</script>\"'";
        let mut sheet = TablePage {
            title: hostile.into(),
            facts: vec![hostile.into()],
            chips: vec![Chip {
                tone: Tone::Bad,
                text: hostile.into(),
            }],
            charts: vec![Chart {
                heading: "h",
                scale: hostile.into(),
                bars: vec![Bar {
                    tip: hostile.into(),
                    parts: vec![(Tone::Good, 0.25), (Tone::Bad, 9.0)],
                }],
            }],
            sections: Vec::new(),
        };
        let cell = Cell::text(hostile).with_note(hostile);
        sheet.section(
            hostile,
            false,
            &["a"],
            vec![vec![cell, Cell::code(hostile)]],
        );
        let mut out = Vec::new();
        sheet.write(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("y=\"75.00\" height=\"25.00\""), "{page}");
        assert!(page.contains("default-src &#39;none&#39;"), "{page}");
    }
}
