//! The codes of problems in suites. Their doc comments are what `casebook explain` prints.

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
    /// Every test needs a name and a command or a conversation, and a suite needs tests.
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
    /// Variables or fragments refer to each other in a cycle.
    ///
    /// # Why it matters
    ///
    /// Such variables and fragments have no value.
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
    /// Use the name of a fragment of this file: `quiet` or `#/fragments/quiet`.
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

    /// # What it means
    ///
    /// An assertion or check can never fail, or can never pass.
    ///
    /// # Why it matters
    ///
    /// An assertion that can never fail tests nothing. With one that can never pass, the test always fails.
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

    /// # What it means
    ///
    /// Two fields exclude each other, or a field is used where it has no effect.
    ///
    /// # Why it matters
    ///
    /// A test runs a `command`, or it is a conversation with an agent (`conversation` or `simulate`). Fields of the other
    /// kind are not used: an `exitCode` of a conversation would assert nothing.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: books a room
    ///     conversation: [{user: I need a room}]
    ///     outputContains: Which day?
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// tests:
    ///   - name: books a room
    ///     conversation:
    ///       - user: I need a room
    ///         expect: [{contains: "Which day?"}]
    /// ```
    CONFLICT = "conflict";

    /// # What it means
    ///
    /// `satisfies`, or the `verdicts` of a scripted model, names a criterion that does not exist.
    ///
    /// # Why it matters
    ///
    /// The judge would get a single word as the criterion and have to guess its meaning.
    ///
    /// # Example
    ///
    /// ```yaml
    /// criteria: {friendly: The reply is friendly}
    /// tests:
    ///   - name: greets
    ///     conversation:
    ///       - user: Hello
    ///         evaluate: [{satisfies: freindly}]
    /// ```
    ///
    /// # Instead
    ///
    /// Use the name of one of the `criteria`, or write the criterion as a sentence.
    UNKNOWN_CRITERION = "unknown-criterion";

    /// # What it means
    ///
    /// A topic that is used is not defined in `topics`.
    ///
    /// # Why it matters
    ///
    /// No conversation can ever reach it.
    ///
    /// # Example
    ///
    /// ```yaml
    /// topics:
    ///   greeting: {description: Initial contact, next: [gatering]}
    ///   gathering: {description: Collecting requirements}
    /// ```
    ///
    /// # Instead
    ///
    /// Use the name of a topic of the suite or of the test.
    UNKNOWN_TOPIC = "unknown-topic";

    /// # What it means
    ///
    /// A topic has itself in its `next`, or it cannot be reached from the first topic.
    ///
    /// # Why it matters
    ///
    /// Every conversation starts in the first topic and continues along `next`. A topic that cannot be reached is never
    /// checked. A conversation stays in its topic by itself, so a topic in its own `next` has no effect.
    ///
    /// # Example
    ///
    /// ```yaml
    /// topics:
    ///   greeting: {description: Initial contact, next: [greeting]}
    ///   results: {description: Presenting venues}
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// topics:
    ///   greeting: {description: Initial contact, next: [results]}
    ///   results: {description: Presenting venues}
    /// ```
    TOPIC_GRAPH = "topic-graph";

    /// # What it means
    ///
    /// A check names a tool that is not declared in `tools`.
    ///
    /// # Why it matters
    ///
    /// `notCalled` with a misspelled name passes whatever the agent does.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tools: [book_room]
    /// tests:
    ///   - name: asks first
    ///     conversation:
    ///       - user: I need a room
    ///         expect: [{notCalled: bookroom}]
    /// ```
    ///
    /// # Instead
    ///
    /// Use a declared name, or declare the tool.
    UNKNOWN_TOOL = "unknown-tool";

    /// # What it means
    ///
    /// A check, a simulated user or a topic requires a model, but there is no `llm`.
    ///
    /// # Why it matters
    ///
    /// `satisfies`, `intent`, `grounded`, `claims` and `notClaims` are decided by a judge, the user of `simulate` is
    /// played by a model, and a topic without `triggers` is recognized by a judge.
    ///
    /// # Example
    ///
    /// ```yaml
    /// agent: {command: ./agent}
    /// tests:
    ///   - name: greets
    ///     conversation:
    ///       - user: Hello
    ///         evaluate: [{satisfies: The reply is friendly}]
    /// ```
    ///
    /// # Instead
    ///
    /// Set the model, or use `provider: scripted` with fixed responses:
    ///
    /// ```yaml
    /// llm: {provider: anthropic, model: claude-sonnet-4-5}
    /// ```
    NO_MODEL = "no-model";

    /// # What it means
    ///
    /// The model under test is also the judge.
    ///
    /// # Why it matters
    ///
    /// A model rates its own replies better than those of other models.
    ///
    /// # Example
    ///
    /// ```yaml
    /// agent: {openai: {url: "http://localhost:8000/v1", model: small}}
    /// llm: {provider: openai, url: "http://localhost:8000/v1", model: small}
    /// ```
    ///
    /// # Instead
    ///
    /// Use another model as the judge, or allow it with `judge: {self: true}`.
    SELF_JUDGE = "self-judge";

    /// # What it means
    ///
    /// A file of scenarios cannot be read, or is not a list of scenarios.
    ///
    /// # Why it matters
    ///
    /// One test is run per scenario, so without scenarios no test is run. Each scenario is a mapping with at least a
    /// `name` and a `goal`.
    ///
    /// # Example
    ///
    /// ```json
    /// [{"name": "corporate event"}]
    /// ```
    ///
    /// # Instead
    ///
    /// ```json
    /// [{"name": "corporate event", "goal": "Find a venue for 50 people"}]
    /// ```
    BAD_SCENARIO = "bad-scenario";

    /// # What it means
    ///
    /// The name of a snapshot is not a path inside of the suite's directory of snapshots.
    ///
    /// # Why it matters
    ///
    /// `snapshot: ../../x` would write a file outside of `__snapshots__`, where it could replace another one.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - name: lists
    ///     command: ls
    ///     snapshot: ../../list
    /// ```
    ///
    /// # Instead
    ///
    /// Use a plain name such as `list`, or `lists/short` for a subdirectory. `snapshot: true` names the snapshot after the test.
    SNAPSHOT_NAME = "snapshot-name";

    /// # What it means
    ///
    /// Two tests, or two combinations of a matrix, have the same snapshot.
    ///
    /// # Why it matters
    ///
    /// Tests run at the same time, so one would overwrite what the other accepts. Names that differ only in case are the same file on
    /// macOS and Windows.
    ///
    /// # Example
    ///
    /// ```yaml
    /// tests:
    ///   - {name: short, command: ls, snapshot: list}
    ///   - {name: long, command: ls -l, snapshot: list}
    /// ```
    ///
    /// # Instead
    ///
    /// Give each its own name, use a matrix variable in the name (`snapshot: "list-{{os}}"`), or write `snapshot: true`.
    SAME_SNAPSHOT = "same-snapshot";

    /// # What it means
    ///
    /// No test uses this file in `__snapshots__`.
    ///
    /// # Why it matters
    ///
    /// It is left from a test or a suite that was renamed or removed, and nothing compares it with any output.
    ///
    /// # Example
    ///
    /// A test `lists files` is renamed to `lists all files`. The file `lists-files.snap` stays.
    ///
    /// # Instead
    ///
    /// Delete the file.
    UNUSED_SNAPSHOT = "unused-snapshot";
}
