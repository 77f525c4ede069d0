//! Decodes the working directory of a test and the variables that are removed from its environment.

use casebook_source::yaml::Node;
use casebook_source::{Diagnostic, Span};

use crate::codes::{BAD_NAME, CONFLICT, VACUOUS};
use crate::expand::is_name;
use crate::fields::WORKDIR;
use crate::model::{LocatedPath, Workdir};
use crate::reader::Reader;

/// A path, `{copy: FOLDER}` or `{empty: true}`.
pub(super) fn workdir(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Workdir> {
    if node.as_map().is_none() {
        return reader.located_path("workdir", node).map(Workdir::At);
    }
    let entries = reader.object("`workdir`", "workdir", node, WORKDIR);
    if let [_, second] = entries {
        let message = "`workdir` has `copy` or `empty`, not both";
        reader
            .note(CONFLICT, second.key_span, message)
            .help_last("remove one of them");
        return None;
    }
    if let Some(folder) = node.get("copy") {
        return reader.located_path("copy", folder).map(Workdir::Copy);
    }
    let is_empty = node.get("empty").map(|empty| reader.bool("empty", empty));
    let is_pointless = is_empty == Some(Some(false)) || entries.is_empty();
    if is_pointless {
        reader
            .note(VACUOUS, node.span, "`workdir` has no effect")
            .help_last("write a path, `{copy: FOLDER}` or `{empty: true}`");
    }
    (is_empty == Some(Some(true))).then_some(Workdir::Empty)
}

/// The working directory of a step, which is one that exists.
pub(super) fn of_step(node: &Node, reader: &mut Reader<'_, '_>) -> Option<LocatedPath> {
    if node.as_map().is_some() {
        let message = "the `workdir` of a step must be a path, not a mapping".to_owned();
        reader.type_error(node, message).help_last(
            "move it to the test: `copy` and `empty` make a directory for all its steps",
        );
        return None;
    }
    reader.located_path("workdir", node)
}

/// The names of variables to remove. `env` must not set the same ones.
pub(super) fn unset(node: &Node, env: Option<&Node>, reader: &mut Reader<'_, '_>) -> Vec<String> {
    let names = reader.list("unset", node);
    for name in &names {
        if !is_name(&name.text) {
            let message = format!(
                "`{}` is not a valid name of an environment variable",
                name.text
            );
            reader
                .note(BAD_NAME, name.span, message)
                .help_last("a name is a letter or _, then letters, digits and _");
        }
        if let Some(set) = env.and_then(|env| key_span(env, &name.text)) {
            let message = format!("`{}` is both set and removed", name.text);
            let problem = Diagnostic::error(CONFLICT, name.span, message)
                .label(set, "set here")
                .help("remove it from `env` or from `unset`");
            reader.problems.push(problem);
        }
    }
    names.into_iter().map(|name| name.text).collect()
}

fn key_span(node: &Node, key: &str) -> Option<Span> {
    let mut entries = node.as_map()?.iter();
    entries
        .find(|entry| entry.key == key)
        .map(|entry| entry.key_span)
}
