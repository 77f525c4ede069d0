//! [`ObservedRun`]: the files and environment with which RSpec processes report the states that their examples reach.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::with_require;
use crate::system::SystemContext;
use crate::temporary_dir::{Kind, TemporaryDir};

const PROBES: &str = include_str!("../../ruby/casebook_probes.rb");
const OBSERVER: &str = include_str!("../../ruby/casebook_observer.rb");
const PROVER: &str = include_str!("../../ruby/casebook_prover.rb");
const MEMORY_DATABASE: &str = include_str!("../../ruby/casebook_memory_database.rb");

/// What the processes do with the probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObserveMode<'a> {
    /// Run all examples as usual, and report which outcomes each reaches.
    Observe,
    /// Run the examples of these mutants, as `ruby/casebook_prover.rb` reads them.
    Prove(&'a str),
}

/// A private directory with the Ruby files, the plan and the results.
pub struct ObservedRun {
    dir: TemporaryDir,
    environment: Vec<(&'static str, OsString)>,
}

impl ObservedRun {
    /// Writes the files. `plan` says which conditions to rewrite.
    pub fn prepare(
        plan: &str,
        mode: ObserveMode<'_>,
        system: &SystemContext,
    ) -> io::Result<ObservedRun> {
        let dir = TemporaryDir::create(&system.temporary, Kind::Events)?;
        let write = |name: &str, text: &str| -> io::Result<PathBuf> {
            let path = dir.path().join(name);
            fs::write(&path, text)?;
            Ok(path)
        };
        let probes = write("casebook_probes.rb", PROBES)?;
        let plan = write("plan", plan)?;
        let results = dir.path().join("results");
        fs::create_dir(&results)?;
        let helper = match mode {
            ObserveMode::Observe => write("casebook_observer.rb", OBSERVER)?,
            ObserveMode::Prove(mutants) => {
                write("mutants.json", mutants)?;
                write("casebook_memory_database.rb", MEMORY_DATABASE)?;
                write("casebook_prover.rb", PROVER)?
            }
        };
        let environment = vec![
            (
                "RUBYOPT",
                ruby_options(&probes, system.variable("RUBYOPT"))?,
            ),
            (
                "SPEC_OPTS",
                with_require(system.variable("SPEC_OPTS"), &helper),
            ),
            ("CASEBOOK_PROBES", plan.into_os_string()),
            ("CASEBOOK_OBSERVED", results.into_os_string()),
            // Both would load code that was compiled without the probes.
            ("DISABLE_SPRING", "1".into()),
            ("DISABLE_BOOTSNAP_COMPILE_CACHE", "1".into()),
        ];
        Ok(ObservedRun { dir, environment })
    }

    /// The variables for the command that starts RSpec.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, &OsString)> {
        self.environment.iter().map(|(name, value)| (*name, value))
    }

    /// What the processes wrote, in any order.
    pub fn results(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut results = Vec::new();
        for entry in fs::read_dir(self.dir.path().join("results"))? {
            let path = entry?.path();
            // Others are incomplete, because their process was killed.
            if path.extension().is_some_and(|end| end == "json") {
                results.push(fs::read(path)?);
            }
        }
        Ok(results)
    }
}

/// The user's options of Ruby, and the probes. Ruby splits them at spaces, and there is no way to quote one.
fn ruby_options(probes: &Path, users: Option<&OsString>) -> io::Result<OsString> {
    if probes.to_string_lossy().contains(char::is_whitespace) {
        let message =
            "the directory for temporary files has a space in its name; set TMPDIR to another one";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut options = OsString::from("-r");
    options.push(probes);
    if let Some(users) = users {
        options.push(" ");
        options.push(users);
    }
    Ok(options)
}
