//! Where in the user's text.
//!
//! The vocabulary of everything that reads files people write: a [`SourceFile`] and [`Span`]s in it, [`Diagnostic`]s
//! with a [`Code`] that explains itself, YAML in which every node knows its place ([`yaml`]), and [`nearest`] for
//! names that were mistyped.

mod code;
mod diagnostic;
mod file;
mod render;
mod span;
mod suggest;
pub mod yaml;

pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use file::{Position, SourceFile};
pub use render::render;
pub use span::Span;
pub use suggest::closest_match;
