//! The definitions of included files, and which of them a file gets.

use std::collections::{HashMap, HashSet};

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Diagnostic, SourceFile, Span};

use super::load::{IncludedFile, Inclusion};
use super::{LIST, MAPPINGS};
use crate::codes::INCLUDE_CONFLICT;
use crate::scenario::as_json;

/// The fields with paths relative to the file that they are in.
const PATHS: [&str; 8] = [
    "workdir",
    "copy",
    "scenarios",
    "equalsFile",
    "equalsFolder",
    "outputEqualsFile",
    "stdoutEqualsFile",
    "stderrEqualsFile",
];

/// A definition in an included file.
#[derive(Clone, Copy)]
pub(super) struct Definition<'r, 'f> {
    /// The field that it is in: `variables`.
    pub(super) field: &'r Entry<'f>,
    entry: &'r Entry<'f>,
}

/// A definition's field and name.
type Key<'r> = (&'r str, &'r str);

impl<'r> Definition<'r, '_> {
    fn key(&self) -> Key<'r> {
        (&self.field.key, &self.entry.key)
    }
}

/// Collects the definitions that files get from those they include.
pub(super) struct Definitions<'r, 'f> {
    suite: &'f SourceFile,
    roots: &'r [Node<'f>],
    files: &'r [IncludedFile],
    /// The definitions of each file with those of its includes, if already known.
    known: Vec<Option<Vec<Definition<'r, 'f>>>>,
    pub(super) problems: Vec<Diagnostic>,
}

impl<'r, 'f> Definitions<'r, 'f> {
    pub(super) fn new(
        suite: &'f SourceFile,
        roots: &'r [Node<'f>],
        files: &'r [IncludedFile],
    ) -> Definitions<'r, 'f> {
        Definitions {
            suite,
            roots,
            files,
            known: vec![None; files.len()],
            problems: Vec::new(),
        }
    }

    /// What a file with this root gets from its includes: everything that it does not define itself.
    pub(super) fn imported(
        &mut self,
        root: &Node,
        includes: &[Inclusion],
    ) -> Vec<Definition<'r, 'f>> {
        let own: HashSet<Key> = definitions(root).map(|one| one.key()).collect();
        let mut imported: Vec<Definition> = Vec::new();
        let mut indexes: HashMap<Key, usize> = HashMap::new();
        for inclusion in includes {
            for definition in self.of_file(inclusion.file) {
                let key = definition.key();
                if own.contains(&key) {
                    continue;
                }
                if let Some(index) = indexes.get(&key) {
                    self.compare(imported[*index], definition, inclusion.span);
                } else {
                    indexes.insert(key, imported.len());
                    imported.push(definition);
                }
            }
        }
        imported
    }

    /// The definitions of an included file, with those it includes.
    fn of_file(&mut self, index: usize) -> Vec<Definition<'r, 'f>> {
        if let Some(known) = &self.known[index] {
            return known.clone();
        }
        let root = &self.roots[index];
        let mut all: Vec<_> = definitions(root).collect();
        all.extend(self.imported(root, &self.files[index].includes));
        self.known[index] = Some(all.clone());
        all
    }

    /// The elements of the lists of all included files, each file once, after those it includes.
    pub(super) fn lists(&self, includes: &[Inclusion]) -> Vec<(&'r Entry<'f>, &'r Node<'f>)> {
        let (mut order, mut seen) = (Vec::new(), HashSet::new());
        self.visit(includes, &mut seen, &mut order);
        let fields = order.into_iter().filter_map(|index: usize| {
            let entries = self.roots[index].as_map()?;
            entries.iter().find(|entry| entry.key == LIST)
        });
        let elements = fields.flat_map(|field| {
            let nodes = field.value.as_list().unwrap_or_default();
            nodes.iter().map(move |node| (field, node))
        });
        elements.collect()
    }

    fn visit(&self, includes: &[Inclusion], seen: &mut HashSet<usize>, order: &mut Vec<usize>) {
        for Inclusion { file, .. } in includes {
            if seen.insert(*file) {
                self.visit(&self.files[*file].includes, seen, order);
                order.push(*file);
            }
        }
    }

    /// Reports two definitions of one name that differ.
    fn compare(&mut self, one: Definition<'_, 'f>, other: Definition<'_, 'f>, span: Span) {
        if self.are_same(one, other) {
            return;
        }
        let (field, name) = one.key();
        let [first, second] = [one, other].map(|definition| {
            let (file, span) = self.suite.locate(definition.entry.key_span);
            format!("{}:{}", file.name(), file.position(span.start).line)
        });
        let message =
            format!("`{name}` of `{field}` is defined differently in {first} and {second}");
        let help = "define it in the file with this `include`, which then decides, or rename one of the two";
        self.problems
            .push(Diagnostic::error(INCLUDE_CONFLICT, span, message).help(help));
    }

    /// Whether two definitions mean the same. Relative paths mean different files in different directories.
    fn are_same(&self, one: Definition<'_, 'f>, other: Definition<'_, 'f>) -> bool {
        let dir = |definition: Definition<'_, 'f>| {
            let (file, _) = self.suite.locate(definition.entry.key_span);
            std::path::Path::new(file.name()).parent()
        };
        std::ptr::eq(one.entry, other.entry)
            || as_json(&one.entry.value) == as_json(&other.entry.value)
                && (dir(one) == dir(other) || !has_paths(&one.entry.value))
    }
}

fn has_paths(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Scalar(_) => false,
        NodeKind::List(nodes) => nodes.iter().any(has_paths),
        NodeKind::Map(entries) => entries
            .iter()
            .any(|entry| PATHS.contains(&&*entry.key) || has_paths(&entry.value)),
    }
}

/// The definitions in a file itself.
fn definitions<'r, 'f>(root: &'r Node<'f>) -> impl Iterator<Item = Definition<'r, 'f>> {
    let fields = root.as_map().unwrap_or_default().iter();
    let fields = fields.filter(|field| MAPPINGS.contains(&&*field.key));
    fields.flat_map(|field| {
        let entries = field.value.as_map().unwrap_or_default().iter();
        entries.map(move |entry| Definition { field, entry })
    })
}

/// Adds definitions to a field of the root, after those of the suite.
pub(super) fn add_entries<'r, 'f: 'r>(
    root: &mut Node<'f>,
    mut imported: impl Iterator<Item = &'r Definition<'r, 'f>>,
) {
    let Some(first) = imported.next() else { return };
    let kind = NodeKind::Map(Vec::new());
    if let Some(NodeKind::Map(entries)) = field(root, first.field, kind) {
        let all = std::iter::once(first).chain(imported);
        entries.extend(all.map(|definition| definition.entry.clone()));
    }
}

/// Adds the elements of lists to the root, before those of the suite.
pub(super) fn add_elements<'f>(root: &mut Node<'f>, imported: &[(&Entry<'f>, &Node<'f>)]) {
    let Some((first, _)) = imported.first() else {
        return;
    };
    let kind = NodeKind::List(Vec::new());
    if let Some(NodeKind::List(nodes)) = field(root, first, kind) {
        let imported = imported.iter().map(|(_, node)| (*node).clone());
        nodes.splice(0..0, imported);
    }
}

/// The value of a field of the root. If there is none, it is added as an empty one, at the location of the included field.
fn field<'m, 'f>(
    root: &'m mut Node<'f>,
    included: &Entry<'f>,
    kind: NodeKind<'f>,
) -> Option<&'m mut NodeKind<'f>> {
    let NodeKind::Map(fields) = &mut root.kind else {
        return None;
    };
    let known = fields.iter().position(|field| field.key == included.key);
    let index = known.unwrap_or(fields.len());
    if known.is_none() {
        let span = included.value.span;
        fields.push(Entry {
            key: included.key.clone(),
            key_span: included.key_span,
            value: Node { span, kind },
        });
    }
    Some(&mut fields[index].value.kind)
}

/// The root of a file that could not be read.
pub(super) fn empty<'f>(start: usize) -> Node<'f> {
    Node {
        span: Span::new(start, start),
        kind: NodeKind::Map(Vec::new()),
    }
}
