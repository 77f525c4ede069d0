//! Importing TAP and JUnit XML: every rule, real output of tools, the tools themselves, and arbitrary input.

#![expect(
    clippy::unwrap_used,
    reason = "an error in a helper should fail the test"
)]

#[path = "import/arbitrary.rs"]
mod arbitrary;
#[path = "import/fixtures.rs"]
mod fixtures;
#[path = "import/imported.rs"]
mod imported;
#[path = "import/javascript.rs"]
mod javascript;
#[path = "import/junit.rs"]
mod junit;
#[path = "import/live.rs"]
mod live;
#[path = "import/tap.rs"]
mod tap;
