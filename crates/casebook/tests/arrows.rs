//! The fence of the workspace: who may depend on whom, how crates are named, that all share the lints.
//!
//! The arrows are explained in `docs/design/2026-11-15-workspace.md` and `docs/design/2026-11-17-coverage-crate.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A crate of the workspace, by its folder.
struct Member {
    folder: String,
    package: String,
    depends_on: BTreeSet<String>,
    manifest: String,
}

/// The folders that a crate may depend on; `None` for a crate the architecture does not know.
fn allowed(folder: &str) -> Option<&'static [&'static str]> {
    Some(match folder {
        "source" | "record" => &[],
        "suite" | "design" => &["source"],
        "run" => &["source", "suite", "record"],
        "report" => &["record"],
        "coverage" => &["source", "suite", "design", "record", "report"],
        "casebook" => &[
            "source", "suite", "design", "record", "run", "report", "coverage",
        ],
        _ => return None,
    })
}

fn package_name(folder: &str) -> String {
    match folder {
        "casebook" => "casebook".to_owned(),
        library => format!("casebook-{library}"),
    }
}

/// Everything about this crate that breaks a rule, one sentence each.
fn complaints(member: &Member) -> Vec<String> {
    let folder = &member.folder;
    let Some(allowed) = allowed(folder) else {
        return vec![format!(
            "crates/{folder} is not in the architecture: decide its place and its arrows in docs/design/ first, \
             then add it to `allowed` in this test"
        )];
    };
    let mut complaints = Vec::new();
    let expected = package_name(folder);
    if member.package != expected {
        complaints.push(format!(
            "the package in crates/{folder} is named {}, not {expected}",
            member.package
        ));
    }
    for other in &member.depends_on {
        if !allowed.iter().any(|name| package_name(name) == *other) {
            complaints.push(format!(
                "{expected} depends on {other}, which the architecture does not allow"
            ));
        }
    }
    if !inherits_lints(&member.manifest) {
        complaints.push(format!(
            "crates/{folder}/Cargo.toml lacks `[lints]` with `workspace = true`"
        ));
    }
    complaints
}

fn inherits_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    lines.any(|line| line == "[lints]")
        && lines.find(|line| !line.is_empty() && !line.starts_with('#')) == Some("workspace = true")
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn members() -> Vec<Member> {
    let metadata = metadata();
    let packages = metadata["packages"]
        .as_array()
        .expect("cargo metadata lists the packages");
    let names: BTreeSet<&str> = packages
        .iter()
        .map(|package| text(&package["name"]))
        .collect();
    packages
        .iter()
        .map(|package| member(package, &names))
        .collect()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(workspace_root())
        .output()
        .expect("the cargo that built this test runs");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

fn member(package: &Value, workspace: &BTreeSet<&str>) -> Member {
    let manifest_path = Path::new(text(&package["manifest_path"]));
    let folder = manifest_path
        .parent()
        .and_then(Path::file_name)
        .expect("a manifest lies in the crate's folder");
    let depends_on = package["dependencies"]
        .as_array()
        .expect("a package lists its dependencies")
        .iter()
        .filter(|dependency| shapes_the_product(dependency))
        .map(|dependency| text(&dependency["name"]))
        .filter(|name| workspace.contains(name))
        .map(ToOwned::to_owned)
        .collect();
    Member {
        folder: folder.to_string_lossy().into_owned(),
        package: text(&package["name"]).to_owned(),
        depends_on,
        manifest: std::fs::read_to_string(manifest_path).expect("cargo has just read it"),
    }
}

/// Normal and build dependencies; what only tests use draws no arrow.
fn shapes_the_product(dependency: &Value) -> bool {
    dependency["kind"] != "dev"
}

fn text(value: &Value) -> &str {
    value.as_str().expect("cargo metadata has a string here")
}

#[test]
fn the_workspace_keeps_to_the_architecture() {
    let complaints: Vec<String> = members().iter().flat_map(complaints).collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_broken_rule_is_noticed() {
    const LINTS: &str = "[package]\n\n[lints]\n# shared\nworkspace = true\n";
    let cases = [
        // folder, package, depends on, manifest, what the complaint says (nothing: no complaint)
        ("report", "casebook-report", "casebook-record", LINTS, ""),
        ("casebook", "casebook", "casebook-run", LINTS, ""),
        (
            "coverage",
            "casebook-coverage",
            "casebook-run",
            LINTS,
            "casebook-coverage depends on casebook-run",
        ),
        (
            "report",
            "casebook-report",
            "casebook-run",
            LINTS,
            "casebook-report depends on casebook-run",
        ),
        (
            "record",
            "casebook-record",
            "casebook-source",
            LINTS,
            "casebook-record depends on casebook-source",
        ),
        (
            "source",
            "casebook-source",
            "casebook",
            LINTS,
            "casebook-source depends on casebook",
        ),
        (
            "run",
            "run",
            "casebook-suite",
            LINTS,
            "is named run, not casebook-run",
        ),
        (
            "suite",
            "casebook-suite",
            "casebook-source",
            "[package]\n",
            "lacks `[lints]`",
        ),
        (
            "studio",
            "casebook-studio",
            "casebook-record",
            LINTS,
            "decide its place",
        ),
    ];
    for (folder, package, depends_on, manifest, expected) in cases {
        let member = Member {
            folder: folder.to_owned(),
            package: package.to_owned(),
            depends_on: BTreeSet::from([depends_on.to_owned()]),
            manifest: manifest.to_owned(),
        };
        let found = complaints(&member);
        if expected.is_empty() {
            assert!(found.is_empty(), "{package} → {depends_on}: {found:?}");
        } else {
            assert_eq!(found.len(), 1, "{package} → {depends_on}: {found:?}");
            assert!(found[0].contains(expected), "{}", found[0]);
        }
    }
}
