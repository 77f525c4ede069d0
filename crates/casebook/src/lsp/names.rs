//! Names that a suite defines and uses: variables and fragments.

use casebook_source::yaml::{self, Entry, Node};
use casebook_source::{SourceFile, Span};
use serde_json::Value;

use super::position::place;

/// A use of a name.
#[derive(Debug, PartialEq, Eq)]
struct Use<'t> {
    /// The field that defines it.
    field: &'static str,
    name: &'t str,
}

/// Where a name is defined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Definition {
    pub(super) name: Span,
    pub(super) value: Span,
}

/// The definition of the name at a position, in the same file.
pub(super) fn definition(file: &SourceFile, position: &Value) -> Option<Definition> {
    let (line, offset) = place(file.text(), position)?;
    let used = used_at(line, offset)?;
    let begin = usize::try_from(position["line"].as_u64()?).ok()?;
    let parsed = yaml::parse(file);
    let suite = parsed.documents.first()?;
    let tests = suite.get("tests").and_then(Node::as_list);
    let at_line = |test: &&Node<'_>| {
        let lines = [test.span.start, test.span.end].map(|at| file.position(at).line);
        (lines[0]..=lines[1]).contains(&(begin + 1))
    };
    let test = tests.into_iter().flatten().find(at_line);
    let scopes = test.into_iter().chain([suite]);
    let mut fields = scopes.filter_map(|scope| scope.get(used.field)?.as_map());
    fields.find_map(|entries| defined(entries, used.name))
}

fn defined(entries: &[Entry<'_>], name: &str) -> Option<Definition> {
    let entry = entries.iter().find(|entry| entry.key == name)?;
    Some(Definition {
        name: entry.key_span,
        value: entry.value.span,
    })
}

/// The name in `{{name}}` or after `$ref:` at an offset of a line.
fn used_at(line: &str, offset: usize) -> Option<Use<'_>> {
    if let Some(start) = line[..offset].rfind("{{")
        && let Some(length) = line[start..].find("}}")
        && offset <= start + length
    {
        let name = line[start + 2..start + length].trim();
        return Some(Use {
            field: "variables",
            name,
        });
    }
    let (before, _) = line.split_once("$ref:")?;
    if offset < before.len() {
        return None;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let start = line[..offset].rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
    let length = line[start..].find(|c| !is_name(c));
    let name = &line[start..length.map_or(line.len(), |length| start + length)];
    Some(Use {
        field: "fragments",
        name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_at_every_place_in_them() {
        let line = "  command: 'a {{ user }} b', $ref: [one, \"two\"]";
        let at = |text: &str| line.find(text).unwrap();
        let used = |offset| used_at(line, offset).map(|one| (one.field, one.name));
        assert_eq!(used(at("user") + 2), Some(("variables", "user")));
        assert_eq!(used(at("one") + 1), Some(("fragments", "one")));
        assert_eq!(used(at("two") + 3), Some(("fragments", "two")));
        assert_eq!(used(at("command")), None);
    }
}
