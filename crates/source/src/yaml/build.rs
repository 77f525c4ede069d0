//! Builds the tree of nodes from the parser's events.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Marker, Options, Parser, ScalarStyle, ScanError, Tag};

use super::hints;
use super::node::{Entry, Node, NodeKind, Scalar};
use super::{BAD_ALIAS, DUPLICATE_KEY, INVALID_YAML, KEY_NOT_TEXT, UNKNOWN_TAG};
use crate::diagnostic::Diagnostic;
use crate::file::SourceFile;
use crate::span::Span;

/// More levels than any suite needs, and few enough for recursive code.
const MAX_DEPTH: usize = 64;

/// The maximum number of nodes that all aliases together may expand to.
const MAX_ALIASED_NODES: usize = 200_000;

/// The documents of a file, as far as they could be read, and its problems.
#[derive(Debug, Default)]
pub struct Parsed<'f> {
    /// Usually one.
    pub documents: Vec<Node<'f>>,
    /// The problems found, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a file as YAML. Parsing stops at malformed YAML; other problems are collected.
pub fn parse(file: &SourceFile) -> Parsed<'_> {
    let mut builder = Builder {
        file,
        parsed: Parsed::default(),
        open: Vec::new(),
        anchors: HashMap::new(),
        aliased: 0,
    };
    let mut options = Options::default();
    options.emit_comments = false;
    for event in Parser::new_from_str_with_options(file.text(), options) {
        match event {
            Ok((event, span)) => {
                if !builder.add(event, &span) {
                    break;
                }
            }
            Err(error) => {
                let diagnostics = &mut builder.parsed.diagnostics;
                // Unquoted braces are parsed as a mapping key before the syntax error: report one problem, not two.
                diagnostics.retain(|diagnostic| diagnostic.code != KEY_NOT_TEXT);
                diagnostics.push(malformed(file, &error));
                break;
            }
        }
    }
    builder.parsed
}

struct Builder<'f> {
    file: &'f SourceFile,
    parsed: Parsed<'f>,
    /// The collections being read, outermost first.
    open: Vec<Open<'f>>,
    anchors: HashMap<usize, Node<'f>>,
    aliased: usize,
}

/// A collection whose end has not been reached.
struct Open<'f> {
    start: usize,
    anchor: usize,
    content: Content<'f>,
}

enum Content<'f> {
    List(Vec<Node<'f>>),
    Map {
        entries: Vec<Entry<'f>>,
        key: Option<Node<'f>>,
    },
}

impl<'f> Builder<'f> {
    /// Adds one event to the tree. Returns false if parsing must stop.
    fn add(&mut self, event: Event<'f>, span: &granit_parser::Span) -> bool {
        let span = Span::new(offset(span.start), offset(span.end));
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.check_tag(tag.as_deref(), span);
                let scalar = Scalar {
                    text,
                    plain: style == ScalarStyle::Plain,
                };
                self.finish(
                    Node {
                        span,
                        kind: NodeKind::Scalar(scalar),
                    },
                    anchor,
                );
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), span);
                return self.begin(Open {
                    start: span.start,
                    anchor,
                    content: Content::List(Vec::new()),
                });
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), span);
                let content = Content::Map {
                    entries: Vec::new(),
                    key: None,
                };
                return self.begin(Open {
                    start: span.start,
                    anchor,
                    content,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(id) => self.alias(id, span),
            _ => {}
        }
        true
    }

    fn begin(&mut self, open: Open<'f>) -> bool {
        if self.open.len() == MAX_DEPTH {
            self.report(too_deep(Span::new(open.start, open.start + 1)));
            return false;
        }
        self.open.push(open);
        true
    }

    fn end(&mut self, span: Span) {
        let Some(Open {
            start,
            anchor,
            content,
        }) = self.open.pop()
        else {
            return;
        };
        let (kind, last) = match content {
            Content::List(nodes) => {
                let last = nodes.last().map_or(start, |node| node.span.end);
                (NodeKind::List(nodes), last)
            }
            Content::Map { entries, .. } => {
                let last = entries
                    .last()
                    .map_or(start, |entry| entry.value.span.end.max(entry.key_span.end));
                (NodeKind::Map(self.merged(entries)), last)
            }
        };
        // A block collection ends with its last element, but the parser's end is after the white space that follows.
        let closed = matches!(self.file.slice(span), "]" | "}");
        let end = if closed { span.end } else { last };
        self.finish(
            Node {
                span: Span::new(start, end),
                kind,
            },
            anchor,
        );
    }

    fn alias(&mut self, id: usize, span: Span) {
        let Some(node) = self.anchors.get(&id) else {
            self.report(Diagnostic::error(
                BAD_ALIAS,
                span,
                "the alias refers to a value that contains it",
            ));
            return self.finish(null(span), 0);
        };
        let (size, depth) = (node.size(), node.depth());
        if self.open.len() + depth > MAX_DEPTH {
            self.report(too_deep(span));
            return self.finish(null(span), 0);
        }
        if self.aliased + size > MAX_ALIASED_NODES {
            // Reported once: all later aliases have the same problem.
            if self.aliased <= MAX_ALIASED_NODES {
                let message = format!("aliases expand to more than {MAX_ALIASED_NODES} values");
                self.report(Diagnostic::error(BAD_ALIAS, span, message));
            }
            self.aliased = MAX_ALIASED_NODES + 1;
            return self.finish(null(span), 0);
        }
        self.aliased += size;
        let node = node.clone();
        self.finish(node, 0);
    }

    /// Adds a complete node to the innermost open collection, or to the documents.
    fn finish(&mut self, node: Node<'f>, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.parsed.documents.push(node),
            Some(Content::List(nodes)) => nodes.push(node),
            Some(Content::Map {
                key: key @ None, ..
            }) => *key = Some(node),
            Some(Content::Map {
                entries,
                key: key @ Some(_),
            }) => {
                let Some(key) = key.take() else { return };
                let NodeKind::Scalar(scalar) = key.kind else {
                    let diagnostic = key_not_text(self.file, &key);
                    return self.report(diagnostic);
                };
                entries.push(Entry {
                    key: scalar.text,
                    key_span: key.span,
                    value: node,
                });
            }
        }
    }

    /// Resolves merge keys and reports duplicate keys. A key of the mapping itself takes precedence over a merged one.
    fn merged(&mut self, entries: Vec<Entry<'f>>) -> Vec<Entry<'f>> {
        let mut own = Mapping::default();
        own.entries.reserve_exact(entries.len());
        let mut merges = Vec::new();
        for entry in entries {
            if entry.key == "<<" {
                merges.push((entry.key_span, entry.value));
            } else if let Some(first) = own.find(&entry.key) {
                let message = format!("`{}` is given twice", entry.key);
                let duplicate = Diagnostic::error(DUPLICATE_KEY, entry.key_span, message)
                    .label(first.key_span, "first given here");
                self.report(duplicate);
            } else {
                own.push(entry);
            }
        }
        for (key, source) in merges {
            self.merge(key, source, &mut own);
        }
        own.entries
    }

    /// Adds the keys that `source` has in addition. An alias has the span of its anchor, so problems are reported at `key`.
    fn merge(&mut self, key: Span, source: Node<'f>, into: &mut Mapping<'f>) {
        match source.kind {
            NodeKind::Map(entries) => {
                for entry in entries {
                    if into.find(&entry.key).is_none() {
                        into.push(entry);
                    }
                }
            }
            NodeKind::List(nodes) if nodes.iter().all(|node| node.as_map().is_some()) => {
                nodes
                    .into_iter()
                    .for_each(|node| self.merge(key, node, into));
            }
            _ => self.report(Diagnostic::error(
                BAD_ALIAS,
                key,
                "only mappings can be merged with `<<`",
            )),
        }
    }

    /// Reports tags other than those of the core schema, which only repeat what the value is.
    fn check_tag(&mut self, tag: Option<&Tag>, span: Span) {
        const CORE_TAGS: [&str; 7] = ["str", "int", "float", "bool", "null", "seq", "map"];
        if let Some(tag) = tag
            && !tag
                .core_suffix()
                .is_some_and(|suffix| CORE_TAGS.contains(&suffix))
        {
            let message = format!("unsupported tag `{}`", tag.original());
            let help = "write the value without the tag; put it in quotes if it begins with `!`";
            self.report(Diagnostic::error(UNKNOWN_TAG, span, message).help(help));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.parsed.diagnostics.push(diagnostic);
    }
}

/// A mapping with unique keys.
#[derive(Default)]
struct Mapping<'f> {
    entries: Vec<Entry<'f>>,
    /// The index of each key in `entries`. Empty up to [`Mapping::FEW`] entries, where a linear search is faster.
    positions: HashMap<Cow<'f, str>, usize>,
}

impl<'f> Mapping<'f> {
    const FEW: usize = 16;

    fn find(&self, key: &str) -> Option<&Entry<'f>> {
        if self.entries.len() <= Mapping::FEW {
            self.entries.iter().find(|entry| entry.key == key)
        } else {
            Some(&self.entries[*self.positions.get(key)?])
        }
    }

    fn push(&mut self, entry: Entry<'f>) {
        self.entries.push(entry);
        if self.entries.len() > Mapping::FEW {
            let entries = self.entries.iter().enumerate();
            let added = entries.skip(self.positions.len());
            self.positions
                .extend(added.map(|(index, entry)| (entry.key.clone(), index)));
        }
    }
}

pub(super) fn offset(marker: Marker) -> usize {
    marker.byte_offset().unwrap_or(0)
}

fn null<'f>(span: Span) -> Node<'f> {
    Node {
        span,
        kind: NodeKind::Scalar(Scalar {
            text: Cow::Borrowed(""),
            plain: true,
        }),
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        INVALID_YAML,
        span,
        format!("nested more than {MAX_DEPTH} levels deep"),
    )
}

fn key_not_text(file: &SourceFile, key: &Node) -> Diagnostic {
    let message = format!("a key must be a string, not {}", key.describe());
    Diagnostic::error(KEY_NOT_TEXT, key.span, message)
        .maybe_help(hints::unquoted_braces(file, key.span.start))
}

fn malformed(file: &SourceFile, error: &ScanError) -> Diagnostic {
    let start = offset(*error.marker()).min(file.text().len());
    let width = file.text()[start..]
        .chars()
        .next()
        .map_or(0, char::len_utf8);
    let span = Span::new(start, start + width);
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return too_deep(span);
    }
    let problem = error.info();
    let tab = hints::is_about_tabs(&problem).then(|| hints::tab_in_indentation(file.text(), start));
    if let Some(tab) = tab.flatten() {
        let message = "a tab in the indentation".to_owned();
        return Diagnostic::error(INVALID_YAML, Span::new(tab, tab + 1), message)
            .help(hints::NO_TABS);
    }
    let hint = hints::hint(file, start, &problem);
    Diagnostic::error(INVALID_YAML, span, problem).maybe_help(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in a short form; keys are shown as the text of their spans.
    fn show(file: &SourceFile, node: &Node) -> String {
        let join = |parts: Vec<String>| parts.join(", ");
        match &node.kind {
            NodeKind::Scalar(scalar) if scalar.plain => scalar.text.to_string(),
            NodeKind::Scalar(scalar) => format!("{:?}", scalar.text),
            NodeKind::List(nodes) => format!(
                "[{}]",
                join(nodes.iter().map(|node| show(file, node)).collect())
            ),
            NodeKind::Map(entries) => {
                let entry = |entry: &Entry| {
                    format!(
                        "{}: {}",
                        file.slice(entry.key_span),
                        show(file, &entry.value)
                    )
                };
                format!("{{{}}}", join(entries.iter().map(entry).collect()))
            }
        }
    }

    fn read(text: &str) -> String {
        let file = SourceFile::new("a.yaml", text);
        let parsed = parse(&file);
        let mut lines: Vec<_> = parsed
            .documents
            .iter()
            .map(|node| show(&file, node))
            .collect();
        lines.extend(parsed.diagnostics.iter().map(|diagnostic| {
            let position = file.position(diagnostic.span.start);
            format!(
                "{}:{} {}: {}",
                position.line, position.column, diagnostic.code, diagnostic.message
            )
        }));
        lines.join("\n")
    }

    #[test]
    fn texts_stay_as_written() {
        for (text, tree) in [
            (
                "a: 1.10\nb: no\nc: 'it''s'\nd: \"x\\ty\"\ne:",
                r#"{a: 1.10, b: no, c: "it's", d: "x\ty", e: ~}"#,
            ),
            (
                "- |\n  one\n  two\n- >-\n  folded\n  text\n- {a: [1, 2]}",
                r#"["one\ntwo\n", "folded text", {a: [1, 2]}]"#,
            ),
            ("plain", "plain"),
            ("", ""),
            ("# nothing\n", ""),
            ("a: 1\n---\nb: 2\n", "{a: 1}\n{b: 2}"),
            ("a: !!str 5", "{a: 5}"),
        ] {
            assert_eq!(read(text), tree, "{text}");
        }
    }

    #[test]
    fn spans_cover_what_was_written() {
        let file = SourceFile::new(
            "a.yaml",
            "é: {x: [1, 2]}\nlist:\n  - a\n  - 'b c'\n\n# end\nlast: |\n  text\n",
        );
        let parsed = parse(&file);
        let root = &parsed.documents[0];
        let covered = |node: &Node| file.slice(node.span).to_owned();
        assert_eq!(covered(root.get("é").unwrap()), "{x: [1, 2]}");
        assert_eq!(covered(root.get("é").unwrap().get("x").unwrap()), "[1, 2]");
        assert_eq!(covered(root.get("list").unwrap()), "- a\n  - 'b c'");
        assert_eq!(
            covered(&root.get("list").unwrap().as_list().unwrap()[1]),
            "'b c'"
        );
    }

    #[test]
    fn aliases_and_merge_keys_are_resolved() {
        for (text, tree) in [
            ("a: &x {p: 1}\nb: *x", "{a: {p: 1}, b: {p: 1}}"),
            (
                "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}",
                "{a: {p: 1, q: 2}, b: {q: 3, p: 1}}",
            ),
            (
                "a: &x {p: 1}\nb: &y {p: 2, r: 3}\nc: {<<: [*x, *y]}",
                "{a: {p: 1}, b: {p: 2, r: 3}, c: {p: 1, r: 3}}",
            ),
        ] {
            assert_eq!(read(text), tree, "{text}");
        }
    }

    #[test]
    fn every_problem_has_a_position() {
        for (text, message) in [
            (
                "a: 1\na: 2",
                "{a: 1}\n2:1 duplicate-key: `a` is given twice",
            ),
            (
                "{[x]: 1}",
                "{}\n1:2 key-not-text: a key must be a string, not a list",
            ),
            (
                "a: &x [*x]",
                "{a: []}\n1:8 bad-alias: the alias refers to a value that contains it",
            ),
            (
                "a: &x 1\nb: {<<: *x}",
                "{a: 1, b: {}}\n2:5 bad-alias: only mappings can be merged with `<<`",
            ),
            (
                "a: !env HOME",
                "{a: HOME}\n1:9 unknown-tag: unsupported tag `!env`",
            ),
        ] {
            assert_eq!(read(text), message, "{text}");
        }
        let file = SourceFile::new("a.yaml", "a: !env HOME");
        let tagged = parse(&file);
        let help = tagged.diagnostics[0].help.as_deref();
        assert!(help.is_some_and(|help| help.starts_with("write the value without the tag")));
        assert!(read("a: [1, 2").contains("invalid-yaml"));
        assert!(read("a: *missing").contains("invalid-yaml"));
    }

    #[test]
    fn hostile_files_are_rejected_within_limits() {
        let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned())
            .chain((1..12).map(|n| {
                let alias = format!("*a{}", n - 1);
                format!("a{n}: &a{n} [{}]\n", [alias.as_str(); 10].join(", "))
            }))
            .collect();
        let ladder: String =
            std::iter::once(format!("a0: &a0 {}x{}\n", "[".repeat(40), "]".repeat(40)))
                .chain((1..2000).map(|n| format!("a{n}: &a{n} [[[*a{}]]]\n", n - 1)))
                .collect();
        for (text, message) in [
            (bomb, "aliases expand to more than"),
            (ladder, "nested more than"),
            ("[".repeat(10_000), "nested more than"),
            ("- ".repeat(10_000), "nested more than"),
            (format!("a: {}", "{".repeat(10_000)), "nested more than"),
            ("? ".repeat(10_000), "nested more than"),
        ] {
            let file = SourceFile::new("a.yaml", text);
            let diagnostics = parse(&file).diagnostics;
            assert!(
                diagnostics[0].message.starts_with(message),
                "{:?}",
                diagnostics[0]
            );
        }
    }
}
