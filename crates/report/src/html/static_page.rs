//! Pages without scripts: of tables, and of a coverage matrix.
//!
//! Their templates escape markup. Control characters, such as those that reverse the direction of text, are made visible
//! in the finished page, so that no field can be forgotten.

use std::io;

use askama::Template;

use super::digest;
use crate::terminal::text::clean;

pub(crate) const TABLES: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/static_page.css"),
    include_str!("style/table_page.css"),
);
pub(crate) const COVERAGE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/static_page.css"),
    include_str!("style/coverage.css"),
);

/// The content security policy: allows only this style.
pub(crate) fn policy(style: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        digest(style)
    )
}

/// Writes the page.
pub(crate) fn write(page: &impl Template, out: &mut dyn io::Write) -> io::Result<()> {
    let page = page.render().map_err(io::Error::other)?;
    out.write_all(clean(&page).as_bytes())
}
