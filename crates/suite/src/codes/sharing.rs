//! Shared definitions and locks.

casebook_source::codes! {
    /// # What it means
    ///
    /// A file in `include` cannot be read, or contains something that cannot be shared.
    ///
    /// # Why it matters
    ///
    /// The definitions of the file would be missing. An included file only has definitions (`variables`, `fragments`, `services`,
    /// `normalize`, `env`, `criteria`, `topics`): its `tests` would be run once for each suite that includes it.
    ///
    /// # Example
    ///
    /// ```yaml
    /// include: [shared/no-such-file.yaml]
    /// tests:
    ///   - name: greets
    ///     command: greet
    /// ```
    ///
    /// # Instead
    ///
    /// Write a path relative to the file with the `include`. Move tests and settings to the suites.
    BAD_INCLUDE = "bad-include";

    /// # What it means
    ///
    /// Two included files define the same name differently.
    ///
    /// # Why it matters
    ///
    /// Which of the two is meant cannot be decided: the order of `include` has no meaning for names.
    ///
    /// # Example
    ///
    /// ```yaml
    /// include: [one.yaml, two.yaml]  # both define the variable `program`
    /// tests:
    ///   - name: greets
    ///     command: "{{program}}"
    /// ```
    ///
    /// # Instead
    ///
    /// Define the name in the suite: its own definitions take precedence. Or rename one of the two.
    INCLUDE_CONFLICT = "include-conflict";

    /// # What it means
    ///
    /// A lock has no name, has a mode other than `shared`, or is named twice.
    ///
    /// # Why it matters
    ///
    /// Tests with the same lock never run at the same time, unless all of them have it as `NAME: shared`. With a mistyped lock
    /// they could run at the same time.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: counts the rooms
    ///     command: rooms count
    ///     locks: [{room: read}]
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// tests:
    ///   - name: counts the rooms
    ///     command: rooms count
    ///     locks: [{room: shared}]
    /// ```
    BAD_LOCK = "bad-lock";
}
