//! The HTML report in headless Chromium, driven through `WebDriver`.

#![expect(
    clippy::unwrap_used,
    reason = "an invalid fixture or page fails its test"
)]

mod accessibility;
mod addresses;
mod axe;
#[expect(dead_code, reason = "the tests of the studio use tabs")]
mod browser;
mod conversation;
mod file;
mod filter;
mod handover;
mod hostile;
mod interrupted;
mod keyboard;
mod large;
mod look;
mod modules;
mod printing;
mod reviews;
mod sample_pages;
mod sample_runs;
mod scores;
mod screen;
mod scripts;
mod shell;
mod static_pages;
