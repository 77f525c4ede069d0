//! Fragments: parts of tests that others take over with `$ref`. Pass 2 of the format.

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Diagnostic, closest_match};

use crate::codes::{UNKNOWN_FRAGMENT, WRONG_VALUE};
use crate::expand::cycle;

/// The fragments of a suite, by name.
pub(crate) struct Fragments<'a> {
    all: Vec<&'a Entry<'a>>,
}

impl<'a> Fragments<'a> {
    pub(crate) fn new(all: Vec<&'a Entry<'a>>) -> Fragments<'a> {
        Fragments { all }
    }

    /// The fields of a test with those of its fragments: a later reference wins over an earlier one, and the test's
    /// own fields win over all. A field is taken over or replaced whole.
    pub(crate) fn apply(
        &self,
        test: &'a [Entry<'a>],
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<&'a Entry<'a>> {
        self.fields(test, &mut Vec::new(), problems)
    }

    fn fields(
        &self,
        own: &'a [Entry<'a>],
        path: &mut Vec<&'a str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<&'a Entry<'a>> {
        let mut fields = Vec::new();
        for reference in own.iter().filter(|entry| entry.key == "$ref") {
            for name in references(&reference.value, problems) {
                self.referred(name, path, problems)
                    .into_iter()
                    .for_each(|field| put(&mut fields, field));
            }
        }
        own.iter()
            .filter(|entry| entry.key != "$ref")
            .for_each(|field| put(&mut fields, field));
        fields
    }

    fn referred(
        &self,
        reference: &'a Node<'a>,
        path: &mut Vec<&'a str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<&'a Entry<'a>> {
        let text = reference.as_text().unwrap_or_default();
        let name = text.strip_prefix("#/fragments/").unwrap_or(text);
        let Some(fragment) = self.all.iter().find(|fragment| fragment.key == name) else {
            let near = closest_match(name, self.all.iter().map(|fragment| &*fragment.key));
            let unknown = Diagnostic::error(
                UNKNOWN_FRAGMENT,
                reference.span,
                format!("there is no fragment `{name}`"),
            );
            problems.push(unknown.maybe_help(near.map(|near| format!("did you mean `{near}`?"))));
            return Vec::new();
        };
        if let Some(start) = path.iter().position(|visited| *visited == name) {
            problems.push(cycle(&path[start..], name, reference.span));
            return Vec::new();
        }
        path.push(&fragment.key);
        let fields = self.fields(fragment.value.as_map().unwrap_or_default(), path, problems);
        path.pop();
        fields
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
            "`$ref` takes the name of a fragment or a list of them, not {}",
            other.describe()
        );
        Diagnostic::error(WRONG_VALUE, other.span, message)
    }));
    texts
}

fn put<'a>(fields: &mut Vec<&'a Entry<'a>>, field: &'a Entry<'a>) {
    match fields.iter_mut().find(|known| known.key == field.key) {
        Some(known) => *known = field,
        None => fields.push(field),
    }
}
