//! A command without hooks: one process.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::direct::direct;
use super::environment::Environment;
use super::native::Native;
use super::pipe::Source;
use super::process::{Victims, Wake, Watched, shell_code};
use super::program::Program;
use super::ran::{Ran, Streams};
use super::settle;

/// A command and what it needs.
pub(crate) struct Plain<'a> {
    pub(crate) script: &'a str,
    pub(crate) environment: &'a Environment,
    pub(crate) folder: &'a Path,
    pub(crate) stdin: Option<&'a str>,
    pub(crate) apart: bool,
    pub(crate) timeout: Option<Duration>,
}

impl Plain<'_> {
    /// Starts it, without a shell if it needs none and can be executed.
    pub(crate) fn start<'w>(&self, native: &Native<'w>) -> io::Result<Watched<'w>> {
        if let Some((program, environment)) =
            direct(&native.bash, self.script, self.environment, self.folder)
            && let Ok(watched) = self.start_as(&program, &environment, native)
        {
            return Ok(watched);
        }
        let script = native.bash.script(self.script);
        self.start_as(&script, self.environment, native)
    }

    fn start_as<'w>(
        &self,
        program: &Program,
        environment: &Environment,
        native: &Native<'w>,
    ) -> io::Result<Watched<'w>> {
        let (output, writing) = Source::piped()?;
        let mut sources = vec![output];
        let mut apart = None;
        if self.apart {
            let (stderr, writing) = Source::piped()?;
            sources.push(stderr);
            apart = Some(writing);
        }
        let stdin = match self.stdin {
            None => File::open("/dev/null")?,
            Some(text) => native.stdin(text)?,
        };
        let stderr = apart.as_ref().unwrap_or(&writing);
        let streams = [stdin.as_fd(), writing.as_fd(), stderr.as_fd()];
        let pid = program.start(environment, streams, self.folder)?;
        // The writing ends are the program's alone.
        drop((writing, apart));
        Watched::begin(
            pid,
            sources,
            native.options.max_output,
            native.stop,
            native.world.instant,
        )
    }

    /// Waits for its end, or brings it about.
    pub(crate) fn finish(&self, watched: &mut Watched<'_>, started: Instant) -> io::Result<Ending> {
        let until = self.timeout.map(|timeout| started + timeout);
        let cut = loop {
            let wake = watched.wait(until, None)?;
            if wake == Wake::Ended {
                break None;
            }
            if let Some(cut) = wake.cut() {
                watched.end(&Victims::Group(watched.pid()))?;
                break Some(cut);
            }
        };
        Ok(Ending { cut })
    }
}

/// How the wait for a command came to its end.
pub(crate) struct Ending {
    cut: Option<super::process::Cut>,
}

impl Ending {
    /// The command as it ended, with all that it wrote.
    pub(crate) fn into_ran(
        self,
        mut watched: Watched<'_>,
        native: &Native<'_>,
        mark: &Path,
    ) -> io::Result<Ran> {
        let leaky = settle::drain(&mut watched, native.world.instant)? && self.cut.is_none();
        settle::clear(&mut watched, super::variables::TEST_MARK, mark.as_os_str())?;
        let status = watched.status();
        Ok(Ran {
            exit_code: status.map_or(137, shell_code),
            signal: status.and_then(|status| status.signal()),
            streams: Streams::of(watched.take_captured()),
            cut: self.cut,
            leaky,
        })
    }
}
