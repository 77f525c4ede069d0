//! Dispatches on the kind of node: which code is visited, and how it affects the code after it.

use ruby_prism::{
    AndNode, BeginNode, BlockNode, CallNode, CaseMatchNode, CaseNode, ClassNode, DefNode, ForNode,
    IfNode, InstanceVariableWriteNode, LambdaNode, LocalVariableAndWriteNode,
    LocalVariableOperatorWriteNode, LocalVariableOrWriteNode, LocalVariableTargetNode,
    LocalVariableWriteNode, ModuleNode, Node, OrNode, RescueModifierNode, SingletonClassNode,
    StatementsNode, UnlessNode, UntilNode, Visit, WhileNode,
};

use crate::ruby::branch::case_in;
use crate::ruby::branch::case_when;
use crate::ruby::branch::exits::exit_operand;
use crate::ruby::condition::dependencies::{Dependencies, dependencies};
use crate::ruby::syntax::node::{bare, source, span, text};
use crate::ruby::syntax::words::plain;
use crate::ruby::walk::MethodWalk;
use crate::ruby::walk::exit_operand::exit_block_of;
use crate::ruby::walk::multi_way::CaseBranch;
use crate::ruby::walk::mutations::Change;
use crate::ruby::walk::two_way::ElseBranch;

impl<'pr> Visit<'pr> for MethodWalk<'_> {
    fn visit_branch_node_enter(&mut self, node: Node<'pr>) {
        self.note_change(&node);
    }

    fn visit_leaf_node_enter(&mut self, node: Node<'pr>) {
        self.note_change(&node);
    }

    fn visit_statements_node(&mut self, node: &StatementsNode<'pr>) {
        self.statements(node);
    }

    fn visit_if_node(&mut self, node: &IfNode<'pr>) {
        if self.options.skips_ternaries && node.if_keyword_loc().is_none() {
            return ruby_prism::visit_if_node(self, node);
        }
        let has_elsif = node
            .subsequent()
            .is_some_and(|next| next.as_if_node().is_some());
        if !has_elsif {
            return self.if_else(node);
        }
        let chain = self.chain_of(node);
        match chain.merged() {
            Some(draft) => self.merged(chain, draft),
            None => self.if_else(node),
        }
    }

    fn visit_unless_node(&mut self, node: &UnlessNode<'pr>) {
        let else_branch = match node.else_clause() {
            None => ElseBranch::Nothing,
            Some(clause) => ElseBranch::Else(clause.statements()),
        };
        self.two_way(
            &node.predicate(),
            false,
            node.statements().as_ref(),
            &else_branch,
        );
    }

    fn visit_case_node(&mut self, node: &CaseNode<'pr>) {
        let Some(subject) = node
            .predicate()
            .map(bare)
            .filter(|subject| subject.as_true_node().is_none())
        else {
            return self.without_subject(node);
        };
        let mut draft = case_when::of_case(node, &subject);
        let Dependencies { names, locals } = dependencies(&subject, self.flags);
        draft.dependencies = names;
        draft.locals = locals;
        draft.spans = vec![span(&subject, false)];
        let mut branches: Vec<CaseBranch<'_>> = node
            .conditions()
            .iter()
            .filter_map(|when| when.as_when_node())
            .enumerate()
            .map(|(state, when)| CaseBranch {
                state,
                body: when.statements(),
                guard: None,
            })
            .collect();
        let is_complete = node.else_clause().is_some() || branches.len() < draft.states.len();
        if let Some(clause) = node.else_clause() {
            branches.push(CaseBranch {
                state: branches.len(),
                body: clause.statements(),
                guard: None,
            });
        }
        self.visit_condition(&subject);
        self.visit_branches(draft, Some(&source(&subject)), branches, is_complete);
    }

    fn visit_case_match_node(&mut self, node: &CaseMatchNode<'pr>) {
        let Some(subject) = node.predicate().map(bare) else {
            return;
        };
        self.visit_condition(&subject);
        if let Some(conditions) = case_in::guards_only(node) {
            return self.guards_only(node, conditions);
        }
        let mut matched = case_in::of_case(node, &subject);
        let Dependencies { names, locals } = dependencies(&subject, self.flags);
        matched.draft.dependencies = names;
        matched.draft.locals = locals;
        matched.draft.spans = vec![span(&subject, false)];
        let other = matched.draft.states.len() - 1;
        let mut branches: Vec<CaseBranch<'_>> = matched
            .arms
            .into_iter()
            .map(|arm| CaseBranch {
                state: arm.state,
                body: arm.arm.statements(),
                guard: arm.guard,
            })
            .collect();
        if let Some(clause) = node.else_clause() {
            branches.push(CaseBranch {
                state: matched.else_state.unwrap_or(other),
                body: clause.statements(),
                guard: None,
            });
        }
        // Without an `else`, a value that matches no pattern raises an error, so all values are covered.
        self.visit_branches(matched.draft, None, branches, true);
    }

    fn visit_and_node(&mut self, node: &AndNode<'pr>) {
        match exit_operand(&node.as_node()).filter(|_| !self.in_condition) {
            Some(operand) => self.exit_operand(&operand, None),
            None => ruby_prism::visit_and_node(self, node),
        }
    }

    fn visit_or_node(&mut self, node: &OrNode<'pr>) {
        match exit_operand(&node.as_node()).filter(|_| !self.in_condition) {
            Some(operand) => self.exit_operand(&operand, None),
            None => ruby_prism::visit_or_node(self, node),
        }
    }

    fn visit_call_node(&mut self, node: &CallNode<'pr>) {
        let Some(block) = node.block().and_then(|block| block.as_block_node()) else {
            return ruby_prism::visit_call_node(self, node);
        };
        if let Some(body) = exit_block_of(node).filter(|_| !self.in_condition) {
            return self.exit_block(node, &body);
        }
        if let Some(receiver) = node.receiver() {
            self.visit(&receiver);
        }
        if let Some(arguments) = node.arguments() {
            self.visit(&arguments.as_node());
        }
        let scope = self.locals.enter_block(node, &block);
        self.visit(&block.as_node());
        self.locals.leave_block(&scope);
    }

    fn visit_local_variable_write_node(&mut self, node: &LocalVariableWriteNode<'pr>) {
        self.assigned_value(text(node.name().as_slice()), &node.value());
        self.locals.note(&node.as_node());
    }

    fn visit_instance_variable_write_node(&mut self, node: &InstanceVariableWriteNode<'pr>) {
        self.assigned_value(plain(text(node.name().as_slice())), &node.value());
    }

    fn visit_local_variable_or_write_node(&mut self, node: &LocalVariableOrWriteNode<'pr>) {
        ruby_prism::visit_local_variable_or_write_node(self, node);
        self.locals.note(&node.as_node());
    }

    fn visit_local_variable_and_write_node(&mut self, node: &LocalVariableAndWriteNode<'pr>) {
        ruby_prism::visit_local_variable_and_write_node(self, node);
        self.locals.note(&node.as_node());
    }

    fn visit_local_variable_operator_write_node(
        &mut self,
        node: &LocalVariableOperatorWriteNode<'pr>,
    ) {
        ruby_prism::visit_local_variable_operator_write_node(self, node);
        self.locals.note(&node.as_node());
    }

    fn visit_local_variable_target_node(&mut self, node: &LocalVariableTargetNode<'pr>) {
        self.locals.note(&node.as_node());
    }

    /// A block may run any number of times.
    fn visit_block_node(&mut self, node: &BlockNode<'pr>) {
        self.note_later_changes(&node.as_node());
        let is_certain = std::mem::take(&mut self.context.is_certain);
        ruby_prism::visit_block_node(self, node);
        self.context.is_certain = is_certain;
    }

    /// A lambda may run at any later time.
    fn visit_lambda_node(&mut self, node: &LambdaNode<'pr>) {
        self.note_later_changes(&node.as_node());
        self.changes.push(Change::Anything);
        let is_certain = std::mem::take(&mut self.context.is_certain);
        ruby_prism::visit_lambda_node(self, node);
        self.context.is_certain = is_certain;
    }

    fn visit_begin_node(&mut self, node: &BeginNode<'pr>) {
        self.begin(node, false);
    }

    fn visit_rescue_modifier_node(&mut self, node: &RescueModifierNode<'pr>) {
        self.visit(&node.expression());
        self.without_gates(|walk| walk.visit(&node.rescue_expression()));
    }

    /// The condition of a loop is not a characteristic.
    fn visit_while_node(&mut self, node: &WhileNode<'pr>) {
        self.note_later_changes(&node.as_node());
        self.loop_body(node.statements().as_ref());
    }

    fn visit_until_node(&mut self, node: &UntilNode<'pr>) {
        self.note_later_changes(&node.as_node());
        self.loop_body(node.statements().as_ref());
    }

    fn visit_for_node(&mut self, node: &ForNode<'pr>) {
        self.note_later_changes(&node.as_node());
        ruby_prism::visit_for_node(self, node);
    }

    fn visit_def_node(&mut self, _: &DefNode<'pr>) {}
    fn visit_class_node(&mut self, _: &ClassNode<'pr>) {}
    fn visit_module_node(&mut self, _: &ModuleNode<'pr>) {}
    fn visit_singleton_class_node(&mut self, _: &SingletonClassNode<'pr>) {}
}
