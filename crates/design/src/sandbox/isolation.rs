//! [`Isolation`]: how `unshare` starts a program in separate namespaces.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::geteuid;

use super::output::SandboxOutput;
use super::{Limits, SandboxError, SandboxProgram};

const ENTER: &str = include_str!("enter.sh");

/// What `enter.sh` prints before it starts the program.
const READY: &str = "sandbox ready\n";

/// The namespaces: no network, and own mounts, processes, message queues and host name. The first process is killed with
/// `unshare`, and all other processes with it.
const NAMESPACES: [&str; 7] = [
    "--net",
    "--mount",
    "--pid",
    "--ipc",
    "--uts",
    "--fork",
    "--kill-child=KILL",
];

/// Directories that `enter.sh` covers with empty ones.
const COVERED: [&str; 5] = ["/tmp", "/var/tmp", "/run", "/dev", "/sys"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isolation {
    /// Namespaces that root creates; the program runs as nobody.
    Root,
    /// The same in a user namespace, which an ordinary user may create; the program runs as this user.
    UserNamespace,
    /// None at all.
    None,
}

impl Isolation {
    /// What may work here, best first.
    pub(super) fn candidates() -> Vec<Isolation> {
        let root = geteuid().is_root().then_some(Isolation::Root);
        root.into_iter().chain([Isolation::UserNamespace]).collect()
    }

    pub(super) fn command(
        self,
        program: &SandboxProgram<'_>,
        limits: &Limits,
        libraries: Vec<PathBuf>,
    ) -> Result<Command, SandboxError> {
        let (user, namespaces): (&str, &[&str]) = match self {
            Isolation::Root => ("nobody", &[]),
            Isolation::UserNamespace => ("same", &["--user", "--map-root-user"]),
            Isolation::None => return Ok(without_isolation(program)),
        };
        let project = canonical(program.project)?;
        let mut command = Command::new("unshare");
        command.args(namespaces).args(NAMESPACES);
        command.args(["--", "sh", "-c", ENTER, "enter.sh", user]);
        command.args(numbers(limits)).arg(&project);
        command.args(kept(project, program.readable, libraries)?);
        command
            .args(["--", program.program])
            .args(program.arguments);
        Ok(command)
    }

    /// Removes the first line that `enter.sh` prints. Without it, the isolation failed and the text states why.
    pub(super) fn require_ready(self, output: &mut SandboxOutput) -> Result<(), SandboxError> {
        if self == Isolation::None {
            return Ok(());
        }
        match output.stderr.strip_prefix(READY) {
            Some(rest) => output.stderr = rest.to_owned(),
            None => return Err(SandboxError::Unavailable(output.stderr.trim().to_owned())),
        }
        Ok(())
    }
}

fn without_isolation(program: &SandboxProgram<'_>) -> Command {
    let mut command = Command::new(program.program);
    command.args(program.arguments);
    command
}

fn numbers(limits: &Limits) -> [String; 5] {
    [
        limits.cpu,
        limits.memory,
        limits.file,
        limits.processes,
        limits.disk,
    ]
    .map(|limit| limit.to_string())
}

/// The directories to keep although they are below a covered one. A directory below another kept one is part of it.
fn kept(
    project: PathBuf,
    readable: &[PathBuf],
    libraries: Vec<PathBuf>,
) -> Result<Vec<PathBuf>, SandboxError> {
    // A library path such as `/tmp` itself would uncover everything in it.
    let is_covered =
        |library: &PathBuf| COVERED.iter().any(|covered| library == Path::new(covered));
    let mut kept: Vec<_> = libraries;
    kept.retain(|library| !is_covered(library));
    kept.push(project);
    for directory in readable {
        kept.push(canonical(directory)?);
    }
    kept.retain(|directory| COVERED.iter().any(|covered| directory.starts_with(covered)));
    kept.sort();
    kept.dedup_by(|next, before| next.starts_with(before));
    Ok(kept)
}

fn canonical(directory: &Path) -> Result<PathBuf, SandboxError> {
    directory
        .canonicalize()
        .map_err(|source| SandboxError::Unusable {
            name: directory.display().to_string(),
            source,
        })
}
