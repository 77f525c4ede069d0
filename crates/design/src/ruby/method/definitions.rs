//! The methods, attributes and constants that a file defines: rule E1.

mod declare;
mod visit;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ruby_prism::{DefNode, Node, Visit as _};

use crate::ruby::branch::state_machine::StateMachine;
use crate::ruby::method::body_scan::BodyScan;
use crate::ruby::method::id::{Method, MethodType};
use crate::ruby::method::initializer::Initializer;
use crate::ruby::syntax::node::{constant, last_line, line, source, text};

/// A method, its code, and what was collected in it.
pub(crate) struct Definition<'pr> {
    pub(crate) method: Method,
    pub(crate) node: DefNode<'pr>,
    pub(crate) scan: BodyScan<'pr>,
}

/// The definitions of a file.
#[derive(Default)]
pub(crate) struct Definitions<'pr> {
    pub(crate) methods: Vec<Definition<'pr>>,
    pub(crate) machines: Vec<StateMachine>,
    /// Whether the code is nested too deeply to be visited.
    pub(crate) is_too_deep: bool,
    pub(in crate::ruby) initializers: Vec<Initializer>,
    /// Classes, modules and constants by full name.
    pub(crate) constants: Arc<Vec<String>>,
    /// Integer constants, by full name.
    pub(crate) numbers: Arc<Vec<(String, i64)>>,
    /// Constants that are lists of literals, or hashes with literal keys, by full name.
    pub(crate) lists: Arc<Vec<(String, Vec<String>)>>,
    /// Declared attributes that no method overrides.
    pub(crate) attributes: Arc<Vec<Attribute>>,
    /// Classes and modules declared with `private_constant`, by full name.
    private_constants: Vec<String>,
    /// Classes whose `new` is private, by full name.
    without_new: Vec<String>,
    /// Index in `methods` by id.
    method_indexes: HashMap<String, usize>,
    scopes: Vec<Scope>,
    depth: usize,
    inside_method: usize,
}

/// An attribute declared with `attr_reader` or `attr_accessor` and not overridden by a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) is_writable: bool,
}

/// The class or module that is being read.
#[derive(Clone, Default)]
struct Scope {
    path: String,
    superclass: Option<String>,
    is_module: bool,
    /// Inside `class << self`.
    is_singleton: bool,
    visibility: Visibility,
    /// After a bare `module_function`, or with `extend self`.
    is_function: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Visibility {
    #[default]
    Public,
    Hidden,
}

impl<'pr> Definitions<'pr> {
    /// Collects the definitions of a complete file.
    pub(crate) fn of(program: &Node<'pr>) -> Definitions<'pr> {
        let mut definitions = Definitions::default();
        definitions.visit(program);
        definitions.remove_overridden_attributes();
        definitions
    }

    /// Why a spec cannot call a method; `None` if it can.
    pub(crate) fn inaccessible(&self, method: &Method) -> Option<String> {
        if !method.is_public {
            return Some("the method is private".to_owned());
        }
        let is_outer = |constant: &&String| {
            let inside = method.class.strip_prefix(constant.as_str());
            inside.is_some_and(|inside| inside.is_empty() || inside.starts_with("::"))
        };
        let private = self.private_constants.iter().find(is_outer)?;
        Some(format!("{private} is a private constant"))
    }

    /// Whether a class has a public `new`.
    pub(crate) fn has_new(&self, class: &str) -> bool {
        !self.without_new.iter().any(|known| known == class)
    }

    /// Removes attributes that are also defined as methods.
    fn remove_overridden_attributes(&mut self) {
        if self.attributes.is_empty() {
            return;
        }
        let defined = self.methods.iter().map(|definition| {
            let Method { class, name, .. } = &definition.method;
            (class.as_str(), name.strip_suffix('=').unwrap_or(name))
        });
        let defined: HashSet<_> = defined.collect();
        Arc::make_mut(&mut self.attributes)
            .retain(|one| !defined.contains(&(one.class.as_str(), one.name.as_str())));
    }

    fn scope(&self) -> Scope {
        self.scopes.last().cloned().unwrap_or_else(|| Scope {
            path: "Object".to_owned(),
            ..Scope::default()
        })
    }

    fn visit_scope(&mut self, scope: Scope, body: Option<Node<'pr>>) {
        Arc::make_mut(&mut self.constants).push(scope.path.clone());
        self.scopes.push(scope);
        let inside_method = std::mem::take(&mut self.inside_method);
        if let Some(body) = body {
            self.visit(&body);
        }
        self.inside_method = inside_method;
        self.scopes.pop();
    }

    /// The full name of a class that is opened here.
    fn path(&self, name: &Node<'_>) -> String {
        let name = source(name);
        if let Some(absolute) = name.strip_prefix("::") {
            return absolute.to_owned();
        }
        match self.scopes.last() {
            Some(scope) => format!("{}::{name}", scope.path),
            None => name,
        }
    }

    fn define(&mut self, node: &DefNode<'pr>, scan: BodyScan<'pr>) {
        let scope = self.scope();
        let on_class = match node.receiver() {
            None => scope.is_singleton || scope.is_function,
            Some(receiver) => is_own_class(&receiver, &scope.path),
        };
        if node.receiver().is_some() && !on_class {
            return;
        }
        let head = node.as_node();
        let method = Method {
            class: scope.path,
            name: text(node.name().as_slice()).to_owned(),
            method_type: if on_class {
                MethodType::Class
            } else {
                MethodType::Instance
            },
            is_public: node.receiver().is_some()
                || scope.visibility == Visibility::Public && !is_always_private(node),
            lines: (line(&head), last_line(&head)),
            superclass: scope.superclass,
            in_module: scope.is_module,
        };
        let Some(node) = head.as_def_node() else {
            return;
        };
        if method.name == "initialize" {
            self.initializers.push(Initializer::of(method.class, &node));
            return;
        }
        // A later definition replaces an earlier one with the same id, as in Ruby.
        let index = self.method_indexes.entry(method.id());
        let index = *index.or_insert(self.methods.len());
        let definition = Definition { method, node, scan };
        match self.methods.get_mut(index) {
            Some(earlier) => *earlier = definition,
            None => self.methods.push(definition),
        }
    }
}

/// Whether Ruby makes methods of this name private wherever they are defined.
fn is_always_private(node: &DefNode<'_>) -> bool {
    matches!(
        text(node.name().as_slice()),
        "initialize"
            | "initialize_copy"
            | "initialize_clone"
            | "initialize_dup"
            | "respond_to_missing?"
    )
}

fn is_own_class(receiver: &Node<'_>, path: &str) -> bool {
    receiver.as_self_node().is_some()
        || constant(receiver).is_some_and(|name| path.rsplit("::").next() == Some(name))
}
