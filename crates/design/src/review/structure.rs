//! Checks how groups are structured.

use std::collections::BTreeMap;

use super::{Review, Severity};
use crate::metadata::read::Plan;
use crate::outline::{Example, Group, SetupBlock};

/// Checks an outermost group and everything in it.
pub(super) fn check(top: &Group, plans: &[Plan], review: &mut Review) {
    group(top, plans, review);
    depth(top, review);
    invariant(top, review);
}

fn group(parent: &Group, plans: &[Plan], review: &mut Review) {
    subjects(parent, review);
    duplicates(parent, review);
    both_directions(parent, plans, review);
    context_setup(parent, review);
    for inner in parent.groups().chain(&parent.shared) {
        group(inner, plans, review);
    }
}

fn both_directions(group: &Group, plans: &[Plan], review: &mut Review) {
    // A class with separate groups for its methods is not a variation.
    let has_method_groups = group.groups().any(|inner| inner.kind == "describe");
    // Nothing varies in a method without characteristics.
    let has_no_variation = plans
        .iter()
        .any(|plan| plan.entries.is_empty() && plan.short() == group.description);
    let is_exempt = has_method_groups || has_no_variation;
    let count = variations(group);
    if group.kind == "describe" && !is_exempt && count < 2 {
        let count = if count == 1 { "one" } else { "no" };
        review.add(
            "both-directions",
            group.line,
            format!("{} has {count} variation", group.description),
        );
    }
}

/// The number of states below a group, plus its examples that are not in a context.
fn variations(group: &Group) -> usize {
    let inner = group.groups().map(|inner| variations(inner).max(1));
    let own = group.examples().count() + group.includes.len();
    let own = if group.kind == "context" {
        own.min(1)
    } else {
        own
    };
    own + inner.sum::<usize>()
}

fn context_setup(group: &Group, review: &mut Review) {
    let sets_up = group.setup_blocks.iter().any(is_setup) || group.setups_included > 0;
    if group.kind == "context" && !sets_up && !group.is_unfinished() {
        review.add(
            "context-setup",
            group.line,
            format!("context '{}' sets up nothing", group.description),
        );
    }
}

fn subjects(group: &Group, review: &mut Review) {
    for block in group
        .setup_blocks
        .iter()
        .filter(|block| block.kind.starts_with("subject"))
    {
        if block.name.is_none() {
            review.add("named-subject", block.line, "the subject has no name");
        } else if group.kind == "context" {
            review.add(
                "named-subject",
                block.line,
                "the subject is defined in a context",
            );
        }
    }
}

/// Reports the same `let` or hook in sibling contexts.
fn duplicates(group: &Group, review: &mut Review) {
    let siblings: Vec<&Group> = group
        .groups()
        .filter(|inner| inner.kind == "context")
        .collect();
    if siblings.len() < 2 {
        return;
    }
    for ((slug, name, _), lines) in setup_lines(&siblings) {
        let is_known = slug == "duplicate-before" || name.is_some();
        let Some(first) = lines
            .values()
            .next()
            .filter(|_| is_known && lines.len() > 1)
        else {
            continue;
        };
        let is_everywhere = lines.len() == siblings.len();
        // The other contexts use the value of the parent, so this one cannot move there.
        if !is_everywhere && name.is_some() && sets_up(group, name) {
            continue;
        }
        let severity = if is_everywhere {
            Severity::Violation
        } else {
            Severity::Warning
        };
        let what = match name {
            Some(name) if slug == "duplicate-let" => format!("`{name}`"),
            _ => "the hook".to_owned(),
        };
        let (count, all) = (lines.len(), siblings.len());
        let issue = format!("{what} is the same in {count} of {all} contexts");
        review.add_as(slug, severity, *first, issue);
    }
}

/// Check, name and code of a `let` or hook.
type SetupKey<'g> = (&'static str, Option<&'g str>, &'g str);

/// The first line of each `let` and hook, by context index.
fn setup_lines<'g>(siblings: &[&'g Group]) -> BTreeMap<SetupKey<'g>, BTreeMap<usize, usize>> {
    let mut seen: BTreeMap<SetupKey<'g>, BTreeMap<usize, usize>> = BTreeMap::new();
    for (index, sibling) in siblings.iter().enumerate() {
        for block in sibling.setup_blocks.iter().filter(|block| is_setup(block)) {
            let same = seen.entry((slug(block), block.name.as_deref(), &block.code));
            same.or_default().entry(index).or_insert(block.line);
        }
    }
    seen
}

/// Whether the group itself has a block of that name.
fn sets_up(group: &Group, name: Option<&str>) -> bool {
    let mut blocks = group.setup_blocks.iter();
    blocks.any(|own| own.name.as_deref() == name)
}

fn is_setup(block: &SetupBlock) -> bool {
    matches!(block.kind, "let" | "let!" | "before")
}

fn slug(block: &SetupBlock) -> &'static str {
    match block.kind {
        "before" => "duplicate-before",
        _ => "duplicate-let",
    }
}

/// Reports groups more than 3 below the method, or more than 4 levels deep.
fn depth(top: &Group, review: &mut Review) {
    let mut worst = None;
    deepest(top, None, &mut worst);
    if let Some((line, depth)) = worst {
        let issue = format!("groups are nested {} levels deep", depth + 1);
        review.add("depth", line, issue);
    }
}

/// Finds the line and depth of the deepest group that is too deep.
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

/// Reports an example that is in every leaf, if there are three leaves or more: in this group or in an inner one. Pending
/// examples and placeholders do not state a behavior yet.
fn invariant(group: &Group, review: &mut Review) {
    let mut leaves = Vec::new();
    collect_leaves(group, &mut leaves);
    let found = in_all(&leaves);
    for example in &found {
        let issue = format!(
            "'{}' is in all {} contexts; test it once, in the group around them",
            example.description,
            leaves.len()
        );
        review.add("invariant-example", example.line, issue);
    }
    if found.is_empty() {
        for inner in group.groups().chain(&group.shared) {
            invariant(inner, review);
        }
    }
}

/// The examples that are in each of three or more leaves.
fn in_all<'g>(leaves: &[&'g Group]) -> Vec<&'g Example> {
    let Some((first, others)) = leaves.split_first().filter(|(_, others)| others.len() >= 2) else {
        return Vec::new();
    };
    let is_described = |example: &&Example| {
        let text = example.text.as_ref();
        !example.is_pending && text.is_some_and(|text| !text.starts_with('{'))
    };
    let is_in = |leaf: &Group, example: &Example| {
        let mut examples = leaf.examples();
        examples.any(|other| other.text == example.text)
    };
    let described = first.examples().filter(is_described);
    described
        .filter(|example| others.iter().all(|leaf| is_in(leaf, example)))
        .collect()
}

fn collect_leaves<'g>(group: &'g Group, found: &mut Vec<&'g Group>) {
    let has_examples = group.examples().next().is_some() || !group.includes.is_empty();
    if group.groups().next().is_none() && has_examples {
        found.push(group);
    }
    for inner in group.groups() {
        collect_leaves(inner, found);
    }
}
