//! Importing TAP and JUnit XML: every rule, real output of real tools, the tools themselves, and arbitrary input.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers are tests too: what they cannot do fails the test"
)]

#[path = "import/arbitrary.rs"]
mod arbitrary;
#[path = "import/fixtures.rs"]
mod fixtures;
#[path = "import/junit.rs"]
mod junit;
#[path = "import/live.rs"]
mod live;
#[path = "import/tap.rs"]
mod tap;
#[path = "import/told.rs"]
mod told;
