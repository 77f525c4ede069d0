//! Methods of a file: where they are defined, what they depend on, how they should be tested.

pub(in crate::ruby) mod body_scan;
pub(in crate::ruby) mod definitions;
pub(in crate::ruby) mod id;
pub(in crate::ruby) mod initializer;
pub(in crate::ruby) mod lookup;
pub(in crate::ruby) mod parameter;
pub(in crate::ruby) mod parameter_class;
pub(in crate::ruby) mod side_effects;
pub(in crate::ruby) mod test_level;
