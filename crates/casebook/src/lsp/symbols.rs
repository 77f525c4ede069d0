//! [`FileSymbols`]: the names that one file defines and uses, and its tests.

use std::collections::BTreeSet;

use casebook_source::yaml::{self, Entry, Node, NodeKind};
use casebook_source::{SourceFile, Span};
use casebook_suite::is_name;

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// `{{name}}`: a variable, a key of a matrix or a captured value.
    Value,
    Fragment,
    Service,
    Criterion,
    Topic,
}

impl Kind {
    /// The names that a field defines.
    fn defined_by(field: &str) -> Option<Kind> {
        Some(match field {
            "variables" | "matrix" => Kind::Value,
            "fragments" => Kind::Fragment,
            "services" => Kind::Service,
            "criteria" => Kind::Criterion,
            "topics" => Kind::Topic,
            _ => return None,
        })
    }

    /// The names that the strings in a field use.
    pub(super) fn used_by(field: &str) -> Option<Kind> {
        Some(match field {
            "$ref" => Kind::Fragment,
            "uses" | "needs" => Kind::Service,
            "satisfies" | "criterion" => Kind::Criterion,
            "topic" | "reachedTopic" | "topics" => Kind::Topic,
            _ => return None,
        })
    }

    /// What users call it.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Kind::Value => "variable",
            Kind::Fragment => "fragment",
            Kind::Service => "service",
            Kind::Criterion => "criterion",
            Kind::Topic => "topic",
        }
    }
}

/// A name of a kind. Names of a test or a fragment, such as captured values, are known only in it: its location is their scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) scope: Option<Span>,
}

/// A name where it is defined.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) symbol: Symbol,
    pub(super) span: Span,
    pub(super) value: Span,
}

/// A name where it is used; its scope is the test or the fragment that uses it.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub(super) symbol: Symbol,
    pub(super) span: Span,
}

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct FileSymbols {
    pub(super) definitions: Vec<Definition>,
    pub(super) uses: Vec<Use>,
    /// The locations of the tests.
    pub(super) tests: Vec<Span>,
    /// The paths of included files.
    pub(super) includes: Vec<String>,
    pub(super) tags: BTreeSet<String>,
    pub(super) tools: BTreeSet<String>,
    pub(super) locks: BTreeSet<String>,
}

impl FileSymbols {
    /// `None`: the file cannot be read as YAML.
    pub(super) fn of(file: &SourceFile) -> Option<FileSymbols> {
        let parsed = yaml::parse(file);
        let root = parsed.documents.first()?.as_map()?;
        let mut reader = Reader {
            file,
            found: FileSymbols::default(),
        };
        root.iter().for_each(|field| reader.root_field(field));
        Some(reader.found)
    }

    /// The symbol at an offset, and its location. A use of a name that its test defines has the test as its scope.
    pub(super) fn at(&self, offset: usize) -> Option<(Symbol, Span)> {
        let touches = |span: &Span| (span.start..=span.end).contains(&offset);
        let mut definitions = self.definitions.iter();
        if let Some(found) = definitions.find(|one| touches(&one.span)) {
            return Some((found.symbol.clone(), found.span));
        }
        let found = self.uses.iter().find(|one| touches(&one.span))?;
        Some((self.resolved(&found.symbol), found.span))
    }

    /// The symbol that a use means: of its test if the test defines it, otherwise of the suite.
    fn resolved(&self, used: &Symbol) -> Symbol {
        if self.definitions.iter().any(|one| one.symbol == *used) {
            return used.clone();
        }
        Symbol {
            scope: None,
            ..used.clone()
        }
    }

    /// Where a symbol is defined or used in this file.
    pub(super) fn places(&self, symbol: &Symbol) -> BTreeSet<Span> {
        let definitions = self.definitions.iter();
        let definitions = definitions.filter(|one| one.symbol == *symbol);
        let uses = self.uses.iter();
        let uses = uses.filter(|one| {
            let (kind, name) = (one.symbol.kind, &one.symbol.name);
            (kind, name) == (symbol.kind, &symbol.name) && self.resolved(&one.symbol) == *symbol
        });
        let definitions = definitions.map(|one| one.span);
        definitions.chain(uses.map(|one| one.span)).collect()
    }

    /// The names of a kind that can be used in a scope.
    pub(super) fn names(
        &self,
        kind: Kind,
        scope: Option<Span>,
    ) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(move |one| {
            let own = one.symbol.scope;
            one.symbol.kind == kind && (own.is_none() || own == scope)
        })
    }

    /// The test at an offset.
    pub(super) fn test_at(&self, offset: usize) -> Option<Span> {
        let after = self.tests.partition_point(|test| test.start <= offset);
        self.tests[..after].last().copied()
    }
}

struct Reader<'f> {
    file: &'f SourceFile,
    found: FileSymbols,
}

impl Reader<'_> {
    fn root_field(&mut self, field: &Entry<'_>) {
        let elements = || field.value.as_list().unwrap_or_default();
        let entries = || field.value.as_map().unwrap_or_default();
        self.define(field, None);
        match &*field.key {
            "tests" => {
                for test in elements() {
                    self.found.tests.push(test.span);
                    self.test(test);
                }
            }
            "fragments" => entries().iter().for_each(|one| self.test(&one.value)),
            "include" => {
                let paths = elements().iter().filter_map(Node::as_text);
                self.found.includes = paths.map(str::to_owned).collect();
            }
            key => self.walk(&field.value, key, None),
        }
    }

    /// A test or a fragment.
    fn test(&mut self, node: &Node<'_>) {
        let scope = Some(node.span);
        for field in node.as_map().unwrap_or_default() {
            self.define(field, scope);
            self.walk(&field.value, &field.key, scope);
        }
    }

    /// Adds the names that a field defines.
    fn define(&mut self, field: &Entry<'_>, scope: Option<Span>) {
        if let Some(kind) = Kind::defined_by(&field.key) {
            self.define_keys(kind, &field.value, scope);
        }
    }

    fn define_keys(&mut self, kind: Kind, node: &Node<'_>, scope: Option<Span>) {
        for entry in node.as_map().unwrap_or_default() {
            let span = self.file.without_quotes(entry.key_span);
            if self.file.slice(span) == entry.key {
                let symbol = Symbol {
                    kind,
                    name: entry.key.clone().into_owned(),
                    scope,
                };
                self.found.definitions.push(Definition {
                    symbol,
                    span,
                    value: entry.value.span,
                });
            }
        }
    }

    /// Reads the value of a field and everything in it.
    fn walk(&mut self, node: &Node<'_>, field: &str, scope: Option<Span>) {
        match &node.kind {
            NodeKind::Scalar(scalar) => self.scalar(&scalar.text, node.span, field, scope),
            NodeKind::List(nodes) => nodes.iter().for_each(|node| self.walk(node, field, scope)),
            NodeKind::Map(entries) => {
                for entry in entries {
                    self.entry(entry, field, scope);
                }
            }
        }
    }

    fn entry(&mut self, entry: &Entry<'_>, field: &str, scope: Option<Span>) {
        self.braces(entry.key_span, scope);
        match (field, &*entry.key) {
            ("during", topic) => self.use_of(Kind::Topic, topic, entry.key_span, scope),
            ("locks", lock) => self.insert_lock(lock),
            ("tools", "name") => self
                .found
                .tools
                .extend(entry.value.as_text().map(str::to_owned)),
            (_, "capture") if scope.is_some() => self.define_keys(Kind::Value, &entry.value, scope),
            _ => {}
        }
        self.walk(&entry.value, &entry.key, scope);
    }

    fn scalar(&mut self, text: &str, span: Span, field: &str, scope: Option<Span>) {
        self.braces(span, scope);
        if let Some(kind) = Kind::used_by(field) {
            self.use_of(kind, text, span, scope);
        }
        match field {
            "tags" => _ = self.found.tags.insert(text.to_owned()),
            "tools" => _ = self.found.tools.insert(text.to_owned()),
            "locks" => self.insert_lock(text),
            _ => {}
        }
    }

    fn insert_lock(&mut self, name: &str) {
        self.found.locks.insert(name.to_owned());
    }

    /// A name that is a complete string. One with escapes has no location.
    fn use_of(&mut self, kind: Kind, text: &str, span: Span, scope: Option<Span>) {
        let mut span = self.file.without_quotes(span);
        if self.file.slice(span) != text {
            return;
        }
        let name = text.strip_prefix("#/fragments/").unwrap_or(text);
        span.start += text.len() - name.len();
        self.add_use(kind, name, span, scope);
    }

    fn add_use(&mut self, kind: Kind, name: &str, span: Span, scope: Option<Span>) {
        let name = name.to_owned();
        let symbol = Symbol { kind, name, scope };
        self.found.uses.push(Use { symbol, span });
    }

    /// `{{name}}` and `{{services.name.port}}` in a text as it is written in the file.
    fn braces(&mut self, span: Span, scope: Option<Span>) {
        let written = self.file.text().get(span.range()).unwrap_or_default();
        for (start, _) in written.match_indices("{{") {
            let inside = &written[start + 2..];
            let Some(end) = inside.find("}}") else { break };
            if written[..start].ends_with('\\') {
                continue;
            }
            let expression = inside[..end].split('|').next().unwrap_or_default();
            let path = expression.trim();
            let (kind, name) = match path.strip_prefix("services.") {
                Some(rest) => (Kind::Service, rest.split('.').next().unwrap_or_default()),
                None => (Kind::Value, path),
            };
            if kind == Kind::Service || is_name(name) {
                let trimmed = expression.len() - expression.trim_start().len();
                let prefix = if kind == Kind::Service {
                    "services.".len()
                } else {
                    0
                };
                let at = span.start + start + 2 + trimmed + prefix;
                self.add_use(kind, name, Span::new(at, at + name.len()), scope);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUITE: &str = "\
include: [shared.yaml]
variables: {user: anna, \"quoted\": 1}
fragments:
  base: {command: 'greet {{user}} \\{{user}}'}
tests:
  - name: uses
    $ref: '#/fragments/base'
    tags: [fast]
    matrix: {size: [1]}
    steps:
      - {command: 'make {{ size }} {{user|sh}}', capture: {user: /id}}
      - command: |
          show {{user}} on {{services.web.port}}
";

    fn texts(kind: Kind) -> Vec<(String, bool)> {
        let file = SourceFile::new("a.yaml", SUITE);
        let symbols = FileSymbols::of(&file).unwrap();
        let uses = symbols.uses.iter().filter(|one| one.symbol.kind == kind);
        let uses = uses.map(|one| {
            assert_eq!(file.slice(one.span), one.symbol.name);
            let symbol = symbols.resolved(&one.symbol);
            (symbol.name, symbol.scope.is_some())
        });
        uses.collect()
    }

    #[test]
    fn names_belong_to_the_suite_or_to_the_test_that_defines_them() {
        let of = |name: &str, is_own| (name.to_owned(), is_own);
        let expected = [
            of("user", false),
            of("size", true),
            of("user", true),
            of("user", true),
        ];
        assert_eq!(texts(Kind::Value), expected);
        assert_eq!(texts(Kind::Fragment), [of("base", false)]);
        assert_eq!(texts(Kind::Service), [of("web", false)]);
    }

    #[test]
    fn definitions_tests_and_words_are_found() {
        let file = SourceFile::new("a.yaml", SUITE);
        let symbols = FileSymbols::of(&file).unwrap();
        let defined = symbols.definitions.iter();
        let defined = defined.map(|one| (file.slice(one.span), one.symbol.scope.is_some()));
        let expected = [
            ("user", false),
            ("quoted", false),
            ("base", false),
            ("size", true),
            ("user", true),
        ];
        assert_eq!(defined.collect::<Vec<_>>(), expected);
        assert_eq!(symbols.includes, ["shared.yaml"]);
        assert!(symbols.tags.contains("fast"));
        assert_eq!(symbols.tests.len(), 1);
        let (symbol, _) = symbols.at(SUITE.find("user|sh").unwrap()).unwrap();
        assert_eq!(symbols.places(&symbol).len(), 3);
    }
}
