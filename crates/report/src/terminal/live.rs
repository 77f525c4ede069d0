//! A run as it happens, for people.
//!
//! [`Live`] is a listener: what has happened is written to one stream as lines that stay, what is happening now is
//! drawn below them on a terminal and redrawn ten times a second, however many events there are. Taking an event only
//! changes memory; a thread of its own writes, so that a slow terminal holds up nobody.
//!
//! A failure is drawn as [`report`](super::report) draws it, when it happens. What may have scrolled away is listed
//! once more at the end, in the order of the files.

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

use casebook_record::{Event, EventFilter, Listener, ListenerError, RunBuilder, Time};
use parking_lot::Mutex;

use state::LiveState;
use ticker::Ticker;

use super::soft_checks;

pub use messages::Messages;

/// How the run is to be shown.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether to style the text with ANSI sequences.
    pub color: bool,
    /// The terminal's columns. One too narrow to read is taken as 40.
    pub width: usize,
    /// The terminal's rows: failures further up than that are listed once more at the end.
    pub height: usize,
    /// Whether to draw what is running: only where both streams are a terminal. If the results pass through another
    /// program on their way there (`| tee`), it does not know of the drawing and writes into it.
    pub progress: bool,
    /// How much to tell.
    pub verbosity: Verbosity,
    /// One line per test, with its duration.
    pub timing: bool,
    /// One line per test, with its command and its output.
    pub trace: bool,
    /// The record's folder as the reader would type it: where whole outputs are.
    pub record: Option<String>,
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
        }
    }
}

/// How much to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Failures and the summary.
    Quiet,
    /// One line per suite besides.
    #[default]
    Normal,
    /// One line per test besides.
    Verbose,
}

/// Tells the time.
pub type Clock = Box<dyn Fn() -> Time + Send>;

/// Shows a run as it happens.
///
/// The first error of `out` is returned once, by the next event or the last; nothing is written there afterwards. When
/// it is dropped, nothing of what was drawn is left.
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
/// let messages = live.messages(); // for whoever else writes to standard error
/// bus.subscribe(live)?;
/// # drop(messages);
/// bus.close();
/// # Ok::<(), io::Error>(())
/// ```
pub struct Live {
    show: Shared,
    /// Ends with this, and before the show does.
    _ticker: Ticker,
}

type Shared = Arc<Mutex<LiveState>>;

impl Live {
    /// Results go to `out`, progress and [`Messages`] to `err`; what is drawn of a test is taken from the `run`, which must
    /// hear of events before this does. The system may refuse the thread that this takes.
    pub fn new(
        options: Options,
        clock: Clock,
        run: RunBuilder,
        out: Box<dyn io::Write + Send>,
        err: Box<dyn io::Write + Send>,
    ) -> io::Result<Live> {
        let show = Arc::new(Mutex::new(LiveState::new(options, clock, run, out, err)));
        let ticker = Ticker::start(Arc::clone(&show))?;
        Ok(Live {
            show,
            _ticker: ticker,
        })
    }

    /// Where anyone else can write to `err`, without tearing what is drawn there. It outlives the listener.
    pub fn messages(&self) -> Messages {
        Messages::above(Arc::clone(&self.show))
    }
}

impl Listener for Live {
    fn name(&self) -> &'static str {
        "terminal"
    }

    /// What was said in a test is in the run, and most of what was demanded does not matter here.
    fn interest(&self) -> EventFilter {
        EventFilter::ALL.only_if(|event| match event {
            Event::EvaluationRecorded(evaluation) => soft_checks::is_soft(evaluation),
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
