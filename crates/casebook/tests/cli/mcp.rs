//! `casebook mcp`: the protocol over pipes, the tools, and that no process is left.

mod client;
mod lifetime;
mod plugin;
mod protocol;
mod schema;
mod tools;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Project;

const SUITE: &str = "\
tests:
  - {name: passes, command: 'true', tags: [fast]}
  - {name: fails, command: echo new, outputEquals: old}
";

/// A project with a suite in which a test fails.
fn project() -> Project {
    Project::with("a.casebook.yaml", SUITE)
}

#[test]
fn the_official_client_accepts_every_message_in_both_versions() {
    let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/bin/python3");
    for version in ["2025-11-25", "2026-07-28"] {
        let project = project();
        let slow = "tests: [{name: slow, command: sleep 60}]\n";
        project.write("slow/slow.casebook.yaml", slow);
        project.write("casebook.toml", "[run]\npaths = [\"a.casebook.yaml\"]\n");
        let output = Command::new(&python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/mcp/sdk.py"))
            .arg(version)
            .arg(env!("CARGO_BIN_EXE_casebook"))
            .arg(project.at("."))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        let hint = "script/setup installs the client";
        let seen: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}; {hint}: {errors}"));
        assert_eq!(
            seen,
            json!({
                "version": version,
                "tools": [
                    "check", "list", "explain", "report", "diff", "history", "coverage", "design_read",
                    "design_write", "accept", "run", "rspec", "design_pipeline",
                ],
                "problems": [],
                "failed": 1,
                "progress": [[1.0, 2.0], [2.0, 2.0]],
                "tests": 2,
                "outside": true,
                "resources": ["casebook://schema", "casebook://codes", "casebook://runs/latest"],
                "templates": 3,
                "prompts": ["write_suite", "explain_failure", "cover_method"],
                "prompt": true,
            })
        );
    }
}
