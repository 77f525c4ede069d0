//! `rescue` with `else`: whether the code before them completes decides which of them runs (rule E18).

use ruby_prism::{BeginNode, Node, RescueNode};

use crate::characteristic::Kind;
use crate::name::Name;
use crate::ruby::condition::draft::{CharacteristicDraft, ConditionKind};
use crate::ruby::condition::identity::identity;
use crate::ruby::condition::state_setup;
use crate::ruby::condition::value_name::{name_or_words, value_name};
use crate::ruby::syntax::node::{assignment, bare, last_line, line};
use crate::ruby::syntax::words::literal_word;
use crate::ruby::walk::MethodWalk;
use crate::ruby::walk::multi_way::CaseBranch;

/// The state in which no exception was raised.
const COMPLETED: &str = "completed";

impl MethodWalk<'_> {
    /// Visits the branches of `rescue` and `else`.
    pub(in crate::ruby::walk) fn rescue_else(&mut self, begin: &BeginNode<'_>) {
        let clauses = clauses(begin);
        let draft = draft(begin, &clauses);
        let is_single = clauses.len() == 1;
        let mut branches = Vec::with_capacity(clauses.len() + 1);
        for clause in &clauses {
            let word = word(clause);
            let state = draft.states.iter().position(|state| *state == word);
            branches.push(CaseBranch {
                state: state.filter(|_| !is_single).unwrap_or(1),
                body: clause.statements(),
                guard: None,
            });
        }
        branches.push(CaseBranch {
            state: 0,
            body: begin.else_clause().and_then(|clause| clause.statements()),
            guard: None,
        });
        // An exception that is not rescued leaves the method.
        self.visit_branches(draft, None, branches, true);
    }
}

fn clauses<'pr>(begin: &BeginNode<'pr>) -> Vec<RescueNode<'pr>> {
    let mut clauses = Vec::new();
    let mut next = begin.rescue_clause();
    while let Some(clause) = next {
        next = clause.subsequent();
        clauses.push(clause);
    }
    clauses
}

/// Two states for one `rescue`; for several, one for each of them.
fn draft(begin: &BeginNode<'_>, clauses: &[RescueNode<'_>]) -> CharacteristicDraft {
    let tried = tried(begin);
    let name = tried.as_ref().and_then(value_name);
    let name = name.unwrap_or_else(|| Name::plain("body"));
    let mut draft = if clauses.len() == 1 {
        let name = name.with_suffix(COMPLETED);
        CharacteristicDraft::binary(name, COMPLETED, ConditionKind::Other)
    } else {
        let name = name.with_suffix("outcome");
        let mut draft = CharacteristicDraft::binary(name, COMPLETED, ConditionKind::Other);
        draft.kind = Kind::Enum;
        draft.states = states(clauses);
        draft
    };
    draft.content = tried.as_ref().map(identity).unwrap_or_default();
    draft.setup = tried.as_ref().map(state_setup::of).unwrap_or_default();
    draft.lines = lines(begin, clauses);
    draft
}

/// The last call or value in the code that may raise an exception.
fn tried<'pr>(begin: &BeginNode<'pr>) -> Option<Node<'pr>> {
    let statements: Vec<Node<'pr>> = begin.statements()?.body().iter().collect();
    let values = statements.into_iter().rev().map(|statement| {
        let value = assignment(&statement).map(|(_, value)| value);
        bare(value.unwrap_or(statement))
    });
    let is_named = |value: &Node<'_>| value_name(value).is_some();
    values.into_iter().find(is_named)
}

fn states(clauses: &[RescueNode<'_>]) -> Vec<String> {
    let mut states = vec![COMPLETED.to_owned()];
    for word in clauses.iter().map(word) {
        if !states.contains(&word) {
            states.push(word);
        }
    }
    states
}

/// The word for the exceptions of a `rescue`.
fn word(clause: &RescueNode<'_>) -> String {
    let words: Vec<String> = clause
        .exceptions()
        .iter()
        .map(|exception: Node<'_>| {
            literal_word(&exception).unwrap_or_else(|| name_or_words(&exception).full)
        })
        .collect();
    if words.is_empty() {
        "error".to_owned()
    } else {
        words.join("_or_")
    }
}

/// From the first `rescue` to the end of the `else`.
fn lines(begin: &BeginNode<'_>, clauses: &[RescueNode<'_>]) -> (usize, usize) {
    let first = clauses.first().map_or(0, |clause| line(&clause.as_node()));
    let last = begin
        .else_clause()
        .map_or(first, |clause| last_line(&clause.as_node()));
    (first, last)
}
