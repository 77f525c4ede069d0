//! Through a method's body: which condition stands where, and what it depends on (E1b, E2, E3, E7 to E10).

use ruby_prism::{
    BeginNode, BlockNode, CaseMatchNode, CaseNode, ClassNode, DefNode, ElseNode, IfNode,
    LambdaNode, ModuleNode, Node, RescueModifierNode, SingletonClassNode, StatementsNode,
    UnlessNode, UntilNode, Visit, WhileNode,
};

use super::chain::{Arm, Chain};
use super::collect::{Collection, Place};
use super::draft::{Draft, Family};
use super::exits::{else_leaves, leaves, subsequent_leaves};
use super::flags::Flags;
use super::lifecycle::Machine;
use super::node::{assignment, bare, last_line, line, source};
use super::outcome::{Branch, Outcomes};
use super::result::returned_test;
use super::test::{Test, test};
use super::words::is_literal;
use super::{pattern, when};
use crate::characteristic::Kind;

/// Where in the method we are.
#[derive(Debug, Clone)]
struct Around {
    /// The branch that encloses this.
    branch: Option<Place>,
    /// The nearest gate that was passed on the way, in this list of statements or in one around it.
    gate: Option<Place>,
    /// Bodies of `rescue` and `ensure` may run without the gates before them having been passed.
    sees_gates: bool,
    /// Characteristics whose state is certain here.
    decided: Vec<usize>,
    /// Whether the value of this list is the method's result.
    is_result: bool,
    /// Whether nothing but conditions decides that, and with what effect, this is reached.
    is_certain: bool,
}

/// Goes through one method.
pub(crate) struct Walk<'a> {
    flags: &'a Flags,
    machines: &'a [Machine],
    around: Around,
    /// The gate that the conditional just visited is.
    made: Option<Place>,
    pub(crate) found: Collection,
    pub(crate) outcomes: Outcomes,
}

/// What happens where the condition of an `if` does not hold.
enum Otherwise<'pr> {
    Nothing,
    Else(Option<StatementsNode<'pr>>),
    Elsif(IfNode<'pr>),
}

impl Otherwise<'_> {
    fn leaves(&self) -> bool {
        match self {
            Otherwise::Nothing => false,
            Otherwise::Else(statements) => leaves(statements.as_ref()),
            Otherwise::Elsif(branch) => subsequent_leaves(Some(&branch.as_node())),
        }
    }
}

/// One of several branches.
struct Way<'pr> {
    state: usize,
    body: Option<StatementsNode<'pr>>,
    guard: Option<(Node<'pr>, bool)>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(flags: &'a Flags, machines: &'a [Machine]) -> Walk<'a> {
        Walk {
            flags,
            machines,
            around: Around {
                branch: None,
                gate: None,
                sees_gates: true,
                decided: Vec::new(),
                is_result: true,
                is_certain: true,
            },
            made: None,
            found: Collection::default(),
            outcomes: Outcomes::default(),
        }
    }

    /// Where a conditional that is no guard hangs.
    fn parent(&self) -> Option<Place> {
        self.around.gate.or(self.around.branch)
    }

    fn place(&mut self, test: Test<Draft>, parent: Option<Place>) -> Test<usize> {
        let decided = self.around.decided.clone();
        let is_alone = matches!(test, Test::Leaf { .. });
        test.map(&mut |draft| {
            let index = self.found.occur(draft, parent, &decided);
            if !is_alone {
                self.found.is_combined(index);
            }
            index
        })
    }

    /// Visits a branch.
    fn within(&mut self, place: Option<Place>, decided: Vec<usize>, visit: impl FnOnce(&mut Self)) {
        let mut inside = self.around.clone();
        if let Some(place) = place {
            inside.branch = Some(place);
            inside.gate = None;
        }
        inside.decided.extend(decided);
        let outside = std::mem::replace(&mut self.around, inside);
        visit(self);
        self.around = outside;
    }

    fn two_way<'pr>(
        &mut self,
        condition: &Node<'pr>,
        then_when: bool,
        then: Option<&StatementsNode<'pr>>,
        otherwise: &Otherwise<'pr>,
    ) {
        let then_leaves = leaves(then);
        let else_leaves = otherwise.leaves();
        let is_guard = then_leaves && matches!(otherwise, Otherwise::Nothing);
        let parent = if is_guard {
            self.around.branch
        } else {
            self.parent()
        };
        let placed = test(super::children::again(condition), self.flags)
            .map(|test| self.place(test, parent));
        self.outside_of_lists(condition);
        self.branch(placed.as_ref(), then_when, then_leaves, |walk| {
            walk.outcomes_of(placed.as_ref(), then_when, then);
            walk.list(then);
        });
        self.branch(
            placed.as_ref(),
            !then_when,
            else_leaves,
            |walk| match otherwise {
                Otherwise::Nothing => {}
                Otherwise::Else(statements) => {
                    walk.outcomes_of(placed.as_ref(), !then_when, statements.as_ref());
                    walk.list(statements.as_ref());
                }
                Otherwise::Elsif(branch) => walk.nested(branch),
            },
        );
        self.made = match placed {
            Some(placed) if then_leaves != else_leaves => {
                Some(place_of(&placed, then_when != then_leaves))
            }
            _ => None,
        };
    }

    fn branch(
        &mut self,
        placed: Option<&Test<usize>>,
        truth: bool,
        leaves: bool,
        visit: impl FnOnce(&mut Self),
    ) {
        let Some(placed) = placed else {
            return self.within(None, Vec::new(), visit);
        };
        if leaves {
            for (index, is_first) in placed.decisive(truth) {
                self.found.leaves(place(*index, is_first));
            }
        }
        let decided = placed
            .decided(truth)
            .into_iter()
            .map(|(index, _)| *index)
            .collect();
        self.within(Some(place_of(placed, truth)), decided, visit);
    }

    fn outcomes_of(
        &mut self,
        placed: Option<&Test<usize>>,
        truth: bool,
        statements: Option<&StatementsNode<'_>>,
    ) {
        let branch = Branch::of(statements, self.around.is_result, self.around.is_certain);
        for (index, is_first) in placed.into_iter().flat_map(|placed| placed.decisive(truth)) {
            self.outcomes.add(place(*index, is_first), branch.clone());
        }
    }

    fn list(&mut self, statements: Option<&StatementsNode<'_>>) {
        if let Some(statements) = statements {
            self.statements(statements);
        }
    }

    /// The body of a loop.
    fn repeated(&mut self, statements: Option<&StatementsNode<'_>>) {
        let is_certain = std::mem::take(&mut self.around.is_certain);
        self.list(statements);
        self.around.is_certain = is_certain;
    }

    /// An expression that is not the method's result, whatever stands in it.
    fn outside_of_lists(&mut self, node: &Node<'_>) {
        let is_result = std::mem::take(&mut self.around.is_result);
        self.visit(&super::children::again(node));
        self.around.is_result = is_result;
    }

    fn statements(&mut self, statements: &StatementsNode<'_>) {
        let gate = self.around.gate;
        let Around {
            is_result,
            is_certain,
            ..
        } = self.around;
        let count = statements.body().len();
        for (index, statement) in statements.body().iter().enumerate() {
            self.around.is_result = is_result && index + 1 == count && keeps_result(&statement);
            self.made = None;
            self.visit(&statement);
            if is_conditional(&statement)
                && let Some(made) = self.made.take()
                && self.around.sees_gates
            {
                self.around.gate = Some(made);
            }
            self.around.is_certain &= is_harmless(&statement);
        }
        self.around.gate = gate;
        self.around.is_result = is_result;
        self.around.is_certain = is_certain;
    }

    /// The method's own body: its last expression may be made of conditions (E18r).
    pub(crate) fn body(&mut self, body: &Node<'_>) {
        if let Some(begin) = body.as_begin_node() {
            self.begin(&begin, begin.else_clause().is_none());
        } else if let Some(statements) = body.as_statements_node() {
            self.body_list(&statements);
        } else {
            self.visit(&super::children::again(body));
        }
    }

    fn body_list(&mut self, statements: &StatementsNode<'_>) {
        let gate_before = self.around.gate;
        let last = statements.body().last();
        let count = statements.body().len();
        let mut is_certain = self.around.is_certain;
        for (index, statement) in statements.body().iter().enumerate() {
            is_certain = self.around.is_certain;
            self.around.is_result = index + 1 == count && keeps_result(&statement);
            self.made = None;
            self.visit(&statement);
            if is_conditional(&statement)
                && let Some(made) = self.made.take()
            {
                self.around.gate = Some(made);
            }
            self.around.is_certain &= is_harmless(&statement);
        }
        if let Some(returned) = last.and_then(|last| returned_test(&last, self.flags)) {
            let parent = self.parent();
            let placed = self.place(returned, parent);
            self.truths(&placed, is_certain);
        }
        self.around.gate = gate_before;
    }

    /// A single condition that is the method's result is true in one state and false in the other.
    fn truths(&mut self, placed: &Test<usize>, is_certain: bool) {
        if !matches!(placed, Test::Leaf { .. }) {
            return;
        }
        for truth in [true, false] {
            let branch = Branch::returning(truth, is_certain);
            self.outcomes.add(place_of(placed, truth), branch);
        }
    }

    fn begin(&mut self, begin: &BeginNode<'_>, is_body: bool) {
        let is_certain = self.around.is_certain;
        // What is raised here may be caught here.
        self.around.is_certain &= begin.rescue_clause().is_none();
        match begin.statements() {
            Some(statements) if is_body => self.body_list(&statements),
            statements => self.list(statements.as_ref()),
        }
        let mut rescue = begin.rescue_clause();
        while let Some(clause) = rescue {
            self.without_gates(|walk| walk.list(clause.statements().as_ref()));
            rescue = clause.subsequent();
        }
        if let Some(clause) = begin.else_clause() {
            self.list(clause.statements().as_ref());
        }
        if let Some(clause) = begin.ensure_clause() {
            self.without_gates(|walk| {
                walk.around.is_result = false;
                walk.list(clause.statements().as_ref());
            });
        }
        self.around.is_certain = is_certain;
    }

    fn without_gates(&mut self, visit: impl FnOnce(&mut Self)) {
        let mut inside = self.around.clone();
        inside.gate = None;
        inside.sees_gates = false;
        inside.is_certain = false;
        let outside = std::mem::replace(&mut self.around, inside);
        visit(self);
        self.around = outside;
    }

    /// An `if` with its `elsif`s taken one by one.
    fn nested(&mut self, node: &IfNode<'_>) {
        let otherwise = match node.subsequent() {
            None => Otherwise::Nothing,
            Some(subsequent) => match subsequent.as_if_node() {
                Some(branch) => Otherwise::Elsif(branch),
                None => Otherwise::Else(
                    subsequent
                        .as_else_node()
                        .and_then(|clause| clause.statements()),
                ),
            },
        };
        self.two_way(
            &node.predicate(),
            true,
            node.statements().as_ref(),
            &otherwise,
        );
    }

    fn chain_of<'pr>(&self, node: &IfNode<'pr>) -> Chain<'pr> {
        let whole = node.as_node();
        let mut chain = Chain {
            arms: Vec::new(),
            otherwise: None,
            lines: (line(&whole), last_line(&whole)),
        };
        let mut next = whole.as_if_node();
        while let Some(branch) = next {
            let predicate = branch.predicate();
            chain.arms.push(Arm {
                test: test(predicate, self.flags),
                body: branch.statements(),
            });
            let subsequent = branch.subsequent();
            if let Some(clause) = subsequent.as_ref().and_then(Node::as_else_node) {
                chain.otherwise = Some(clause);
            }
            next = subsequent.and_then(|subsequent| subsequent.as_if_node());
        }
        chain
    }

    /// `case` without a subject: a chain.
    fn without_subject(&mut self, case: &CaseNode<'_>) {
        let node = case.as_node();
        let mut chain = Chain {
            arms: Vec::new(),
            otherwise: case.else_clause(),
            lines: (line(&node), last_line(&node)),
        };
        for when in case
            .conditions()
            .iter()
            .filter_map(|when| when.as_when_node())
        {
            let tests = when
                .conditions()
                .iter()
                .filter_map(|value| test(value, self.flags));
            chain.arms.push(Arm {
                test: super::test::either(tests.collect()),
                body: when.statements(),
            });
        }
        match chain.merged() {
            Some(draft) => self.merged(chain, draft),
            None => self.unmerged(chain.arms.into(), chain.otherwise.as_ref()),
        }
    }

    fn unmerged(
        &mut self,
        mut arms: std::collections::VecDeque<Arm<'_>>,
        otherwise: Option<&ElseNode<'_>>,
    ) {
        let Some(arm) = arms.pop_front() else {
            return self.list(otherwise.and_then(ElseNode::statements).as_ref());
        };
        let then_leaves = leaves(arm.body.as_ref());
        let rest_leaves = arms_leave(&arms, otherwise);
        let is_guard = then_leaves && arms.is_empty() && otherwise.is_none();
        let parent = if is_guard {
            self.around.branch
        } else {
            self.parent()
        };
        let placed = arm.test.map(|test| self.place(test, parent));
        self.branch(placed.as_ref(), true, then_leaves, |walk| {
            walk.outcomes_of(placed.as_ref(), true, arm.body.as_ref());
            walk.list(arm.body.as_ref());
        });
        self.branch(placed.as_ref(), false, rest_leaves, |walk| {
            if arms.is_empty() {
                let statements = otherwise.and_then(ElseNode::statements);
                walk.outcomes_of(placed.as_ref(), false, statements.as_ref());
                walk.list(statements.as_ref());
            } else {
                walk.unmerged(arms, otherwise);
            }
        });
        self.made = match placed {
            Some(placed) if then_leaves != rest_leaves => Some(place_of(&placed, !then_leaves)),
            _ => None,
        };
    }

    /// A chain that is one characteristic.
    fn merged(&mut self, chain: Chain<'_>, draft: Draft) {
        let attribute = match &draft.family {
            Family::Equality { subject, .. } => Some(subject.clone()),
            _ => None,
        };
        let implicit = draft.kind == Kind::Range && chain.otherwise.is_none();
        let mut ways: Vec<Way<'_>> = chain
            .arms
            .into_iter()
            .enumerate()
            .map(|(state, arm)| Way {
                state,
                body: arm.body,
                guard: None,
            })
            .collect();
        let has_else = chain.otherwise.is_some() || implicit;
        if let Some(clause) = chain.otherwise {
            ways.push(Way {
                state: ways.len(),
                body: clause.statements(),
                guard: None,
            });
        }
        self.many(draft, attribute.as_deref(), ways, has_else);
    }

    /// Several branches of one characteristic. `is_complete` when a value that takes none of them has a state, too.
    fn many(
        &mut self,
        mut draft: Draft,
        attribute: Option<&str>,
        ways: Vec<Way<'_>>,
        is_complete: bool,
    ) {
        let (order, default) = self.lifecycle(&mut draft, attribute);
        let count = draft.states.len();
        let parent = self.parent();
        let decided = self.around.decided.clone();
        let index = self.found.occur(draft, parent, &decided);
        if default.is_some() {
            self.found.set_default(index, default);
        }
        let position = |state: usize| order.iter().position(|at| *at == state).unwrap_or(state);
        let mut survives = vec![false; count];
        let mut taken = vec![false; count];
        for way in ways {
            let place = Place {
                index,
                state: position(way.state),
            };
            taken[place.state] = true;
            survives[place.state] |= !leaves(way.body.as_ref()) || way.guard.is_some();
            self.within(Some(place), vec![index], |walk| walk.way(place, &way));
        }
        for state in 0..count {
            survives[state] |= !taken[state];
            if !survives[state] {
                self.found.leaves(Place { index, state });
            }
        }
        let mut surviving = (0..count).filter(|state| survives[*state]);
        self.made = match (surviving.next(), surviving.next()) {
            (Some(state), None) if is_complete => Some(Place { index, state }),
            _ => None,
        };
    }

    fn way(&mut self, place: Place, way: &Way<'_>) {
        let Some((condition, then_when)) = &way.guard else {
            let Around {
                is_result,
                is_certain,
                ..
            } = self.around;
            let branch = Branch::of(way.body.as_ref(), is_result, is_certain);
            self.outcomes.add(place, branch);
            return self.list(way.body.as_ref());
        };
        self.two_way(
            condition,
            *then_when,
            way.body.as_ref(),
            &Otherwise::Else(None),
        );
    }

    /// Order and default of a declared lifecycle.
    fn lifecycle(
        &self,
        draft: &mut Draft,
        attribute: Option<&str>,
    ) -> (Vec<usize>, Option<String>) {
        let found = attribute
            .filter(|_| draft.kind == Kind::Enum)
            .and_then(|attribute| {
                let attribute = attribute_name(attribute);
                self.machines
                    .iter()
                    .find_map(|machine| Some((machine, machine.order(attribute, &draft.states)?)))
            });
        let Some((machine, order)) = found else {
            return (Vec::new(), None);
        };
        draft.kind = Kind::Sequential;
        draft.states = order.iter().map(|at| draft.states[*at].clone()).collect();
        let default = machine.default_of(&draft.states);
        (order, default)
    }
}

/// The attribute at the end of an expression: `stage` of `self.stage.to_sym`.
fn attribute_name(source: &str) -> &str {
    source
        .rsplit('.')
        .find(|part| !matches!(*part, "to_s" | "to_sym" | "downcase" | "strip"))
        .unwrap_or(source)
        .trim_start_matches(['@', '&'])
        .trim_end_matches('&')
}

fn place(index: usize, is_first: bool) -> Place {
    Place {
        index,
        state: usize::from(!is_first),
    }
}

fn place_of(placed: &Test<usize>, truth: bool) -> Place {
    let (index, is_first) = placed.stands_for(truth);
    place(*index, is_first)
}

fn arms_leave(
    arms: &std::collections::VecDeque<Arm<'_>>,
    otherwise: Option<&ElseNode<'_>>,
) -> bool {
    else_leaves(otherwise) && arms.iter().all(|arm| leaves(arm.body.as_ref()))
}

/// Whether a statement, or the value it assigns, is a conditional.
fn is_conditional(node: &Node<'_>) -> bool {
    node.as_if_node().is_some()
        || node.as_unless_node().is_some()
        || node.as_case_node().is_some()
        || node.as_case_match_node().is_some()
        || node.as_parentheses_node().is_some()
        || assignment(node).is_some_and(|(_, value)| is_conditional(&bare(value)))
}

/// Whether a statement can be passed without knowing anything about the program: conditions are looked at themselves.
pub(super) fn is_harmless(node: &Node<'_>) -> bool {
    is_conditional(node) && assignment(node).is_none()
        || is_literal(node)
        || assignment(node).is_some_and(|(_, value)| is_literal(&value))
}

/// Whether the value of a statement is that of the branches in it.
fn keeps_result(node: &Node<'_>) -> bool {
    assignment(node).is_none() && (is_conditional(node) || node.as_begin_node().is_some())
}

impl<'pr> Visit<'pr> for Walk<'_> {
    fn visit_statements_node(&mut self, node: &StatementsNode<'pr>) {
        self.statements(node);
    }

    fn visit_if_node(&mut self, node: &IfNode<'pr>) {
        let has_elsif = node
            .subsequent()
            .is_some_and(|next| next.as_if_node().is_some());
        if !has_elsif {
            return self.nested(node);
        }
        let chain = self.chain_of(node);
        match chain.merged() {
            Some(draft) => self.merged(chain, draft),
            None => self.nested(node),
        }
    }

    fn visit_unless_node(&mut self, node: &UnlessNode<'pr>) {
        let otherwise = match node.else_clause() {
            None => Otherwise::Nothing,
            Some(clause) => Otherwise::Else(clause.statements()),
        };
        self.two_way(
            &node.predicate(),
            false,
            node.statements().as_ref(),
            &otherwise,
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
        let draft = when::of_case(node, &subject);
        let mut ways: Vec<Way<'_>> = node
            .conditions()
            .iter()
            .filter_map(|when| when.as_when_node())
            .enumerate()
            .map(|(state, when)| Way {
                state,
                body: when.statements(),
                guard: None,
            })
            .collect();
        let is_complete = node.else_clause().is_some() || ways.len() < draft.states.len();
        if let Some(clause) = node.else_clause() {
            ways.push(Way {
                state: ways.len(),
                body: clause.statements(),
                guard: None,
            });
        }
        self.outside_of_lists(&subject);
        self.many(draft, Some(&source(&subject)), ways, is_complete);
    }

    fn visit_case_match_node(&mut self, node: &CaseMatchNode<'pr>) {
        let Some(subject) = node.predicate().map(bare) else {
            return;
        };
        let matched = pattern::of_case(node, &subject);
        let other = matched.draft.states.len() - 1;
        let mut ways: Vec<Way<'_>> = matched
            .arms
            .into_iter()
            .map(|arm| Way {
                state: arm.state,
                body: arm.arm.statements(),
                guard: arm.guard,
            })
            .collect();
        if let Some(clause) = node.else_clause() {
            ways.push(Way {
                state: matched.otherwise.unwrap_or(other),
                body: clause.statements(),
                guard: None,
            });
        }
        self.outside_of_lists(&subject);
        // Without an `else` a value that matches nothing raises an error: no way is left open.
        self.many(matched.draft, None, ways, true);
    }

    /// A block may run never, once or often.
    fn visit_block_node(&mut self, node: &BlockNode<'pr>) {
        let is_certain = std::mem::take(&mut self.around.is_certain);
        ruby_prism::visit_block_node(self, node);
        self.around.is_certain = is_certain;
    }

    fn visit_lambda_node(&mut self, node: &LambdaNode<'pr>) {
        let is_certain = std::mem::take(&mut self.around.is_certain);
        ruby_prism::visit_lambda_node(self, node);
        self.around.is_certain = is_certain;
    }

    fn visit_begin_node(&mut self, node: &BeginNode<'pr>) {
        self.begin(node, false);
    }

    fn visit_rescue_modifier_node(&mut self, node: &RescueModifierNode<'pr>) {
        self.visit(&node.expression());
        self.without_gates(|walk| walk.visit(&node.rescue_expression()));
    }

    /// The condition of a loop is no characteristic.
    fn visit_while_node(&mut self, node: &WhileNode<'pr>) {
        self.repeated(node.statements().as_ref());
    }

    fn visit_until_node(&mut self, node: &UntilNode<'pr>) {
        self.repeated(node.statements().as_ref());
    }

    fn visit_def_node(&mut self, _: &DefNode<'pr>) {}
    fn visit_class_node(&mut self, _: &ClassNode<'pr>) {}
    fn visit_module_node(&mut self, _: &ModuleNode<'pr>) {}
    fn visit_singleton_class_node(&mut self, _: &SingletonClassNode<'pr>) {}
}
