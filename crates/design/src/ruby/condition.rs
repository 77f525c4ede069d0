//! One condition: from the syntax tree to a characteristic with its states.

pub(in crate::ruby) mod alternatives;
pub(in crate::ruby) mod blank;
pub(in crate::ruby) mod boolean_names;
pub(in crate::ruby) mod dependencies;
pub(in crate::ruby) mod draft;
pub(in crate::ruby) mod identity;
pub(in crate::ruby) mod implication;
pub(in crate::ruby) mod interval;
pub(in crate::ruby) mod leaf;
pub(in crate::ruby) mod qualifier;
pub(in crate::ruby) mod returned;
pub(in crate::ruby) mod sample_values;
pub(in crate::ruby) mod state_setup;
pub(in crate::ruby) mod tier_words;
pub(in crate::ruby) mod tree;
pub(in crate::ruby) mod value_name;
