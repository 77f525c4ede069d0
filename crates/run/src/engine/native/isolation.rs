//! The environment of a test with `isolate`: own directories, and only the inherited variables that every program needs.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use crate::shell::environment::Environment;

/// The inherited variables that are kept, besides those that begin with `LC_`.
const KEPT: [&str; 3] = ["PATH", "LANG", "TERM"];

/// Removes the inherited variables, and sets those for directories. Variables in `own`, which the suite sets, are kept.
pub(super) fn isolate(
    environment: &mut Environment,
    inherited: &[(OsString, OsString)],
    own: &[(String, String)],
    temporary: &Path,
) -> io::Result<()> {
    let is_own = |name: &OsStr| own.iter().any(|(own, _)| name == own.as_str());
    for (name, _) in inherited {
        if !is_kept(name) && !is_own(name) {
            environment.unset(name);
        }
    }
    let dir = temporary.join("isolated");
    let home = dir.join("home");
    fs::create_dir_all(&home)?;
    fs::create_dir(dir.join("tmp"))?;
    DirBuilder::new().mode(0o700).create(dir.join("runtime"))?;
    let variables = [
        ("HOME", home.clone()),
        ("XDG_CONFIG_HOME", home.join(".config")),
        ("XDG_DATA_HOME", home.join(".local/share")),
        ("XDG_STATE_HOME", home.join(".local/state")),
        ("XDG_CACHE_HOME", home.join(".cache")),
        ("XDG_RUNTIME_DIR", dir.join("runtime")),
        ("TMPDIR", dir.join("tmp")),
    ];
    for (name, value) in variables {
        if !is_own(OsStr::new(name)) {
            environment.set(name, value);
        }
    }
    Ok(())
}

/// Variables of Bats are those that Casebook sets, also if Casebook itself is run by a test.
fn is_kept(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let begins = |start: &str| name.starts_with(start.as_bytes());
    KEPT.iter().any(|kept| name == kept.as_bytes())
        || begins("LC_")
        || begins("BATS_")
        || name == b"TEST_TEMP_DIR"
}
