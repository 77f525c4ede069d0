//! The join through its public interface: designs from metadata files, suites as text, specs as files, runs as `run.json`.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be created fails its test"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use casebook_coverage::{Designs, Join, find_designs};
use casebook_record::{RunData, read_run};
use casebook_report::coverage::Method;
use casebook_source::SourceFile;
use casebook_suite::{CheckContext, Suite, check, deny_files};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

const PARCEL: &str = "\
- {name: parcel_packed, type: binary, states: [packed, not_packed], depends_on: null, level: 1}
- {name: carrier, type: enum, states: [bike, van], depends_on: parcel_packed, when_parent: packed, level: 2}
";
const ROLE: &str =
    "- {name: role, type: enum, states: [guest, admin], depends_on: null, level: 1}\n";

struct Project(TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        project.write("Gemfile", "");
        project
    }

    /// A project in which `Router#call` was designed.
    fn with_router() -> Project {
        let project = Project::new();
        project.design("Router", PARCEL);
        project
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes the metadata of this class's `call` and its source.
    fn design(&self, class: &str, characteristics: &str) {
        let name = class.to_lowercase();
        self.write(&format!("lib/{name}.rb"), "");
        self.metadata(&name, class, "", characteristics);
    }

    fn metadata(&self, name: &str, class: &str, more: &str, characteristics: &str) {
        self.write(
            &format!("tmp/rspec_claude_metadata/metadata_lib_{name}.yml"),
            &format!(
                "target: {{class: '{class}', method: call, method_type: instance, file: lib/{name}.rb}}\n\
                 automation: {{skeleton_file: spec/{name}_spec.rb}}\n{more}\
                 characteristics:\n{characteristics}"
            ),
        );
    }

    fn designs(&self, paths: &[&str]) -> Designs {
        let paths: Vec<_> = paths.iter().map(|path| (*path).to_owned()).collect();
        find_designs(&paths, self.root()).unwrap()
    }

    /// A run that started at this minute and has these examples: file, canonical path, status, metadata.
    fn run(&self, minute: u8, examples: &[(&str, &str, &str, Value)]) -> RunData {
        let started_at = format!("2026-11-15T08:{minute:02}:00.000+00:00");
        let example = |index: usize, (file, path, status, metadata): &(&str, &str, &str, Value)| {
            let id = format!("example:{index}");
            let example = json!({
                "id": id, "stable_id": id, "canonical_path": path, "scenario_id": null, "file": file,
                "description": path.rsplit("::").next(), "location": format!("{file}:1"),
                "status": status, "started_at": started_at, "finished_at": null, "duration_ms": 1,
                "exception": null, "conversation": null, "evaluations": [], "metadata": metadata,
            });
            (id, example)
        };
        let examples: Map<String, Value> = examples
            .iter()
            .enumerate()
            .map(|(index, one)| example(index, one))
            .collect();
        let run = json!({
            "schema_version": "casebook/1", "run_id": format!("run-{minute}"), "started_at": started_at,
            "finished_at": null, "seed": null, "git_commit": null, "scenarios": {}, "examples": examples,
        });
        let path = self.root().join(format!("run-{minute}.json"));
        fs::write(&path, run.to_string()).unwrap();
        read_run(&path).unwrap()
    }

    /// A suite in a file that is older than every run.
    fn suite(&self, text: &str) -> Suite {
        let path = self.root().join("router.casebook.yaml");
        fs::write(&path, text).unwrap();
        let old = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(old))
            .unwrap();
        let surroundings = CheckContext {
            environment: &BTreeMap::new(),
            stem: "router",
            read: &deny_files,
        };
        let file = SourceFile::new("router.casebook.yaml", text.to_owned());
        check(file, &surroundings).suite.unwrap()
    }
}

/// A result of a test in the suite.
fn result<'a>(path: &'a str, status: &'a str) -> (&'a str, &'a str, &'a str, Value) {
    ("router.casebook.yaml", path, status, json!({}))
}

/// The statuses of all states as `name=state: status`.
fn statuses(method: &Method) -> Vec<String> {
    let mut statuses = Vec::new();
    for one in &method.characteristics {
        for state in &one.states {
            let status = method.status(&state.tests).as_str();
            statuses.push(format!("{}={}: {status}", one.name, state.name));
        }
    }
    statuses
}

fn combinations(method: &Method) -> Vec<String> {
    let all = method.combinations.iter();
    all.map(|one| {
        let path: Vec<_> = one.states.iter().map(|(_, state)| state.as_str()).collect();
        let status = method.status(&one.tests).as_str();
        format!("{}: {status}", path.join(" "))
    })
    .collect()
}

const SUITE: &str = "\
name: router
tests:
  - {name: bikes, command: 'true', covers: {carrier: bike}}
  - {name: vans, command: 'true', covers: {carrier: van}}
";

#[test]
fn a_state_is_designed_then_covered_then_run_then_passed() {
    let project = Project::with_router();
    let designs = project.designs(&[]);
    let suite = project.suite(SUITE);
    let passed = project.run(1, &[result("router::bikes", "passed")]);
    let failed = project.run(2, &[result("router::vans", "failed")]);
    let skipped = project.run(3, &[result("router::vans", "pending")]);
    for (has_suite, runs, expected) in [
        (
            false,
            vec![],
            ["not covered", "not covered", "not covered", "not covered"],
        ),
        (
            true,
            vec![],
            ["not run", "not covered", "not run", "not run"],
        ),
        (
            true,
            vec![&passed],
            ["passed", "not covered", "passed", "not run"],
        ),
        // The failing test covers the parent as well.
        (
            true,
            vec![&passed, &failed],
            ["failed", "not covered", "passed", "failed"],
        ),
        (
            true,
            vec![&passed, &skipped],
            ["passed", "not covered", "passed", "not run"],
        ),
    ] {
        let mut join = Join::new(&designs.all, project.root());
        if has_suite {
            join.add_suite(&suite);
        }
        join.add_runs(&runs);
        let methods = join.methods();
        let names = [
            "parcel_packed=packed",
            "parcel_packed=not_packed",
            "carrier=bike",
            "carrier=van",
        ];
        let expected: Vec<_> = names
            .iter()
            .zip(expected)
            .map(|(name, status)| format!("{name}: {status}"))
            .collect();
        assert_eq!(statuses(&methods[0]), expected);
        assert_eq!(join.warnings(), [""; 0]);
    }
}

#[test]
fn a_test_of_a_child_state_covers_the_combination_with_its_parent() {
    let project = Project::with_router();
    let designs = project.designs(&[]);
    let mut join = Join::new(&designs.all, project.root());
    join.add_suite(&project.suite(SUITE));
    join.add_runs(&[&project.run(1, &[result("router::vans", "passed")])]);
    let methods = join.methods();
    assert_eq!(
        combinations(&methods[0]),
        ["packed bike: not run", "packed van: passed"]
    );
}

#[test]
fn the_latest_result_counts_and_one_failed_trial_fails() {
    let project = Project::with_router();
    let designs = project.designs(&[]);
    let suite = project.suite(SUITE);
    let van = |runs: &[&RunData]| {
        let mut join = Join::new(&designs.all, project.root());
        join.add_suite(&suite);
        join.add_runs(runs);
        statuses(&join.methods()[0]).pop()
    };
    let failed = project.run(1, &[result("router::vans", "failed")]);
    let passed = project.run(2, &[result("router::vans", "passed")]);
    let trials = project.run(
        3,
        &[
            result("router::vans", "failed"),
            result("router::vans", "passed"),
        ],
    );
    assert_eq!(van(&[&failed, &passed]).unwrap(), "carrier=van: passed");
    assert_eq!(van(&[&passed, &failed]).unwrap(), "carrier=van: failed");
    assert_eq!(van(&[&passed, &trials]).unwrap(), "carrier=van: failed");
}

#[test]
fn results_of_deleted_tests_do_not_count_and_tests_that_only_a_record_contains_do() {
    let project = Project::with_router();
    let designs = project.designs(&[]);
    let mut join = Join::new(&designs.all, project.root());
    join.add_suite(&project.suite(SUITE));
    let run = project.run(
        1,
        &[
            (
                "router.casebook.yaml",
                "router::deleted",
                "passed",
                json!({"covers": {"parcel_packed": "not_packed"}}),
            ),
            (
                "test_router.py",
                "other runner",
                "passed",
                json!({"covers": ["carrier=bike"]}),
            ),
        ],
    );
    join.add_runs(&[&run]);
    assert_eq!(
        statuses(&join.methods()[0]),
        [
            "parcel_packed=packed: passed",
            "parcel_packed=not_packed: not covered",
            "carrier=bike: passed",
            "carrier=van: not run",
        ]
    );
}

#[test]
fn examples_of_a_spec_cover_the_states_of_their_groups_unless_they_are_placeholders() {
    let project = Project::with_router();
    project.write(
        "spec/router_spec.rb",
        "RSpec.describe Router do
  describe '#call' do
    context 'when the parcel is packed' do
      context 'and carrier is van' do
        it('drives') { expect(1).to eq(1) }
      end
    end
    context 'when parcel NOT packed' do
      it '{BEHAVIOR_DESCRIPTION}' do
      end
    end
  end
end
",
    );
    let designs = project.designs(&[]);
    let mut join = Join::new(&designs.all, project.root());
    join.add_specs();
    let spec = "spec/router_spec.rb";
    let run = project.run(
        1,
        &[
            (
                spec,
                "Router::#call::when the parcel is packed::and carrier is van::drives",
                "passed",
                json!({}),
            ),
            (
                spec,
                "Router::#call::when parcel NOT packed::{BEHAVIOR_DESCRIPTION}",
                "passed",
                json!({}),
            ),
        ],
    );
    join.add_runs(&[&run]);
    assert_eq!(
        statuses(&join.methods()[0]),
        [
            "parcel_packed=packed: passed",
            "parcel_packed=not_packed: not covered",
            "carrier=bike: not covered",
            "carrier=van: passed",
        ]
    );
    assert_eq!(
        join.warnings(),
        ["changed since the run: spec/router_spec.rb; run it again"]
    );
}

#[test]
fn a_spec_that_is_not_ruby_is_skipped() {
    let project = Project::with_router();
    project.write("spec/router_spec.rb", "RSpec.describe Router do\n");
    let designs = project.designs(&[]);
    let mut join = Join::new(&designs.all, project.root());
    join.add_specs();
    let [warning] = join.warnings() else {
        panic!("{:?}", join.warnings());
    };
    assert!(
        warning.starts_with("skipped spec/router_spec.rb: not valid Ruby: "),
        "{warning}"
    );
}

#[test]
fn an_ambiguous_name_requires_a_method() {
    let project = Project::new();
    project.design("Access", ROLE);
    project.design("Door", ROLE);
    let designs = project.designs(&[]);
    let covered = |suite: &str, name: &str| {
        let text = format!(
            "name: '{suite}'\ntests:\n  - {{name: a, command: 'true', covers: {{'{name}': guest}}}}\n"
        );
        let mut join = Join::new(&designs.all, project.root());
        join.add_suite(&project.suite(&text));
        let methods = join.methods();
        let covered = methods.iter().filter(|method| method.counts().covered > 0);
        let names: Vec<_> = covered.map(|method| method.name.clone()).collect();
        (names, join.warnings().to_vec())
    };
    assert_eq!(covered("Door#call", "role").0, ["Door#call"]);
    assert_eq!(covered("any", "Access#call.role").0, ["Access#call"]);
    let (names, warnings) = covered("any", "role");
    assert_eq!(names, [""; 0]);
    assert_eq!(
        warnings,
        [
            "router.casebook.yaml:3: covers ambiguous characteristic `role` of Access#call and Door#call; name the method, as in `Access#call.role`"
        ]
    );
}

#[test]
fn sources_that_changed_or_are_missing_are_warnings() {
    let project = Project::new();
    project.write("lib/router.rb", "");
    project.metadata(
        "router",
        "Router",
        "analyzer: {source_file_mtime: 1}\n",
        PARCEL,
    );
    project.metadata("access", "Access", "", ROLE);
    assert_eq!(
        project.designs(&[]).warnings,
        [
            "changed since it was analyzed: lib/router.rb; run `casebook design analyze` again",
            "source file not found: lib/access.rb; delete its metadata, or analyze it at its new location",
        ]
    );
}

#[test]
fn paths_select_designs_and_the_others_still_resolve_names() {
    let project = Project::new();
    project.design("Access", ROLE);
    project.design("Door", ROLE);
    project.write("tmp/rspec_claude_metadata/metadata_broken.yml", "[]");
    let designs = project.designs(&["lib/door.rb"]);
    // Metadata that is not selected may be unreadable.
    assert_eq!((designs.unreadable, designs.is_empty()), (0, false));
    let mut join = Join::new(&designs.all, project.root());
    join.add_suite(
        &project
            .suite("name: any\ntests:\n  - {name: a, command: 'true', covers: {role: guest}}\n"),
    );
    let names: Vec<_> = join.methods().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["Door#call"]);
    assert!(join.warnings()[0].contains("ambiguous"));
    assert_eq!(project.designs(&[]).unreadable, 1);
    project.write("lib/other.rb", "");
    let missing = find_designs(&["lib/other.rb".to_owned()], project.root()).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "lib/other.rb was not analyzed; run `casebook design analyze lib/other.rb` first"
    );
}

#[test]
fn a_project_without_metadata_has_no_designs() {
    assert!(Project::new().designs(&[]).is_empty());
}
