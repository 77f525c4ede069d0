//! Steps and captured values.

casebook_source::codes! {
    /// # What it means
    ///
    /// A step captures a value that no later step and no `teardown` uses.
    ///
    /// # Why it matters
    ///
    /// The value is either forgotten, or its name is mistyped where it is used.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: an order is shown
    ///     steps:
    ///       - command: shop order beer --json
    ///         capture: {id: /id}
    ///       - command: shop show 1
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// tests:
    ///   - name: an order is shown
    ///     steps:
    ///       - command: shop order beer --json
    ///         capture: {id: /id}
    ///       - command: shop show {{id|sh}}
    /// ```
    UNUSED_CAPTURE = "unused-capture";

    /// # What it means
    ///
    /// A command contains a captured value that is not quoted: `{{id}}`, or `{{id|sh}}` within quotes.
    ///
    /// # Why it matters
    ///
    /// The value becomes part of the command: a space splits it into two words, and `$` or `;` in it are executed.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: an order is shown
    ///     steps:
    ///       - command: shop order beer --json
    ///         capture: {id: /id}
    ///       - command: shop show {{id}}
    /// ```
    ///
    /// # Instead
    ///
    /// Write `{{id|sh}}`, which quotes the value as one word, without other quotes around it. The double quotes of the shell do
    /// not help: `"{{id}}"` and `"{{id|sh}}"` still expand `$` in the value.
    UNQUOTED_VALUE = "unquoted-value";
}
