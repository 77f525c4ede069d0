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
use super::pipe::PipeReader;
use super::process_tree;
use crate::stop::StopToken;

/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(3);
/// How often those that are being ended are looked after.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How often a long-running process is looked after: it may have been stopped by the terminal.
const CHECK: Duration = Duration::from_secs(1);
/// After SIGKILL; what is still there then cannot be ended by anybody.
const LAST: Duration = Duration::from_secs(2);

/// What a [`Watched::wait`] has come upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitEvent {
    /// The process has ended.
    Ended,
    /// It wants the terminal, which it does not get, and has been stopped by this signal.
    Stopped(Signal),
    /// Nobody holds the streams open any more.
    StreamsClosed,
    /// There is something to read on the control channel.
    ControlReadable,
    /// It is late.
    DeadlinePassed,
    /// Somebody has asked to stop.
    StopRequested,
}

/// Why a process was ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Termination {
    /// It took too long.
    Timeout,
    /// The run is being stopped.
    Interrupt,
    /// It wanted the terminal.
    Terminal(Signal),
}

impl WaitEvent {
    /// Whether the process has to be ended, and why.
    pub(crate) fn cut(self) -> Option<Termination> {
        match self {
            WaitEvent::DeadlinePassed => Some(Termination::Timeout),
            WaitEvent::StopRequested => Some(Termination::Interrupt),
            WaitEvent::Stopped(signal) => Some(Termination::Terminal(signal)),
            WaitEvent::Ended | WaitEvent::StreamsClosed | WaitEvent::ControlReadable => None,
        }
    }
}

/// A process in a group of its own.
pub(crate) struct MonitoredProcess<'w> {
    pid: Pid,
    pidfd: OwnedFd,
    status: Option<ExitStatus>,
    sources: Vec<PipeReader>,
    limit: usize,
    stop: &'w StopToken,
    /// How many requests to stop were told: each is told once.
    told_stops: usize,
    instant: fn() -> Instant,
}

/// Those that a signal is meant for.
pub(crate) enum KillTarget {
    /// A process group.
    Group(Pid),
    /// What this finds at the moment.
    Dynamic(Box<dyn Fn() -> Vec<Pid>>),
}

impl<'w> MonitoredProcess<'w> {
    /// Watches a child of this process that nobody else waits for.
    pub(crate) fn begin(
        pid: Pid,
        sources: Vec<PipeReader>,
        limit: usize,
        stop: &'w StopToken,
        instant: fn() -> Instant,
    ) -> io::Result<MonitoredProcess<'w>> {
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(error) => {
                abandon(pid);
                return Err(error.into());
            }
        };
        Ok(MonitoredProcess {
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
        self.sources.iter().all(PipeReader::is_closed)
    }

    /// The names of the pipes that are still open, as `/proc` has them.
    pub(crate) fn open_pipes(&self) -> Vec<String> {
        self.sources.iter().filter_map(PipeReader::name).collect()
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
    ) -> io::Result<WaitEvent> {
        let control = control.map(|control| PollFd::new(control, PollFlags::IN));
        self.wait_with(until, control.as_slice())
    }

    /// The same with anything that is to be watched as well.
    pub(crate) fn wait_with(
        &mut self,
        until: Option<Instant>,
        control: &[PollFd<'_>],
    ) -> io::Result<WaitEvent> {
        let was_closed = self.is_closed();
        let mut check = (self.instant)() + CHECK;
        loop {
            if self.stop.request_count() > self.told_stops {
                self.told_stops = self.stop.request_count();
                return Ok(WaitEvent::StopRequested);
            }
            let now = (self.instant)();
            if until.is_some_and(|until| now >= until) {
                return Ok(WaitEvent::DeadlinePassed);
            }
            if now >= check {
                if let Some(signal) = self.stopped()? {
                    return Ok(WaitEvent::Stopped(signal));
                }
                check = now + CHECK;
            }
            let next = until.map_or(check, |until| until.min(check));
            let has_message = self.poll(Some(next - now), control)?;
            if self.status.is_none() && self.has_ended()? {
                return Ok(WaitEvent::Ended);
            }
            if has_message {
                return Ok(WaitEvent::ControlReadable);
            }
            if !was_closed && self.is_closed() {
                return Ok(WaitEvent::StreamsClosed);
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
                .filter_map(PipeReader::fd)
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
        self.stop.is_immediate()
    }

    /// Ends processes: SIGTERM, and SIGKILL for those that are still there after a while. Output is read all the
    /// time, so that nobody hangs in a full pipe. Returns as soon as they are gone.
    pub(crate) fn terminate(&mut self, victims: &KillTarget) -> io::Result<()> {
        if !victims.signal(Signal::TERM) {
            return Ok(());
        }
        self.resume(victims);
        let stop = self.stop;
        if self.wait_until_gone(GRACE, victims, || stop.is_immediate())? {
            return Ok(());
        }
        victims.signal(Signal::KILL);
        self.resume(victims);
        self.wait_until_gone(LAST, victims, || false)?;
        Ok(())
    }

    /// Who is stopped would not notice that it is to end, nor that somebody else has: the terminal stops whole groups.
    fn resume(&self, victims: &KillTarget) {
        victims.signal(Signal::CONT);
        if self.status.is_none() {
            let _ = kill_process_group(self.pid(), Signal::CONT);
        }
    }

    fn wait_until_gone(
        &mut self,
        limit: Duration,
        victims: &KillTarget,
        is_cut_short: impl Fn() -> bool,
    ) -> io::Result<bool> {
        let until = (self.instant)() + limit;
        let mut look = Duration::from_micros(200);
        loop {
            self.told_stops = self.stop.request_count();
            self.poll(Some(look), &[])?;
            self.has_ended()?;
            process_tree::reap_adopted();
            if !victims.are_alive() {
                return Ok(true);
            }
            if (self.instant)() >= until || is_cut_short() {
                return Ok(false);
            }
            look = (look * 2).min(STOP_POLL_INTERVAL);
        }
    }
}

impl Drop for MonitoredProcess<'_> {
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

impl KillTarget {
    /// Sends the signal; false when there was nobody.
    fn signal(&self, signal: Signal) -> bool {
        match self {
            KillTarget::Group(group) => kill_process_group(*group, signal).is_ok(),
            KillTarget::Dynamic(find) => {
                // All of them get it, whatever came of the first.
                let sent = find().into_iter().map(|pid| kill_process(pid, signal));
                sent.flatten().count() > 0
            }
        }
    }

    fn are_alive(&self) -> bool {
        match self {
            KillTarget::Group(group) => test_kill_process_group(*group).is_ok(),
            KillTarget::Dynamic(find) => {
                find().into_iter().any(|pid| test_kill_process(pid).is_ok())
            }
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
        let stop = StopToken::new().unwrap();
        stop.request();
        stop.request();
        let pid = Pid::from_child(&child);
        let mut watched = MonitoredProcess::begin(pid, Vec::new(), 0, &stop, frozen).unwrap();
        watched.terminate(&KillTarget::Group(pid)).unwrap();
        let status = watched.status().unwrap();
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
    }
}
