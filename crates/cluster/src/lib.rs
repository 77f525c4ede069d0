//! Runs the tests of a plan on many machines.
//!
//! A controller ([`run`]) divides a plan into chunks and puts them into a work queue on a NATS JetStream server. Workers
//! ([`serve`]) take chunks, run them with the engines of `casebook-run`, and publish the events. The controller passes
//! the events on as if the tests had run in its own process, so the live view, the record and the exit code are the
//! same. See docs/design/2026-11-17-cluster.md.
//!
//! The client of NATS is asynchronous. Its runtime stays in one thread, behind `bridge`; everything else is ordinary
//! threads.

mod address;
mod bridge;
mod bundle;
mod controller;
mod error;
mod full_store;
mod keys;
mod limits;
mod locks;
mod names;
mod presence;
mod progress;
mod schedule;
mod server;
#[cfg(test)]
mod simulation;
mod status;
mod wire;
mod work;
mod worker;

pub use address::{Credentials, QueueAddress};
pub use bundle::Bundle;
pub use controller::{Cluster, ClusterOutcome, run, run_specs};
pub use error::ClusterError;
pub use server::check;
pub use status::{ClusterStatus, RunStatus, WorkerStatus, status};
pub use wire::RspecCommand;
pub use work::SpecPlan;
pub use worker::{SuiteReader, Worker, serve};
