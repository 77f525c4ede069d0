//! Checks of the workspace: which crate may depend on which, how crates are named, that all share the lints, that the
//! modules of `run` have no cycles, and that CONTRIBUTING.md names files that exist.
//!
//! The arrows are explained in `docs/design/2026-11-15-workspace.md` and `docs/design/2026-11-17-coverage-crate.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A crate of the workspace, by its directory.
struct Member {
    dir: String,
    package: String,
    depends_on: BTreeSet<String>,
    manifest: String,
}

/// The directories that a crate may depend on; `None` for a crate the architecture does not know.
fn allowed(dir: &str) -> Option<&'static [&'static str]> {
    Some(match dir {
        "source" | "record" => &[],
        "suite" | "design" => &["source"],
        "run" => &["source", "suite", "record"],
        "cluster" => &["suite", "record", "run"],
        "report" | "storage" => &["record"],
        "coverage" => &["source", "suite", "design", "record", "report"],
        "studio" => &["record", "report"],
        "casebook" => &[
            "source", "suite", "design", "record", "run", "cluster", "report", "coverage",
            "studio", "storage",
        ],
        _ => return None,
    })
}

fn package_name(dir: &str) -> String {
    match dir {
        "casebook" => "casebook".to_owned(),
        library => format!("casebook-{library}"),
    }
}

/// Everything about this crate that breaks a rule, one sentence each.
fn complaints(member: &Member) -> Vec<String> {
    let dir = &member.dir;
    let Some(allowed) = allowed(dir) else {
        return vec![format!(
            "crates/{dir} is not in the architecture: decide its place and its arrows in docs/design/ first, \
             then add it to `allowed` in this test"
        )];
    };
    let mut complaints = Vec::new();
    let expected = package_name(dir);
    if member.package != expected {
        complaints.push(format!(
            "the package in crates/{dir} is named {}, not {expected}",
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
            "crates/{dir}/Cargo.toml lacks `[lints]` with `workspace = true`"
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
    let dir = manifest_path
        .parent()
        .and_then(Path::file_name)
        .expect("a manifest lies in the crate's directory");
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
        dir: dir.to_string_lossy().into_owned(),
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
        // directory, package, depends on, manifest, what the complaint says (nothing: no complaint)
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
            "newcomer",
            "casebook-newcomer",
            "casebook-record",
            LINTS,
            "decide its place",
        ),
    ];
    for (dir, package, depends_on, manifest, expected) in cases {
        let member = Member {
            dir: dir.to_owned(),
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

/// The top-level modules of a crate, each with those it uses by `crate::` paths outside of tests.
fn modules(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
    for entry in std::fs::read_dir(source).expect("a crate has sources") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        if name != "lib" {
            let targets = uses.entry(name.clone().into_owned()).or_default();
            targets.extend(used_modules(&path).into_iter().filter(|used| *used != name));
        }
    }
    uses
}

fn used_modules(path: &Path) -> BTreeSet<String> {
    let name = path.file_stem().expect("it has a name");
    if name == "tests" || name == "testing" {
        return BTreeSet::new();
    }
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("it can be listed").flatten();
        return entries
            .flat_map(|entry| used_modules(&entry.path()))
            .collect();
    }
    let text = std::fs::read_to_string(path).expect("it is text");
    let text = text.split("#[cfg(test)]\nmod tests").next();
    let paths = text.expect("at least one part").split("crate::").skip(1);
    let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let names = paths.map(|path| path.split(|c| !is_of_name(c)).next().unwrap_or(""));
    let names = names.filter(|name| !name.is_empty());
    names.map(ToOwned::to_owned).collect()
}

/// A path through modules that use each other and that leads back to its start.
fn cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut without_cycles = BTreeSet::new();
    let mut starts = uses.keys();
    starts.find_map(|start| cycle_from(start, uses, &mut Vec::new(), &mut without_cycles))
}

fn cycle_from(
    module: &String,
    uses: &BTreeMap<String, BTreeSet<String>>,
    path: &mut Vec<String>,
    without_cycles: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    if without_cycles.contains(module) {
        return None;
    }
    if let Some(start) = path.iter().position(|known| known == module) {
        return Some(path.split_off(start));
    }
    path.push(module.clone());
    let mut targets = uses.get(module).into_iter().flatten();
    let found = targets.find_map(|target| cycle_from(target, uses, path, without_cycles));
    if found.is_none() {
        path.pop();
        without_cycles.insert(module.clone());
    }
    found
}

#[test]
fn the_modules_of_run_have_no_cycles() {
    let uses = modules(&workspace_root().join("crates/run/src"));
    assert!(uses["engine"].contains("shell"), "uses are found: {uses:?}");
    assert_eq!(cycle(&uses), None);
}

#[test]
fn a_cycle_of_modules_is_found() {
    let uses = |pairs: &[(&str, &str)]| {
        let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
        for (module, used) in pairs {
            let of_module = uses.entry((*module).to_owned()).or_default();
            of_module.insert((*used).to_owned());
        }
        uses
    };
    let none = uses(&[("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]);
    assert_eq!(cycle(&none), None);
    let found = cycle(&uses(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]));
    assert_eq!(found.unwrap_or_default(), ["b", "c", "d"]);
}

/// The paths of this repository that a text names in backquotes; a script may have arguments.
fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    const ROOTS: [&str; 4] = ["crates/", "docs/", "script/", "suites/"];
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|quoted| quoted.split_whitespace().next())
        .filter(|path| ROOTS.iter().any(|root| path.starts_with(root)))
}

#[test]
fn contributing_names_only_paths_that_exist() {
    let page = std::fs::read_to_string(workspace_root().join("CONTRIBUTING.md"))
        .expect("CONTRIBUTING.md is in the repository");
    let missing: Vec<&str> = named_paths(&page)
        .filter(|path| !workspace_root().join(path).exists())
        .collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names {missing:?}");
    assert!(named_paths(&page).count() > 30);
}

#[test]
fn paths_in_backquotes_are_found() {
    let text = "See `crates/x.rs`, not crates/y.rs; run `cargo test` and `script/z all`.";
    let found: Vec<&str> = named_paths(text).collect();
    assert_eq!(found, ["crates/x.rs", "script/z"]);
}
