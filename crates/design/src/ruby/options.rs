//! How a method is read, where the formats or their users differ.

/// What counts as a characteristic of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnalysisOptions {
    /// The operands of `||` are one, as in the plugin layout (rule L8), and not one each (rule E7).
    pub joins_alternatives: bool,
    /// Conditions of ternaries are none (the switch for rule E10).
    pub skips_ternaries: bool,
}
