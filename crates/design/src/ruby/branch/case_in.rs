//! The states of `case … in`: rule E9p.

use ruby_prism::{CaseMatchNode, HashPatternNode, InNode, Node};

use crate::characteristic::Kind;
use crate::ruby::branch::case_when::{is_numeric_range, ranges, when_word};
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::qualifier;
use crate::ruby::condition::sample_values;
use crate::ruby::condition::state_setup;
use crate::ruby::condition::value_name::name_or_words;
use crate::ruby::syntax::node::{bare, is_constant, last_line, line, source, text};
use crate::ruby::syntax::traverse::clone_handle;
use crate::ruby::syntax::words::{is_number, is_word, snake};

/// The states of a `case … in`, and the state of each branch.
pub(crate) struct CaseInStates<'pr> {
    pub(crate) draft: CharacteristicDraft,
    pub(crate) arms: Vec<MatchedArm<'pr>>,
    /// The state of the `else`.
    pub(crate) else_state: Option<usize>,
}

/// `if` or `unless` after a pattern; true for `if`.
pub(crate) type Guard<'pr> = (Node<'pr>, bool);

/// A branch with its guard.
pub(crate) type GuardedArm<'pr> = (Option<Guard<'pr>>, InNode<'pr>);

/// One `in`.
pub(crate) struct MatchedArm<'pr> {
    /// The index of its state.
    pub(crate) state: usize,
    pub(crate) guard: Option<Guard<'pr>>,
    pub(crate) arm: InNode<'pr>,
}

/// A pattern without its guard.
struct Pattern<'pr> {
    node: Node<'pr>,
    guard: Option<Guard<'pr>>,
    arm: InNode<'pr>,
}

/// The branches, if every pattern matches anything: then the guards alone decide between them.
pub(crate) fn guards_only<'pr>(case: &CaseMatchNode<'pr>) -> Option<Vec<GuardedArm<'pr>>> {
    let patterns = patterns(case);
    let all_match = patterns.iter().all(|pattern| is_catch_all(&pattern.node));
    all_match.then(|| {
        let guarded = patterns
            .into_iter()
            .map(|pattern| (pattern.guard, pattern.arm));
        guarded.collect()
    })
}

fn patterns<'pr>(case: &CaseMatchNode<'pr>) -> Vec<Pattern<'pr>> {
    case.conditions()
        .iter()
        .filter_map(|arm| arm.as_in_node())
        .map(split)
        .collect()
}

/// The characteristic of a `case … in`.
pub(crate) fn of_case<'pr>(case: &CaseMatchNode<'pr>, subject: &Node<'pr>) -> CaseInStates<'pr> {
    let patterns = patterns(case);
    let name = name_or_words(subject);
    let key = discriminator(&patterns);
    let numeric = is_numeric(&patterns);
    let mut unnamed = 0;
    let words: Vec<String> = patterns
        .iter()
        .map(|pattern| word(&pattern.node, key.as_deref(), &name.full, &mut unnamed))
        .collect();
    let has_else = case.else_clause().is_some();
    let (states, indexes) = if numeric {
        groups(case, &patterns, &name.full)
    } else {
        merged(&words, has_else)
    };
    let node = case.as_node();
    let mut draft = CharacteristicDraft::binary(name, "", ConditionKind::Other);
    if let Some(key) = key {
        draft.name = draft.name.with_part(&key);
    }
    draft.kind = if numeric { Kind::Range } else { Kind::Enum };
    draft.states = states;
    draft.content = identity(subject);
    for pattern in &patterns {
        draft.content.push(' ');
        draft.content.push_str(&source(&pattern.node));
    }
    draft.qualifiers = qualifier::of_states(&draft.states).into_iter().collect();
    draft.qualifiers.extend(qualifier::of_value(subject));
    draft.lines = (line(&node), last_line(&node));
    draft.set_subject(subject);
    draft.setup = state_setup::of(subject);
    draft.values = vec![None; draft.states.len()];
    for (pattern, state) in patterns.iter().zip(&indexes) {
        let plain = pattern.guard.is_none() && draft.values[*state].is_none();
        if plain {
            draft.values[*state] = sample_values::of_value(&core(&pattern.node));
        }
    }
    let arms = patterns
        .into_iter()
        .zip(indexes)
        .map(|(pattern, state)| MatchedArm {
            state,
            guard: pattern.guard,
            arm: pattern.arm,
        })
        .collect();
    let else_state = draft.states.iter().position(|state| state == "other");
    CaseInStates {
        draft,
        arms,
        else_state,
    }
}

/// Splits pattern and guard: Prism represents `in pattern if condition` as an `if` around the pattern.
fn split(arm: InNode<'_>) -> Pattern<'_> {
    let pattern = arm.pattern();
    let (inner, guard) = if let Some(branch) = pattern.as_if_node() {
        (branch.statements(), Some((branch.predicate(), true)))
    } else if let Some(branch) = pattern.as_unless_node() {
        (branch.statements(), Some((branch.predicate(), false)))
    } else {
        (None, None)
    };
    let inner = inner.and_then(|statements| statements.body().first());
    Pattern {
        node: inner.unwrap_or(pattern),
        guard,
        arm,
    }
}

/// The first key that all hash patterns have with a literal value, or else with a constant. `None` if there are other
/// patterns.
fn discriminator(patterns: &[Pattern<'_>]) -> Option<String> {
    let mut found = Vec::new();
    for pattern in patterns.iter().filter(|one| !is_catch_all(&one.node)) {
        alternatives(&pattern.node, &mut found);
    }
    let hashes: Vec<HashPatternNode<'_>> = found
        .iter()
        .map(Node::as_hash_pattern_node)
        .collect::<Option<_>>()?;
    shared_key(&hashes, is_literal).or_else(|| shared_key(&hashes, is_named))
}

fn shared_key(
    hashes: &[HashPatternNode<'_>],
    is_distinguishing: fn(&Node<'_>) -> bool,
) -> Option<String> {
    let distinguishing_keys = |hash: &HashPatternNode<'_>| -> Vec<String> {
        let entries = entries(hash).into_iter();
        entries
            .filter(|(_, value)| is_distinguishing(value))
            .map(|(key, _)| key)
            .collect()
    };
    let (first, others) = hashes.split_first()?;
    let others: Vec<Vec<String>> = others.iter().map(distinguishing_keys).collect();
    distinguishing_keys(first)
        .into_iter()
        .find(|key| others.iter().all(|keys| keys.contains(key)))
}

/// The pattern without parentheses and without the variable it is bound to.
fn core<'pr>(pattern: &Node<'pr>) -> Node<'pr> {
    if let Some(capture) = pattern.as_capture_pattern_node() {
        return core(&capture.value());
    }
    let Some(parentheses) = pattern.as_parentheses_node() else {
        return clone_handle(pattern);
    };
    match parentheses.body() {
        Some(body) => match body
            .as_statements_node()
            .and_then(|list| list.body().first())
        {
            Some(inner) => core(&inner),
            None => core(&body),
        },
        None => clone_handle(pattern),
    }
}

/// Collects the patterns on both sides of every `|`.
fn alternatives<'pr>(pattern: &Node<'pr>, found: &mut Vec<Node<'pr>>) {
    let pattern = core(pattern);
    match pattern.as_alternation_pattern_node() {
        Some(either) => {
            alternatives(&either.left(), found);
            alternatives(&either.right(), found);
        }
        None => found.push(pattern),
    }
}

fn entries<'pr>(hash: &HashPatternNode<'pr>) -> Vec<(String, Node<'pr>)> {
    hash.elements()
        .iter()
        .filter_map(|element| element.as_assoc_node())
        .filter_map(|entry| {
            let key = entry.key().as_symbol_node()?;
            Some((snake(text(key.unescaped())), core(&entry.value())))
        })
        .collect()
}

/// Whether this is a literal, or consists of alternatives that are.
fn is_literal(node: &Node<'_>) -> bool {
    match node.as_alternation_pattern_node() {
        Some(either) => is_literal(&core(&either.left())) && is_literal(&core(&either.right())),
        None => is_word(node) || node.as_range_node().is_some(),
    }
}

/// Like `is_literal`, but also accepts constants.
fn is_named(node: &Node<'_>) -> bool {
    match node.as_alternation_pattern_node() {
        Some(either) => is_named(&core(&either.left())) && is_named(&core(&either.right())),
        None => is_literal(node) || is_constant(node),
    }
}

/// Whether a pattern matches anything: `in _` or `in name`.
fn is_catch_all(pattern: &Node<'_>) -> bool {
    core(pattern).as_local_variable_target_node().is_some()
}

/// The word for a pattern.
fn word(pattern: &Node<'_>, key: Option<&str>, name: &str, unnamed: &mut usize) -> String {
    let pattern = core(pattern);
    if is_catch_all(&pattern) {
        return "other".to_owned();
    }
    if let Some(either) = pattern.as_alternation_pattern_node() {
        let left = word(&either.left(), key, name, unnamed);
        let right = word(&either.right(), key, name, unnamed);
        return format!("{left}_or_{right}");
    }
    let inner = if let Some(hash) = pattern.as_hash_pattern_node() {
        return hash_word(&hash, key, name, unnamed);
    } else if let Some(array) = pattern.as_array_pattern_node() {
        if let Some(constant) = array.constant() {
            return when_word(&constant, name, unnamed);
        }
        if array.requireds().is_empty() && array.rest().is_none() {
            return "empty".to_owned();
        }
        first_literal(array.requireds().iter().chain(array.posts().iter()))
    } else if let Some(find) = pattern.as_find_pattern_node() {
        first_literal(find.requireds().iter())
    } else if let Some(pinned) = pattern.as_pinned_variable_node() {
        Some(pinned.variable())
    } else if let Some(pinned) = pattern.as_pinned_expression_node() {
        Some(pinned.expression())
    } else {
        Some(clone_handle(&pattern))
    };
    match inner {
        Some(inner) => when_word(&bare(inner), name, unnamed),
        None => numbered(unnamed),
    }
}

fn numbered(unnamed: &mut usize) -> String {
    *unnamed += 1;
    format!("pattern_{unnamed}")
}

fn first_literal<'pr>(mut nodes: impl Iterator<Item = Node<'pr>>) -> Option<Node<'pr>> {
    nodes.find(|node| is_word(node))
}

/// The value of the discriminating key; else the class; else the first literal value; else the keys.
fn hash_word(
    hash: &HashPatternNode<'_>,
    key: Option<&str>,
    name: &str,
    unnamed: &mut usize,
) -> String {
    let entries = entries(hash);
    if let Some((key, value)) = key.and_then(|key| entries.iter().find(|(name, _)| name == key)) {
        return word(value, None, key, unnamed);
    }
    if let Some(constant) = hash.constant() {
        return when_word(&constant, name, unnamed);
    }
    if let Some((key, value)) = entries.iter().find(|(_, value)| is_literal(value)) {
        return word(value, None, key, unnamed);
    }
    if entries.is_empty() {
        return if hash.rest().is_none() {
            "empty".to_owned()
        } else {
            numbered(unnamed)
        };
    }
    let keys: Vec<_> = entries.into_iter().map(|(key, _)| key).collect();
    keys.join("_and_")
}

/// One state per distinct word, and the index of the state for each branch. `else` is the last state.
fn merged(words: &[String], has_else: bool) -> (Vec<String>, Vec<usize>) {
    let mut states: Vec<String> = Vec::new();
    let mut index_of = |word: &str| {
        states
            .iter()
            .position(|state| state == word)
            .unwrap_or_else(|| {
                states.push(word.to_owned());
                states.len() - 1
            })
    };
    let indexes = words.iter().map(|word| index_of(word)).collect();
    if has_else {
        index_of("other");
    }
    if states.len() < 2 {
        states.push("other".to_owned());
    }
    (states, indexes)
}

/// Whether all patterns are numbers or ranges of numbers, and at least one is a range.
fn is_numeric(patterns: &[Pattern<'_>]) -> bool {
    let cores = numbers(patterns);
    cores.iter().any(is_numeric_range)
        && cores
            .iter()
            .all(|core| is_number(core) || is_numeric_range(core))
}

fn numbers<'pr>(patterns: &[Pattern<'pr>]) -> Vec<Node<'pr>> {
    patterns
        .iter()
        .map(|pattern| core(&pattern.node))
        .filter(|core| !is_catch_all(core))
        .collect()
}

/// The states of numeric patterns; a catch-all counts as the `else`.
fn groups(
    case: &CaseMatchNode<'_>,
    patterns: &[Pattern<'_>],
    name: &str,
) -> (Vec<String>, Vec<usize>) {
    let mut branches: Vec<_> = patterns
        .iter()
        .map(|pattern| pattern.arm.statements())
        .collect();
    if let Some(clause) = case.else_clause() {
        branches.push(clause.statements());
    }
    let arms: Vec<_> = numbers(patterns).into_iter().map(|one| vec![one]).collect();
    (
        ranges(&arms, &branches, name),
        (0..patterns.len()).collect(),
    )
}
