//! Tests that talk to agents.

mod models;
#[path = "../../../run/src/http/testing.rs"]
#[expect(dead_code, reason = "not everything that one test needs, another does")]
mod server;
