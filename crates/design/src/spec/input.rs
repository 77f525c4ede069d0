//! [`Input`]: how a state is set up.

/// How a state is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// The parameter, or the method's own record.
    pub(super) parameter: String,
    /// Its name in the spec.
    pub(super) variable: String,
    /// Its value, in Ruby.
    pub(super) value: String,
    /// The factory argument, if the value is a record.
    pub(super) factory_argument: Option<FactoryArgument>,
    /// Whether this value certainly leads to the state.
    pub(super) is_certain: bool,
    /// A warning for the user.
    pub(super) warning: Option<String>,
}

/// A trait or an attribute in a factory call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactoryArgument {
    /// The name of the factory.
    pub(super) factory: String,
    /// `:active` or `active: false`.
    pub(super) argument: String,
}

impl FactoryArgument {
    /// The attribute that is set; `None` for a trait.
    pub(super) fn attribute(&self) -> Option<&str> {
        let (name, _) = self.argument.split_once(": ")?;
        Some(name)
    }
}
