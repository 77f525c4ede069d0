//! Tests in worker processes.
//!
//! The controller plans, opens and closes suites, records and reports. Each of its threads has one worker process and
//! sends it one test at a time. The events of the test come back over the same connection and are published as if the
//! test had run in the controller. If a worker dies, the test it was running fails and the worker is replaced.
//!
//! The protocol consists of the lines in [`frame`]; a [`Transport`] starts the workers and connects them. See
//! docs/design/2026-11-15-workers.md.

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
