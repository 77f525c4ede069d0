//! Variables that bash has a use for, or makes its own.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::super::bash::Bash;
use super::super::environment::Environment;

/// Variables that change what bash does, or that it sets, hides or refuses; besides all that begin with `BASH`. In
/// doubt a variable is here: one too many costs a shell, one too few a verdict.
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
/// With these a shell that no other shell has started reads `~/.bashrc`.
const REMOTE: [&str; 2] = ["SSH_CLIENT", "SSH2_CLIENT"];

/// Whether bash would do nothing but become the program: no file is read before, no option is set, no function is
/// there, nothing is said about the environment and all of it is handed on.
pub(super) fn needs_no_bash(bash: &Bash, environment: &Environment, level: u32) -> bool {
    let is_bashs = |name: &OsStr| {
        name.as_bytes().starts_with(b"BASH")
            || name
                .to_str()
                .is_some_and(|name| OWN.contains(&name) || (level == 0 && REMOTE.contains(&name)))
    };
    !environment.iter().any(|(name, _)| is_bashs(name))
        && bash.is_silent_about(environment.get("LC_ALL"))
}
