//! Names whose values are booleans: the flags of rule E11, and the defaults of parameters for rule E15.

use std::collections::{HashMap, HashSet};

use ruby_prism::{DefNode, Node, ParametersNode};

use crate::ruby::syntax::node::{assignment, bare, called, text};
use crate::ruby::syntax::words::literal_word;

/// Facts about the names in a method.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    booleans: HashSet<String>,
    defaults: HashMap<String, String>,
    assigned: HashSet<String>,
}

impl Flags {
    /// Built from the parameters of the method and the assignments in its body.
    pub(crate) fn of(method: &DefNode<'_>, assignments: Assignments<'_>) -> Flags {
        let mut flags = Flags::default();
        if let Some(parameters) = method.parameters() {
            flags.read_defaults(&parameters);
        }
        let Assignments {
            boolean,
            other,
            names,
        } = assignments;
        let owned = |name: &&str| (*name).to_owned();
        flags.assigned = names.iter().map(owned).collect();
        let booleans = boolean.difference(&other).map(owned);
        flags.booleans.extend(booleans);
        flags
    }

    /// Whether only booleans are assigned to this name, which includes `@`.
    pub(crate) fn is_flag(&self, name: &str) -> bool {
        self.booleans.contains(name)
    }

    /// Whether the method assigns this name, or the instance variable of this attribute.
    pub(crate) fn is_assigned(&self, name: &str) -> bool {
        let is_variable = |assigned: &String| assigned.strip_prefix('@') == Some(name);
        self.assigned.contains(name) || self.assigned.iter().any(is_variable)
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

/// The assignments in a method.
#[derive(Default)]
pub(crate) struct Assignments<'pr> {
    boolean: HashSet<&'pr str>,
    other: HashSet<&'pr str>,
    /// All assigned names, including those in multiple and operator assignments.
    names: HashSet<&'pr str>,
}

impl<'pr> Assignments<'pr> {
    pub(crate) fn record(&mut self, node: &Node<'pr>) {
        if let Some((name, value)) = assignment(node) {
            self.names.insert(name);
            if is_condition(&value) {
                self.boolean.insert(name);
            } else if value.as_nil_node().is_none() {
                self.other.insert(name);
            }
        } else {
            self.names.extend(changed_variable(node));
        }
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
