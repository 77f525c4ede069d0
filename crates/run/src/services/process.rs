//! [`RunningService`]: the process of a service.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use casebook_suite::model::{Service, Stop};
use rustix::process::Signal;

use super::GroupContext;
use super::log;
use crate::shell::cleanup;
use crate::shell::command;
use crate::shell::environment::Environment;
use crate::shell::process::{KillTarget, MonitoredProcess};

/// The variable that marks the processes of a service. Its value is the path of the log.
const SERVICE_MARK: &str = "CASEBOOK_SERVICE";

/// The process of a service, which leads its own process group.
pub(super) struct RunningService<'w> {
    process: MonitoredProcess<'w>,
    stop: Stop,
    mark: OsString,
}

impl<'w> RunningService<'w> {
    /// Starts the command of a service. Both of its streams go to the log.
    pub(super) fn start(
        service: &Service,
        log: &Path,
        dir: &Path,
        context: &GroupContext<'_, 'w>,
    ) -> io::Result<RunningService<'w>> {
        if !dir.is_dir() {
            let message = format!("working directory not found: {}", dir.display());
            return Err(io::Error::other(message));
        }
        let processes = context.processes;
        let stdin = File::open("/dev/null")?;
        let output = log::create(log)?;
        let streams = [stdin.as_fd(), output.as_fd(), output.as_fd()];
        let mut files = Vec::new();
        let script = processes.script_argument(&service.command.text, &mut files)?;
        let mut environment = environment(service, context);
        environment.set(SERVICE_MARK, log);
        let pid = command::start(&processes.bash, &script, &environment, streams, dir)?;
        let (stop, instant) = (processes.stop, processes.instant);
        let mut process = MonitoredProcess::begin(pid, Vec::new(), 0, stop, instant)?;
        process.keep_open(files);
        Ok(RunningService {
            process,
            stop: service.stop,
            mark: log.into(),
        })
    }

    /// The id of the process, which is also its process group.
    pub(super) fn pid(&self) -> i32 {
        self.process.pid().as_raw_nonzero().get()
    }

    /// Sends the signal, and kills the group and everything that the service started when its time is over.
    pub(super) fn stop(mut self) -> io::Result<()> {
        let group = KillTarget::Group(self.process.pid());
        let Stop { signal, within } = self.stop;
        self.process.stop_with(&group, signal_of(signal), within)?;
        cleanup::kill_leftovers(&mut self.process, SERVICE_MARK, &self.mark)
    }
}

/// The environment of a service.
pub(super) fn environment(service: &Service, context: &GroupContext<'_, '_>) -> Environment {
    let mut environment = context.environment.clone();
    for (name, value) in &service.env {
        environment.set(name, value);
    }
    environment
}

fn signal_of(name: &str) -> Signal {
    match name {
        "INT" => Signal::INT,
        "HUP" => Signal::HUP,
        "QUIT" => Signal::QUIT,
        "KILL" => Signal::KILL,
        "USR1" => Signal::USR1,
        "USR2" => Signal::USR2,
        _ => Signal::TERM,
    }
}
