//! Tests of runs on a cluster, with a real server, real workers and real kills.

#![expect(clippy::unwrap_used, reason = "an invalid fixture fails its test")]

mod bundles;
mod configuration;
mod conversations;
mod failures;
#[path = "../../../run/src/http/testing.rs"]
#[expect(
    dead_code,
    reason = "each test binary uses only some of the server's functions"
)]
mod http_server;
mod keys;
mod kills;
mod locks;
mod manifests;
mod messages;
mod poison;
mod record;
mod rspec;
mod run;
mod security;
mod server;
mod status;
#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the other commands")]
mod support;
