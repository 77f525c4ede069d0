//! Text for the terminal: removes control characters, measures, wraps and truncates.

mod clean;
mod elide;
mod plural;
mod visible;
mod window;
mod wrap;

pub(crate) use clean::{clean, one_line};
pub(crate) use elide::{elide, elide_to, tail};
pub(crate) use plural::{count, thousands};
pub(crate) use visible::{Reveal, reveal, visible_only};
pub(crate) use window::window;
pub(crate) use wrap::{columns, fit, fit_end, wrap};
