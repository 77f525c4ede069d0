//! What a branch returns, raises and calls, if its code shows it directly. Used for descriptions and expectations of
//! examples.

use ruby_prism::{CallNode, HashNode, Node, StatementsNode};

use crate::ruby::branch::call_effect::call_effect;
use crate::ruby::syntax::node::{argument, bare, called, source};
use crate::ruby::syntax::traverse::clone_handle;
use crate::ruby::syntax::words::is_word;
use crate::ruby::walk::characteristics::StateRef;

/// The outcome of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchOutcome {
    /// Raises an error of this class, if it names one.
    Raises(Option<String>),
    /// Returns this literal, as written in Ruby.
    Returns(String),
    /// Returns a truthy or falsy value that is not known exactly.
    ReturnsTruthy(bool),
    /// Returns nil.
    ReturnsNothing,
    /// Returns a hash that reports an error and whose content is not fully known.
    ReturnsError,
}

impl BranchOutcome {
    /// Whether it is a hash that reports an error.
    pub(crate) fn is_error_hash(&self) -> bool {
        const SIGNS: [&str; 6] = [
            "error: ",
            "errors: ",
            "success: false",
            "ok: false",
            ":error =>",
            "error\" =>",
        ];
        match self {
            BranchOutcome::ReturnsError => true,
            BranchOutcome::Returns(value) => {
                value.starts_with('{') && SIGNS.iter().any(|sign| value.contains(sign))
            }
            _ => false,
        }
    }
}

/// The effects of one branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) outcome: Option<BranchOutcome>,
    /// The effects of the calls in it, in words.
    pub(crate) effects: Vec<String>,
    pub(crate) makes_calls: bool,
    /// Whether the conditions alone decide the outcome.
    pub(crate) is_certain: bool,
}

impl Branch {
    /// The effects of these statements. `is_result` when their value is the method's result, `is_certain` when
    /// conditions alone lead here.
    pub(crate) fn of(
        statements: Option<&StatementsNode<'_>>,
        is_result: bool,
        is_certain: bool,
    ) -> Branch {
        let Some(statements) = statements else {
            return Branch {
                outcome: is_result.then_some(BranchOutcome::ReturnsNothing),
                is_certain,
                ..Branch::default()
            };
        };
        let mut branch = Branch::default();
        let count = statements.body().len();
        for (index, node) in statements.body().iter().enumerate() {
            branch.visit(&bare(node), is_result && index + 1 == count);
        }
        branch.is_certain = is_certain && !branch.makes_calls;
        branch
    }

    /// The effects of an expression that leaves.
    pub(crate) fn of_exit(exit: &Node<'_>, is_certain: bool) -> Branch {
        let group = exit.as_parentheses_node().and_then(|group| group.body());
        let statements = group.and_then(|body| body.as_statements_node());
        if let Some(statements) = statements {
            return Branch::of(Some(&statements), false, is_certain);
        }
        let mut branch = Branch::default();
        branch.visit(exit, false);
        branch.is_certain = is_certain && !branch.makes_calls;
        branch
    }

    /// The effects of the statements at the end of a method, which run regardless of earlier branches.
    pub(crate) fn of_tail(statements: &[Node<'_>]) -> Branch {
        let mut branch = Branch::default();
        for (index, node) in statements.iter().enumerate() {
            branch.visit(&bare(clone_handle(node)), index + 1 == statements.len());
        }
        branch
    }

    /// A branch with only this outcome.
    pub(crate) fn returning(outcome: BranchOutcome, is_certain: bool) -> Branch {
        Branch {
            outcome: Some(outcome),
            is_certain,
            ..Branch::default()
        }
    }

    /// The outcome of returning a literal.
    pub(crate) fn of_value(node: &Node<'_>) -> Option<BranchOutcome> {
        value_of(node)
    }

    fn visit(&mut self, node: &Node<'_>, is_last: bool) {
        if self.outcome.is_some() {
            return;
        }
        if let Some(and) = node.as_and_node() {
            self.visit(&bare(and.left()), false);
            return self.visit(&bare(and.right()), is_last);
        }
        if let Some(call) = node.as_call_node() {
            return self.visit_call(&call);
        }
        if let Some(exit) = node.as_return_node() {
            let value = exit.arguments().and_then(|values| {
                (values.arguments().len() == 1)
                    .then(|| values.arguments().first())
                    .flatten()
            });
            self.outcome = match (exit.arguments(), value) {
                (None, _) => Some(BranchOutcome::ReturnsNothing),
                (_, Some(value)) => {
                    let value = bare(value);
                    if let Some(call) = value.as_call_node() {
                        return self.visit_call(&call);
                    }
                    value_of(&value)
                }
                _ => None,
            };
        } else if is_last {
            self.outcome = value_of(node);
        }
    }

    fn visit_call(&mut self, call: &CallNode<'_>) {
        if call.receiver().is_none() && matches!(called(call), "raise" | "fail") {
            self.outcome = Some(BranchOutcome::Raises(raised(call)));
            return;
        }
        self.makes_calls = true;
        self.effects.extend(call_effect(call));
    }
}

/// The class that is raised: `raise Late`, `raise Late, "…"`, `raise Late.new(…)`; a string alone raises
/// `RuntimeError`.
fn raised(call: &CallNode<'_>) -> Option<String> {
    let error = bare(argument(call)?);
    if error.as_string_node().is_some() || error.as_interpolated_string_node().is_some() {
        return Some("RuntimeError".to_owned());
    }
    let class = match error.as_call_node() {
        Some(call) if called(&call) == "new" => call.receiver()?,
        Some(_) => return None,
        None => error,
    };
    let is_constant =
        class.as_constant_read_node().is_some() || class.as_constant_path_node().is_some();
    is_constant.then(|| source(&class))
}

/// The outcome of a hash, if its keys and values are literals or it reports an error.
fn hash_of(hash: &HashNode<'_>) -> Option<BranchOutcome> {
    let mut pairs = hash.elements().iter().map(|pair| pair.as_assoc_node());
    let is_plain = pairs.all(|pair| {
        pair.is_some_and(|pair| {
            let key = pair.key();
            let is_name = key.as_symbol_node().is_some() || key.as_string_node().is_some();
            is_name && is_word(&pair.value())
        })
    });
    let text = source(&hash.as_node());
    let is_plain = is_plain && !text.contains('\n');
    let outcome = BranchOutcome::Returns(text);
    if is_plain {
        return Some(outcome);
    }
    outcome
        .is_error_hash()
        .then_some(BranchOutcome::ReturnsError)
}

fn value_of(node: &Node<'_>) -> Option<BranchOutcome> {
    if node.as_nil_node().is_some() {
        return Some(BranchOutcome::ReturnsNothing);
    }
    if let Some(hash) = node
        .as_hash_node()
        .filter(|hash| !hash.elements().is_empty())
    {
        return hash_of(&hash);
    }
    is_word(node).then(|| BranchOutcome::Returns(source(node)))
}

/// A branch, and the state in which it is taken.
#[derive(Debug)]
pub(crate) struct TakenBranch {
    pub(crate) state_ref: StateRef,
    /// The parent of the condition that decides.
    pub(crate) under: Option<StateRef>,
    pub(crate) branch: Branch,
}

/// A branch that is taken only when several conditions are in these states.
#[derive(Debug)]
pub(crate) struct JointBranch {
    pub(crate) state_refs: Vec<StateRef>,
    pub(crate) branch: Branch,
}
