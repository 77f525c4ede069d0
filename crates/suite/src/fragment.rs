//! Fragments: fields that tests reuse with `$ref`.

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

    /// The fields of a test with those of its fragments. A later reference overrides an earlier one, and the test's own
    /// fields override both. Fields are replaced, not merged.
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
                self.fragment_fields(name, path, problems)
                    .into_iter()
                    .for_each(|field| set(&mut fields, field));
            }
        }
        own.iter()
            .filter(|entry| entry.key != "$ref")
            .for_each(|field| set(&mut fields, field));
        fields
    }

    fn fragment_fields(
        &self,
        reference: &'a Node<'a>,
        path: &mut Vec<&'a str>,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<&'a Entry<'a>> {
        let text = reference.as_text().unwrap_or_default();
        let name = text.strip_prefix("#/fragments/").unwrap_or(text);
        let Some(fragment) = self.all.iter().find(|fragment| fragment.key == name) else {
            let suggestion = closest_match(name, self.all.iter().map(|fragment| &*fragment.key));
            let unknown = Diagnostic::error(
                UNKNOWN_FRAGMENT,
                reference.span,
                format!("unknown fragment `{name}`"),
            );
            problems
                .push(unknown.maybe_help(suggestion.map(|name| format!("did you mean `{name}`?"))));
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
