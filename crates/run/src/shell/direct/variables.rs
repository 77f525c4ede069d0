//! Variables that change the behavior of bash.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::super::bash::Bash;
use super::super::environment::Environment;

/// Variables that change what bash does, or that it sets, hides or rejects, in addition to all that begin with `BASH`.
/// A superfluous one only costs the start of a shell; a missing one gives wrong results.
const OWN: [&str; 28] = [
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "EXECIGNORE",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "IFS",
    "LINENO",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "PIPESTATUS",
    "POSIXLY_CORRECT",
    "POSIX_PEDANTIC",
    "PPID",
    "PS1",
    "PS2",
    "PS4",
    "RANDOM",
    "READLINE_LINE",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "TIMEFORMAT",
    "UID",
];
/// With these, bash reads `~/.bashrc` at shell level 0.
const REMOTE: [&str; 2] = ["SSH_CLIENT", "SSH2_CLIENT"];

/// Whether bash would only execute the program: it reads no file, sets no option, imports no function, prints no
/// warning and passes on the complete environment.
pub(super) fn needs_no_bash(bash: &Bash, environment: &Environment, level: u32) -> bool {
    let affects_bash = |name: &OsStr| {
        name.as_bytes().starts_with(b"BASH")
            || name
                .to_str()
                .is_some_and(|name| OWN.contains(&name) || (level == 0 && REMOTE.contains(&name)))
    };
    !environment.iter().any(|(name, _)| affects_bash(name))
        && bash.is_silent_about(environment.get("LC_ALL"))
}
