//! What can be written at a position: fields, their values, and names that the suite defines.

use std::collections::BTreeSet;

use casebook_source::{SourceFile, Span};
use casebook_suite::can_be_included;
use serde_json::{Value, json};

use super::cursor::{Cursor, Step};
use super::document::Document;
use super::fields::Allowed;
use super::files::{Files, Parsed, ProjectFile};
use super::position::{offset, range};
use super::symbols::Kind;

/// Kinds of items, as the protocol numbers them.
const FIELD: u8 = 5;
const VARIABLE: u8 = 6;
const VALUE: u8 = 12;
const REFERENCE: u8 = 18;

/// What is being written, and where it begins.
struct Completion {
    file: SourceFile,
    files: Vec<ProjectFile>,
    offset: usize,
    /// Otherwise it is a file that suites include.
    is_suite: bool,
    items: Vec<Value>,
}

/// What can be written at a position.
pub(super) fn items(document: &Document, position: &Value, files: &Files<'_>) -> Vec<Value> {
    let Some(offset) = offset(&document.text, position) else {
        return Vec::new();
    };
    let before = &document.text[..offset];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let mut completion = Completion {
        file: document.file(),
        files: readable(document, offset, files),
        offset,
        is_suite: document.is_suite(),
        items: Vec::new(),
    };
    let opened = line.rfind("{{").filter(|at| !line[*at..].contains("}}"));
    match opened {
        Some(at) => completion.values(line[at + 2..].trim_start()),
        None => completion.at(&Cursor::at(&document.text, offset)),
    }
    completion.items
}

/// The document and the files that it includes. While the line is being written, it may be no valid YAML; then it is left out.
fn readable(document: &Document, offset: usize, files: &Files<'_>) -> Vec<ProjectFile> {
    let found = files.related(&document.path);
    if found.iter().any(|file| file.path == document.path) {
        return found;
    }
    let text = &document.text;
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    let without = format!(
        "{}{}{}",
        &text[..start],
        " ".repeat(end - start),
        &text[end..]
    );
    let Some(parsed) = Parsed::of(&document.path, &without) else {
        return Vec::new();
    };
    let own = ProjectFile {
        path: document.path.clone(),
        parsed: parsed.into(),
    };
    let dir = document.path.parent();
    let paths = own.parsed.symbols.includes.clone().into_iter();
    let included = paths.filter_map(|path| dir.map(|dir| files.with_includes(&dir.join(path))));
    let included: Vec<_> = included.flatten().collect();
    let others = included.into_iter().chain(found);
    std::iter::once(own).chain(others).collect()
}

impl Completion {
    fn at(&mut self, cursor: &Cursor<'_>) {
        let key = cursor.key().unwrap_or_default();
        if let Some(kind) = Kind::used_by(key) {
            self.names(kind, cursor.written);
        }
        let words = self.words(key);
        for word in words {
            self.item(&word, cursor.written, VALUE, None);
        }
        let allowed = Allowed::at(&cursor.path);
        let fields = if cursor.is_value {
            Vec::new()
        } else {
            allowed.fields()
        };
        let has_all = self.is_suite || !cursor.path.is_empty();
        let is_shared = |name| has_all || can_be_included(name);
        let fields = fields.into_iter().filter(|field| is_shared(field.name));
        for field in fields {
            let new = format!("{}: ", field.name);
            self.item_with(field.name, cursor.written, FIELD, Some(field.about), &new);
        }
        let is_element = cursor.path.last() == Some(&Step::Element);
        for word in allowed.words() {
            if cursor.is_value || is_element {
                self.item(word, cursor.written, VALUE, None);
            }
        }
    }

    /// Variables, keys of matrices, captured values and ports of services.
    fn values(&mut self, written: &str) {
        self.names(Kind::Value, written);
        let services = self.defined(Kind::Service);
        for service in services {
            let path = format!("services.{service}.port");
            self.item(&path, written, VARIABLE, None);
        }
    }

    fn names(&mut self, kind: Kind, written: &str) {
        let item_kind = if kind == Kind::Value {
            VARIABLE
        } else {
            REFERENCE
        };
        for name in self.defined(kind) {
            self.item(&name, written, item_kind, Some(kind.noun()));
        }
    }

    /// The names of a kind that are known at the position.
    fn defined(&self, kind: Kind) -> BTreeSet<String> {
        let own = self.files.iter().take(1);
        let scope = own.map(|file| self.scope(file)).next().flatten();
        let files = self.files.iter().enumerate();
        let names = files.flat_map(|(index, file)| {
            let scope = scope.filter(|_| index == 0);
            let names = file.parsed.symbols.names(kind, scope);
            names.map(|one| one.symbol.name.clone())
        });
        names.collect()
    }

    /// The test or the fragment at the position.
    fn scope(&self, file: &ProjectFile) -> Option<Span> {
        let symbols = &file.parsed.symbols;
        let scopes = symbols.definitions.iter();
        let fragments = scopes
            .filter(|one| one.symbol.kind == Kind::Fragment)
            .map(|one| one.value);
        let contains = |span: &Span| (span.start..=span.end).contains(&self.offset);
        fragments
            .filter(contains)
            .last()
            .or_else(|| symbols.test_at(self.offset))
    }

    /// The words that the suite uses in a field.
    fn words(&self, key: &str) -> BTreeSet<String> {
        let mut words = BTreeSet::new();
        for file in &self.files {
            let symbols = &file.parsed.symbols;
            words.extend(match key {
                "tags" => symbols.tags.clone(),
                "locks" => symbols.locks.clone(),
                "called" | "notCalled" | "onlyCalled" | "calledInOrder" | "from" | "tool"
                | "before" | "after" => symbols.tools.clone(),
                _ => BTreeSet::new(),
            });
        }
        words
    }

    fn item(&mut self, label: &str, written: &str, kind: u8, about: Option<&str>) {
        self.item_with(label, written, kind, about, label);
    }

    /// Adds what begins with the written text and is not the same, which it replaces.
    fn item_with(
        &mut self,
        label: &str,
        written: &str,
        kind: u8,
        about: Option<&str>,
        new_text: &str,
    ) {
        if !label.starts_with(written) || label == written {
            return;
        }
        let span = Span::new(self.offset - written.len(), self.offset);
        self.items.push(json!({
            "label": label,
            "kind": kind,
            "documentation": about,
            "textEdit": { "range": range(&self.file, span), "newText": new_text },
        }));
    }
}
