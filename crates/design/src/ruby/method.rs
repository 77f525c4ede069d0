//! The methods of a file: rule E1.

use std::collections::HashMap;

use ruby_prism::{
    CallNode, ClassNode, ConstantWriteNode, DefNode, ModuleNode, Node, SingletonClassNode, Visit,
};

use super::children::visit_children;
use super::lifecycle::Machine;
use super::node::{arguments, called, constant, last_line, line, source, text};

/// Whether a method is called on an instance or on the class itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodType {
    /// `#name`.
    Instance,
    /// `.name`.
    Class,
}

impl MethodType {
    /// As the metadata spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            MethodType::Instance => "instance",
            MethodType::Class => "class",
        }
    }

    /// `#` or `.`.
    pub fn sign(self) -> char {
        match self {
            MethodType::Instance => '#',
            MethodType::Class => '.',
        }
    }
}

/// A method, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The class or module it stands in; `Object` at the top of a file.
    pub class: String,
    /// Its bare name.
    pub name: String,
    /// Instance or class.
    pub method_type: MethodType,
    /// Whether anyone may call it.
    pub is_public: bool,
    /// First and last line.
    pub lines: (usize, usize),
    /// The class that its class inherits from, as written.
    pub superclass: Option<String>,
    /// Whether its home is a module.
    pub in_module: bool,
}

impl Method {
    /// `Class#name` or `Class.name`.
    pub fn id(&self) -> String {
        format!("{}{}{}", self.class, self.method_type.sign(), self.name)
    }

    /// `#name` or `.name`.
    pub fn short(&self) -> String {
        format!("{}{}", self.method_type.sign(), self.name)
    }
}

/// A method and its code.
pub(crate) struct Definition<'pr> {
    pub(crate) method: Method,
    pub(crate) node: DefNode<'pr>,
}

/// What a file defines.
#[derive(Default)]
pub(crate) struct Definitions<'pr> {
    pub(crate) methods: Vec<Definition<'pr>>,
    pub(crate) machines: Vec<Machine>,
    /// Whether the code is nested deeper than can be followed.
    pub(crate) is_too_deep: bool,
    pub(crate) initializers: Vec<Definition<'pr>>,
    /// Classes, modules and constants by full name.
    pub(crate) constants: Vec<String>,
    /// Constants that are whole numbers, by full name.
    pub(crate) numbers: Vec<(String, i64)>,
    pub(crate) attributes: Vec<Attribute>,
    /// Where in the list a method is, by its id.
    known: HashMap<String, usize>,
    homes: Vec<Home>,
    depth: usize,
    inside_method: usize,
}

/// What a class declares for reading, and perhaps for writing.
pub(crate) struct Attribute {
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) is_writable: bool,
}

/// More than any program needs; generated code and traps for parsers go beyond.
const MAX_DEPTH: usize = 4_000;

/// The class or module that is being read.
#[derive(Clone, Default)]
struct Home {
    path: String,
    superclass: Option<String>,
    is_module: bool,
    /// Inside of `class << self`.
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
    /// Of a whole file.
    pub(crate) fn of(program: &Node<'pr>) -> Definitions<'pr> {
        let mut definitions = Definitions::default();
        definitions.visit(program);
        definitions
    }

    fn home(&self) -> Home {
        self.homes.last().cloned().unwrap_or_else(|| Home {
            path: "Object".to_owned(),
            ..Home::default()
        })
    }

    fn within(&mut self, home: Home, body: Option<Node<'pr>>) {
        self.constants.push(home.path.clone());
        self.homes.push(home);
        let inside_method = std::mem::take(&mut self.inside_method);
        if let Some(body) = body {
            self.visit(&body);
        }
        self.inside_method = inside_method;
        self.homes.pop();
    }

    /// The path of a class that is opened here.
    fn path(&self, name: &Node<'_>) -> String {
        let name = source(name);
        if let Some(absolute) = name.strip_prefix("::") {
            return absolute.to_owned();
        }
        match self.homes.last() {
            Some(home) => format!("{}::{name}", home.path),
            None => name,
        }
    }

    fn define(&mut self, node: &DefNode<'pr>) {
        let home = self.home();
        let on_class = match node.receiver() {
            None => home.is_singleton || home.is_function,
            Some(receiver) => is_own_class(&receiver, &home.path),
        };
        if node.receiver().is_some() && !on_class {
            return;
        }
        let whole = node.as_node();
        let method = Method {
            class: home.path,
            name: text(node.name().as_slice()).to_owned(),
            method_type: if on_class {
                MethodType::Class
            } else {
                MethodType::Instance
            },
            is_public: home.visibility == Visibility::Public || node.receiver().is_some(),
            lines: (line(&whole), last_line(&whole)),
            superclass: home.superclass,
            in_module: home.is_module,
        };
        let Some(node) = whole.as_def_node() else {
            return;
        };
        if method.name == "initialize" {
            self.initializers.push(Definition { method, node });
            return;
        }
        // The last definition of a name is the one that counts.
        let id = method.id();
        if let Some(known) = self.known.get(&id) {
            self.methods[*known] = Definition { method, node };
        } else {
            self.known.insert(id, self.methods.len());
            self.methods.push(Definition { method, node });
        }
    }

    /// `private`, `module_function`, `extend self` and their kin.
    fn declare(&mut self, call: &CallNode<'pr>) {
        let names = named(call);
        let bare = call.arguments().is_none();
        let Some(home) = self.homes.last_mut() else {
            return;
        };
        match called(call) {
            "private" | "protected" if bare => home.visibility = Visibility::Hidden,
            "public" if bare => home.visibility = Visibility::Public,
            "module_function" if bare => home.is_function = true,
            "attr_accessor" | "attr_reader" => {
                let class = home.path.clone();
                let own = names.into_iter().map(|name| Attribute {
                    class: class.clone(),
                    name,
                    is_writable: called(call) == "attr_accessor",
                });
                self.attributes.extend(own);
            }
            "extend" if extends_self(call) => {
                home.is_function = true;
                let path = home.path.clone();
                self.change(&path, None, |method| method.method_type = MethodType::Class);
            }
            "private" | "protected" | "private_class_method" => {
                let path = home.path.clone();
                self.change(&path, Some(&names), |method| method.is_public = false);
            }
            "public" => {
                let path = home.path.clone();
                self.change(&path, Some(&names), |method| method.is_public = true);
            }
            "module_function" => {
                let path = home.path.clone();
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
            let is_meant = names.is_none_or(|names| names.contains(&method.name));
            if method.class == class && is_meant {
                change(method);
            }
        }
    }
}

/// The methods that a declaration names, also `private def name`.
fn named(call: &CallNode<'_>) -> Vec<String> {
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

fn is_own_class(receiver: &Node<'_>, path: &str) -> bool {
    receiver.as_self_node().is_some()
        || constant(receiver).is_some_and(|name| path.rsplit("::").next() == Some(name))
}

impl<'pr> Visit<'pr> for Definitions<'pr> {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        self.depth += 1;
        if let Some(class) = node.as_class_node() {
            self.visit_class_node(&class);
        } else if let Some(module) = node.as_module_node() {
            self.visit_module_node(&module);
        } else if let Some(singleton) = node.as_singleton_class_node() {
            self.visit_singleton_class_node(&singleton);
        } else if let Some(method) = node.as_def_node() {
            self.visit_def_node(&method);
        } else if let Some(call) = node.as_call_node() {
            self.visit_call_node(&call);
        } else if let Some(write) = node.as_constant_write_node() {
            self.visit_constant_write_node(&write);
        } else {
            visit_children(self, node);
        }
        self.depth -= 1;
    }

    fn visit_class_node(&mut self, node: &ClassNode<'pr>) {
        let home = Home {
            path: self.path(&node.constant_path()),
            superclass: node.superclass().map(|superclass| source(&superclass)),
            ..Home::default()
        };
        self.within(home, node.body());
    }

    fn visit_module_node(&mut self, node: &ModuleNode<'pr>) {
        let home = Home {
            path: self.path(&node.constant_path()),
            is_module: true,
            ..Home::default()
        };
        self.within(home, node.body());
    }

    fn visit_singleton_class_node(&mut self, node: &SingletonClassNode<'pr>) {
        if node.expression().as_self_node().is_some() {
            let home = Home {
                is_singleton: true,
                visibility: Visibility::Public,
                ..self.home()
            };
            self.within(home, node.body());
        }
    }

    fn visit_def_node(&mut self, node: &DefNode<'pr>) {
        if self.inside_method == 0 {
            self.define(node);
        }
        self.inside_method += 1;
        if let Some(body) = node.body() {
            self.visit(&body);
        }
        self.inside_method -= 1;
    }

    fn visit_call_node(&mut self, node: &CallNode<'pr>) {
        if self.inside_method > 0 {
            return ruby_prism::visit_call_node(self, node);
        }
        let is_class_methods =
            node.receiver().is_none() && called(node) == "class_methods" && node.block().is_some();
        if is_class_methods {
            let home = Home {
                is_singleton: true,
                visibility: Visibility::Public,
                ..self.home()
            };
            return self.within(home, node.block());
        }
        if let Some(machine) = Machine::declared(node) {
            self.machines.push(machine);
        }
        // First what it holds, as in `private def name`, then what it says about it.
        ruby_prism::visit_call_node(self, node);
        if node
            .receiver()
            .is_none_or(|receiver| receiver.as_self_node().is_some())
        {
            self.declare(node);
        }
    }

    /// `Point = Struct.new(:x) do … end` is a class, too.
    fn visit_constant_write_node(&mut self, node: &ConstantWriteNode<'pr>) {
        let block = node
            .value()
            .as_call_node()
            .filter(|call| matches!(called(call), "new" | "define"))
            .filter(|call| {
                let receiver = call.receiver();
                matches!(
                    receiver.as_ref().and_then(constant),
                    Some("Struct" | "Class" | "Module" | "Data")
                )
            })
            .and_then(|call| call.block());
        let name = text(node.name().as_slice());
        let path = match self.homes.last() {
            Some(home) => format!("{}::{name}", home.path),
            None => name.to_owned(),
        };
        let Some(block) = block else {
            if node.value().as_integer_node().is_some()
                && let Ok(number) = source(&node.value()).replace('_', "").parse()
            {
                self.numbers.push((path.clone(), number));
            }
            self.constants.push(path);
            return ruby_prism::visit_constant_write_node(self, node);
        };
        self.within(
            Home {
                path,
                ..Home::default()
            },
            Some(block),
        );
    }
}
