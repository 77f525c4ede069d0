//! [`Budget`]: how much conversations may spend.

/// The limits of what the agent, the judge and the simulated user spend together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// The cost that they report, or that follows from their prices.
    pub cost: Option<f64>,
    /// The input and output tokens.
    pub tokens: Option<u64>,
    /// The requests.
    pub calls: Option<u64>,
}

impl Budget {
    /// Whether it limits nothing.
    pub fn is_unlimited(&self) -> bool {
        *self == Budget::default()
    }
}
