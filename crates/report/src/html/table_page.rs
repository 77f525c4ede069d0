//! A small HTML page of charts and tables, without scripts and external resources.
//!
//! The template escapes all text, and the page's content security policy forbids scripts.

use std::io;

use askama::Template;

use super::static_page::{self, TABLES};
use crate::diff::SideBySide;

/// Rows shown per table; the JSON report lists all rows.
const ROWS: usize = 500;

/// No bar is wider than in a chart of this many.
const MIN_BARS: usize = 30;

/// The content of the page, from top to bottom.
#[derive(Default)]
pub(crate) struct TablePage {
    pub(crate) title: String,
    /// Lines below the title.
    pub(crate) facts: Vec<String>,
    /// Short results, such as `3 newly failing`.
    pub(crate) chips: Vec<Chip>,
    pub(crate) charts: Vec<Chart>,
    pub(crate) grid: Option<ResultGrid>,
    pub(crate) sections: Vec<Section>,
    /// Tests in two runs, below the sections.
    pub(crate) comparisons: Vec<SideBySide>,
}

pub(crate) struct Chip {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// The color of an element.
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
    /// Whether the section starts collapsed.
    pub(crate) folded: bool,
}

/// One table cell: a text, a note below it, and code to copy, such as a command.
#[derive(Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
    pub(crate) note: String,
    pub(crate) code: String,
}

/// A chart of stacked bars.
pub(crate) struct Chart {
    pub(crate) heading: &'static str,
    /// The most important values, next to the heading.
    pub(crate) summary: String,
    /// The labels at both ends of the vertical axis.
    pub(crate) top: String,
    pub(crate) bottom: &'static str,
    /// The labels of the horizontal axis, at equal distances.
    pub(crate) times: Vec<String>,
    pub(crate) bars: Vec<Bar>,
}

pub(crate) struct Bar {
    /// The tooltip.
    pub(crate) tip: String,
    /// The stacked parts from the bottom up, as fractions of the chart's height.
    pub(crate) parts: Vec<(Tone, f64)>,
}

/// The results of tests in runs: each row is a test, each column a run.
pub(crate) struct ResultGrid {
    /// The times of the runs, oldest first.
    pub(crate) runs: Vec<String>,
    pub(crate) rows: Vec<ResultRow>,
}

pub(crate) struct ResultRow {
    pub(crate) test: String,
    pub(crate) location: String,
    /// One character per run.
    pub(crate) results: String,
}

/// One result, as it is shown.
struct ResultCell<'g> {
    class: &'static str,
    /// Tells results apart without their color.
    sign: &'static str,
    run: &'g str,
}

/// A part of a bar with its position in SVG units.
struct Block {
    tone: Tone,
    y: String,
    height: String,
}

#[derive(Template)]
#[template(path = "table_page.html")]
struct PageTemplate<'p> {
    page: &'p TablePage,
    style: &'static str,
    policy: String,
}

impl TablePage {
    /// Writes the page.
    pub(crate) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let template = PageTemplate {
            page: self,
            style: TABLES,
            policy: static_page::policy(TABLES),
        };
        static_page::write(&template, out)
    }

    /// Adds a section unless it has no rows.
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

    /// Each cell with its column name, which narrow screens show in place of the table header.
    fn labeled<'c>(&self, row: &'c [Cell]) -> impl Iterator<Item = (&'static str, &'c Cell)> {
        self.columns.clone().into_iter().zip(row)
    }

    fn hidden(&self) -> usize {
        self.rows.len().saturating_sub(ROWS)
    }
}

impl ResultGrid {
    /// Rows shown; the option `--test` selects others.
    const ROWS: usize = 200;

    /// What the characters mean.
    const KINDS: [(char, &'static str, &'static str, &'static str); 5] = [
        ('.', "good", "passed", "✓"),
        ('~', "warn", "flaky", "~"),
        ('F', "bad", "failed", "F"),
        ('S', "dim", "skipped", "S"),
        ('I', "cut", "interrupted", "I"),
    ];

    fn shown(&self) -> &[ResultRow] {
        &self.rows[..self.rows.len().min(ResultGrid::ROWS)]
    }

    fn hidden(&self) -> usize {
        self.rows.len().saturating_sub(ResultGrid::ROWS)
    }

    /// The cells of a row; `None` where the test was not run.
    fn cells<'g>(&'g self, row: &'g ResultRow) -> impl Iterator<Item = Option<ResultCell<'g>>> {
        row.results.chars().zip(&self.runs).map(|(result, run)| {
            let kind = ResultGrid::KINDS.iter().find(|kind| kind.0 == result);
            kind.map(|(_, class, _, sign)| ResultCell { class, sign, run })
        })
    }

    /// An example of each kind that occurs.
    fn legend(&self) -> impl Iterator<Item = &(char, &'static str, &'static str, &'static str)> {
        let occurs = |result| self.rows.iter().any(|row| row.results.contains(result));
        ResultGrid::KINDS.iter().filter(move |kind| occurs(kind.0))
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

    pub(crate) fn with_note(self, note: impl Into<String>) -> Cell {
        Cell {
            note: note.into(),
            ..self
        }
    }

    pub(crate) fn tone(self, tone: Tone) -> Cell {
        Cell { tone, ..self }
    }
}

impl Chart {
    /// The width in SVG units.
    fn width(&self) -> usize {
        self.bars.len().max(MIN_BARS) * 10
    }

    /// The left side of a bar. The first and the last one are above the ends of the horizontal axis.
    fn x(&self, bar: usize) -> usize {
        bar * (self.width() - 10) / self.bars.len().saturating_sub(1).max(1)
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
    fn the_style_cannot_close_its_element() {
        let style = TABLES.to_lowercase();
        assert!(!style.contains("</s") && !style.contains("<!--"));
    }

    #[test]
    fn text_is_escaped() {
        let hostile = "</title><script>alert(1)</script>\"'\u{202e}\u{2066}\u{1b}\u{200f}";
        let mut table_page = TablePage {
            title: hostile.into(),
            facts: vec![hostile.into()],
            chips: vec![Chip {
                tone: Tone::Bad,
                text: hostile.into(),
            }],
            charts: vec![Chart {
                heading: "h",
                summary: hostile.into(),
                top: hostile.into(),
                bottom: "0",
                times: vec![hostile.into()],
                bars: vec![Bar {
                    tip: hostile.into(),
                    parts: vec![(Tone::Good, 0.25), (Tone::Bad, 9.0)],
                }],
            }],
            grid: Some(ResultGrid {
                runs: vec![hostile.into()],
                rows: vec![ResultRow {
                    test: hostile.into(),
                    location: hostile.into(),
                    results: "F".into(),
                }],
            }),
            sections: Vec::new(),
            comparisons: Vec::new(),
        };
        let cell = Cell::text(hostile).with_note(hostile);
        table_page.section(
            hostile,
            false,
            &["a"],
            vec![vec![cell, Cell::code(hostile)]],
        );
        let mut out = Vec::new();
        table_page.write(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(!page.contains("<script"), "{page}");
        let raw = |c: &char| ['\u{202e}', '\u{2066}', '\u{1b}', '\u{200f}'].contains(c);
        assert_eq!(page.chars().find(raw), None, "{page}");
        assert!(page.contains("\\u{202e}\\u{2066}␛\\u{200f}"), "{page}");
        assert!(page.contains("y=\"75.00\" height=\"25.00\""), "{page}");
        assert!(page.contains("default-src &#39;none&#39;"), "{page}");
    }
}
