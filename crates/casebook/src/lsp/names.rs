//! Names at a position: where they are defined and used, and their new names.

use std::collections::BTreeMap;
use std::rc::Rc;

use casebook_source::Span;
use casebook_suite::is_name;
use serde_json::{Value, json};

use super::document::Document;
use super::files::{Files, Parsed, ProjectFile};
use super::position::{offset, range};
use super::symbols::{Definition, Kind, Symbol};

/// A name at a position.
struct Target {
    parsed: Rc<Parsed>,
    symbol: Symbol,
    span: Span,
}

impl Target {
    fn at(document: &Document, position: &Value) -> Option<Target> {
        let parsed = document.parsed()?;
        let (symbol, span) = parsed.symbols.at(offset(&document.text, position)?)?;
        Some(Target {
            parsed,
            symbol,
            span,
        })
    }

    /// The files in which the name means the same.
    fn files(&self, document: &Document, files: &Files<'_>) -> Vec<ProjectFile> {
        if self.symbol.scope.is_some() {
            let (path, parsed) = (document.path.clone(), Rc::clone(&self.parsed));
            return vec![ProjectFile { path, parsed }];
        }
        files.sharing(&document.path, &self.symbol)
    }

    /// Where it is defined: in the file itself, otherwise in the first included one, otherwise in suites that include the file.
    fn definition(
        &self,
        document: &Document,
        files: &Files<'_>,
    ) -> Option<(ProjectFile, Definition)> {
        let own = ProjectFile {
            path: document.path.clone(),
            parsed: Rc::clone(&self.parsed),
        };
        if let Some(definition) = self.defined_in(&own) {
            return Some((own, definition));
        }
        let mut others = files.sharing(&document.path, &self.symbol).into_iter();
        others.find_map(|file| {
            let definition = self.defined_in(&file)?;
            Some((file, definition))
        })
    }

    /// The last definition before the use; several steps may capture a value with the same name.
    fn defined_in(&self, file: &ProjectFile) -> Option<Definition> {
        let definitions = &file.parsed.symbols.definitions;
        let all = || definitions.iter().filter(|one| one.symbol == self.symbol);
        let mut before = all().filter(|one| one.span.start <= self.span.start);
        before.next_back().or_else(|| all().next()).cloned()
    }
}

/// The place where the name at a position is defined.
pub(super) fn definition(
    document: &Document,
    position: &Value,
    files: &Files<'_>,
) -> Option<Value> {
    let target = Target::at(document, position)?;
    let (file, definition) = target.definition(document, files)?;
    let range = range(&file.parsed.file, definition.span);
    Some(json!({ "uri": files.uri(&file.path), "range": range }))
}

/// The definition of the name at a position, as YAML.
pub(super) fn value(document: &Document, position: &Value, files: &Files<'_>) -> Option<String> {
    let target = Target::at(document, position)?;
    let (file, definition) = target.definition(document, files)?;
    let source = &file.parsed.file;
    let (name, value) = (
        source.slice(definition.span),
        source.slice(definition.value),
    );
    let line = source.position(definition.value.start).line;
    // A block is shown with the indentation of its first line.
    let before = source.line(line).len() - source.line(line).trim_start().len();
    let is_block = value.contains('\n') && !value.starts_with(['|', '>', '{', '[', '"', '\'']);
    let separator = if is_block {
        format!("\n{}", " ".repeat(before))
    } else {
        " ".to_owned()
    };
    let text = format!("```yaml\n{name}:{separator}{}\n```", value.trim_end());
    if file.path == document.path {
        return Some(text);
    }
    let path = file.path.strip_prefix(files.dir).unwrap_or(&file.path);
    Some(format!("{text}\n\n{}", path.display()))
}

/// All places of the name at a position.
pub(super) fn references(
    document: &Document,
    position: &Value,
    files: &Files<'_>,
) -> Option<Vec<Value>> {
    let target = Target::at(document, position)?;
    let found = target.files(document, files);
    let found = found.iter().flat_map(|file| {
        let uri = files.uri(&file.path);
        let places = file.parsed.symbols.places(&target.symbol).into_iter();
        places.map(move |span| json!({ "uri": uri, "range": range(&file.parsed.file, span) }))
    });
    Some(found.collect())
}

/// The name that would be renamed.
pub(super) fn prepare_rename(
    document: &Document,
    position: &Value,
    files: &Files<'_>,
) -> Option<Value> {
    let target = Target::at(document, position)?;
    target.definition(document, files)?;
    let range = range(&target.parsed.file, target.span);
    Some(json!({ "range": range, "placeholder": target.symbol.name }))
}

/// The changes that give the name at a position another one. The error tells the user why that is not possible.
pub(super) fn rename(
    document: &Document,
    position: &Value,
    new_name: &str,
    files: &Files<'_>,
) -> Result<Value, String> {
    let target = Target::at(document, position)
        .ok_or("nothing here can be renamed: only variables, fragments, captured values, services, criteria and topics")?;
    let (noun, symbol) = (target.symbol.kind.noun(), &target.symbol);
    if target.definition(document, files).is_none() {
        return Err(format!("the {noun} `{}` is not defined", symbol.name));
    }
    if !is_valid(symbol.kind, new_name) {
        return Err(format!("`{new_name}` cannot be the name of a {noun}"));
    }
    let found = target.files(document, files);
    if new_name != symbol.name && found.iter().any(|file| is_taken(file, symbol, new_name)) {
        return Err(format!("`{new_name}` is already defined"));
    }
    let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for file in &found {
        let places = file.parsed.symbols.places(symbol).into_iter();
        let edits = places
            .map(|span| json!({ "range": range(&file.parsed.file, span), "newText": new_name }));
        let edits: Vec<_> = edits.collect();
        if !edits.is_empty() {
            changes.insert(files.uri(&file.path), edits);
        }
    }
    Ok(json!({ "changes": changes }))
}

fn is_valid(kind: Kind, name: &str) -> bool {
    if kind == Kind::Value {
        let is_reserved = ["bashi_", "casebook_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        return is_name(name) && !is_reserved;
    }
    is_name(&name.replace('-', "_")) && !name.starts_with('-')
}

/// Whether the file defines this name at a place where it would hide the other, or be hidden.
fn is_taken(file: &ProjectFile, symbol: &Symbol, name: &str) -> bool {
    file.parsed.symbols.definitions.iter().any(|one| {
        let (own, other) = (symbol.scope, one.symbol.scope);
        let meets = own == other || own.is_none() || other.is_none();
        one.symbol.kind == symbol.kind && one.symbol.name == name && meets
    })
}
