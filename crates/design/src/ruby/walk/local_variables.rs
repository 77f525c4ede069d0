//! Which assignment a local variable has its value from. A condition on a variable that has been assigned again is
//! another condition (rule E14).

use ruby_prism::{BlockNode, CallNode, Node};

use crate::ruby::condition::dependencies::NameHash;
use crate::ruby::condition::draft::CharacteristicDraft;
use crate::ruby::condition::qualifier::{self, Qualifier};
use crate::ruby::syntax::node::{assigned_value, receiver};

/// A local variable that a condition reads, and where its value comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalRead {
    name: NameHash,
    /// The text of what was assigned to it. For the parameter of a block, the receiver of the call.
    value: NameHash,
    /// Where it was assigned; 0 for a parameter of the method.
    offset: u32,
}

impl LocalRead {
    /// A variable whose value is found later.
    pub(in crate::ruby) fn of(name: &[u8]) -> LocalRead {
        LocalRead {
            name: NameHash::of_bytes(name),
            value: NameHash::of(""),
            offset: 0,
        }
    }

    /// A variable that this node assigns.
    pub(in crate::ruby) fn assigned(node: &Node<'_>) -> Option<LocalRead> {
        let value = assigned_value(node);
        LocalRead::of_assignment(node, value.as_ref())
    }

    fn of_assignment(node: &Node<'_>, value: Option<&Node<'_>>) -> Option<LocalRead> {
        Some(LocalRead {
            name: NameHash::of_bytes(assigned_name(node)?),
            value: text_of(value.unwrap_or(node)),
            offset: node.location().start(),
        })
    }

    pub(in crate::ruby) fn name(self) -> NameHash {
        self.name
    }

    /// Whether the same variable was assigned the same expression.
    pub(in crate::ruby) fn has_value_of(self, other: LocalRead) -> bool {
        self.name == other.name && self.value == other.value
    }

    /// Whether it has its value from another place.
    pub(in crate::ruby) fn is_from_elsewhere(self, other: LocalRead) -> bool {
        self.offset != other.offset
    }
}

/// The text of an expression. The beginning of a long one is enough.
fn text_of(value: &Node<'_>) -> NameHash {
    let source = value.location().as_slice();
    NameHash::of_bytes(&source[..source.len().min(200)])
}

/// The local variable that a node assigns.
fn assigned_name<'pr>(node: &Node<'pr>) -> Option<&'pr [u8]> {
    let name = match node {
        Node::LocalVariableWriteNode { .. } => node.as_local_variable_write_node()?.name(),
        Node::LocalVariableOrWriteNode { .. } => node.as_local_variable_or_write_node()?.name(),
        Node::LocalVariableAndWriteNode { .. } => node.as_local_variable_and_write_node()?.name(),
        Node::LocalVariableOperatorWriteNode { .. } => {
            node.as_local_variable_operator_write_node()?.name()
        }
        Node::LocalVariableTargetNode { .. } => node.as_local_variable_target_node()?.name(),
        _ => return None,
    };
    Some(name.as_slice())
}

/// One assignment.
#[derive(Debug)]
pub(in crate::ruby::walk) struct Assigned {
    read: LocalRead,
    /// The beginning of the value, for names.
    origin: Option<String>,
}

/// The assignments so far, in the order in which they are executed.
#[derive(Debug, Default)]
pub(in crate::ruby::walk) struct LocalVariables {
    assigned: Vec<Assigned>,
    branches: u32,
}

impl LocalVariables {
    /// Records an assignment.
    pub(in crate::ruby::walk) fn note(&mut self, node: &Node<'_>) {
        let value = assigned_value(node);
        if let Some(read) = LocalRead::of_assignment(node, value.as_ref()) {
            let origin = value.as_ref().and_then(qualifier::origin);
            self.assigned.push(Assigned { read, origin });
        }
    }

    /// Records the parameters of a block: each holds what the receiver of the call yields.
    pub(in crate::ruby::walk) fn enter_block(
        &mut self,
        call: &CallNode<'_>,
        block: &BlockNode<'_>,
    ) -> BlockScope {
        let start = self.assigned.len();
        let names = parameter_names(block);
        let node = receiver(call).unwrap_or_else(|| call.as_node());
        let (value, origin) = (text_of(&node), qualifier::origin(&node));
        self.assigned.extend(names.iter().map(|name| Assigned {
            read: LocalRead {
                name: NameHash::of_bytes(name),
                value,
                offset: node.location().start(),
            },
            origin: origin.clone(),
        }));
        BlockScope {
            start,
            count: names.len(),
        }
    }

    /// Forgets the parameters of a block.
    pub(in crate::ruby::walk) fn leave_block(&mut self, scope: &BlockScope) {
        self.assigned.drain(scope.start..scope.start + scope.count);
    }

    /// Finds the values of the variables that a condition reads.
    pub(in crate::ruby::walk) fn resolve(&self, draft: &mut CharacteristicDraft) {
        for read in &mut draft.locals {
            let last = self.assigned.iter().rfind(|one| one.read.name == read.name);
            let Some(last) = last.filter(|_| read.offset == 0) else {
                continue;
            };
            *read = last.read;
            let origin = last.origin.clone().map(Qualifier::Origin);
            draft.qualifiers.extend(origin);
        }
    }

    pub(in crate::ruby::walk) fn len(&self) -> usize {
        self.assigned.len()
    }

    /// Removes the assignments of a branch, which do not affect the other branches.
    pub(in crate::ruby::walk) fn leave_branch(&mut self, start: usize) -> Vec<Assigned> {
        self.assigned.split_off(start)
    }

    /// Adds the assignments of a branch after all branches were visited. From here on it is unknown which of them was
    /// executed.
    pub(in crate::ruby::walk) fn rejoin(&mut self, assigned: Vec<Assigned>) {
        for mut one in assigned {
            self.branches += 1;
            // An assignment and its source are found at a smaller offset.
            one.read.offset = u32::MAX - self.branches;
            one.read.value = NameHash::of_bytes(&one.read.offset.to_le_bytes());
            self.assigned.push(one);
        }
    }
}

/// The parameters of one block in the list of assignments.
pub(in crate::ruby::walk) struct BlockScope {
    start: usize,
    count: usize,
}

/// The names of the parameters of a block, also inside `(a, b)`.
fn parameter_names<'pr>(block: &BlockNode<'pr>) -> Vec<&'pr [u8]> {
    let Some(parameters) = block.parameters() else {
        return Vec::new();
    };
    if parameters.as_numbered_parameters_node().is_some() {
        return vec![b"_1", b"_2"];
    }
    if parameters.as_it_parameters_node().is_some() {
        return vec![b"it"];
    }
    let mut names = Vec::new();
    let declared = parameters.as_block_parameters_node();
    if let Some(declared) = declared.and_then(|declared| declared.parameters()) {
        for parameter in &declared.requireds() {
            collect_names(&parameter, &mut names);
        }
    }
    names
}

fn collect_names<'pr>(parameter: &Node<'pr>, names: &mut Vec<&'pr [u8]>) {
    if let Some(required) = parameter.as_required_parameter_node() {
        names.push(required.name().as_slice());
    } else if let Some(several) = parameter.as_multi_target_node() {
        for one in &several.lefts() {
            collect_names(&one, names);
        }
    }
}
