//! What Rails code declares about a model: associations, validations, columns.

pub(in crate::ruby) mod column_mapping;
pub(in crate::ruby) mod enums;
pub(in crate::ruby) mod model;
pub(in crate::ruby) mod schema;
