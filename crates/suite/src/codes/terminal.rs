//! Commands in a terminal.

casebook_source::codes! {
    /// # What it means
    ///
    /// A test or a step has `dialogue` or a `screen…` assertion, but its command does not run in a terminal.
    ///
    /// # Why it matters
    ///
    /// Only a terminal has a screen and reads what a dialogue sends.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: asks for a name
    ///     command: ./greet
    ///     dialogue:
    ///       - {expect: "Name?", sendLine: Ada}
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// tests:
    ///   - name: asks for a name
    ///     command: ./greet
    ///     tty: true
    ///     dialogue:
    ///       - {expect: "Name?", sendLine: Ada}
    /// ```
    TERMINAL_REQUIRED = "terminal-required";

    /// # What it means
    ///
    /// A command with `tty` has `stdin`, or an assertion or captured value that needs standard output and standard error
    /// separately.
    ///
    /// # Why it matters
    ///
    /// A terminal is one stream in each direction: it cannot tell standard output from standard error, and its input is what
    /// the dialogue sends.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: shows its progress
    ///     command: ./download
    ///     tty: true
    ///     stderrContains: 100%
    /// ```
    ///
    /// # Instead
    ///
    /// Check what the terminal received with `output…`, or what it shows at the end with `screen…`. Send input with `dialogue`.
    ///
    /// ```yaml
    /// tests:
    ///   - name: shows its progress
    ///     command: ./download
    ///     tty: true
    ///     screenContains: 100%
    /// ```
    NOT_IN_TERMINAL = "not-in-terminal";
}
