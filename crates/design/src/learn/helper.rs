//! [`Helper`]: the Ruby files that run in the sandbox.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::sandbox;

const PROGRAM: &str = "casebook_learn.rb";

/// The files, by their path in the directory.
const FILES: [(&str, &str); 25] = [
    (PROGRAM, include_str!("../../ruby/casebook_learn.rb")),
    ("casebook_sandbox.rb", sandbox::STUBS),
    (
        "casebook_memory_database.rb",
        include_str!("../../ruby/casebook_memory_database.rb"),
    ),
    (
        "casebook_probes.rb",
        include_str!("../../ruby/casebook_probes.rb"),
    ),
    (
        "learn/candidate.rb",
        include_str!("../../ruby/learn/candidate.rb"),
    ),
    ("learn/child.rb", include_str!("../../ruby/learn/child.rb")),
    (
        "learn/evaluator.rb",
        include_str!("../../ruby/learn/evaluator.rb"),
    ),
    ("learn/facts.rb", include_str!("../../ruby/learn/facts.rb")),
    (
        "learn/global_state.rb",
        include_str!("../../ruby/learn/global_state.rb"),
    ),
    (
        "learn/leaves.rb",
        include_str!("../../ruby/learn/leaves.rb"),
    ),
    (
        "learn/literal.rb",
        include_str!("../../ruby/learn/literal.rb"),
    ),
    (
        "learn/observation.rb",
        include_str!("../../ruby/learn/observation.rb"),
    ),
    (
        "learn/project.rb",
        include_str!("../../ruby/learn/project.rb"),
    ),
    (
        "learn/receivers.rb",
        include_str!("../../ruby/learn/receivers.rb"),
    ),
    (
        "learn/records.rb",
        include_str!("../../ruby/learn/records.rb"),
    ),
    (
        "learn/regexp_example.rb",
        include_str!("../../ruby/learn/regexp_example.rb"),
    ),
    (
        "learn/sample_values.rb",
        include_str!("../../ruby/learn/sample_values.rb"),
    ),
    (
        "learn/search.rb",
        include_str!("../../ruby/learn/search.rb"),
    ),
    (
        "learn/session.rb",
        include_str!("../../ruby/learn/session.rb"),
    ),
    (
        "learn/signature.rb",
        include_str!("../../ruby/learn/signature.rb"),
    ),
    (
        "learn/surroundings.rb",
        include_str!("../../ruby/learn/surroundings.rb"),
    ),
    (
        "learn/target.rb",
        include_str!("../../ruby/learn/target.rb"),
    ),
    (
        "learn/value_pool.rb",
        include_str!("../../ruby/learn/value_pool.rb"),
    ),
    (
        "learn/verification.rb",
        include_str!("../../ruby/learn/verification.rb"),
    ),
    ("learn/world.rb", include_str!("../../ruby/learn/world.rb")),
];

/// A directory with the files, removed on drop. Every user may read it: the sandbox may run as another one.
pub(super) struct Helper {
    dir: TempDir,
}

impl Helper {
    pub(super) fn write(temporary: &Path) -> io::Result<Helper> {
        let dir = tempfile::Builder::new()
            .prefix("casebook-learn-")
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in(temporary)?;
        fs::create_dir(dir.path().join("learn"))?;
        let helper = Helper { dir };
        for (name, text) in FILES {
            helper.add(name, text)?;
        }
        Ok(helper)
    }

    /// Writes another file into the directory and returns its path.
    pub(super) fn add(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.dir.path().join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o644))?;
        Ok(path)
    }

    pub(super) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn program(&self) -> String {
        self.dir.path().join(PROGRAM).to_string_lossy().into_owned()
    }
}
