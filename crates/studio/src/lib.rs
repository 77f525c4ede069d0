//! The studio: a local web page for the recorded runs of a project, and for the runs in progress.
//!
//! [`Studio::start`] starts a server in one thread with its own runtime; nothing outside this crate is asynchronous. The page
//! consists of the components of the HTML report (`casebook_report::html`), which get their data from this server instead of
//! from their own file. Live data comes from the journals of runs, so it does not matter who started them.
//!
//! The server answers only requests with its token (`access`), and serves only what it reads from the directory of records.

mod access;
mod actions;
mod api;
mod assets;
mod design;
mod history_cache;
mod live;
mod project;
mod rejection;
mod response;
mod reviews;
mod router;
mod server;
mod session;
mod stored_runs;
mod stream;
mod test_history;
mod test_source;

pub use access::Access;
pub use actions::Launcher;
pub use project::Project;
pub use server::{Studio, StudioError};
pub use session::{InvalidToken, Session, check_token};
