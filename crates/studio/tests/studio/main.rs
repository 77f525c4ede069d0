//! The studio: its server over real connections, and its pages in headless Chromium.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests measure time, and an invalid fixture or response fails its test"
)]

mod access;
mod actions;
mod client;
mod connections;
mod data;
mod live;
mod pages;
mod scripts;
mod studio_project;

#[path = "../../../report/tests/html/axe.rs"]
mod axe;
#[path = "../../../report/tests/html/browser.rs"]
#[expect(dead_code, reason = "the tests of the report use more of it")]
mod browser;
#[path = "../../../report/tests/html/modules.rs"]
mod modules;
#[path = "../../../report/tests/html/sample_runs/mod.rs"]
#[expect(dead_code, reason = "the tests of the report use more of it")]
mod sample_runs;
