//! One way to bring a state about.

/// How a state is brought about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// The parameter, or the method's own record.
    pub(super) parameter: String,
    /// What it is called in the spec.
    pub(super) given: String,
    /// What it is given, in Ruby.
    pub(super) value: String,
    /// What its factory is told, where the value is a record.
    pub(super) told: Option<FactoryArgument>,
    /// Whether this certainly brings the state about.
    pub(super) is_certain: bool,
    /// What to tell about it.
    pub(super) warning: Option<String>,
}

/// What a factory is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactoryArgument {
    /// Which one.
    pub(super) factory: String,
    /// `:active` or `active: false`.
    pub(super) what: String,
}

impl FactoryArgument {
    /// The attribute that is set; none for a trait.
    pub(super) fn attribute(&self) -> Option<&str> {
        let (name, _) = self.what.split_once(": ")?;
        Some(name)
    }
}
