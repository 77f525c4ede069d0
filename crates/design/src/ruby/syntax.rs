//! Reads Ruby's syntax tree: traversal, node helpers, words in code.

pub(in crate::ruby) mod node;
pub(in crate::ruby) mod traverse;
pub(in crate::ruby) mod words;

pub(crate) use node::{
    argument, arguments, assignment, called, constant, keyword, last_line, line, source,
    string_text,
};
pub(crate) use traverse::visit_children;
pub(crate) use words::{literal_text, mentioned};
