//! `run --cluster`: runs the tests on the workers of a cluster.

use casebook_record::Metadata;
use casebook_run::{Options, Plan, RunContext, RunOutcome, SnapshotMode};

use crate::commands::shared::cluster::{ClusterRun, ClusterSettings};
use crate::context::Context;
use crate::error::CommandError;

pub(super) fn run(
    cluster: &ClusterSettings,
    run: ClusterRun<'_>,
    plan: &Plan,
    options: &Options,
    run_context: RunContext<'_>,
    metadata: Metadata,
    context: &Context,
) -> Result<RunOutcome, CommandError> {
    if options.snapshots == SnapshotMode::Update {
        return Err(CommandError::UpdateOnCluster);
    }
    let mut suites = plan.suites.iter();
    let has_budget = suites.any(|suite| !suite.suite.budget.is_unlimited());
    if has_budget || !run_context.budget.is_unlimited() {
        return Err(CommandError::BudgetOnCluster);
    }
    cluster.run(run, context, |cluster| {
        casebook_cluster::run(plan, options, cluster, run_context, metadata)
    })
}
