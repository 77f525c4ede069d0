//! The HTML report as a real browser shows it: headless Chromium, driven through `WebDriver`.

#![expect(
    clippy::unwrap_used,
    reason = "what cannot be made or read fails its test"
)]

mod browser;
mod conversation;
mod file;
mod filter;
mod hostile;
mod keyboard;
mod large;
mod look;
mod made;
mod printing;
mod shell;
