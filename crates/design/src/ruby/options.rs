//! Options of the analysis, for differences between metadata formats and user settings.

/// Which conditions become separate characteristics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnalysisOptions {
    /// Make one characteristic of all operands of `||`, as in the plugin layout (rule L8), instead of one each (rule
    /// E7).
    pub joins_alternatives: bool,
    /// Ignore the conditions of ternaries (the switch for rule E10).
    pub skips_ternaries: bool,
}
