//! How a method is read, where the formats or their users differ.

/// What counts as a characteristic of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnalysisOptions {
    /// The operands of `||` are one, as in the plugin layout (11.5), and not one each (E7).
    pub joins_alternatives: bool,
    /// Conditions of ternaries are none (the switch to E10).
    pub skips_ternaries: bool,
}
