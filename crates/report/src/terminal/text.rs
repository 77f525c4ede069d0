//! Text for a terminal: made harmless, measured, wrapped, shortened. Nothing here knows of styles or records.

mod clean;
mod elide;
mod plural;
mod wrap;

pub(super) use clean::{clean, one_line};
pub(super) use elide::{elide, elide_to, tail};
pub(super) use plural::count;
pub(super) use wrap::{columns, fit, fit_end, wrap};
