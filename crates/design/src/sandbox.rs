//! [`Sandbox`]: runs a program that may do anything, such as the code under test, so that it cannot do harm.
//!
//! The kernel isolates the program: namespaces without network, with their own processes and with every mount read-only
//! except a small `/tmp`; another user where possible; limits on CPU time, memory, file size and processes; an environment
//! with only what Ruby needs. `ruby/casebook_sandbox.rb` adds stubs inside Ruby, which give a clear error at the call; the
//! isolation does not depend on them.

mod isolation;
mod output;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use output::SandboxOutput;

use isolation::Isolation;

/// Ruby code that replaces the methods which start processes or write files.
pub const STUBS: &str = include_str!("../ruby/casebook_sandbox.rb");

/// The working directory in the sandbox. It is empty at the start and is discarded at the end.
pub const WORK_DIR: &str = "/tmp/.casebook";

/// Environment variables that Ruby needs to find itself, its libraries and its gems. All others are removed.
const KEPT_VARIABLES: [&str; 7] = [
    "PATH",
    "RUBYLIB",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_GEMFILE",
    "BUNDLE_PATH",
    "LD_LIBRARY_PATH",
];

/// Those of them that list directories with libraries and gems.
const LIBRARY_VARIABLES: [&str; 4] = ["RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_PATH"];

/// What a program in the sandbox may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time until all its processes are killed.
    pub time: Duration,
    /// CPU time of each process, in seconds.
    pub cpu: u64,
    /// Address space of each process, in bytes.
    pub memory: u64,
    /// Size of a file, in bytes.
    pub file: u64,
    /// Number of processes.
    pub processes: u64,
    /// Size of its `/tmp`, in bytes.
    pub disk: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        const MIB: u64 = 1 << 20;
        Limits {
            time: Duration::from_secs(60),
            cpu: 60,
            memory: 1536 * MIB,
            file: 16 * MIB,
            processes: 64,
            disk: 64 * MIB,
        }
    }
}

/// A program to run in the sandbox.
#[derive(Debug, Clone, Copy)]
pub struct SandboxProgram<'a> {
    /// Its name or path.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: &'a [String],
    /// Its standard input.
    pub input: &'a [u8],
    /// The project's directory, which it may read.
    pub project: &'a Path,
    /// Other directories that it may read, even if they are below `/tmp`.
    pub readable: &'a [PathBuf],
}

/// Why a program could not be run in the sandbox.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The system does not allow the isolation.
    #[error("code cannot be isolated on this system: {0}")]
    Unavailable(String),
    /// A program or directory is missing or cannot be used.
    #[error("cannot use {name}: {source}")]
    Unusable {
        /// The program or directory.
        name: String,
        /// The cause.
        source: io::Error,
    },
}

/// Runs programs in isolation.
#[derive(Debug)]
pub struct Sandbox {
    isolation: Isolation,
    limits: Limits,
    environment: Vec<(String, String)>,
}

impl Sandbox {
    /// A sandbox with the strongest isolation that this system offers; an error if it offers none. `environment` are the
    /// variables of the calling process.
    pub fn new(limits: Limits, environment: &[(String, String)]) -> Result<Sandbox, SandboxError> {
        let mut sandbox = Sandbox::without_isolation(limits, environment);
        let mut reasons = Vec::new();
        for isolation in Isolation::candidates() {
            sandbox.isolation = isolation;
            match sandbox.check() {
                Ok(()) => return Ok(sandbox),
                Err(SandboxError::Unavailable(reason)) => reasons.push(reason),
                Err(error) => return Err(error),
            }
        }
        reasons.dedup();
        Err(SandboxError::Unavailable(reasons.join("; ")))
    }

    /// No sandbox: the program can do what the user can do. Only the environment is cleared.
    pub fn without_isolation(limits: Limits, environment: &[(String, String)]) -> Sandbox {
        let is_kept = |name: &str| KEPT_VARIABLES.contains(&name);
        Sandbox {
            isolation: Isolation::None,
            limits,
            environment: environment
                .iter()
                .filter(|(name, _)| is_kept(name))
                .cloned()
                .collect(),
        }
    }

    /// Runs a program to its end. After the time limit, all its processes are killed.
    pub fn run(&self, program: &SandboxProgram<'_>) -> Result<SandboxOutput, SandboxError> {
        let mut command = self
            .isolation
            .command(program, &self.limits, self.libraries())?;
        self.set_environment(&mut command);
        let mut output = output::collect(command, program.input, self.limits.time)?;
        self.isolation.require_ready(&mut output)?;
        Ok(output)
    }

    fn check(&self) -> Result<(), SandboxError> {
        let nothing = SandboxProgram {
            program: "true",
            arguments: &[],
            input: &[],
            project: Path::new("/"),
            readable: &[],
        };
        self.run(&nothing).map(drop)
    }

    /// The directories in which Ruby finds libraries and gems.
    fn libraries(&self) -> Vec<PathBuf> {
        let variables = self.environment.iter();
        let lists = variables.filter(|(name, _)| LIBRARY_VARIABLES.contains(&name.as_str()));
        let paths = lists.flat_map(|(_, list)| std::env::split_paths(list));
        paths.filter_map(|path| path.canonicalize().ok()).collect()
    }

    fn set_environment(&self, command: &mut Command) {
        command.env_clear();
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env("LANG", "C.UTF-8").env("TZ", "UTC");
        if self.isolation != Isolation::None {
            command.env("HOME", WORK_DIR).env("TMPDIR", WORK_DIR);
        }
    }
}
