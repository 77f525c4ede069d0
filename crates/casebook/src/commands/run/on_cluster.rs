//! `run --cluster`: runs the tests on the workers of a cluster.

use casebook_record::Metadata;
use casebook_run::{Plan, RunContext, RunOutcome, SnapshotMode};

use super::settings::Settings;
use crate::commands::shared::cluster::{ClusterRun, ClusterSettings};
use crate::context::Context;
use crate::error::CommandError;

pub(super) fn run(
    cluster: &ClusterSettings,
    run: ClusterRun<'_>,
    plan: &Plan,
    settings: &Settings,
    run_context: RunContext<'_>,
    metadata: Metadata,
    context: &Context,
) -> Result<RunOutcome, CommandError> {
    if settings.options.snapshots == SnapshotMode::Update {
        return Err(CommandError::UpdateOnCluster);
    }
    cluster.run(run, context, |cluster| {
        casebook_cluster::run(plan, &settings.options, cluster, run_context, metadata)
    })
}
