//! Names of methods.

use super::lookup::MethodQuery;

/// Whether a method is called on an instance or on the class itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodType {
    /// `#name`.
    Instance,
    /// `.name`.
    Class,
}

impl MethodType {
    /// The word used in the metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            MethodType::Instance => "instance",
            MethodType::Class => "class",
        }
    }

    /// The separator before the name: `#` or `.`.
    pub fn sign(self) -> char {
        match self {
            MethodType::Instance => '#',
            MethodType::Class => '.',
        }
    }
}

/// The identity of a method, and where it is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The full name of its class or module; `Object` at the top level of a file.
    pub class: String,
    /// Its name without the class.
    pub name: String,
    /// Whether it is called on an instance or on the class.
    pub method_type: MethodType,
    /// Whether it is neither private nor protected.
    pub is_public: bool,
    /// First and last line, 1-based.
    pub lines: (usize, usize),
    /// The class that its class inherits from, as written.
    pub superclass: Option<String>,
    /// Whether it is defined in a module.
    pub in_module: bool,
}

impl Method {
    /// `Class#name` or `Class.name`.
    pub fn id(&self) -> String {
        let sign = self.method_type.sign();
        let mut id = String::with_capacity(self.class.len() + 1 + self.name.len());
        id.push_str(&self.class);
        id.push(sign);
        id.push_str(&self.name);
        id
    }

    /// Whether it is called by an assignment: `name=` or `[]=`.
    pub(crate) fn is_assignment(&self) -> bool {
        let name = self.name.strip_suffix('=');
        name.is_some_and(|name| {
            name == "[]" || name.ends_with(|last: char| last.is_alphanumeric() || last == '_')
        })
    }

    /// The query that selects only this method.
    pub fn query(&self) -> MethodQuery {
        MethodQuery {
            class: Some(self.class.clone()),
            name: Some(self.name.clone()),
            method_type: Some(self.method_type),
            ..MethodQuery::default()
        }
    }

    /// `#name` or `.name`.
    pub fn short(&self) -> String {
        format!("{}{}", self.method_type.sign(), self.name)
    }
}
