//! YAML in which every node knows its place.
//!
//! A file is read into a tree of [`Node`]s once; who decodes the tree can report everything that is wrong with it, not
//! only the first thing. Anchors, aliases and merge keys are resolved here, within bounds.

mod build;
mod hints;
mod node;

pub use build::{Parsed, parse};
pub use node::{Entry, Node, NodeKind, Scalar};

crate::codes! {
    /// # What it means
    ///
    /// The file cannot be read as YAML.
    ///
    /// # Why it matters
    ///
    /// Nothing behind the place can be understood, so nothing of this file is checked or run.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: greets
    ///     command: {{program}} --hello
    /// ```
    ///
    /// # Instead
    ///
    /// Braces begin a mapping in YAML. Put quotes around a text that begins with them, or write it as a block:
    ///
    /// ```yaml
    /// tests:
    ///   - name: greets
    ///     command: "{{program}} --hello"
    /// ```
    INVALID_YAML = "invalid-yaml";

    /// # What it means
    ///
    /// The same key stands twice in one mapping.
    ///
    /// # Why it matters
    ///
    /// One of the two values would be lost without a word.
    ///
    /// # Example
    ///
    /// ```yaml
    /// name: lists
    /// command: ls
    /// command: ls -l
    /// ```
    ///
    /// # Instead
    ///
    /// Keep one of them, or make it a list where the field takes one.
    DUPLICATE_KEY = "duplicate-key";

    /// # What it means
    ///
    /// A key is a list or a mapping.
    ///
    /// # Why it matters
    ///
    /// Every field has a name, and a name is a text.
    ///
    /// # Example
    ///
    /// ```yaml
    /// ? [a, b]
    /// : value
    /// ```
    ///
    /// # Instead
    ///
    /// Use a text as the key. If braces were meant as text, put quotes around it.
    KEY_NOT_TEXT = "key-not-text";

    /// # What it means
    ///
    /// An alias (`*name`) or a merge key (`<<`) cannot be resolved: it points into itself, to something that cannot
    /// be merged, or the file grows beyond all measure through it.
    ///
    /// # Why it matters
    ///
    /// A few lines of aliases can stand for more data than any machine can hold.
    ///
    /// # Example
    ///
    /// ```yaml
    /// x-common: &common [1, 2]
    /// env:
    ///   <<: *common
    /// ```
    ///
    /// # Instead
    ///
    /// Merge mappings only, and let anchors hold what is needed.
    BAD_ALIAS = "bad-alias";

    /// # What it means
    ///
    /// A value has a YAML tag of its own (`!secret`, `!!binary`).
    ///
    /// # Why it matters
    ///
    /// It asks for a meaning that Casebook does not have, and ignoring it would change what was meant.
    ///
    /// # Example
    ///
    /// ```yaml
    /// command: !env PROGRAM
    /// ```
    ///
    /// # Instead
    ///
    /// Write the value plainly, for example with a variable: `"{{env.PROGRAM}}"`.
    UNKNOWN_TAG = "unknown-tag";
}
