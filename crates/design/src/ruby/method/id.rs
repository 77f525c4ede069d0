//! Methods, by name.

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
