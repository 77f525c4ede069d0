//! The fields of services.

use super::{Field, Shape, field};

/// The services of a suite.
pub const SERVICES: Field = field(
    "services",
    Shape::Each(&Shape::Object(SERVICE)),
    "Programs that run while tests run",
);

/// The services that a test uses.
pub const USES: Field = field(
    "uses",
    Shape::List,
    "The services that the test uses (default: all, if no test has uses)",
);

/// The fields of a service.
pub const SERVICE: &[Field] = &[
    field(
        "command",
        Shape::NonEmptyText,
        "Command, run with bash -c; it must stay in the foreground",
    ),
    field(
        "env",
        Shape::TextMap,
        "Environment variables of the service",
    ),
    field(
        "workdir",
        Shape::NonEmptyText,
        "Working directory, relative to the suite's directory",
    ),
    field(
        "ready",
        Shape::Object(READY),
        "How the service is known to be ready (default: it runs for 100 ms)",
    ),
    field(
        "within",
        Shape::Duration,
        "Time in which it must be ready (default: 10s)",
    ),
    field(
        "scope",
        Shape::Choice(&SCOPES),
        "file: one for the suite (default); test: one for each test",
    ),
    field("stop", Shape::Object(STOP), "How the service is stopped"),
    field(
        "needs",
        Shape::List,
        "Services that must be ready before this one starts",
    ),
];

/// The fields of `ready`.
pub const READY: &[Field] = &[
    field(
        "port",
        Shape::Count(65535),
        "A port of 127.0.0.1 that accepts connections",
    ),
    field(
        "http",
        Shape::NonEmptyText,
        "A URL that is requested until it has the status",
    ),
    field(
        "status",
        Shape::Count(599),
        "The status of http (default: 200)",
    ),
    field(
        "log",
        Shape::NonEmptyText,
        "POSIX ERE that the output of the service matches",
    ),
    field(
        "file",
        Shape::NonEmptyText,
        "A file that exists, relative to the working directory of the service",
    ),
    field(
        "command",
        Shape::NonEmptyText,
        "A command that has exit code 0",
    ),
];

/// The fields of `stop`.
pub const STOP: &[Field] = &[
    field(
        "signal",
        Shape::Choice(&SIGNALS),
        "The signal that stops the service (default: TERM)",
    ),
    field(
        "within",
        Shape::Duration,
        "Time after which the service is killed (default: 5s)",
    ),
];

/// The values of `scope`.
pub const SCOPES: [&str; 2] = ["file", "test"];

/// The signals that can stop a service.
pub const SIGNALS: [&str; 7] = ["TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2"];
