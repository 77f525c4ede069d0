//! What a branch does, as far as its code says it plainly: for descriptions and expectations of examples.

use ruby_prism::{CallNode, Node, StatementsNode};

use super::collect::Place;
use super::node::{argument, bare, called, source};
use super::words::{is_number, literal};

/// What a branch does in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Raises an error of this class, if it names one.
    Raises(Option<String>),
    /// Returns this literal, as written in Ruby.
    Returns(String),
    /// Returns something that counts as true, or as false.
    Counts(bool),
    /// Ends the method with nothing.
    ReturnsNothing,
}

/// What is known about one branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) outcome: Option<Outcome>,
    /// Calls on the way, as written.
    pub(crate) calls: Vec<Called>,
    /// Whether the outcome follows from the conditions alone.
    pub(crate) is_certain: bool,
}

/// A call in a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Its receiver, as written.
    pub receiver: Option<String>,
    /// The method.
    pub method: String,
    /// Its first argument, as written.
    pub argument: Option<String>,
}

impl Branch {
    /// Of these statements; `is_result` when their value is the method's, `is_certain` when conditions alone lead here.
    pub(crate) fn of(
        statements: Option<&StatementsNode<'_>>,
        is_result: bool,
        is_certain: bool,
    ) -> Branch {
        let Some(statements) = statements else {
            return Branch {
                outcome: is_result.then_some(Outcome::ReturnsNothing),
                calls: Vec::new(),
                is_certain,
            };
        };
        let mut branch = Branch::default();
        let count = statements.body().len();
        for (index, node) in statements.body().iter().enumerate() {
            branch.take(&bare(node), is_result && index + 1 == count);
        }
        branch.is_certain = is_certain && branch.calls.is_empty();
        branch
    }

    /// The result is this outcome.
    pub(crate) fn returning(outcome: Outcome, is_certain: bool) -> Branch {
        Branch {
            outcome: Some(outcome),
            calls: Vec::new(),
            is_certain,
        }
    }

    /// A literal as an outcome.
    pub(crate) fn of_value(node: &Node<'_>) -> Option<Outcome> {
        value_of(node)
    }

    fn take(&mut self, node: &Node<'_>, is_last: bool) {
        if self.outcome.is_some() {
            return;
        }
        if let Some(and) = node.as_and_node() {
            self.take(&bare(and.left()), false);
            return self.take(&bare(and.right()), is_last);
        }
        if let Some(call) = node.as_call_node() {
            return self.take_call(&call);
        }
        if let Some(left) = node.as_return_node() {
            let value = left.arguments().and_then(|values| {
                (values.arguments().len() == 1)
                    .then(|| values.arguments().first())
                    .flatten()
            });
            self.outcome = match (left.arguments(), value) {
                (None, _) => Some(Outcome::ReturnsNothing),
                (_, Some(value)) => value_of(&bare(value)),
                _ => None,
            };
        } else if is_last {
            self.outcome = value_of(node);
        }
    }

    fn take_call(&mut self, call: &CallNode<'_>) {
        if call.receiver().is_none() && matches!(called(call), "raise" | "fail") {
            self.outcome = Some(Outcome::Raises(raised(call)));
            return;
        }
        self.calls.push(Called {
            receiver: call.receiver().map(|receiver| source(&receiver)),
            method: called(call).to_owned(),
            argument: argument(call).map(|argument| source(&argument)),
        });
    }
}

/// The class that is raised: `raise Late`, `raise Late, "…"`, `raise Late.new(…)`; a text alone is a `RuntimeError`.
fn raised(call: &CallNode<'_>) -> Option<String> {
    let error = bare(argument(call)?);
    if error.as_string_node().is_some() || error.as_interpolated_string_node().is_some() {
        return Some("RuntimeError".to_owned());
    }
    let class = match error.as_call_node() {
        Some(made) if called(&made) == "new" => made.receiver()?,
        Some(_) => return None,
        None => error,
    };
    let is_constant =
        class.as_constant_read_node().is_some() || class.as_constant_path_node().is_some();
    is_constant.then(|| source(&class))
}

fn value_of(node: &Node<'_>) -> Option<Outcome> {
    if node.as_nil_node().is_some() {
        return Some(Outcome::ReturnsNothing);
    }
    (literal(node).is_some() || is_number(node)).then(|| Outcome::Returns(source(node)))
}

/// A branch, and where it is taken.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) place: Place,
    /// Where the condition that decides hangs.
    pub(crate) under: Option<Place>,
    pub(crate) branch: Branch,
}

/// A branch that is taken only when all of several conditions are in these states.
#[derive(Debug)]
pub(crate) struct TakenTogether {
    pub(crate) places: Vec<Place>,
    pub(crate) branch: Branch,
}
