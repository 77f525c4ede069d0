//! Services: programs that run while the tests of a suite run.
//!
//! A [`ServiceGroup`] starts services in order, waits until each is ready and stops them in reverse order. What tests need to
//! know about a service is its [`ServiceState`], which is also sent to workers: its process is not waited for before it is
//! stopped, so every process of the run can see in `/proc` whether it has ended. Output goes to a file, which all can read.

mod ended;
mod failure;
mod group;
mod log;
mod observer;
mod port;
mod probe;
mod process;

pub(crate) use failure::ServiceFailure;
pub(crate) use group::{GroupContext, ServiceGroup, ServiceState};
pub(crate) use log::{ServiceOutput, logs_dir};
pub(crate) use observer::ServiceObserver;
pub(crate) use port::ReservedPort;
