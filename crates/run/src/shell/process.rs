//! [`MonitoredProcess`]: reads the output of a process, waits for its exit and terminates it.

use std::fs::File;
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
use crate::shell::terminal::Emulator;
use crate::stop::StopToken;

/// The grace period between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(3);
/// How often the processes being terminated are polled.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How often a running process is checked: the terminal may have stopped it.
const CHECK: Duration = Duration::from_secs(1);
/// How long to wait after SIGKILL. Processes that still exist then cannot be killed.
const LAST: Duration = Duration::from_secs(2);

/// The result of [`MonitoredProcess::wait`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitEvent {
    /// The process exited.
    Ended,
    /// It used the terminal, which is not allowed, and was stopped by this signal.
    Stopped(Signal),
    /// All write ends of its streams were closed.
    StreamsClosed,
    /// The control channel is readable.
    ControlReadable,
    /// The deadline passed.
    DeadlinePassed,
    /// A stop was requested.
    StopRequested,
}

/// Why a process was terminated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Termination {
    /// It exceeded its timeout.
    Timeout,
    /// A stop was requested.
    Interrupt,
    /// It used the terminal.
    Terminal(Signal),
}

impl WaitEvent {
    /// Why the process must be terminated, if it must.
    pub(crate) fn termination(self) -> Option<Termination> {
        match self {
            WaitEvent::DeadlinePassed => Some(Termination::Timeout),
            WaitEvent::StopRequested => Some(Termination::Interrupt),
            WaitEvent::Stopped(signal) => Some(Termination::Terminal(signal)),
            WaitEvent::Ended | WaitEvent::StreamsClosed | WaitEvent::ControlReadable => None,
        }
    }
}

/// A process that leads its own process group.
pub(crate) struct MonitoredProcess<'w> {
    pid: Pid,
    pidfd: OwnedFd,
    status: Option<ExitStatus>,
    sources: Vec<PipeReader>,
    limit: usize,
    stop: &'w StopToken,
    /// The number of stop requests already returned; each is returned once.
    reported_stops: usize,
    instant: fn() -> Instant,
    /// When to look whether the terminal stopped it, however often a wait ends before that.
    next_check: Instant,
    /// Files that it reads.
    files: Vec<File>,
}

/// The processes that a signal is sent to.
pub(crate) enum KillTarget {
    /// A process group.
    Group(Pid),
    /// The processes that the function finds when the signal is sent.
    Dynamic(Box<dyn Fn() -> Vec<Pid>>),
}

impl<'w> MonitoredProcess<'w> {
    /// Monitors a child of this process. Only this monitor may wait for it.
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
            reported_stops: 0,
            instant,
            next_check: instant() + CHECK,
            files: Vec::new(),
        })
    }

    /// Keeps these files open as long as the process is monitored.
    pub(crate) fn keep_open(&mut self, files: Vec<File>) {
        self.files.extend(files);
    }

    /// Its pid, which is also its process group.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Its exit status; `None` while it runs.
    pub(crate) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// Whether all write ends of its streams are closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.sources.iter().all(PipeReader::is_closed)
    }

    /// The names of the open pipes in `/proc`.
    pub(crate) fn open_pipes(&self) -> Vec<String> {
        self.sources.iter().filter_map(PipeReader::name).collect()
    }

    /// The output captured from one source so far.
    pub(crate) fn captured(&self, source: usize) -> &[u8] {
        &self.sources[source].captured.bytes
    }

    /// The output captured from all sources so far.
    pub(crate) fn captured_so_far(&self) -> Vec<&[u8]> {
        let sources = self.sources.iter();
        sources.map(|source| &*source.captured.bytes).collect()
    }

    /// The time by the clock that deadlines are compared with.
    pub(crate) fn now(&self) -> Instant {
        (self.instant)()
    }

    /// The captured output, in the order of the sources.
    pub(crate) fn take_captured(&mut self) -> Vec<Captured> {
        let sources = self.sources.iter_mut();
        sources
            .map(|source| std::mem::take(&mut source.captured))
            .collect()
    }

    /// The terminal that it runs in.
    pub(crate) fn emulator(&mut self) -> Option<&mut Emulator> {
        self.sources.iter_mut().find_map(PipeReader::emulator)
    }

    /// Closes our write ends, so that only other processes hold them.
    pub(crate) fn release(&mut self) {
        for source in &mut self.sources {
            source.release();
        }
    }

    /// Reads output until something happens. Also polls `control`.
    pub(crate) fn wait(
        &mut self,
        until: Option<Instant>,
        control: Option<&OwnedFd>,
    ) -> io::Result<WaitEvent> {
        let control = control.map(|control| PollFd::new(control, PollFlags::IN));
        self.wait_with(until, control.as_slice())
    }

    /// The same with several descriptors.
    pub(crate) fn wait_with(
        &mut self,
        until: Option<Instant>,
        control: &[PollFd<'_>],
    ) -> io::Result<WaitEvent> {
        let was_closed = self.is_closed();
        loop {
            if self.stop.request_count() > self.reported_stops {
                self.reported_stops = self.stop.request_count();
                return Ok(WaitEvent::StopRequested);
            }
            let now = (self.instant)();
            if now >= self.next_check {
                self.next_check = now + CHECK;
                if let Some(signal) = self.stopped()? {
                    return Ok(WaitEvent::Stopped(signal));
                }
            }
            if until.is_some_and(|until| now >= until) {
                return Ok(WaitEvent::DeadlinePassed);
            }
            let next = until.map_or(self.next_check, |until| until.min(self.next_check));
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

    /// Polls once and reads all available output. Returns whether a control descriptor is ready.
    fn poll(&mut self, timeout: Option<Duration>, control: &[PollFd<'_>]) -> io::Result<bool> {
        let timeout = timeout.map(|timeout| {
            Timespec::try_from(timeout).unwrap_or(Timespec {
                tv_sec: 3600,
                tv_nsec: 0,
            })
        });
        let stop = self.stop.next_wake(self.reported_stops);
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
        let mut polled = fds[control_at..control_to].iter();
        let has_message = polled.any(|fd| !fd.revents().is_empty());
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
                // All it wrote before its exit is in the pipe now.
                self.read();
            }
        }
        Ok(self.status.is_some())
    }

    /// The signal with which the terminal stopped it, because it is in the background.
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

    /// Whether an immediate stop was requested.
    pub(crate) fn is_stop_immediate(&self) -> bool {
        self.stop.is_immediate()
    }

    /// Terminates processes: SIGTERM, then SIGKILL after the grace period. Output is read meanwhile, so that no process
    /// blocks on a full pipe. Returns as soon as they are gone.
    pub(crate) fn terminate(&mut self, target: &KillTarget) -> io::Result<()> {
        self.stop_with(target, Signal::TERM, GRACE)
    }

    /// The same with another signal and grace period.
    pub(crate) fn stop_with(
        &mut self,
        target: &KillTarget,
        signal: Signal,
        grace: Duration,
    ) -> io::Result<()> {
        if !target.signal(signal) {
            return Ok(());
        }
        self.resume(target);
        let stop = self.stop;
        if self.wait_until_gone(grace, target, || stop.is_immediate())? {
            return Ok(());
        }
        target.signal(Signal::KILL);
        self.resume(target);
        self.wait_until_gone(LAST, target, || false)?;
        Ok(())
    }

    /// Continues stopped processes: they would not handle SIGTERM. The terminal stops whole groups, so the group of the
    /// process is continued too.
    fn resume(&self, target: &KillTarget) {
        target.signal(Signal::CONT);
        if self.status.is_none() {
            let _ = kill_process_group(self.pid(), Signal::CONT);
        }
    }

    fn wait_until_gone(
        &mut self,
        limit: Duration,
        target: &KillTarget,
        is_canceled: impl Fn() -> bool,
    ) -> io::Result<bool> {
        let until = (self.instant)() + limit;
        let mut interval = Duration::from_micros(200);
        loop {
            self.reported_stops = self.stop.request_count();
            self.poll(Some(interval), &[])?;
            self.has_ended()?;
            process_tree::reap_adopted();
            if !target.are_alive() {
                return Ok(true);
            }
            if (self.instant)() >= until || is_canceled() {
                return Ok(false);
            }
            interval = (interval * 2).min(STOP_POLL_INTERVAL);
        }
    }
}

impl Drop for MonitoredProcess<'_> {
    /// Kills the process group on every early return.
    fn drop(&mut self) {
        if self.status.is_none() {
            abandon(self.pid);
        }
    }
}

/// Kills the group without waiting for processes that cannot be killed.
fn abandon(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
}

impl KillTarget {
    /// Sends the signal. Returns whether there was a process to receive it.
    fn signal(&self, signal: Signal) -> bool {
        match self {
            KillTarget::Group(group) => kill_process_group(*group, signal).is_ok(),
            KillTarget::Dynamic(find) => {
                // The iterator is consumed completely, so every process gets the signal even if one has exited.
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

/// The exit code as in `$?`.
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

    /// A clock that stands still.
    #[expect(clippy::disallowed_methods, reason = "the time does not matter")]
    fn frozen() -> Instant {
        static NOW: OnceLock<Instant> = OnceLock::new();
        *NOW.get_or_init(Instant::now)
    }

    #[test]
    #[expect(clippy::zombie_processes, reason = "the monitor waits for it")]
    fn an_immediate_stop_skips_the_grace_period() {
        let mut deaf = Command::new("bash");
        deaf.args(["-c", "trap '' TERM; echo deaf; sleep 600; sleep 600"]);
        let mut child = deaf
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut output = [0; 5];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut output)
            .unwrap();
        let stop = StopToken::new().unwrap();
        stop.request();
        stop.request();
        let pid = Pid::from_child(&child);
        let mut process = MonitoredProcess::begin(pid, Vec::new(), 0, &stop, frozen).unwrap();
        process.terminate(&KillTarget::Group(pid)).unwrap();
        let status = process.status().unwrap();
        assert_eq!(status.signal(), Some(Signal::KILL.as_raw()));
    }
}
