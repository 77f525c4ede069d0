//! The form of a suite: its fields and their values.

casebook_source::codes! {
    /// # What it means
    ///
    /// The file is empty, contains more than one YAML document, or is not a mapping.
    ///
    /// # Why it matters
    ///
    /// A suite is one YAML document with named fields. Tests written in any other form would not be run.
    ///
    /// # Example
    ///
    /// ```yaml
    /// - name: lists
    ///   command: ls
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// tests:
    ///   - name: lists
    ///     command: ls
    /// ```
    NOT_A_SUITE = "not-a-suite";

    /// # What it means
    ///
    /// The suite format has no field with this name.
    ///
    /// # Why it matters
    ///
    /// If a mistyped assertion were ignored, its test would pass whatever the command does.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: greets
    ///     command: greet
    ///     outputContain: hello
    /// ```
    ///
    /// # Instead
    ///
    /// Use the suggested name. Your own top-level fields, for example for YAML anchors, must begin with `x-`.
    UNKNOWN_FIELD = "unknown-field";

    /// # What it means
    ///
    /// A required field is missing or empty.
    ///
    /// # Why it matters
    ///
    /// Every test needs a name, and a command, steps or a conversation. A suite needs tests.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: greets
    ///     outputContains: hello
    /// ```
    ///
    /// # Instead
    ///
    /// Add the field, or take it from a fragment with `$ref`.
    MISSING_FIELD = "missing-field";

    /// # What it means
    ///
    /// The value of a field has the wrong type or is out of range.
    ///
    /// # Why it matters
    ///
    /// The value cannot be used, and a guess could test something else.
    ///
    /// # Example
    ///
    /// ```yaml
    /// timeout: soon
    /// exitCode: 256
    /// outputEquals: [a, b]
    /// ```
    ///
    /// # Instead
    ///
    /// The message names the allowed values. A number or a boolean may also be a string that contains variables:
    /// `exitCode: "{{code}}"`.
    WRONG_VALUE = "wrong-value";

    /// # What it means
    ///
    /// A field is given twice, under two names.
    ///
    /// # Why it matters
    ///
    /// `setupEach` is another name of `setup`, `teardownEach` of `teardown`, `stderr` of `stderrEquals`. Only one of the
    /// two values could be used.
    ///
    /// # Example
    ///
    /// ```yaml
    /// setup: start-server
    /// setupEach: reset-database
    /// ```
    ///
    /// # Instead
    ///
    /// Keep one of them. Use `setupFile` for commands that run once before all tests, and `teardownFile` for commands
    /// that run once after all tests.
    GIVEN_TWICE = "given-twice";
}
