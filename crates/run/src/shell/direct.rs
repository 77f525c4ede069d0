//! Runs simple commands without a shell.
//!
//! `bash -c 'grep -c x file'` starts bash, which finds the program and replaces itself with it. A command that consists
//! of one program and plain arguments can be executed directly, in the environment that bash would have given it.
//! Commands that could behave differently are left to bash.

#[cfg(test)]
mod bash_equivalence;
mod builtins;
mod variables;
mod words;

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::bash::{Bash, is_program, look_up};
use super::environment::Environment;
use super::program::Program;

/// The program and its environment, if the command needs no shell.
pub(crate) fn direct(
    bash: &Bash,
    script: &str,
    environment: &Environment,
    dir: &Path,
) -> Option<(Program, Environment)> {
    let words = words::words(script)?;
    let name = words.first().filter(|name| is_a_program_name(name))?;
    let level = level(environment.get("SHLVL"))?;
    if !variables::needs_no_bash(bash, environment, level) {
        return None;
    }
    let path = find(name, environment, dir)?;
    // The path is kept as written, because a script sees it in `$0`. The directory is entered first.
    let program = Program::new(&path, name).args(&words[1..]);
    let mut changed = environment.clone();
    changed.set("_", path);
    changed.set("PWD", working_dir(environment.get("PWD"), dir));
    changed.set("SHLVL", level.to_string());
    if let Some(old) = environment.get("OLDPWD")
        && (old.is_empty() || !dir.join(old).is_dir())
    {
        changed.unset("OLDPWD");
    }
    Some((program, changed))
}

fn is_a_program_name(name: &str) -> bool {
    !name.is_empty() && !name.contains('=') && !builtins::is_bash_builtin(name)
}

/// The path as bash would find it.
fn find(name: &str, environment: &Environment, dir: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        return is_program(&dir.join(&path)).then_some(path);
    }
    look_up(name, environment.get("PATH")?)
}

/// The value of `PWD`: the present one if it refers to the directory, as bash does.
fn working_dir(current: Option<&OsStr>, dir: &Path) -> OsString {
    if let Some(current) = current
        && Path::new(current).is_absolute()
        && is_same(Path::new(current), dir)
    {
        return current.to_owned();
    }
    let real = dir.canonicalize();
    real.map_or_else(|_| dir.into(), PathBuf::into_os_string)
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// The value of `SHLVL`: bash adds one when it starts, and subtracts one when it executes the program. `None` if it is
/// not a plain number.
fn level(level: Option<&OsStr>) -> Option<u32> {
    let Some(level) = level else {
        return Some(0);
    };
    let level = level.to_str()?;
    let is_plain =
        (1..=3).contains(&level.len()) && level.bytes().all(|byte| byte.is_ascii_digit());
    let level: u32 = level.parse().ok().filter(|_| is_plain)?;
    // Bash warns about levels close to 1000.
    (level < 900).then_some(level)
}
