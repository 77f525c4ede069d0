//! How instances of a class are made, and what can be told about them from outside.

use ruby_prism::Node;

use super::analyze::Analysis;
use super::definitions::{Attribute, Definitions};
use super::method::Method;
use super::node::{assignment, variable};
use super::parameter::{self, Parameter};
use super::words::literal;

/// What `new` takes.
pub(super) fn initializer(definitions: &Definitions<'_>, method: &Method) -> Vec<Parameter> {
    definitions
        .initializers
        .iter()
        .rfind(|definition| definition.method.class == method.class)
        .map(|definition| parameter::of(&definition.node))
        .unwrap_or_default()
}

impl Analysis {
    /// Whether the method's class declares an attribute of that name that anybody may set, and that is read as it was set.
    pub(crate) fn has_attribute(&self, name: &str) -> bool {
        self.declared(name).any(|one| one.is_writable)
    }

    /// Whether the method's class declares that this is what the variable of that name is.
    pub(crate) fn has_reader(&self, name: &str) -> bool {
        self.declared(name).next().is_some()
    }

    fn declared(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        let all = self.attributes.iter();
        all.filter(move |one| one.name == name && one.class == self.method.class)
    }
}

/// No initializer and no superclass, or an initializer that only assigns.
pub(super) fn is_plainly_made(definitions: &Definitions<'_>, method: &Method) -> bool {
    let own = definitions
        .initializers
        .iter()
        .rfind(|definition| definition.method.class == method.class);
    let Some(own) = own else {
        return method.superclass.is_none() && method.class != "Object";
    };
    let Some(body) = own.node.body() else {
        return true;
    };
    body.as_statements_node().is_some_and(|statements| {
        statements
            .body()
            .iter()
            .all(|statement| only_keeps(&statement))
    })
}

/// `@name = name`, or a literal.
fn only_keeps(statement: &Node<'_>) -> bool {
    assignment(statement).is_some_and(|(name, value)| {
        variable(&value) == Some(name.trim_start_matches('@')) || literal(&value).is_some()
    })
}
