//! The HTML report in headless Chromium, driven through `WebDriver`.

#![expect(
    clippy::unwrap_used,
    reason = "an invalid fixture or page fails its test"
)]

mod accessibility;
mod addresses;
mod axe;
mod browser;
mod conversation;
mod file;
mod filter;
mod hostile;
mod interrupted;
mod keyboard;
mod large;
mod look;
mod modules;
mod printing;
mod sample_pages;
mod sample_runs;
mod scores;
mod scripts;
mod screen;
mod shell;
mod static_pages;
