//! How instances of a class are created, and which attributes can be set and read from outside.

use std::sync::Arc;

use ruby_prism::{DefNode, Node};

use crate::ruby::analyze::Analysis;
use crate::ruby::method::definitions::{Attribute, Definitions};
use crate::ruby::method::id::Method;
use crate::ruby::method::parameter::{self, Parameter};
use crate::ruby::syntax::node::{assignment, variable};
use crate::ruby::syntax::words::is_word;

/// The `initialize` of a class. It is read once for all methods of the class.
pub(in crate::ruby) struct Initializer {
    class: String,
    parameters: Arc<Vec<Parameter>>,
    /// Whether it only stores its arguments.
    is_plain: bool,
}

impl Initializer {
    pub(in crate::ruby) fn of(class: String, node: &DefNode<'_>) -> Initializer {
        Initializer {
            class,
            parameters: Arc::new(parameter::of(node)),
            is_plain: is_plain(node),
        }
    }

    /// The one that creates the receivers of a method. A later definition replaces an earlier one.
    fn of_method<'d>(definitions: &'d Definitions<'_>, method: &Method) -> Option<&'d Initializer> {
        let mut all = definitions.initializers.iter();
        all.rfind(|one| one.class == method.class)
    }
}

/// The parameters of `new`.
pub(in crate::ruby) fn initializer(
    definitions: &Definitions<'_>,
    method: &Method,
) -> Arc<Vec<Parameter>> {
    let own = Initializer::of_method(definitions, method);
    own.map(|own| Arc::clone(&own.parameters))
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
    match Initializer::of_method(definitions, method) {
        Some(own) => own.is_plain,
        None => method.superclass.is_none() && method.class != "Object",
    }
}

fn is_plain(initialize: &DefNode<'_>) -> bool {
    let Some(body) = initialize.body() else {
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
        variable(&value) == Some(name.trim_start_matches('@')) || is_word(&value)
    })
}
