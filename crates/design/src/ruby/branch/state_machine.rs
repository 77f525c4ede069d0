//! Declared state machines, the only evidence that states have an order (rule E13).

use ruby_prism::{CallNode, Node, Visit};

use crate::characteristic::Characteristic;
use crate::ruby::syntax::node::{argument, arguments, called, text};
use crate::ruby::syntax::traverse::visit_children;
use crate::ruby::syntax::words::literal;

/// Names of guards and callbacks, as keyword arguments or as calls.
const GUARDS_AND_CALLBACKS: [&str; 27] = [
    "guard",
    "guards",
    "if",
    "unless",
    "before",
    "after",
    "enter",
    "exit",
    "before_enter",
    "after_enter",
    "before_exit",
    "after_exit",
    "success",
    "error",
    "before_success",
    "before_transaction",
    "after_transaction",
    "after_commit",
    "before_transition",
    "after_transition",
    "around_transition",
    "on_transition",
    "on_entry",
    "on_exit",
    "after_all_transitions",
    "before_all_events",
    "after_all_events",
];

/// A state machine as declared in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StateMachine {
    /// The attributes that store the state.
    attributes: Vec<String>,
    /// In declaration order.
    states: Vec<String>,
    initial: Option<String>,
    /// Whether its transitions have guards or callbacks.
    is_guarded: bool,
}

impl StateMachine {
    /// The machine that a call of `aasm`, `state_machine` or `workflow` declares.
    pub(crate) fn declared(call: &CallNode<'_>) -> Option<StateMachine> {
        let name = called(call);
        let block = call.block()?;
        if call.receiver().is_some() || !matches!(name, "aasm" | "state_machine" | "workflow") {
            return None;
        }
        let mut states = States::default();
        states.visit(&block);
        let initial = option(call, "initial")
            .or_else(|| option(call, "initial_state"))
            .or(states.initial)
            .or_else(|| {
                (name != "state_machine")
                    .then(|| states.names.first().cloned())
                    .flatten()
            });
        let mut names = states.names;
        if let Some(initial) = initial.as_ref().filter(|initial| !names.contains(initial)) {
            names.insert(0, initial.clone());
        }
        Some(StateMachine {
            attributes: attributes(call, name),
            states: names,
            initial,
            is_guarded: states.is_guarded || has_option(call, &GUARDS_AND_CALLBACKS),
        })
    }

    /// Whether its states are only reachable through guards or callbacks.
    pub(crate) fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    /// Whether a characteristic tests the state of this machine: its attribute, or a predicate for one of its states.
    pub(crate) fn is_tested_by(&self, found: &Characteristic) -> bool {
        let attribute = found
            .tested
            .as_deref()
            .map(|name| name.trim_start_matches('@'));
        let is_predicate = found.states[0] == found.name || found.name == "status";
        attribute.is_some_and(|name| self.attributes.iter().any(|known| known == name))
            || is_predicate && self.states.contains(&found.states[0])
    }

    /// A permutation that sorts the states into declaration order. `None` if the machine does not use that attribute or
    /// does not declare all of them. The state `other` of an `else` stays last.
    pub(crate) fn order(&self, attribute: &str, states: &[String]) -> Option<Vec<usize>> {
        if !self.attributes.iter().any(|known| known == attribute) {
            return None;
        }
        let mut ranks: Vec<(usize, usize)> = Vec::with_capacity(states.len());
        for (index, state) in states.iter().enumerate() {
            let rank = match self.rank(state) {
                Some(rank) => rank,
                None if state == "other" => usize::MAX,
                None => return None,
            };
            ranks.push((rank, index));
        }
        ranks.sort_unstable();
        Some(ranks.into_iter().map(|(_, index)| index).collect())
    }

    /// The position of a state, or the lowest position of several joined with `_or_`.
    fn rank(&self, state: &str) -> Option<usize> {
        let position = |name: &str| self.states.iter().position(|known| known == name);
        position(state).or_else(|| {
            let ranks: Option<Vec<usize>> = state.split("_or_").map(position).collect();
            ranks?.into_iter().min()
        })
    }

    /// The initial state, if it is among these.
    pub(crate) fn default_of(&self, states: &[String]) -> Option<String> {
        let initial = self.initial.as_ref()?;
        states
            .iter()
            .find(|state| *state == initial || state.split("_or_").any(|part| part == initial))
            .cloned()
    }
}

fn attributes(call: &CallNode<'_>, name: &str) -> Vec<String> {
    let configured = option(call, "column")
        .or_else(|| option(call, "attribute"))
        .or_else(|| argument(call).as_ref().and_then(literal));
    let default: &[&str] = match name {
        "aasm" => &["aasm_state", "current_state"],
        "workflow" => &["workflow_state", "current_state"],
        _ => &["state"],
    };
    match configured {
        Some(attribute) => vec![attribute],
        None => default.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// The literal value of a keyword argument.
fn option(call: &CallNode<'_>, name: &str) -> Option<String> {
    keyword(call, name).as_ref().and_then(literal)
}

fn keyword<'pr>(call: &CallNode<'pr>, name: &str) -> Option<Node<'pr>> {
    arguments(call)
        .iter()
        .filter_map(Node::as_keyword_hash_node)
        .flat_map(|hash| hash.elements().iter().collect::<Vec<_>>())
        .filter_map(|element| element.as_assoc_node())
        .find(|entry| {
            entry
                .key()
                .as_symbol_node()
                .is_some_and(|key| text(key.unescaped()) == name)
        })
        .map(|entry| entry.value())
}

/// Whether a call has one of these keyword arguments.
fn has_option(call: &CallNode<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| keyword(call, name).is_some())
}

/// Collects `state :name, …` declarations, and states that occur only in transitions.
#[derive(Default)]
struct States {
    names: Vec<String>,
    initial: Option<String>,
    is_guarded: bool,
}

impl<'pr> Visit<'pr> for States {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node().filter(|call| call.receiver().is_none()) {
            self.call(&call);
        }
        visit_children(self, node);
    }
}

impl States {
    fn call(&mut self, call: &CallNode<'_>) {
        self.is_guarded |=
            GUARDS_AND_CALLBACKS.contains(&called(call)) || has_option(call, &GUARDS_AND_CALLBACKS);
        match called(call) {
            "state" => {
                let names: Vec<_> = arguments(call)
                    .iter()
                    .filter(|node| {
                        node.as_symbol_node().is_some() || node.as_string_node().is_some()
                    })
                    .filter_map(literal)
                    .collect();
                if option(call, "initial").as_deref() == Some("true") {
                    self.initial = names.first().cloned();
                }
                names.into_iter().for_each(|name| self.add(name));
            }
            "transition" => {
                for argument in arguments(call) {
                    self.transition(&argument);
                }
            }
            _ => {}
        }
    }

    /// `transition pending: :shipped`.
    fn transition(&mut self, argument: &Node<'_>) {
        let Some(hash) = argument.as_keyword_hash_node() else {
            return;
        };
        for entry in hash
            .elements()
            .iter()
            .filter_map(|element| element.as_assoc_node())
        {
            for side in [entry.key(), entry.value()] {
                let name = literal(&side);
                let is_option = matches!(
                    name.as_deref(),
                    Some("from" | "to" | "on" | "if" | "unless")
                );
                if let Some(name) = name.filter(|_| side.as_symbol_node().is_some() && !is_option) {
                    self.add(name);
                }
            }
        }
    }

    fn add(&mut self, name: String) {
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }
}
