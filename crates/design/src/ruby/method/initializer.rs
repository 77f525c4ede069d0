//! How instances of a class are created, and which attributes can be set and read from outside.

use ruby_prism::Node;

use crate::ruby::analyze::Analysis;
use crate::ruby::method::definitions::{Attribute, Definitions};
use crate::ruby::method::id::Method;
use crate::ruby::method::parameter::{self, Parameter};
use crate::ruby::syntax::node::{assignment, variable};
use crate::ruby::syntax::words::literal;

/// The parameters of `new`.
pub(in crate::ruby) fn initializer(
    definitions: &Definitions<'_>,
    method: &Method,
) -> Vec<Parameter> {
    definitions
        .initializers
        .iter()
        .rfind(|definition| definition.method.class == method.class)
        .map(|definition| parameter::of(&definition.node))
        .unwrap_or_default()
}

impl Analysis {
    /// Whether the method's class declares a writable attribute of that name that is read back as it was written.
    pub(crate) fn has_attribute(&self, name: &str) -> bool {
        self.declared(name).any(|one| one.is_writable)
    }

    /// Whether the method's class declares a reader for the instance variable of that name.
    pub(crate) fn has_reader(&self, name: &str) -> bool {
        self.declared(name).next().is_some()
    }

    fn declared(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        let all = self.attributes.iter();
        all.filter(move |one| one.name == name && one.class == self.method.class)
    }
}

/// Whether the class has neither initializer nor superclass, or an initializer that only assigns.
pub(in crate::ruby) fn has_plain_initializer(
    definitions: &Definitions<'_>,
    method: &Method,
) -> bool {
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
            .all(|statement| only_assigns(&statement))
    })
}

/// Whether a statement is `@name = name`, or assigns a literal.
fn only_assigns(statement: &Node<'_>) -> bool {
    assignment(statement).is_some_and(|(name, value)| {
        variable(&value) == Some(name.trim_start_matches('@')) || literal(&value).is_some()
    })
}
