//! Branches: `if`/`elsif` chains, `case`, early exits, and what each branch returns or raises.

pub(in crate::ruby) mod call_effect;
pub(in crate::ruby) mod case_in;
pub(in crate::ruby) mod case_when;
pub(in crate::ruby) mod chain;
pub(in crate::ruby) mod exits;
pub(in crate::ruby) mod outcome;
pub(in crate::ruby) mod state_machine;
pub(in crate::ruby) mod tail;
