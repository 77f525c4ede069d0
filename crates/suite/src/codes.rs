//! The codes of problems in suites, one file per subject. Their doc comments are what `casebook explain` prints.

mod commands;
mod conversation;
mod fields;
mod names;
mod normalizers;
mod services;
mod sharing;
mod snapshots;
mod steps;
mod terminal;

use casebook_source::Code;

pub use self::commands::*;
pub use self::conversation::*;
pub use self::fields::*;
pub use self::names::*;
pub use self::normalizers::*;
pub use self::services::*;
pub use self::sharing::*;
pub use self::snapshots::*;
pub use self::steps::*;
pub use self::terminal::*;

/// The codes of every subject, in the order in which `casebook explain` lists them.
pub const ALL_CODES: [&[Code]; 10] = [
    fields::ALL_CODES,
    names::ALL_CODES,
    commands::ALL_CODES,
    conversation::ALL_CODES,
    snapshots::ALL_CODES,
    normalizers::ALL_CODES,
    steps::ALL_CODES,
    services::ALL_CODES,
    sharing::ALL_CODES,
    terminal::ALL_CODES,
];
