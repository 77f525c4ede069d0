//! Declarations in class bodies: `private`, `module_function`, `extend self`, `attr_reader` and the like.

use std::sync::Arc;

use ruby_prism::CallNode;

use crate::ruby::method::definitions::{Attribute, Definitions, Visibility};
use crate::ruby::method::id::{Method, MethodType};
use crate::ruby::syntax::node::{arguments, called, constant, text};

impl<'pr> Definitions<'pr> {
    /// Applies a call in a class body to the methods of the class.
    pub(in crate::ruby::method::definitions) fn declare(&mut self, call: &CallNode<'pr>) {
        let names = listed_methods(call);
        let bare = call.arguments().is_none();
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        match called(call) {
            "private" | "protected" if bare => scope.visibility = Visibility::Hidden,
            "public" if bare => scope.visibility = Visibility::Public,
            "module_function" if bare => scope.is_function = true,
            "attr_accessor" | "attr_reader" => {
                let class = scope.path.clone();
                let own = names.into_iter().map(|name| Attribute {
                    class: class.clone(),
                    name,
                    is_writable: called(call) == "attr_accessor",
                });
                Arc::make_mut(&mut self.attributes).extend(own);
            }
            "extend" if extends_self(call) => {
                scope.is_function = true;
                let path = scope.path.clone();
                self.change(&path, None, |method| method.method_type = MethodType::Class);
            }
            "private_constant" => {
                let path = scope.path.clone();
                let constants = names.iter().map(|name| format!("{path}::{name}"));
                self.private_constants.extend(constants);
            }
            "include" if includes_singleton(call) => {
                let path = scope.path.clone();
                self.without_new.push(path);
            }
            "private" | "protected" | "private_class_method" => {
                let path = scope.path.clone();
                let is_of_class = scope.is_singleton || called(call) == "private_class_method";
                if is_of_class && names.iter().any(|name| name == "new") {
                    self.without_new.push(path.clone());
                }
                self.change(&path, Some(&names), |method| method.is_public = false);
            }
            "public" => {
                let path = scope.path.clone();
                self.change(&path, Some(&names), |method| method.is_public = true);
            }
            "module_function" => {
                let path = scope.path.clone();
                self.change(&path, Some(&names), |method| {
                    method.method_type = MethodType::Class;
                });
            }
            _ => {}
        }
    }

    fn change(&mut self, class: &str, names: Option<&[String]>, change: impl Fn(&mut Method)) {
        for definition in &mut self.methods {
            let method = &mut definition.method;
            let is_listed = names.is_none_or(|names| names.contains(&method.name));
            if method.class == class && is_listed {
                change(method);
            }
        }
    }
}

/// The names of the methods that a declaration lists; also supports `private def name`.
fn listed_methods(call: &CallNode<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for argument in arguments(call) {
        if let Some(symbol) = argument.as_symbol_node() {
            names.push(text(symbol.unescaped()).to_owned());
        } else if let Some(string) = argument.as_string_node() {
            names.push(text(string.unescaped()).to_owned());
        } else if let Some(method) = argument.as_def_node() {
            names.push(text(method.name().as_slice()).to_owned());
        } else if let Some(array) = argument.as_array_node() {
            let symbols = array
                .elements()
                .iter()
                .filter_map(|node| node.as_symbol_node());
            names.extend(symbols.map(|symbol| text(symbol.unescaped()).to_owned()));
        }
    }
    names
}

fn extends_self(call: &CallNode<'_>) -> bool {
    arguments(call)
        .iter()
        .any(|node| node.as_self_node().is_some())
}

/// Whether `Singleton` is included, which makes `new` private.
fn includes_singleton(call: &CallNode<'_>) -> bool {
    let mut modules = arguments(call).into_iter();
    modules.any(|module| constant(&module) == Some("Singleton"))
}
