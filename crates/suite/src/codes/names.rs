//! Names in a suite: variables and fragments.

casebook_source::codes! {
    /// # What it means
    ///
    /// A variable is used but not defined.
    ///
    /// # Why it matters
    ///
    /// Replacing it by an empty string would run a different command.
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
    /// Variables, fragments or included files refer to each other in a cycle.
    ///
    /// # Why it matters
    ///
    /// Such variables and fragments have no value, and reading such files would never end.
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
    /// Remove one of the references. The message shows the complete cycle.
    CYCLE = "cycle";

    /// # What it means
    ///
    /// A `$ref` names a fragment that does not exist.
    ///
    /// # Why it matters
    ///
    /// The test would run without the fields of the fragment.
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
    /// Use the name of a fragment of this file or of an included one: `quiet` or `#/fragments/quiet`.
    UNKNOWN_FRAGMENT = "unknown-fragment";

    /// # What it means
    ///
    /// A variable, an environment variable or a fragment has a name that cannot be used.
    ///
    /// # Why it matters
    ///
    /// A name is a letter or `_`, followed by letters, digits and `_` (in fragments also `-`). Names of variables that
    /// begin with `bashi_` or `casebook_` are reserved.
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
}
