//! Source files and diagnostics.
//!
//! Used by everything that reads files written by users: [`SourceFile`] and the [`Span`]s in it, [`Diagnostic`] with a
//! [`Code`] that has an explanation, YAML with the span of every node ([`yaml`]), and [`closest_match`] for mistyped
//! names.

mod code;
mod diagnostic;
mod file;
mod render;
mod replacement;
mod span;
mod suggest;
pub mod yaml;

pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use file::{Position, SourceFile};
pub use render::render;
pub use replacement::Replacement;
pub use span::Span;
pub use suggest::closest_match;
