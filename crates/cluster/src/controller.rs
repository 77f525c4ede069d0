//! [`run`]: divides a plan into chunks, waits for the workers, and passes their events on.

mod actions;
mod end;
mod inbox;
mod queue;
mod watch;

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use casebook_record::event::SuiteStarted;
use casebook_record::{Event, Metadata};
use casebook_run::{Options, Plan, RunContext, RunOutcome};

use crate::address::QueueAddress;
use crate::bridge::Bridge;
use crate::bundle::Bundle;
use crate::error::ClusterError;
use crate::full_store::WaitingWorkers;
use crate::presence::PresentWorkers;
use crate::progress::{Outcome, RunProgress};
use crate::server::Server;
use crate::wire::is_inside;
use crate::work::{SpecPlan, SpecWork, SuiteWork, TestIndex, Work};
use inbox::Message;
use queue::QueuedChunk;
use watch::Watch;

/// How often stop requests and timeouts are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long workers have to answer the first ping. Their number decides the size of the chunks.
const ROLL_CALL: Duration = Duration::from_millis(100);

/// The cluster on which a run takes place.
pub struct Cluster<'a> {
    /// Where the queue is.
    pub address: QueueAddress,
    /// Identifies the run.
    pub run_id: String,
    /// The commit of the controller's checkout.
    pub commit: Option<String>,
    /// The files for the workers, if they have no checkout.
    pub bundle: Option<Bundle>,
    /// Names of further environment variables whose values are redacted.
    pub redact: Vec<String>,
    /// How often a test is run again whose worker died.
    pub lost_retries: u32,
    /// How long a worker may be silent before its chunk is given to another one.
    pub lease: Duration,
    /// How long the run waits for a worker.
    pub no_worker_timeout: Duration,
    /// How long the run waits for a lost server.
    pub no_server_timeout: Duration,
    /// What an earlier controller of this run recorded.
    pub recorded: Vec<Event>,
    /// Shows a message.
    pub say: &'a dyn Fn(&str),
    /// Writes what RSpec printed on a worker.
    pub print: &'a dyn Fn(&[u8]),
}

/// How a run on a cluster ended.
pub struct ClusterOutcome {
    /// The counts that decide the exit code.
    pub run: RunOutcome,
    /// How many chunks were given to another worker.
    pub redelivered: usize,
    /// Why the run ended early.
    pub error: Option<ClusterError>,
}

/// Runs the tests of a plan on the workers of a cluster. If an earlier controller of the same run was killed, the run
/// continues where it is.
pub fn run(
    plan: &Plan,
    options: &Options,
    cluster: &Cluster<'_>,
    context: RunContext<'_>,
    mut metadata: Metadata,
) -> Result<ClusterOutcome, ClusterError> {
    casebook_run::describe(plan, context.system, context.sink, &mut metadata);
    let start = SuiteStarted {
        seed: options.seed.map(Into::into),
        metadata,
        ..SuiteStarted::at(context.system.clock.now(), plan.len() as u64)
    };
    let work = SuiteWork { plan, options };
    let controller = Controller::connect(&work, cluster, context)?;
    Ok(controller.run(start))
}

/// Runs RSpec examples on the workers of a cluster.
pub fn run_specs(
    plan: &SpecPlan,
    cluster: &Cluster<'_>,
    context: RunContext<'_>,
) -> Result<ClusterOutcome, ClusterError> {
    let work = SpecWork::new(plan, context.system)?;
    let mut controller = Controller::connect(&work, cluster, context)?;
    for error in &plan.errors {
        controller.progress.set_failed(error);
    }
    Ok(controller.run(plan.start.clone()))
}

/// Workers read files below their working directory.
fn reject_outside(work: &dyn Work, bundle: Option<&Bundle>) -> Result<(), ClusterError> {
    for file in (0..work.group_count()).map(|group| work.outline(group).name) {
        if !is_inside(&file) {
            return Err(ClusterError::OutsideSuite(file));
        }
        if bundle.is_some_and(|bundle| !bundle.contains(&file)) {
            return Err(ClusterError::NotBundled(file));
        }
    }
    Ok(())
}

/// The place of each test, by example id.
fn index(work: &dyn Work) -> HashMap<String, TestIndex> {
    (0..work.group_count())
        .flat_map(|group| {
            let ids = work.ids(group).into_iter().enumerate();
            ids.map(move |(test, id)| (id.to_owned(), (group, test)))
        })
        .collect()
}

/// The progress that an earlier controller of this run recorded.
fn recorded_progress(work: &dyn Work, cluster: &Cluster<'_>) -> RunProgress {
    let groups = (0..work.group_count()).map(|group| work.outline(group));
    let mut progress = RunProgress::new(groups);
    progress.restore(cluster.recorded.iter().cloned());
    progress
}

struct Controller<'a> {
    work: &'a dyn Work,
    cluster: &'a Cluster<'a>,
    context: RunContext<'a>,
    bridge: Bridge,
    server: Server,
    messages: Receiver<Message>,
    progress: RunProgress,
    present_workers: PresentWorkers,
    waiting: WaitingWorkers,
    tests: HashMap<String, TestIndex>,
    /// The chunks that an earlier controller put into the work queue.
    adopted: Vec<QueuedChunk>,
    /// The chunks in the work queue, by their ids.
    queued: HashMap<String, QueuedChunk>,
    /// Why workers refused a suite, by worker.
    refusals: HashMap<usize, BTreeMap<String, String>>,
    watch: Watch,
    /// Whether a worker ended the run.
    is_quitting: bool,
    /// Distinguishes it from other controllers of the same run.
    id: String,
}

impl<'a> Controller<'a> {
    fn connect(
        work: &'a dyn Work,
        cluster: &'a Cluster<'a>,
        context: RunContext<'a>,
    ) -> Result<Controller<'a>, ClusterError> {
        reject_outside(work, cluster.bundle.as_ref())?;
        let bridge = Bridge::start()?;
        let server = bridge.call(Server::connect(cluster.address.clone()))?;
        let (setup, lease) = (server.clone(), cluster.lease);
        bridge.call(async move { setup.create_streams(lease).await })?;
        if let Some(bundle) = &cluster.bundle {
            let (digest, now) = (bundle.digest().to_owned(), context.system.clock.now());
            bridge.call(server.clone().store_bundle(digest, bundle.archive()?, now))?;
        }
        let (reader, run_id) = (server.clone(), cluster.run_id.clone());
        // Before the events are read: what is not in the queue then has committed its end, or is lost.
        let adopted = bridge.call(async move { queue::read(reader, &run_id).await })?;
        let (sender, messages) = channel();
        let (listener, run_id) = (server.clone(), cluster.run_id.clone());
        bridge.call(async move { inbox::listen(listener, run_id, sender).await })?;
        let id = server.unique_id();
        Ok(Controller {
            work,
            cluster,
            context,
            bridge,
            server,
            messages,
            progress: recorded_progress(work, cluster),
            present_workers: PresentWorkers::default(),
            waiting: WaitingWorkers::default(),
            tests: index(work),
            adopted,
            queued: HashMap::new(),
            refusals: HashMap::new(),
            watch: Watch::new((context.system.instant)()),
            is_quitting: false,
            id,
        })
    }

    fn run(mut self, start: SuiteStarted) -> ClusterOutcome {
        let started = self.now();
        let start = SuiteStarted {
            time: self.context.system.clock.now(),
            run_id: Some(self.cluster.run_id.clone()),
            ..start
        };
        self.context.sink.publish(start.into());
        let error = self.run_tests().err();
        self.finish(started, error)
    }
}

impl Controller<'_> {
    fn now(&self) -> Instant {
        (self.context.system.instant)()
    }

    fn run_tests(&mut self) -> Result<(), ClusterError> {
        self.catch_up()?;
        self.adopt();
        self.publish_left_over()?;
        while !self.is_complete()? {
            match self.messages.recv_timeout(TICK) {
                Ok(message) => self.receive(message)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.check_server()?;
            self.check_workers()?;
            self.check_store()?;
            self.check_queue()?;
            if self.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    /// Whether every test has a result. A test may have none although its chunk is finished, if an earlier controller
    /// was killed at a bad moment.
    fn is_complete(&mut self) -> Result<bool, ClusterError> {
        if !self.progress.is_complete() || self.watch.is_stopping() || self.quits() {
            return Ok(self.progress.is_complete());
        }
        if self.watch.may_offer_again() {
            self.publish_left_over()?;
        }
        Ok(self.progress.is_complete())
    }

    /// Whether the run ends early, because RSpec ended it or enough tests failed.
    fn quits(&self) -> bool {
        let failed = || self.progress.count(Outcome::Failed) as u64;
        let limit = self.work.max_failures();
        self.is_quitting || limit.is_some_and(|limit| failed() >= limit)
    }

    /// Waits for the answers of the workers, and receives what is stored of an earlier controller's run.
    fn catch_up(&mut self) -> Result<(), ClusterError> {
        let until = self.now() + ROLL_CALL;
        let mut has_caught_up = false;
        loop {
            let rest = until.saturating_duration_since(self.now());
            if has_caught_up && rest.is_zero() {
                return Ok(());
            }
            let timeout = if rest.is_zero() { TICK } else { rest };
            match self.messages.recv_timeout(timeout) {
                Ok(Message::CaughtUp) => has_caught_up = true,
                Ok(message) => self.receive(message)?,
                Err(_) => self.check_server()?,
            }
        }
    }
}
