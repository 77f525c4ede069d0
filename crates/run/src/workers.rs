//! Tests in processes of their own.
//!
//! The controller plans, opens and closes suites, records and shows. Each of its threads has a worker process at hand
//! and gives it one test at a time; the events of the test come back over the same channel and are published as if
//! the test had run here. A worker that dies costs the test it was running, and is replaced.
//!
//! What travels are the lines of [`frame`]; how they travel is a [`Transport`]. docs/design/2026-11-15-workers.md has
//! the whole protocol.

mod frame;
mod handle;
mod link;
mod local;
mod os_text;
mod pool;
mod worker;

pub(crate) use handle::{RemoteJob, WorkerHandle};
pub use link::{Link, LinkError, Transport};
pub use local::{LineSocket, LocalTransport, socket_from_stdin};
pub(crate) use pool::WorkerPool;
pub use worker::{WorkerError, serve};
