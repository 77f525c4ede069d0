//! Ruby code that tries to leave the sandbox, or to harm the machine from inside it.
//!
//! The escapes run without the stubs of `casebook_sandbox.rb`: the kernel has to hold. Where it does not allow
//! namespaces, these tests do nothing and say so.

mod escapes;
mod stubs;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use casebook_design::sandbox::{Limits, Sandbox, SandboxError, SandboxOutput, SandboxProgram};
use tempfile::TempDir;

/// A project with one file, and a sandbox for its code.
pub(crate) struct Cell {
    project: TempDir,
    sandbox: Sandbox,
}

impl Cell {
    /// `None` where the system forbids namespaces.
    pub(crate) fn new(limits: Limits) -> Option<Cell> {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("file.rb"), "FOUND = 1\n").unwrap();
        match Sandbox::new(limits, &environment()) {
            Ok(sandbox) => Some(Cell { project, sandbox }),
            Err(SandboxError::Unavailable(reason)) => {
                not_tested(&reason);
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.project.path().canonicalize().unwrap()
    }

    /// Runs Ruby code. `project` is a method that returns the directory of the project.
    pub(crate) fn ruby(&self, code: &str) -> SandboxOutput {
        let code = format!("def project = '{}'\n{code}", self.root().display());
        self.run(&["-W0".to_owned(), "-e".to_owned(), code])
    }

    pub(crate) fn run(&self, arguments: &[String]) -> SandboxOutput {
        let program = SandboxProgram {
            program: "ruby",
            arguments,
            input: b"",
            project: self.project.path(),
            readable: &[],
        };
        self.sandbox.run(&program).unwrap()
    }

    /// What Ruby code prints.
    pub(crate) fn printed(&self, code: &str) -> String {
        let output = self.ruby(code);
        let stdout = String::from_utf8_lossy(&output.stdout);
        format!("{}{}", stdout.trim(), output.stderr)
    }

    #[track_caller]
    pub(crate) fn assert_project_is_intact(&self) {
        let names: Vec<_> = fs::read_dir(self.root()).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        let text = fs::read_to_string(self.root().join("file.rb")).unwrap();
        assert_eq!(text, "FOUND = 1\n");
    }
}

/// Limits that a test reaches quickly.
pub(crate) fn small() -> Limits {
    Limits {
        time: Duration::from_secs(20),
        cpu: 2,
        memory: 512 << 20,
        file: 1 << 20,
        processes: 24,
        disk: 4 << 20,
    }
}

#[expect(clippy::disallowed_methods, reason = "a test reads its environment")]
pub(crate) fn environment() -> Vec<(String, String)> {
    let path = std::env::var("PATH").unwrap();
    vec![
        ("PATH".to_owned(), path),
        ("SECRET_TOKEN".to_owned(), "hidden".to_owned()),
    ]
}

/// Writes a note that `script/test` shows, because the output of a passed test is hidden.
pub(crate) fn not_tested(reason: &str) {
    let notes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-tested");
    fs::create_dir_all(&notes).unwrap();
    fs::write(notes.join("the sandbox of learning"), reason).unwrap();
}

#[test]
fn code_in_the_sandbox_reads_the_project_and_writes_its_own_directory() {
    let Some(cell) = Cell::new(Limits::default()) else {
        return;
    };
    let code =
        "require \"#{project}/file.rb\"; File.write('own', FOUND); puts File.read('own'), Dir.pwd";
    assert_eq!(cell.printed(code), "1\n/tmp/.casebook");
    assert!(!Path::new("/tmp/.casebook/own").exists());
}

#[test]
fn exit_code_and_both_streams_pass_through() {
    let Some(cell) = Cell::new(Limits::default()) else {
        return;
    };
    let output = cell.ruby("puts 'out'; $stderr.puts 'err'; exit 7");
    assert_eq!(
        (
            output.status.code(),
            output.stdout.as_slice(),
            output.stderr.as_str()
        ),
        (Some(7), &b"out\n"[..], "err\n")
    );
}

#[test]
fn a_system_without_unshare_offers_no_isolation_and_says_so() {
    let nowhere = [("PATH".to_owned(), "/nonexistent".to_owned())];
    let error = Sandbox::new(Limits::default(), &nowhere).unwrap_err();
    assert!(error.to_string().contains("unshare"), "{error}");
}
