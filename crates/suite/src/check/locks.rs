//! Decodes `locks`.

use casebook_source::yaml::{Node, NodeKind};

use crate::codes::BAD_LOCK;
use crate::model::Lock;
use crate::reader::Reader;

/// The locks of a suite or a test: names, and `NAME: shared`.
pub(super) fn locks(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Lock> {
    let Some(nodes) = node.as_list() else {
        reader.not_a_list("locks", node);
        return Vec::new();
    };
    if nodes.is_empty() {
        let message = "`locks` must contain at least one name".to_owned();
        reader
            .type_error(node, message)
            .help_last("add a name, or remove the field");
    }
    let mut locks: Vec<Lock> = Vec::new();
    for node in nodes {
        let Some(lock) = lock(node, reader) else {
            continue;
        };
        if locks.iter().any(|known| known.name == lock.name) {
            let message = format!("the lock `{}` is named twice", lock.name);
            reader
                .note(BAD_LOCK, node.span, message)
                .help_last("keep one of them");
        } else {
            locks.push(lock);
        }
    }
    locks
}

fn lock(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Lock> {
    let NodeKind::Map(entries) = &node.kind else {
        return reader.non_empty_text("locks", node).map(|name| Lock {
            name,
            is_shared: false,
        });
    };
    let [entry] = entries.as_slice() else {
        let message = "a lock must be a name, or a name with `shared`";
        reader
            .note(BAD_LOCK, node.span, message)
            .help_last("write `- NAME` or `- NAME: shared`");
        return None;
    };
    let name = reader.expand(&entry.key, entry.key_span)?;
    if name.trim().is_empty() {
        reader.note(
            BAD_LOCK,
            entry.key_span,
            "the name of a lock must not be empty",
        );
        return None;
    }
    let mode = reader.text(&entry.key, &entry.value)?;
    if mode != "shared" {
        let message = format!("a lock can be `shared`, not `{mode}`");
        reader
            .note(BAD_LOCK, entry.value.span, message)
            .help_last(&format!(
                "write `{name}` for a lock that no other test shares"
            ));
        return None;
    }
    Some(Lock {
        name,
        is_shared: true,
    })
}

/// The locks of a test: those of its suite and its own. For a lock in both, the test decides whether it is shared. In the order of
/// their names.
pub(super) fn merged(of_suite: &[Lock], own: Vec<Lock>) -> Vec<Lock> {
    let is_own = |lock: &&Lock| own.iter().any(|known| known.name == lock.name);
    let inherited = of_suite.iter().filter(|lock| !is_own(lock)).cloned();
    let mut all: Vec<_> = inherited.collect();
    all.extend(own);
    all.sort();
    all
}
