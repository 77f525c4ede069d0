//! How groups are built.

use std::collections::BTreeMap;

use super::{About, Review, Severity};
use crate::outline::{Example, Group, Piece};

/// A top-level group and everything in it.
pub(super) fn check(top: &Group, about: &About<'_>, review: &mut Review) {
    group(top, about, review);
    depth(top, review);
    invariant(top, review);
}

fn group(group_: &Group, about: &About<'_>, review: &mut Review) {
    subjects(group_, review);
    duplicates(group_, review);
    let is_method = group_.kind == "describe" && group_.description.starts_with(['#', '.']);
    if is_method && variations(group_) < 2 {
        review.add(
            "both-directions",
            group_.line,
            format!("{} has one variation", group_.description),
        );
    }
    if group_.kind == "context"
        && group_
            .pieces
            .iter()
            .all(|piece| piece.kind.starts_with("subject") || piece.kind == "after")
        && group_.includes.is_empty()
    {
        review.add(
            "context-setup",
            group_.line,
            format!("context '{}' sets up nothing", group_.description),
        );
    }
    for example in group_.examples() {
        long(example, about, review);
    }
    for inner in group_.groups() {
        group(inner, about, review);
    }
}

/// How many leaves there are below a method.
fn variations(group: &Group) -> usize {
    group.examples().count() + group.includes.len() + group.groups().map(variations).sum::<usize>()
}

fn subjects(group: &Group, review: &mut Review) {
    for piece in group
        .pieces
        .iter()
        .filter(|piece| piece.kind.starts_with("subject"))
    {
        if piece.name.is_none() {
            review.add("named-subject", piece.line, "the subject has no name");
        } else if group.kind == "context" {
            review.add(
                "named-subject",
                piece.line,
                "the subject stands in a context",
            );
        }
    }
}

/// The same let or hook in sibling contexts.
fn duplicates(group: &Group, review: &mut Review) {
    let siblings: Vec<&Group> = group
        .groups()
        .filter(|inner| inner.kind == "context")
        .collect();
    if siblings.len() < 2 {
        return;
    }
    let mut seen: BTreeMap<(&str, Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for sibling in &siblings {
        for piece in sibling.pieces.iter().filter(|piece| is_setup(piece)) {
            let kind = if piece.kind == "before" {
                "before"
            } else {
                "let"
            };
            seen.entry((kind, piece.name.as_deref(), piece.code.as_str()))
                .or_default()
                .push(piece.line);
        }
    }
    for ((kind, name, _), lines) in seen {
        if lines.len() < 2 {
            continue;
        }
        let slug = if kind == "before" {
            "duplicate-before"
        } else {
            "duplicate-let"
        };
        let is_everywhere = lines.len() == siblings.len();
        let severity = if is_everywhere {
            Severity::Violation
        } else {
            Severity::Warning
        };
        let what = name.map_or_else(|| "the hook".to_owned(), |name| format!("`{name}`"));
        let issue = format!(
            "{what} is the same in {} of {} contexts",
            lines.len(),
            siblings.len()
        );
        review.add_as(slug, severity, lines[0], issue);
    }
}

fn is_setup(piece: &Piece) -> bool {
    matches!(piece.kind.as_str(), "let" | "let!" | "before")
}

/// Deeper than 3 groups below the method, or than 4 levels in all.
fn depth(top: &Group, review: &mut Review) {
    fn deepest(group: &Group, below_method: Option<usize>, worst: &mut Option<(usize, usize)>) {
        let below = match below_method {
            Some(below) => Some(below + 1),
            None if group.description.starts_with(['#', '.']) => Some(0),
            None => None,
        };
        let is_too_deep = below.is_some_and(|below| below > 3) || group.depth > 4;
        if is_too_deep && worst.is_none_or(|(_, depth)| group.depth > depth) {
            *worst = Some((group.line, group.depth));
        }
        for inner in group.groups() {
            deepest(inner, below, worst);
        }
    }
    let mut worst = None;
    deepest(top, None, &mut worst);
    if let Some((line, depth)) = worst {
        review.add(
            "depth",
            line,
            format!("groups are nested {} levels deep", depth + 1),
        );
    }
}

fn long(example: &Example, about: &About<'_>, review: &mut Review) {
    let inside = (example.last_line - example.line).saturating_sub(1);
    let may_be_long = ["spec/requests/", "spec/system/", "spec/features/"]
        .iter()
        .any(|folder| about.path.contains(folder));
    if inside > 10 && !may_be_long {
        review.add(
            "long-example",
            example.line,
            format!("the example has {inside} lines"),
        );
    }
}

/// The same example in every leaf, three leaves or more.
fn invariant(top: &Group, review: &mut Review) {
    fn leaves<'g>(group: &'g Group, found: &mut Vec<&'g Group>) {
        if group.groups().next().is_none() && group.examples().next().is_some() {
            found.push(group);
        }
        for inner in group.groups() {
            leaves(inner, found);
        }
    }
    let mut found = Vec::new();
    leaves(top, &mut found);
    let Some((first, others)) = found.split_first().filter(|(_, others)| others.len() >= 2) else {
        return;
    };
    for example in first
        .examples()
        .filter(|example| example.description != "unknown")
    {
        let is_everywhere = others.iter().all(|leaf| {
            leaf.examples()
                .any(|other| other.description == example.description)
        });
        if is_everywhere {
            review.add(
                "invariant-example",
                example.line,
                format!("'{}' stands in every context", example.description),
            );
        }
    }
}
