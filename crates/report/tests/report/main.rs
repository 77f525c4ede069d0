//! Whole reports of small runs, as their readers see them.

#![expect(
    clippy::unwrap_used,
    reason = "a sample that cannot be made fails its test"
)]

mod command;
mod conversation;
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
mod stream;
mod tap;
mod trials;
