//! The programs that are measured, and how.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

pub(crate) struct Programs {
    surroundings: Surroundings,
    loops: PathBuf,
}

/// Where programs run.
#[derive(Clone)]
pub(crate) struct Surroundings {
    dir: PathBuf,
}

/// What a program took, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) wall: f64,
    /// Of the processor, with all that it started.
    pub(crate) cpu: f64,
}

impl Took {
    pub(crate) const NOTHING_YET: Took = Took {
        wall: f64::INFINITY,
        cpu: f64::INFINITY,
    };

    /// The better of both, each for itself.
    pub(crate) fn or(self, other: Took) -> Took {
        Took {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
        }
    }
}

impl Programs {
    /// Everything happens in this directory, temporary directories and records included.
    pub(crate) fn build(dir: &Path) -> Programs {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/loops/Cargo.toml");
        let target = dir.join("target");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--release", "--manifest-path"])
            .arg(manifest)
            .arg("--target-dir")
            .arg(&target)
            .status()
            .expect("cargo runs");
        assert!(built.success(), "the yardstick is built");
        fs::create_dir(dir.join("tmp")).expect("a writable temporary directory");
        Programs {
            surroundings: Surroundings {
                dir: dir.to_owned(),
            },
            loops: target.join("release/casebook-bench-loops"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.surroundings.dir.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a writable temporary directory");
    }

    /// `casebook run`, recording.
    pub(crate) fn casebook(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_casebook"));
        command.arg("run").args(arguments);
        command
    }

    /// The bare loop over the lines of a file.
    pub(crate) fn bare_loop(&self, kind: &str, file: &str) -> Command {
        let mut command = self.command(&self.loops);
        command.args([kind, file]);
        command
    }

    /// Any other program, in the same surroundings.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.surroundings.command(program)
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        self.surroundings.clone()
    }

    /// Removes what the runs have recorded, so that none finds more of it than the first.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_dir_all(self.path(".casebook"));
    }
}

impl Surroundings {
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.dir)
            .env("TMPDIR", self.dir.join("tmp"))
            .env("CASEBOOK_BENCH", "yes")
            .env_remove("CI")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }
}

/// Runs a program to its end, which must be a good one.
pub(crate) fn run(mut command: Command) -> Took {
    let cpu = cpu_of_children();
    let start = Instant::now();
    let status = command.status().expect("a program that can be started");
    let wall = start.elapsed().as_secs_f64();
    assert!(status.success(), "{command:?} ends well");
    Took {
        wall,
        cpu: cpu_of_children() - cpu,
    }
}

/// Whether a program can be found.
pub(crate) fn exists(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", "command -v \"$0\"", program])
        .stdout(Stdio::null())
        .status();
    found.is_ok_and(|status| status.success())
}

/// What ended children and their ended children have had of the processor, in hundredths of a second.
fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, after_name) = stat.rsplit_once(')').expect("a name in parentheses");
    let fields: Vec<_> = after_name.split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<f64>().expect("a number");
    (ticks(13) + ticks(14)) / 100.0
}
