//! A process under watch: its output read as it comes, its end noticed at once, everything of it ended in time.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, kill_process_group,
    pidfd_open, test_kill_process, test_kill_process_group, waitid, waitpid,
};

use super::capture::Captured;
use super::pipe::Source;
use super::tree;
use crate::stop::Stop;

/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(3);
/// How often those that are being ended are looked after.
const LOOK: Duration = Duration::from_millis(5);
/// How often a long-running process is looked after: it may have been stopped by the terminal.
const CHECK: Duration = Duration::from_secs(1);
/// After SIGKILL; what is still there then cannot be ended by anybody.
const LAST: Duration = Duration::from_secs(2);

/// What a [`Watched::wait`] has come upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The process has ended.
    Ended,
    /// It wants the terminal, which it does not get, and has been stopped by this signal.
    Stopped(Signal),
    /// Nobody holds the streams open any more.
    Closed,
    /// There is something to read on the control channel.
    Message,
    /// It is late.
    Late,
    /// Somebody has asked to stop.
    Asked,
}

/// Why a process was ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It took too long.
    Timeout,
    /// The run is being stopped.
    Interrupt,
    /// It wanted the terminal.
    Terminal(Signal),
}

impl Wake {
    /// Whether the process has to be ended, and why.
    pub(crate) fn cut(self) -> Option<Cut> {
        match self {
            Wake::Late => Some(Cut::Timeout),
            Wake::Asked => Some(Cut::Interrupt),
            Wake::Stopped(signal) => Some(Cut::Terminal(signal)),
            Wake::Ended | Wake::Closed | Wake::Message => None,
        }
    }
}

/// A process in a group of its own.
pub(crate) struct Watched<'w> {
    pid: Pid,
    pidfd: OwnedFd,
    status: Option<ExitStatus>,
    sources: Vec<Source>,
    limit: usize,
    stop: &'w Stop,
    /// How many requests to stop were told: each is told once.
    told_stops: usize,
    instant: fn() -> Instant,
}

/// Those that a signal is meant for.
pub(crate) enum Victims {
    /// A process group.
    Group(Pid),
    /// What this finds at the moment.
    Found(Box<dyn Fn() -> Vec<Pid>>),
}

impl<'w> Watched<'w> {
    /// Watches a child of this process that nobody else waits for.
    pub(crate) fn begin(
        pid: Pid,
        sources: Vec<Source>,
        limit: usize,
        stop: &'w Stop,
        instant: fn() -> Instant,
    ) -> io::Result<Watched<'w>> {
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(error) => {
                abandon(pid);
                return Err(error.into());
            }
        };
        Ok(Watched {
            pid,
            pidfd,
            status: None,
            sources,
            limit,
            stop,
            told_stops: 0,
            instant,
        })
    }

    /// Its id, which is its group's too.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// How it ended.
    pub(crate) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// Whether nobody can write to the streams any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.sources.iter().all(Source::is_closed)
    }

    /// The names of the pipes that are still open, as `/proc` has them.
    pub(crate) fn open_pipes(&self) -> Vec<String> {
        self.sources.iter().filter_map(Source::name).collect()
    }

    /// What came from one of the sources so far.
    pub(crate) fn captured(&self, source: usize) -> &[u8] {
        &self.sources[source].captured.bytes
    }

    /// What was captured, in the order of the sources.
    pub(crate) fn take_captured(&mut self) -> Vec<Captured> {
        let sources = self.sources.iter_mut();
        sources
            .map(|source| std::mem::take(&mut source.captured))
            .collect()
    }

    /// Lets other processes have the writing ends now: ours are closed.
    pub(crate) fn release(&mut self) {
        for source in &mut self.sources {
            source.release();
        }
    }

    /// Reads what comes until something happens. `control` is watched as well.
    pub(crate) fn wait(
        &mut self,
        until: Option<Instant>,
        control: Option<&OwnedFd>,
    ) -> io::Result<Wake> {
        let control = control.map(|control| PollFd::new(control, PollFlags::IN));
        self.wait_with(until, control.as_slice())
    }

    /// The same with anything that is to be watched as well.
    pub(crate) fn wait_with(
        &mut self,
        until: Option<Instant>,
        control: &[PollFd<'_>],
    ) -> io::Result<Wake> {
        let was_closed = self.is_closed();
        let mut check = (self.instant)() + CHECK;
        loop {
            if self.stop.times() > self.told_stops {
                self.told_stops = self.stop.times();
                return Ok(Wake::Asked);
            }
            let now = (self.instant)();
            if until.is_some_and(|until| now >= until) {
                return Ok(Wake::Late);
            }
            if now >= check {
                if let Some(signal) = self.stopped()? {
                    return Ok(Wake::Stopped(signal));
                }
                check = now + CHECK;
            }
            let next = until.map_or(check, |until| until.min(check));
            let has_message = self.poll(Some(next - now), control)?;
            if self.status.is_none() && self.has_ended()? {
                return Ok(Wake::Ended);
            }
            if has_message {
                return Ok(Wake::Message);
            }
            if !was_closed && self.is_closed() {
                return Ok(Wake::Closed);
            }
        }
    }

    /// Waits for one thing to happen and reads all there is to read; whether there is a message.
    fn poll(&mut self, timeout: Option<Duration>, control: &[PollFd<'_>]) -> io::Result<bool> {
        let timeout = timeout.map(|timeout| {
            Timespec::try_from(timeout).unwrap_or(Timespec {
                tv_sec: 3600,
                tv_nsec: 0,
            })
        });
        let stop = self.stop.next_wake(self.told_stops);
        let mut fds = Vec::with_capacity(5);
        if self.status.is_none() {
            fds.push(PollFd::new(&self.pidfd, PollFlags::IN));
        }
        fds.extend(stop.map(|stop| PollFd::from_borrowed_fd(stop, PollFlags::IN)));
        let control_at = fds.len();
        fds.extend_from_slice(control);
        let control_to = fds.len();
        fds.extend(
            self.sources
                .iter()
                .filter_map(Source::fd)
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
        );
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut watched = fds[control_at..control_to].iter();
        let has_message = watched.any(|fd| !fd.revents().is_empty());
        drop(fds);
        self.read();
        Ok(has_message)
    }

    fn read(&mut self) {
        for source in &mut self.sources {
            source.read(self.limit);
        }
    }

    fn has_ended(&mut self) -> io::Result<bool> {
        if self.status.is_none() {
            let ended = waitpid(Some(self.pid), WaitOptions::NOHANG)?;
            self.status = ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
            if self.status.is_some() {
                // What it wrote before it ended is in the pipe by now.
                self.read();
            }
        }
        Ok(self.status.is_some())
    }

    /// Whether the terminal has stopped it, because it belongs to no foreground group.
    fn stopped(&self) -> io::Result<Option<Signal>> {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = match waitid(WaitId::PidFd(self.pidfd.as_fd()), options) {
            Ok(status) => status,
            Err(Errno::CHILD) => None,
            Err(error) => return Err(error.into()),
        };
        let signal = status.and_then(|status| status.stopping_signal());
        Ok(signal
            .and_then(Signal::from_named_raw)
            .filter(|signal| matches!(*signal, Signal::TTIN | Signal::TTOU)))
    }

    /// Whether somebody has asked to stop and does not want to wait.
    pub(crate) fn is_urgent(&self) -> bool {
        self.stop.is_urgent()
    }

    /// Ends processes: SIGTERM, and SIGKILL for those that are still there after a while. Output is read all the
    /// time, so that nobody hangs in a full pipe. Returns as soon as they are gone.
    pub(crate) fn end(&mut self, victims: &Victims) -> io::Result<()> {
        if !victims.signal(Signal::TERM) {
            return Ok(());
        }
        self.resume(victims);
        let stop = self.stop;
        if self.gone_within(GRACE, victims, || stop.is_urgent())? {
            return Ok(());
        }
        victims.signal(Signal::KILL);
        self.resume(victims);
        self.gone_within(LAST, victims, || false)?;
        Ok(())
    }

    /// Who is stopped would not notice that it is to end, nor that somebody else has: the terminal stops whole groups.
    fn resume(&self, victims: &Victims) {
        victims.signal(Signal::CONT);
        if self.status.is_none() {
            let _ = kill_process_group(self.pid(), Signal::CONT);
        }
    }

    fn gone_within(
        &mut self,
        limit: Duration,
        victims: &Victims,
        is_cut_short: impl Fn() -> bool,
    ) -> io::Result<bool> {
        let until = (self.instant)() + limit;
        let mut look = Duration::from_micros(200);
        loop {
            self.told_stops = self.stop.times();
            self.poll(Some(look), &[])?;
            self.has_ended()?;
            tree::reap_adopted();
            if !victims.are_alive() {
                return Ok(true);
            }
            if (self.instant)() >= until || is_cut_short() {
                return Ok(false);
            }
            look = (look * 2).min(LOOK);
        }
    }
}

impl Drop for Watched<'_> {
    /// Nobody is left behind, whatever went wrong on the way.
    fn drop(&mut self) {
        if self.status.is_none() {
            abandon(self.pid);
        }
    }
}

/// Ends it without waiting for what cannot be ended.
fn abandon(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
}

impl Victims {
    /// Sends the signal; false when there was nobody.
    fn signal(&self, signal: Signal) -> bool {
        match self {
            Victims::Group(group) => kill_process_group(*group, signal).is_ok(),
            Victims::Found(find) => {
                // All of them get it, whatever came of the first.
                let sent = find().into_iter().map(|pid| kill_process(pid, signal));
                sent.flatten().count() > 0
            }
        }
    }

    fn are_alive(&self) -> bool {
        match self {
            Victims::Group(group) => test_kill_process_group(*group).is_ok(),
            Victims::Found(find) => find().into_iter().any(|pid| test_kill_process(pid).is_ok()),
        }
    }
}

/// The exit code as a shell has it in `$?`.
pub(crate) fn shell_code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    use std::sync::OnceLock;

    use super::*;

    /// A clock on which no time passes.
    #[expect(clippy::disallowed_methods, reason = "any time will do")]
    fn frozen() -> Instant {
        static NOW: OnceLock<Instant> = OnceLock::new();
        *NOW.get_or_init(Instant::now)
    }

    #[test]
    #[expect(
        clippy::zombie_processes,
        reason = "it is waited for by who watches it"
    )]
    fn who_does_not_want_to_wait_gives_no_time_to_the_deaf() {
        let mut deaf = Command::new("bash");
        deaf.args(["-c", "trap '' TERM; echo deaf; sleep 600; sleep 600"]);
        let mut child = deaf
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut said = [0; 5];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut said)
            .unwrap();
        let stop = Stop::new().unwrap();
        stop.ask();
        stop.ask();
        let pid = Pid::from_child(&child);
        let mut watched = Watched::begin(pid, Vec::new(), 0, &stop, frozen).unwrap();
        watched.end(&Victims::Group(pid)).unwrap();
        let status = watched.status().unwrap();
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
    }
}
