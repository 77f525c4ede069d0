//! Commands, their assertions, and the limits of a suite.

casebook_source::codes! {
    /// # What it means
    ///
    /// An assertion or check can never fail, or can never pass; or a field has no effect.
    ///
    /// # Why it matters
    ///
    /// An assertion that can never fail tests nothing. With one that can never pass, the test always fails. A field without effect is
    /// probably not what was meant.
    ///
    /// # Example
    ///
    /// ```yaml
    /// outputContains: ""      # in every output: never fails
    /// outputNotMatches: ".*"  # matches every output: never passes
    /// ```
    ///
    /// # Instead
    ///
    /// Write the text that the output must or must not contain. To require empty output, write `outputEquals: ""`.
    VACUOUS = "vacuous";

    /// # What it means
    ///
    /// A pattern is not a valid POSIX extended regular expression, or uses notation that has another meaning there.
    ///
    /// # Why it matters
    ///
    /// Patterns are matched like bash's `=~`. Perl's `\d`, lookaround and lazy quantifiers have another meaning there, or
    /// none.
    ///
    /// # Example
    ///
    /// ```yaml
    /// outputMatches: "\\d+ files?"
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// outputMatches: "[0-9]+ files?"
    /// ```
    BAD_PATTERN = "bad-pattern";

    /// # What it means
    ///
    /// A pattern works only with the GNU C library.
    ///
    /// # Why it matters
    ///
    /// The suite may fail on other systems, for example on macOS.
    ///
    /// # Example
    ///
    /// ```yaml
    /// outputMatches: "\\w+"
    /// ```
    ///
    /// # Instead
    ///
    /// `[[:alnum:]_]+`; for `\s`, `[[:space:]]`.
    NOT_PORTABLE = "not-portable";

    /// # What it means
    ///
    /// Bash cannot read a command, a hook, a `run` check or an agent's command.
    ///
    /// # Why it matters
    ///
    /// The test would fail when it is run. `casebook check` and `casebook run` find such errors before any test starts, with
    /// `bash -n`, which reads the code without running it.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: greets
    ///     command: if true; then echo hello
    /// ```
    ///
    /// # Instead
    ///
    /// Correct the code at the reported line. To test what bash does with invalid code, pass it to another bash:
    /// `bash -c 'if true'`.
    BASH_SYNTAX = "bash-syntax";

    /// # What it means
    ///
    /// A file or directory that the suite refers to does not exist: in `outputEqualsFile`, `equalsFile`, `equalsFolder` or `copy`.
    ///
    /// # Why it matters
    ///
    /// The test fails when it is run, unless a hook creates it first. Paths are relative to the directory of the suite.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: prints the list
    ///     command: shop list
    ///     outputEqualsFile: expected/list.txt
    /// ```
    ///
    /// # Instead
    ///
    /// Correct the path, or write the file.
    MISSING_FILE = "missing-file";

    /// # What it means
    ///
    /// A matrix has more than 10,000 combinations, a test has more than 10,000 scenarios, or a string is longer than 16 MiB
    /// with its variables substituted.
    ///
    /// # Why it matters
    ///
    /// Such a suite would not fit into memory: ten lists of ten values are ten billion tests.
    ///
    /// # Example
    ///
    /// ```yaml
    /// matrix:  # 100,000 combinations
    ///   a: &digits [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    ///   b: *digits
    ///   c: *digits
    ///   d: *digits
    ///   e: *digits
    /// tests:
    ///   - name: prints a number
    ///     command: echo {{a}}{{b}}{{c}}{{d}}{{e}}
    /// ```
    ///
    /// # Instead
    ///
    /// Write the combinations that matter as separate tests, or split the suite.
    TOO_LARGE = "too-large";
}
