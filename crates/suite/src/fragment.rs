//! Fragments: fields that tests reuse with `$ref`.

use std::cell::RefCell;
use std::collections::HashMap;

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Diagnostic, closest_match};

use crate::codes::{UNKNOWN_FRAGMENT, WRONG_VALUE};
use crate::expand::cycle;

/// The fragments of a suite, by name.
pub(crate) struct Fragments<'a> {
    pub(crate) all: Vec<&'a Entry<'a>>,
    /// The fields of fragments that are already resolved, by name. Their problems are already reported.
    resolved: RefCell<HashMap<&'a str, Applied<'a>>>,
}

/// The fields of a test with those of its fragments.
#[derive(Clone, Default)]
pub(crate) struct Applied<'a> {
    pub(crate) fields: Vec<&'a Entry<'a>>,
    /// Whether fields are missing, because a reference could not be resolved.
    pub(crate) is_incomplete: bool,
}

impl<'a> Fragments<'a> {
    pub(crate) fn new(all: Vec<&'a Entry<'a>>) -> Fragments<'a> {
        Fragments {
            all,
            resolved: RefCell::default(),
        }
    }

    /// The fields of a test with those of its fragments. A later reference overrides an earlier one, and the test's own
    /// fields override both. Fields are replaced, not merged.
    pub(crate) fn apply<'t>(
        &self,
        test: &'t [Entry<'t>],
        problems: &mut Vec<Diagnostic>,
    ) -> Applied<'t>
    where
        'a: 't,
    {
        self.fields(test, &mut Vec::new(), problems)
    }

    /// The fields of a fragment with those of the fragments it refers to.
    pub(crate) fn apply_to_fragment(
        &self,
        fragment: &'a Entry<'a>,
        problems: &mut Vec<Diagnostic>,
    ) -> Applied<'a> {
        self.resolve(fragment, &mut Vec::new(), problems)
    }

    fn fields<'t>(
        &self,
        own: &'t [Entry<'t>],
        path: &mut Vec<&'a str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Applied<'t>
    where
        'a: 't,
    {
        let mut applied = Applied::default();
        for reference in own.iter().filter(|entry| entry.key == "$ref") {
            let before = problems.len();
            for name in references(&reference.value, problems) {
                let fragment = self.fragment_fields(name, path, problems);
                applied.is_incomplete |= fragment.is_incomplete;
                for field in fragment.fields {
                    set(&mut applied.fields, field);
                }
            }
            applied.is_incomplete |= problems.len() > before;
        }
        own.iter()
            .filter(|entry| entry.key != "$ref")
            .for_each(|field| set(&mut applied.fields, field));
        applied
    }

    fn fragment_fields(
        &self,
        reference: &Node,
        path: &mut Vec<&'a str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Applied<'a> {
        let unresolved = Applied {
            is_incomplete: true,
            ..Applied::default()
        };
        let text = reference.as_text().unwrap_or_default();
        let name = text.strip_prefix("#/fragments/").unwrap_or(text);
        let Some(fragment) = self.all.iter().find(|fragment| fragment.key == name) else {
            problems.push(self.unknown(name, reference));
            return unresolved;
        };
        if let Some(start) = path.iter().position(|visited| *visited == name) {
            problems.push(cycle(&path[start..], name, reference.span));
            return unresolved;
        }
        self.resolve(fragment, path, problems)
    }

    fn resolve(
        &self,
        fragment: &'a Entry<'a>,
        path: &mut Vec<&'a str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Applied<'a> {
        let name = &*fragment.key;
        if let Some(known) = self.resolved.borrow().get(name) {
            return known.clone();
        }
        path.push(name);
        let applied = self.fields(fragment.value.as_map().unwrap_or_default(), path, problems);
        path.pop();
        self.resolved.borrow_mut().insert(name, applied.clone());
        applied
    }

    fn unknown(&self, name: &str, reference: &Node) -> Diagnostic {
        let names = || self.all.iter().map(|fragment| &*fragment.key);
        let help = if name.contains(['#', '/']) {
            "a `$ref` names a fragment of this file: `NAME` or `#/fragments/NAME`".to_owned()
        } else if let Some(name) = closest_match(name, names()) {
            format!("did you mean `{name}`?")
        } else {
            "define it under `fragments:`".to_owned()
        };
        let message = format!("unknown fragment `{name}`");
        Diagnostic::error(UNKNOWN_FRAGMENT, reference.span, message).help(help)
    }
}

/// The names in a `$ref`: one, or a list of them.
fn references<'a>(value: &'a Node<'a>, problems: &mut Vec<Diagnostic>) -> Vec<&'a Node<'a>> {
    let names: Vec<&Node> = match &value.kind {
        NodeKind::List(nodes) => nodes.iter().collect(),
        _ => vec![value],
    };
    let (texts, others): (Vec<_>, Vec<_>) = names
        .into_iter()
        .partition(|name| name.as_text().is_some() && !name.is_null());
    problems.extend(others.iter().map(|other| {
        let message = format!(
            "`$ref` must be the name of a fragment or a list of names, not {}",
            other.describe()
        );
        Diagnostic::error(WRONG_VALUE, other.span, message)
    }));
    texts
}

fn set<'a>(fields: &mut Vec<&'a Entry<'a>>, field: &'a Entry<'a>) {
    match fields.iter_mut().find(|known| known.key == field.key) {
        Some(known) => *known = field,
        None => fields.push(field),
    }
}
