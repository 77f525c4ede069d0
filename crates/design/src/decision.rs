//! Where the state of a characteristic is decided: byte ranges of the source.

/// One place at which a method decides the state of a characteristic. A characteristic that the method tests repeatedly
/// has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The index of the characteristic in its method.
    pub characteristic: usize,
    /// The kind of code that decides it.
    pub kind: DecisionKind,
    /// The conditions in source order; for a `case`, its subject.
    pub conditions: Vec<ConditionSpan>,
    /// The branches of a chain or `case`, in source order.
    pub arms: Vec<DecisionArm>,
}

/// The kind of code that decides a characteristic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionKind {
    /// One condition, or two bounds of the same value: the first state if all are true, the second otherwise.
    Condition,
    /// The conditions of an `if … elsif …`, tested one after the other. Each has a state.
    Chain,
    /// The branches of a `case`. Each has a state.
    Case,
}

impl DecisionKind {
    /// The word used in the metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            DecisionKind::Condition => "condition",
            DecisionKind::Chain => "chain",
            DecisionKind::Case => "case",
        }
    }
}

/// The bytes of one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConditionSpan {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// Whether the condition is true in the second state.
    pub negated: bool,
    /// The index of the arm in a chain; otherwise 0. An arm with two bounds has two conditions.
    pub arm: usize,
}

/// One branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionArm {
    /// The index of the state.
    pub state: usize,
    /// The bytes of its statements; `None` if it has none.
    pub body: Option<(usize, usize)>,
}
