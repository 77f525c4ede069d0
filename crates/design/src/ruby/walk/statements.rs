//! Statement lists: gates between statements (rules E1b and E3), and the body of the method.

use ruby_prism::{BeginNode, Node, StatementsNode, Visit as _};

use crate::ruby::branch::exits::exit_operand;
use crate::ruby::branch::outcome::{Branch, BranchOutcome};
use crate::ruby::condition::returned::returned_condition;
use crate::ruby::condition::tree::Condition;
use crate::ruby::syntax::node::{assigned_value, bare};
use crate::ruby::syntax::traverse::clone_handle;
use crate::ruby::syntax::words::is_literal;
use crate::ruby::walk::MethodWalk;
use crate::ruby::walk::exit_operand::exit_block_of;

impl MethodWalk<'_> {
    pub(in crate::ruby::walk) fn list(&mut self, statements: Option<&StatementsNode<'_>>) {
        if let Some(statements) = statements {
            self.statements(statements);
        }
    }

    /// Visits the body of a loop.
    pub(in crate::ruby::walk) fn loop_body(&mut self, statements: Option<&StatementsNode<'_>>) {
        let is_certain = std::mem::take(&mut self.context.is_certain);
        self.list(statements);
        self.context.is_certain = is_certain;
    }

    /// Visits a condition or the subject of a `case`, whose value is not the method's result.
    pub(in crate::ruby::walk) fn visit_condition(&mut self, node: &Node<'_>) {
        let is_result = std::mem::take(&mut self.context.is_result);
        let in_condition = std::mem::replace(&mut self.in_condition, true);
        self.visit(&clone_handle(node));
        self.in_condition = in_condition;
        self.context.is_result = is_result;
    }

    pub(in crate::ruby::walk) fn statements(&mut self, statements: &StatementsNode<'_>) {
        let context = self.context;
        let is_result = context.is_result;
        let in_condition = std::mem::take(&mut self.in_condition);
        let count = statements.body().len();
        for (index, statement) in statements.body().iter().enumerate() {
            self.context.is_result = is_result && index + 1 == count && keeps_result(&statement);
            self.new_gate = None;
            self.visit(&statement);
            if self.new_gate.is_some()
                && is_conditional(&statement)
                && let Some(gate) = self.new_gate.take()
                && self.context.sees_gates
            {
                self.context.gate = Some(gate);
            }
            self.context.is_certain = self.context.is_certain && is_harmless(&statement);
        }
        self.context = context;
        self.in_condition = in_condition;
    }

    /// Visits the body of the method. Its last expression may consist of conditions (rule E18r).
    pub(crate) fn body(&mut self, body: &Node<'_>) {
        if let Some(begin) = body.as_begin_node() {
            self.begin(&begin, begin.else_clause().is_none());
        } else if let Some(statements) = body.as_statements_node() {
            self.body_list(&statements);
        } else {
            self.visit(&clone_handle(body));
        }
    }

    pub(in crate::ruby::walk) fn body_list(&mut self, statements: &StatementsNode<'_>) {
        let gate_before = self.context.gate;
        let last = statements.body().last();
        let count = statements.body().len();
        let mut is_certain = self.context.is_certain;
        for (index, statement) in statements.body().iter().enumerate() {
            is_certain = self.context.is_certain;
            self.context.is_result = index + 1 == count && keeps_result(&statement);
            self.new_gate = None;
            self.visit(&statement);
            if self.new_gate.is_some()
                && is_conditional(&statement)
                && let Some(gate) = self.new_gate.take()
            {
                self.context.gate = Some(gate);
            }
            self.context.is_certain = self.context.is_certain && is_harmless(&statement);
        }
        if let Some(returned) = last.and_then(|last| returned_condition(&last, self.flags)) {
            let parent = self.parent();
            if let Ok(placed) = self.add_condition(returned, parent) {
                self.record_returned_condition(&placed, is_certain);
            }
        }
        self.context.gate = gate_before;
    }

    /// Records what a returned condition returns for each of its truth values.
    pub(in crate::ruby::walk) fn record_returned_condition(
        &mut self,
        placed: &Condition<usize>,
        is_certain: bool,
    ) {
        let is_alone = matches!(placed, Condition::Leaf { .. });
        for truth in [true, false] {
            // With several operands, the result may be nil instead of false.
            let outcome = if is_alone {
                BranchOutcome::Returns(truth.to_string())
            } else {
                BranchOutcome::ReturnsTruthy(truth)
            };
            self.record_outcome(placed, truth, Branch::returning(outcome, is_certain));
        }
    }

    pub(in crate::ruby::walk) fn begin(&mut self, begin: &BeginNode<'_>, is_body: bool) {
        let is_certain = self.context.is_certain;
        // An exception raised here may be rescued here, and `ensure` may replace the return value.
        self.context.is_certain &=
            begin.rescue_clause().is_none() && begin.ensure_clause().is_none();
        if begin.rescue_clause().is_some() {
            self.note_later_changes(&begin.as_node());
        }
        match begin.statements() {
            Some(statements) if is_body => self.body_list(&statements),
            statements => self.list(statements.as_ref()),
        }
        self.new_gate = None;
        if is_rescue_with_else(begin) {
            self.rescue_else(begin);
        } else {
            self.rescue_clauses(begin);
        }
        let gate = self.new_gate;
        if let Some(clause) = begin.ensure_clause() {
            self.without_gates(|walk| {
                walk.context.is_result = false;
                walk.list(clause.statements().as_ref());
            });
        }
        self.new_gate = gate;
        self.context.is_certain = is_certain;
    }

    fn rescue_clauses(&mut self, begin: &BeginNode<'_>) {
        let mut rescue = begin.rescue_clause();
        while let Some(clause) = rescue {
            self.without_gates(|walk| walk.list(clause.statements().as_ref()));
            rescue = clause.subsequent();
        }
        if let Some(clause) = begin.else_clause() {
            self.list(clause.statements().as_ref());
        }
        self.new_gate = None;
    }

    pub(in crate::ruby::walk) fn without_gates(&mut self, visit: impl FnOnce(&mut Self)) {
        let context = self.context;
        self.context.gate = None;
        self.context.sees_gates = false;
        self.context.is_certain = false;
        visit(self);
        self.context = context;
    }
}

/// Whether an exception, or its absence, decides which code runs.
fn is_rescue_with_else(begin: &BeginNode<'_>) -> bool {
    begin.rescue_clause().is_some() && begin.else_clause().is_some()
}

/// Whether a statement, or the value it assigns, is a conditional.
pub(in crate::ruby::walk) fn is_conditional(node: &Node<'_>) -> bool {
    node.as_if_node().is_some()
        || node.as_unless_node().is_some()
        || node.as_case_node().is_some()
        || node.as_case_match_node().is_some()
        || node.as_parentheses_node().is_some()
        || exit_operand(node).is_some()
        || node
            .as_begin_node()
            .is_some_and(|begin| is_rescue_with_else(&begin))
        || node
            .as_call_node()
            .is_some_and(|call| exit_block_of(&call).is_some())
        || assigned_value(node).is_some_and(|value| is_conditional(&bare(value)))
}

/// Whether a statement always completes. Conditionals count as such because their branches are visited separately.
pub(crate) fn is_harmless(node: &Node<'_>) -> bool {
    is_conditional(node) && assigned_value(node).is_none() && node.as_begin_node().is_none()
        || is_literal(node)
        || assigned_value(node).is_some_and(|value| is_literal(&value))
}

/// Whether the value of a statement is that of its branches.
pub(in crate::ruby::walk) fn keeps_result(node: &Node<'_>) -> bool {
    assigned_value(node).is_none() && (is_conditional(node) || node.as_begin_node().is_some())
}
