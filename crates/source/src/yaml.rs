//! YAML with the span of every node.
//!
//! [`parse`] reads a file into a tree of [`Node`]s, so that decoders can report all problems instead of only the first.
//! Anchors, aliases and merge keys are resolved here, with limits on depth and size.

mod build;
mod hints;
mod layout;
mod node;

pub use build::{Parsed, parse};
pub use hints::quoted;
pub use layout::{Alias, Layout, ScalarLayout, Style};
pub use node::{Entry, Node, NodeKind, Scalar};

crate::codes! {
    /// # What it means
    ///
    /// The file cannot be read as YAML.
    ///
    /// # Why it matters
    ///
    /// The text after this location cannot be understood, so the file is neither checked nor run.
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
    /// Braces begin a mapping in YAML. Put quotes around a string that begins with them, or write it as a block:
    ///
    /// ```yaml
    /// tests:
    ///   - name: greets
    ///     command: "{{program}} --hello"
    /// ```
    INVALID_YAML = "invalid-yaml";

    /// # What it means
    ///
    /// The same key appears twice in one mapping.
    ///
    /// # Why it matters
    ///
    /// One of the two values would be dropped silently.
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
    /// Keep one of them. If the field accepts a list, write both values as a list.
    DUPLICATE_KEY = "duplicate-key";

    /// # What it means
    ///
    /// A key is a list or a mapping.
    ///
    /// # Why it matters
    ///
    /// Field names are strings.
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
    /// Use a string as the key. Put quotes around braces that are meant as text.
    KEY_NOT_TEXT = "key-not-text";

    /// # What it means
    ///
    /// An alias (`*name`) or a merge key (`<<`) cannot be resolved: it refers to a value that
    /// contains it, to a value that cannot be merged, or it makes the file too large.
    ///
    /// # Why it matters
    ///
    /// A few lines of aliases can expand to more data than fits into memory.
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
    /// Merge only mappings, and keep anchored values small.
    BAD_ALIAS = "bad-alias";

    /// # What it means
    ///
    /// A value has a YAML tag (`!secret`, `!!binary`).
    ///
    /// # Why it matters
    ///
    /// Casebook does not support tags, and ignoring one would change the value.
    ///
    /// # Example
    ///
    /// ```yaml
    /// command: !env PROGRAM
    /// ```
    ///
    /// # Instead
    ///
    /// Write the value without a tag, for example with a variable: `"{{env.PROGRAM}}"`.
    UNKNOWN_TAG = "unknown-tag";
}
