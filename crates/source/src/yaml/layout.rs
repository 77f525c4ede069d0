//! [`Layout`]: how the values of a file are written, for edits that keep the rest of the file as it is.
//!
//! The tree of [`super::Node`]s says what a file means; two files with the same tree can look different.

use std::collections::HashMap;

use granit_parser::{Event, Options, Parser, ScalarStyle, StructureStyle};

use super::build::offset;
use crate::file::SourceFile;
use crate::span::Span;

/// How the values of a file are written.
#[derive(Debug, Default)]
pub struct Layout {
    scalars: HashMap<Span, ScalarLayout>,
    flows: Vec<Span>,
    aliases: Vec<Alias>,
}

/// How a single value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScalarLayout {
    /// Its style.
    pub style: Style,
    /// The end of what precedes it: of its key, or of the element before it. Anchors, tags and the header of a block follow.
    pub after: usize,
}

/// The style of a single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'text'`
    SingleQuoted,
    /// `"text"`
    DoubleQuoted,
    /// A block after `|`. Its span begins with its content.
    Literal,
    /// A block after `>`. Its span begins with its content.
    Folded,
}

/// A use of an anchored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// The alias.
    pub span: Span,
    /// The value with the anchor.
    pub target: Span,
}

impl Layout {
    /// Reads the layout of a file up to its first syntax error.
    pub fn of(file: &SourceFile) -> Layout {
        let mut options = Options::default();
        options.emit_comments = false;
        let mut scan = Scan::default();
        let events = Parser::new_from_str_with_options(file.text(), options);
        for (event, span) in events.map_while(Result::ok) {
            scan.take(&event, Span::new(offset(span.start), offset(span.end)));
        }
        scan.layout
    }

    /// How the single value at this location is written.
    pub fn scalar(&self, span: Span) -> Option<ScalarLayout> {
        self.scalars.get(&span).copied()
    }

    /// Whether the location is in brackets or braces, where blocks are not allowed.
    pub fn is_in_flow(&self, at: usize) -> bool {
        let mut flows = self.flows.iter();
        flows.any(|flow| flow.start < at && at < flow.end)
    }

    /// The first alias of the value at this location, or of a value around it.
    pub fn alias_of(&self, span: Span) -> Option<Alias> {
        let uses =
            |target: Span| target == span || target.start <= span.start && span.end <= target.end;
        self.aliases
            .iter()
            .find(|alias| uses(alias.target))
            .copied()
    }
}

/// Reads events in order.
#[derive(Default)]
struct Scan {
    layout: Layout,
    anchors: HashMap<usize, Span>,
    /// The collections being read: start, anchor, and whether it is in brackets or braces.
    open: Vec<(usize, usize, bool)>,
    /// The end of the last event.
    end: usize,
}

impl Scan {
    fn take(&mut self, event: &Event<'_>, span: Span) {
        match event {
            Event::Scalar(_, style, anchor, _) => {
                let scalar = ScalarLayout {
                    style: style_of(*style),
                    after: self.end,
                };
                self.layout.scalars.insert(span, scalar);
                self.anchors.insert(*anchor, span);
            }
            Event::SequenceStart(style, anchor, _) | Event::MappingStart(style, anchor, _) => {
                let is_flow = *style == StructureStyle::Flow;
                self.open.push((span.start, *anchor, is_flow));
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            Event::Alias(id) => {
                let target = self.anchors.get(id);
                let alias = target.map(|target| Alias {
                    span,
                    target: *target,
                });
                self.layout.aliases.extend(alias);
            }
            _ => return,
        }
        self.end = span.end;
    }

    fn close(&mut self, end: usize) {
        let Some((start, anchor, is_flow)) = self.open.pop() else {
            return;
        };
        let span = Span::new(start, end);
        if is_flow {
            self.layout.flows.push(span);
        }
        self.anchors.insert(anchor, span);
    }
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    const TEXT: &str = "\
a: &x old # comment
b: *x
c: [one, {d: 'two'}]
e: &y
  f: |-
    three
g: {<<: *y}
";

    #[test]
    fn the_layout_is_that_of_the_same_nodes() {
        let file = SourceFile::new("a.yaml", TEXT);
        let layout = Layout::of(&file);
        let root = parse(&file).documents.remove(0);
        let (a, c, e) = (
            root.get("a").unwrap(),
            root.get("c").unwrap(),
            root.get("e").unwrap(),
        );
        let f = e.get("f").unwrap();
        let two = c.as_list().unwrap()[1].get("d").unwrap();
        assert_eq!(layout.scalar(a.span).unwrap().style, Style::Plain);
        assert_eq!(layout.scalar(two.span).unwrap().style, Style::SingleQuoted);
        assert_eq!(layout.scalar(f.span).unwrap().style, Style::Literal);
        assert_eq!(
            file.position(layout.alias_of(a.span).unwrap().span.start)
                .line,
            2
        );
        assert_eq!(
            file.position(layout.alias_of(f.span).unwrap().span.start)
                .line,
            7
        );
        assert_eq!(layout.alias_of(two.span), None);
        assert!(layout.is_in_flow(two.span.start) && !layout.is_in_flow(f.span.start));
        assert_eq!(&TEXT[layout.scalar(f.span).unwrap().after..][..4], ": |-");
    }
}
