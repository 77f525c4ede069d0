//! Shows a run in the terminal while it lasts.
//!
//! [`Live`] is a listener. Results are written to one stream as permanent lines. Running tests are drawn below them and
//! redrawn ten times a second. Handling an event only changes memory; a separate thread writes, so that a slow terminal
//! does not delay the run.
//!
//! A failure is shown when it happens, in the form of [`report`](super::report). Failures that may have scrolled away are
//! listed again at the end, in the order of the files.

mod failure_recap;
mod messages;
pub(super) mod progress;
pub(super) mod running;
mod screen;
mod state;
mod suites;
mod ticker;
mod warnings;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use casebook_record::{Event, EventFilter, ExampleLookup, Listener, ListenerError, Time};
use parking_lot::Mutex;

use state::LiveState;
use ticker::Ticker;

use super::soft_checks;

pub use messages::Messages;

/// Options of the output.
#[expect(clippy::struct_excessive_bools, reason = "the options are independent")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether to style the text with ANSI sequences.
    pub color: bool,
    /// The columns of the terminal. Fewer than 40 count as 40.
    pub width: usize,
    /// The rows of the terminal: failures further up are listed again at the end.
    pub height: usize,
    /// Whether to draw running tests. Requires both streams to be a terminal: a program between Casebook and the terminal
    /// (`| tee`) would write into the drawing.
    pub progress: bool,
    /// How much to show.
    pub verbosity: Verbosity,
    /// Whether to show one line per test, with its duration.
    pub timing: bool,
    /// Whether to show one line per test, with its command and output.
    pub trace: bool,
    /// The record's directory as the user can type it; full outputs are there.
    pub record: Option<String>,
    /// The numbers of trials for pass@k and pass^k; without any, all trials of a test.
    pub k: Vec<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            color: false,
            width: 100,
            height: 24,
            progress: false,
            verbosity: Verbosity::Normal,
            timing: false,
            trace: false,
            record: None,
            k: Vec::new(),
        }
    }
}

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Failures and the summary.
    Quiet,
    /// Also one line per suite.
    #[default]
    Normal,
    /// Also one line per test.
    Verbose,
}

/// Returns the current time.
pub type Clock = Box<dyn Fn() -> Time + Send>;

/// A listener that shows a run while it lasts.
///
/// Returns the first error of `out` once, from the next or the last event, and writes nothing there afterwards. Erases
/// the drawn rows when dropped.
///
/// ```
/// use std::io;
///
/// use casebook_record::{Bus, RunBuilder, Time};
/// use casebook_report::live::{Live, Options};
///
/// let bus = Bus::new();
/// let run = RunBuilder::new("run-1");
/// bus.subscribe_inline(run.clone());
/// let clock = Box::new(|| Time::from_millis(0));
/// let live = Live::new(Options::default(), clock, run, Box::new(io::sink()), Box::new(io::sink()))?;
/// let messages = live.messages(); // for other writers to standard error
/// bus.subscribe(live)?;
/// # drop(messages);
/// bus.close();
/// # Ok::<(), io::Error>(())
/// ```
pub struct Live {
    show: Shared,
    /// Declared first, because the ticker must stop before the state is dropped.
    _ticker: Ticker,
}

type Shared = Arc<Mutex<LiveState>>;

impl Live {
    /// Writes results to `out`, progress and [`Messages`] to `err`. Details of a test are taken from `run`, which must
    /// receive events before this listener does. Fails if the thread cannot be started.
    pub fn new(
        options: Options,
        clock: Clock,
        run: impl ExampleLookup + 'static,
        out: Box<dyn io::Write + Send>,
        err: Box<dyn io::Write + Send>,
    ) -> io::Result<Live> {
        let show = Arc::new(Mutex::new(LiveState::new(
            options,
            clock,
            Box::new(run),
            out,
            err,
        )));
        let ticker = Ticker::start(Arc::clone(&show))?;
        Ok(Live {
            show,
            _ticker: ticker,
        })
    }

    /// A writer to `err` that does not disturb the drawn rows. It outlives the listener.
    pub fn messages(&self) -> Messages {
        Messages::above(Arc::clone(&self.show))
    }
}

impl Listener for Live {
    fn name(&self) -> &'static str {
        "terminal"
    }

    /// Messages of conversations are taken from the run data, and most evaluations are not shown here.
    fn interest(&self) -> EventFilter {
        EventFilter::ALL.only_if(|event| match event {
            Event::EvaluationRecorded(evaluation) => soft_checks::is_counted(evaluation),
            Event::UserMessage(_)
            | Event::AgentResponse(_)
            | Event::ToolCallCompleted(_)
            | Event::TopicChanged(_)
            | Event::SimulationStarted(_)
            | Event::SimulationEnded(_) => false,
            _ => true,
        })
    }

    fn max_delay(&self) -> Duration {
        ticker::INTERVAL / 5
    }

    fn on_event(&mut self, event: &Arc<Event>) -> Result<(), ListenerError> {
        let mut show = self.show.lock();
        show.take(event);
        match show.error() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}
