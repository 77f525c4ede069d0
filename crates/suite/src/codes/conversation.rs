//! Conversations with agents.

casebook_source::codes! {
    /// # What it means
    ///
    /// Two fields exclude each other, or a field is used where it has no effect.
    ///
    /// # Why it matters
    ///
    /// A test runs commands (`command` or `steps`), or it is a conversation with an agent (`conversation` or `simulate`). Fields of the other
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
    /// `satisfies`, `intent`, `grounded`, `claims`, `notClaims` and `language` are decided by a judge, the user of `simulate` is
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
}
