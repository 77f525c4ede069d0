//! Codes of diagnostics, each with its explanation.

use std::fmt;

/// A kind of problem, such as `unknown-field`, with its explanation. `casebook explain` prints the explanation, and
/// `docs/problems.md` is generated from all of them.
#[derive(Clone, Copy)]
pub struct Code {
    /// The name in messages and on the command line.
    pub name: &'static str,
    /// The explanation, in Markdown: what, why, an example, what to do instead.
    pub explanation: &'static str,
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.name == other.name
    }
}

impl Eq for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares codes: the documentation of each constant is its explanation.
///
/// ```
/// casebook_source::codes! {
///     /// # What
///     /// The file cannot be read as YAML.
///     INVALID_YAML = "invalid-yaml";
/// }
/// assert_eq!(INVALID_YAML.explanation.trim(), "# What\n The file cannot be read as YAML.");
/// assert_eq!(ALL_CODES, [INVALID_YAML]);
/// ```
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $line:literal])+ $constant:ident = $name:literal;)+) => {
        $(
            $(#[doc = $line])+
            pub const $constant: $crate::Code =
                $crate::Code { name: $name, explanation: concat!($($line, "\n"),+) };
        )+

        /// Every code declared here, in order.
        pub const ALL_CODES: &[$crate::Code] = &[$($constant),+];
    };
}
