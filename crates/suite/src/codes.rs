//! What can be wrong with a suite.

casebook_source::codes! {
    /// # What it means
    ///
    /// The file is empty, holds two documents, or is not a mapping.
    ///
    /// # Why it matters
    ///
    /// A suite is one YAML document with named fields; anything else would run less than was meant.
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
    /// A field has a name that the format does not know.
    ///
    /// # Why it matters
    ///
    /// A mistyped assertion that is passed over asserts nothing, and its test passes whatever happens.
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
    /// Use the name that is suggested. Top-level fields of your own, for example for YAML anchors, begin with `x-`.
    UNKNOWN_FIELD = "unknown-field";

    /// # What it means
    ///
    /// A field that is needed is missing or empty.
    ///
    /// # Why it matters
    ///
    /// Every test has a name to be known by and a command to run, and a suite has tests.
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
    /// Write the field, or take it from a fragment with `$ref`.
    MISSING_FIELD = "missing-field";

    /// # What it means
    ///
    /// A field has a value of the wrong kind, or out of its range.
    ///
    /// # Why it matters
    ///
    /// It cannot be understood, and guessing would test something else.
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
    /// The message says what the field takes. Numbers and booleans may also be given as text with variables:
    /// `exitCode: "{{code}}"`.
    WRONG_VALUE = "wrong-value";

    /// # What it means
    ///
    /// One thing is given under two names.
    ///
    /// # Why it matters
    ///
    /// `setupEach` is another name of `setup`, `teardownEach` of `teardown`, `stderr` of `stderrEquals`: only one of the
    /// two could count.
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
    /// Keep one. What is to run once before all tests belongs in `setupFile`, once after all in `teardownFile`.
    GIVEN_TWICE = "given-twice";

    /// # What it means
    ///
    /// A variable is used that nobody defined.
    ///
    /// # Why it matters
    ///
    /// An empty text in its place would run another command than the one that was meant.
    ///
    /// # Example
    ///
    /// ```yaml
    /// variables:
    ///   program: greet
    /// tests:
    ///   - name: greets
    ///     command: "{{progam}} --hello"
    /// ```
    ///
    /// # Instead
    ///
    /// Define it under `variables`, or take it from the environment with `{{env.NAME}}`. To write braces that are not a
    /// variable, put a backslash before them: `\{{end}}`.
    UNDEFINED_VARIABLE = "undefined-variable";

    /// # What it means
    ///
    /// Variables or fragments refer to each other in a circle.
    ///
    /// # Why it matters
    ///
    /// They have no value.
    ///
    /// # Example
    ///
    /// ```yaml
    /// variables:
    ///   a: "{{b}}"
    ///   b: "{{a}}"
    /// ```
    ///
    /// # Instead
    ///
    /// Break the circle at one place. The message prints all of it.
    CYCLE = "cycle";

    /// # What it means
    ///
    /// A `$ref` names a fragment that does not exist.
    ///
    /// # Why it matters
    ///
    /// The test would lack what the fragment brings.
    ///
    /// # Example
    ///
    /// ```yaml
    /// fragments:
    ///   quiet: {outputEquals: ""}
    /// tests:
    ///   - name: says nothing
    ///     command: "true"
    ///     $ref: quite
    /// ```
    ///
    /// # Instead
    ///
    /// Use the name of a fragment of this file: `quiet` or `#/fragments/quiet`.
    UNKNOWN_FRAGMENT = "unknown-fragment";

    /// # What it means
    ///
    /// A variable, an environment variable or a fragment has a name that cannot be used.
    ///
    /// # Why it matters
    ///
    /// Names begin with a letter or `_`, followed by letters, digits and `_` (and `-` for fragments), so that they can
    /// be told from other text. Variables that begin with `bashi_` or `casebook_` are reserved.
    ///
    /// # Example
    ///
    /// ```yaml
    /// variables:
    ///   base-url: http://localhost
    /// ```
    ///
    /// # Instead
    ///
    /// `base_url`.
    BAD_NAME = "bad-name";

    /// # What it means
    ///
    /// An assertion cannot fail, whatever the command does, or can never hold.
    ///
    /// # Why it matters
    ///
    /// It looks like a test and tests nothing.
    ///
    /// # Example
    ///
    /// ```yaml
    /// outputContains: ""
    /// outputMatches: ".*"
    /// ```
    ///
    /// # Instead
    ///
    /// Say what must be there. For no output at all: `outputEquals: ""`.
    VACUOUS = "vacuous";

    /// # What it means
    ///
    /// A regular expression is not a POSIX extended one, or does not mean what it looks like.
    ///
    /// # Why it matters
    ///
    /// Patterns are matched as bash matches them with `=~`. Perl's `\d`, lookaround and lazy quantifiers mean something
    /// else there, or nothing.
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
    /// A pattern works with GNU's library, and not everywhere.
    ///
    /// # Why it matters
    ///
    /// The suite will fail on another system, for example on macOS.
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
    /// A matrix, or the variables of a suite, grow beyond all measure.
    ///
    /// # Why it matters
    ///
    /// Ten lists of ten values are ten thousand million tests.
    ///
    /// # Example
    ///
    /// ```yaml
    /// variables:
    ///   a: xxxxxxxxxx
    ///   b: "{{a}}{{a}}{{a}}{{a}}"
    ///   c: "{{b}}{{b}}{{b}}{{b}}"
    /// ```
    ///
    /// # Instead
    ///
    /// Name the combinations that matter, each as a test, or split the suite.
    TOO_LARGE = "too-large";
}
