//! Complete reports of small runs.

#![expect(clippy::unwrap_used, reason = "an invalid fixture fails its test")]

mod allure;
mod command;
mod conversation;
mod csv;
mod ctrf;
mod diff;
mod failure;
mod github;
mod history;
mod hostile;
mod interactive;
mod json;
mod junit;
mod large;
mod lists;
mod live;
mod sample;
mod shipped;
mod sqlite;
mod stream;
mod tap;
mod trials;
