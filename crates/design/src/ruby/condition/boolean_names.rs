//! Names whose values are booleans: the flags of rule E11, and the defaults of parameters for rule E15.

use std::collections::{HashMap, HashSet};

use ruby_prism::{DefNode, Node, ParametersNode};

use crate::ruby::syntax::node::{assignment, bare, called, text};
use crate::ruby::syntax::words::literal_word;

/// Facts about the names in a method.
#[derive(Debug, Default)]
pub(crate) struct Flags<'pr> {
    /// The parameters whose defaults are booleans.
    booleans: HashSet<String>,
    defaults: HashMap<String, String>,
    assignments: Assignments<'pr>,
}

impl<'pr> Flags<'pr> {
    /// Built from the parameters of the method and the assignments in its body.
    pub(crate) fn of(method: &DefNode<'_>, mut assignments: Assignments<'pr>) -> Flags<'pr> {
        assignments.remove_duplicates();
        let mut flags = Flags {
            assignments,
            ..Flags::default()
        };
        if let Some(parameters) = method.parameters() {
            flags.read_defaults(&parameters);
        }
        flags
    }

    /// Whether only booleans are assigned to this name, which includes `@`.
    pub(crate) fn is_flag(&self, name: &str) -> bool {
        self.booleans.contains(name) || self.assignments.has_only_booleans(name)
    }

    /// Whether the method assigns this name, or the instance variable of this attribute.
    pub(crate) fn is_assigned(&self, name: &str) -> bool {
        let mut assigned = self.assignments.assigned.iter();
        assigned.any(|(one, _)| *one == name || one.strip_prefix('@') == Some(name))
    }

    /// The word for the literal default of a parameter.
    pub(crate) fn default_of(&self, parameter: &str) -> Option<&str> {
        self.defaults.get(parameter).map(String::as_str)
    }

    fn read_defaults(&mut self, parameters: &ParametersNode<'_>) {
        for parameter in &parameters.optionals() {
            if let Some(optional) = parameter.as_optional_parameter_node() {
                self.set_default(text(optional.name().as_slice()), &optional.value());
            }
        }
        for parameter in &parameters.keywords() {
            if let Some(optional) = parameter.as_optional_keyword_parameter_node() {
                let name = text(optional.name().as_slice()).trim_end_matches(':');
                self.set_default(name, &optional.value());
            }
        }
    }

    fn set_default(&mut self, name: &str, value: &Node<'_>) {
        if value.as_true_node().is_some() || value.as_false_node().is_some() {
            self.booleans.insert(name.to_owned());
        }
        if let Some(word) = literal_word(value) {
            self.defaults.insert(name.to_owned(), word);
        }
    }
}

/// The assignments in a method, including multiple and operator assignments.
#[derive(Debug, Default)]
pub(crate) struct Assignments<'pr> {
    assigned: Vec<(&'pr str, AssignedValue)>,
}

/// What is assigned to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AssignedValue {
    /// A value that can only be true or false.
    Boolean,
    /// `nil`, or a value that the assignment does not show.
    Unknown,
    /// Any other value.
    Other,
}

impl<'pr> Assignments<'pr> {
    pub(crate) fn record(&mut self, node: &Node<'pr>) {
        if let Some((name, value)) = assignment(node) {
            let value = if is_condition(&value) {
                AssignedValue::Boolean
            } else if value.as_nil_node().is_some() {
                AssignedValue::Unknown
            } else {
                AssignedValue::Other
            };
            self.assigned.push((name, value));
        } else if let Some(name) = changed_variable(node) {
            self.assigned.push((name, AssignedValue::Unknown));
        }
    }

    fn remove_duplicates(&mut self) {
        self.assigned.sort_unstable();
        self.assigned.dedup();
    }

    fn has_only_booleans(&self, name: &str) -> bool {
        let has = |value| self.assigned.contains(&(name, value));
        has(AssignedValue::Boolean) && !has(AssignedValue::Other)
    }
}

/// The variable that a multiple or operator assignment changes.
fn changed_variable<'pr>(node: &Node<'pr>) -> Option<&'pr str> {
    let name = if let Some(target) = node.as_local_variable_target_node() {
        target.name()
    } else if let Some(target) = node.as_instance_variable_target_node() {
        target.name()
    } else if let Some(write) = node.as_local_variable_operator_write_node() {
        write.name()
    } else {
        node.as_instance_variable_operator_write_node()?.name()
    };
    Some(text(name.as_slice()))
}

/// Whether an expression can only be true or false.
pub(crate) fn is_condition(node: &Node<'_>) -> bool {
    if let Some(and) = node.as_and_node() {
        return is_condition(&bare(and.left())) && is_condition(&bare(and.right()));
    }
    if let Some(or) = node.as_or_node() {
        return is_condition(&bare(or.left())) && is_condition(&bare(or.right()));
    }
    if node.as_parentheses_node().is_some() {
        return is_condition_in_parentheses(node);
    }
    if node.as_true_node().is_some() || node.as_false_node().is_some() {
        return true;
    }
    if node.as_defined_node().is_some() || node.as_match_predicate_node().is_some() {
        return true;
    }
    node.as_call_node()
        .is_some_and(|call| returns_boolean(called(&call)))
}

fn is_condition_in_parentheses(node: &Node<'_>) -> bool {
    let inner = node
        .as_parentheses_node()
        .and_then(|parentheses| parentheses.body())
        .and_then(|body| body.as_statements_node())
        .and_then(|statements| statements.body().last());
    inner.is_some_and(|inner| is_condition(&inner))
}

fn returns_boolean(method: &str) -> bool {
    method.ends_with('?')
        || matches!(
            method,
            "!" | "==" | "!=" | "===" | "<" | "<=" | ">" | ">=" | "!~"
        )
}
