//! Finds bash and builds its command line.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{Access, access};

use super::program::Program;
use crate::system::SystemContext;

/// The bash that runs hooks and commands.
#[derive(Debug, Clone)]
pub(crate) struct Bash {
    path: PathBuf,
    /// A value of `LC_ALL` that bash accepts without a warning.
    locale: Option<OsString>,
}

/// `bash` was not found in `PATH`.
#[derive(Debug, thiserror::Error)]
#[error("bash not found in PATH; install it to run suites (Debian: apt-get install bash)")]
pub struct NoBash;

impl Bash {
    /// Finds bash in the `PATH` of this environment.
    pub(crate) fn of(system: &SystemContext) -> Result<Bash, NoBash> {
        let [path, locale] =
            ["PATH", "LC_ALL"].map(|name| system.variable(name).map(OsString::as_os_str));
        Bash::find(path, locale)
    }

    /// Finds the first bash in `path`, and checks the locale once.
    pub(crate) fn find(path: Option<&OsStr>, locale: Option<&OsStr>) -> Result<Bash, NoBash> {
        let found = path.and_then(|path| look_up("bash", path));
        let mut bash = Bash {
            path: found.ok_or(NoBash)?,
            locale: None,
        };
        bash.locale = locale
            .filter(|locale| bash.is_silent_about(Some(locale)) || bash.accepts(locale))
            .map(Into::into);
        Ok(bash)
    }

    /// Whether bash is certain to print no warning about that value of `LC_ALL`.
    pub(crate) fn is_silent_about(&self, locale: Option<&OsStr>) -> bool {
        locale.is_none_or(|locale| {
            ["", "C", "POSIX"].iter().any(|always| locale == *always)
                || self.locale.as_deref() == Some(locale)
        })
    }

    /// Whether the locale exists: bash warns if it does not.
    fn accepts(&self, locale: &OsStr) -> bool {
        let output = Command::new(&self.path)
            .args(["--norc", "-c", ":"])
            .env_clear()
            .env("LC_ALL", locale)
            .stdin(Stdio::null())
            .output();
        output.is_ok_and(|output| output.stderr.is_empty())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// `bash -c SCRIPT`, with any first character in the script.
    pub(crate) fn script(&self, script: &str) -> Program {
        Program::new(&self.path, "bash").args(["-c", "--", script])
    }

    /// The same with a shell in between, so that `kill $PPID` does not reach this program. The outer shell is silent: if a signal ends the
    /// script, it would report that on the script's standard error.
    pub(crate) fn script_in_shell(&self, script: &str) -> Program {
        let outer = r#"exec 9>&2 2>/dev/null; (exec -a bash "$0" -c -- "$1" 2>&9 9>&-); exit "$?""#;
        Program::new(&self.path, "bash")
            .args(["--norc", "-c", "--", outer])
            .arg(&self.path)
            .arg(script)
    }

    /// The same for an internal script, whose standard input is a socket. Without `--norc`, bash would take that for a
    /// remote login and read `~/.bashrc`.
    pub(crate) fn own_script(&self, script: &str) -> Program {
        Program::new(&self.path, "bash").args(["--norc", "-c", "--", script])
    }
}

/// Finds a program by its bare name. `None` at the first relative entry of `PATH`, which bash must resolve.
pub(crate) fn look_up(name: &str, path: &OsStr) -> Option<PathBuf> {
    for dir in path.as_bytes().split(|byte| *byte == b':') {
        let dir = Path::new(OsStr::from_bytes(dir));
        if dir.is_relative() {
            return None;
        }
        let program = dir.join(name);
        if is_program(&program) {
            return Some(program);
        }
    }
    None
}

pub(crate) fn is_program(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok() && path.is_file()
}
