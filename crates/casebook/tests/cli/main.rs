//! Tests of the binary with real processes and files: its output and what remains on disk.

#![expect(clippy::unwrap_used, reason = "an invalid fixture fails its test")]

mod accept;
mod ack;
mod assertions;
mod bashi;
mod bats;
mod check;
mod command;
mod conditions;
mod conversation;
mod coverage;
mod design;
mod diff;
mod disk;
mod engines;
mod events;
mod exports;
mod formats;
mod history;
mod html;
mod import;
mod include;
mod input;
mod integrations;
mod interrupt;
mod kill;
mod large;
mod locks;
mod mcp;
mod observe;
mod old_records;
mod otlp;
mod prng;
mod protocol;
mod record;
mod recover;
mod redaction;
mod report;
mod rspec;
mod run;
mod services;
mod steps;
mod support;
mod terminal;
mod usage;
