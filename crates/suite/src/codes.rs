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

    /// # What it means
    ///
    /// Two fields exclude each other, or a field stands where it has no meaning.
    ///
    /// # Why it matters
    ///
    /// A test runs a `command`, or it talks to an agent with `conversation` or `simulate`. What is said of the one is
    /// never looked at for the other: an `exitCode` of a conversation would assert nothing.
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
    /// `satisfies`, or the verdicts of a scripted model, name a criterion that does not exist.
    ///
    /// # Why it matters
    ///
    /// A judge would be asked for a single word and make up what it means.
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
    /// Use the name of one of the `criteria`, or say what is meant in more than one word.
    UNKNOWN_CRITERION = "unknown-criterion";

    /// # What it means
    ///
    /// A topic is named that is not among the `topics`.
    ///
    /// # Why it matters
    ///
    /// No conversation can ever be in it.
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
    /// A topic leads to itself, or none leads to it.
    ///
    /// # Why it matters
    ///
    /// Every conversation starts in the first topic and goes on along `next`. A topic that cannot be reached is never
    /// checked, and one stays in a topic without being led there.
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
    /// A check names a tool that is not among the `tools` that the suite declares.
    ///
    /// # Why it matters
    ///
    /// `notCalled` with a misspelt name holds whatever the agent does.
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
    /// Something needs a model, and there is no `llm`.
    ///
    /// # Why it matters
    ///
    /// `satisfies`, `intent`, `grounded`, `claims` and `notClaims` ask a judge, `simulate` needs somebody who speaks
    /// for the user, and a topic without `triggers` is recognised by a judge.
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
    /// Say which model is asked, or script the answers:
    ///
    /// ```yaml
    /// llm: {provider: anthropic, model: claude-sonnet-4-5}
    /// ```
    NO_MODEL = "no-model";

    /// # What it means
    ///
    /// The model under test would judge itself.
    ///
    /// # Why it matters
    ///
    /// A model is kinder to its own replies than to those of others.
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
    /// Let another model judge, or say that it is meant: `judge: {self: true}`.
    SELF_JUDGE = "self-judge";

    /// # What it means
    ///
    /// A file of scenarios cannot be read, or is not a list of scenarios.
    ///
    /// # Why it matters
    ///
    /// There is one test per scenario, so without them there are none. Each is a mapping that has at least a `name`
    /// and a `goal`.
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
}
