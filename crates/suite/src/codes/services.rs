//! Services.

casebook_source::codes! {
    /// # What it means
    ///
    /// The suite has no service with this name.
    ///
    /// # Why it matters
    ///
    /// The service is mistyped or missing, so it cannot be started and has no port.
    ///
    /// # Example
    ///
    /// ```yaml
    /// services:
    ///   api:
    ///     command: ./api --port {{services.aip.port}}
    /// tests:
    ///   - name: replies
    ///     uses: [ap]
    ///     command: ./ask $API_PORT
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// services:
    ///   api:
    ///     command: ./api --port {{services.api.port}}
    /// tests:
    ///   - name: replies
    ///     uses: [api]
    ///     command: ./ask $API_PORT
    /// ```
    UNKNOWN_SERVICE = "unknown-service";

    /// # What it means
    ///
    /// No test uses this service, so it is never started.
    ///
    /// # Why it matters
    ///
    /// If one test of a suite has `uses`, the other tests use only what they name. A service that no test names is either left
    /// over or forgotten.
    ///
    /// # Example
    ///
    /// ```yaml
    /// services:
    ///   api:
    ///     command: ./api
    ///   mail:
    ///     command: ./mail
    /// tests:
    ///   - name: replies
    ///     uses: [api]
    ///     command: ./ask
    /// ```
    ///
    /// # Instead
    ///
    /// Add the service to `uses` of the tests that need it, to `needs` of another service, or remove it.
    UNUSED_SERVICE = "unused-service";

    /// # What it means
    ///
    /// The port of a service is used where it is not known, or where the service does not run.
    ///
    /// # Why it matters
    ///
    /// A service with `scope: test` gets a port for each test, which `setupFile`, `teardownFile`, the suite's `env` and services
    /// of the whole suite cannot know. Names, tags and other texts that identify a test cannot depend on a port. And a test that
    /// has `uses` without a service would talk to a port on which nothing listens.
    ///
    /// # Example
    ///
    /// ```yaml
    /// services:
    ///   api:
    ///     command: ./api --port {{services.api.port}}
    ///     scope: test
    /// setupFile: echo {{services.api.port}} >config
    /// tests:
    ///   - name: replies
    ///     command: ./ask {{services.api.port}}
    /// ```
    ///
    /// # Instead
    ///
    /// ```yaml
    /// services:
    ///   api:
    ///     command: ./api --port {{services.api.port}}
    ///     scope: test
    /// setup: echo {{services.api.port}} >config
    /// tests:
    ///   - name: replies
    ///     command: ./ask {{services.api.port}}
    /// ```
    SERVICE_PORT = "service-port";
}
