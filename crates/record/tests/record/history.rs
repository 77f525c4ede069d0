//! The history of all recorded runs, and pruning.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use casebook_record::{
    History, Journal, Limits, PrunePlan, Redactor, Store, Time, TrialScore, load, write_run,
};
use serde_json::{Value, json};

use crate::sample_events::{event, run};

struct Project {
    _dir: tempfile::TempDir,
    path: PathBuf,
    store: Store,
}

impl Project {
    fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_owned();
        Project {
            _dir: dir,
            store: Store::in_project(&path),
            path,
        }
    }

    /// Records a run that started on that day of November, with these tests.
    fn record(&self, day: u32, tests: &[(&str, Value)]) -> PathBuf {
        let mut events = vec![(
            "SuiteStarted",
            json!({"run_id": format!("run{day}"), "git_commit": "c0ffee"}),
        )];
        for (kind, fields) in tests {
            events.push(("ExampleStarted", fields.clone()));
            events.push((kind, fields.clone()));
        }
        let started: Time = format!("2026-11-{day:02}T08:00:00Z").parse().unwrap();
        let dir = self.store.create(&format!("run{day}"), started).unwrap();
        write_run(&dir.run_file(), &run(&events)).unwrap();
        dir.path().to_owned()
    }

    fn history(&self) -> History {
        self.store.history(2, &|_, _| {})
    }

    /// The number of runs that had to be read.
    fn read(&self) -> usize {
        let read = RefCell::new(0);
        self.store.history(2, &|_, of| *read.borrow_mut() = of);
        read.into_inner()
    }

    fn index(&self) -> PathBuf {
        self.path.join(".casebook/history.idx")
    }
}

fn test(id: &str) -> Value {
    json!({"example_id": id, "stable_id": format!("example:{id}"), "canonical_path": format!("Sum::{id}"), "description": id})
}

fn trial(id: &str, number: u64) -> Value {
    let mut trial = test(id);
    trial["example_id"] = json!(format!("{id}~{number}"));
    trial["stable_id"] = json!(format!("example:{id}~{number}"));
    trial["metadata"] =
        json!({"trial": {"number": number, "of": 3, "test": format!("example:{id}")}});
    trial
}

/// A thousand runs of a thousand tests have a million results.
#[test]
fn the_results_of_a_run_take_no_more_memory_than_they_need() {
    let project = Project::new();
    let names: Vec<_> = (0..20).map(|number| format!("t{number}")).collect();
    let tests: Vec<_> = names
        .iter()
        .map(|name| ("ExamplePassed", test(name)))
        .collect();
    project.record(1, &tests);
    for history in [project.history(), project.history()] {
        let results = &history.runs[0].results;
        assert_eq!(results.len(), 20);
        assert!(results.capacity() <= 32, "{}", results.capacity());
    }
}

/// `title: outcome` of every test of a run.
fn results(history: &History, run: usize) -> Vec<String> {
    let results = &history.runs[run].results;
    results
        .iter()
        .map(|result| format!("{}: {:?}", history.tests[result.test].title, result.outcome))
        .collect()
}

#[test]
fn every_test_has_its_outcome() {
    let project = Project::new();
    project.record(
        1,
        &[
            ("ExamplePassed", test("a")),
            ("ExampleFailed", test("b")),
            ("ExamplePending", test("c")),
        ],
    );
    let trials = [
        ("ExamplePassed", trial("t", 1)),
        ("ExampleFailed", trial("t", 2)),
        ("ExamplePassed", trial("t", 3)),
    ];
    project.record(2, &[&[("ExamplePassed", test("b"))][..], &trials].concat());
    for history in [project.history(), project.history()] {
        assert_eq!(
            results(&history, 0),
            ["Sum › a: Passed", "Sum › b: Failed", "Sum › c: Skipped"]
        );
        assert_eq!(results(&history, 1), ["Sum › b: Passed", "Sum › t: Failed"]);
        let tried = history.runs[1].results[1];
        assert_eq!(
            (tried.trials, tried.flaky),
            (
                Some(TrialScore {
                    trials: 3,
                    passed: 2
                }),
                true
            )
        );
        assert_eq!(history.runs[0].results[0].duration_ms, Some(250));
        assert_eq!(history.runs[0].git_commit.as_deref(), Some("c0ffee"));
        assert!(history.runs[0].finished);
    }
}

#[test]
fn only_new_and_changed_runs_are_read() {
    let project = Project::new();
    let first = project.record(1, &[("ExamplePassed", test("a"))]);
    project.record(2, &[("ExamplePassed", test("a"))]);
    assert_eq!(project.read(), 2);
    assert_eq!(project.read(), 0);
    project.record(3, &[("ExamplePassed", test("b"))]);
    assert_eq!(project.read(), 1);
    let changed = run(&[("ExampleStarted", test("z")), ("ExampleFailed", test("z"))]);
    write_run(&first.join("run.json"), &changed).unwrap();
    assert_eq!(project.read(), 1);
    assert_eq!(results(&project.history(), 0), ["Sum › z: Failed"]);
    fs::remove_dir_all(first).unwrap();
    let history = project.history();
    assert_eq!(history.runs.len(), 2);
    let titles: Vec<_> = history
        .tests
        .iter()
        .map(|test| test.title.as_str())
        .collect();
    assert_eq!(
        titles,
        ["Sum › a", "Sum › b"],
        "tests without a run are removed"
    );
    assert_eq!(results(&history, 1), ["Sum › b: Passed"]);
}

#[test]
fn a_damaged_or_missing_index_is_rebuilt() {
    let project = Project::new();
    project.record(1, &[("ExamplePassed", test("a"))]);
    let expected = project.history();
    for damaged in [
        &b""[..],
        b"casebook history 1\n",
        b"casebook history 9\nxx",
        b"\xff\xfe",
    ] {
        fs::write(project.index(), damaged).unwrap();
        assert_eq!(project.history(), expected);
        assert_eq!(project.read(), 0, "the index was written again");
    }
    fs::remove_file(project.index()).unwrap();
    assert_eq!(project.history(), expected);
}

#[test]
fn a_read_only_store_has_a_history() {
    let project = Project::new();
    project.record(1, &[("ExamplePassed", test("a"))]);
    fs::create_dir(project.index()).unwrap();
    assert_eq!(results(&project.history(), 0), ["Sum › a: Passed"]);
    assert_eq!(Project::new().history(), History::default());
}

#[test]
fn an_unfinished_run_has_the_results_of_its_journal() {
    let project = Project::new();
    let dir = project
        .store
        .create("open", "2026-11-01T08:00:00Z".parse().unwrap())
        .unwrap();
    let journal = Journal::create(&dir.journal_file()).unwrap();
    for (kind, fields) in [
        ("ExampleStarted", test("a")),
        ("ExamplePassed", test("a")),
        ("ExampleStarted", test("b")),
    ] {
        journal.append(&event(kind, 1, &fields)).unwrap();
    }
    let history = project.history();
    assert_eq!(
        results(&history, 0),
        ["Sum › a: Passed", "Sum › b: Unfinished"]
    );
    assert!(!history.runs[0].finished);
    journal
        .append(&event("ExampleFailed", 2, &test("b")))
        .unwrap();
    assert_eq!(
        results(&project.history(), 0),
        ["Sum › a: Passed", "Sum › b: Failed"]
    );
}

#[test]
fn a_damaged_record_is_reported_and_read_once() {
    let project = Project::new();
    let broken = project.record(1, &[("ExamplePassed", test("a"))]);
    project.record(2, &[("ExamplePassed", test("a"))]);
    fs::write(broken.join("run.json"), "{\"run_id\": \"x\", ").unwrap();
    for history in [project.history(), project.history()] {
        assert_eq!(history.runs.len(), 1);
        let [(dir, reason)] = history.damaged.as_slice() else {
            panic!("{:?}", history.damaged);
        };
        assert_eq!(dir, "20261101-080000-run1");
        assert!(reason.contains("run.json:1:"), "{reason}");
    }
    assert_eq!(project.read(), 0);
}

#[test]
fn a_run_with_unusual_metadata_is_in_the_history() {
    let project = Project::new();
    let mut odd = test("a");
    odd["metadata"] = json!({"command": "ls", "attempts": 3, "trial": [1]});
    project.record(1, &[("ExamplePassed", odd)]);
    assert_eq!(results(&project.history(), 0), ["Sum › a: Passed"]);
}

#[test]
fn skimming_and_reading_give_the_same_results() {
    let project = Project::new();
    let mut scenario = test("s");
    scenario["scenario"] = json!({"name": "large", "goal": "g"});
    scenario["canonical_path"] = json!("Sum::s@scenario_x");
    let dir = project.record(
        1,
        &[
            ("ExamplePassed", scenario),
            ("ExamplePassed", json!({"example_id": "nameless"})),
        ],
    );
    let history = project.history();
    let loaded = load(&dir.join("run.json"), &Redactor::default())
        .unwrap()
        .run;
    let expected: Vec<_> = loaded
        .examples
        .values()
        .map(|one| loaded.test_names(one).title())
        .collect();
    let titles: Vec<_> = history
        .tests
        .iter()
        .map(|test| test.title.clone())
        .collect();
    assert_eq!(titles, expected);
}

#[test]
fn two_concurrent_scans_lose_nothing() {
    let project = Project::new();
    for day in 1..=20 {
        project.record(day, &[("ExamplePassed", test("a"))]);
    }
    let expected = Project {
        store: project.store.clone(),
        path: project.path.clone(),
        _dir: tempfile::tempdir().unwrap(),
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(expected.history().runs.len(), 20));
        }
    });
    assert_eq!(project.read(), 0);
    let left: Vec<_> = fs::read_dir(project.path.join(".casebook"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

fn plan(project: &Project, limits: Limits) -> PrunePlan {
    project.store.plan_pruning(limits)
}

fn names(runs: &[casebook_record::RunSize]) -> Vec<&str> {
    runs.iter()
        .map(|run| run.dir.rsplit_once('-').unwrap().1)
        .collect()
}

#[test]
fn each_limit_applies_independently() {
    let project = Project::new();
    for day in 1..=5 {
        project.record(day, &[("ExamplePassed", test("a"))]);
    }
    let size = plan(&project, Limits::default()).kept[0].bytes;
    assert!(size > 100);
    for (limits, removed) in [
        (Limits::default(), vec![]),
        (
            Limits {
                keep: Some(2),
                ..Limits::default()
            },
            vec!["run1", "run2", "run3"],
        ),
        (
            Limits {
                keep: Some(0),
                ..Limits::default()
            },
            vec!["run1", "run2", "run3", "run4"],
        ),
        (
            Limits {
                not_before: Some("2026-11-03T00:00:00Z".parse().unwrap()),
                ..Limits::default()
            },
            vec!["run1", "run2"],
        ),
        (
            Limits {
                max_bytes: Some(3 * size + 10),
                ..Limits::default()
            },
            vec!["run1", "run2"],
        ),
        (
            Limits {
                max_bytes: Some(3 * size + 10),
                keep: Some(4),
                ..Limits::default()
            },
            vec!["run1", "run2"],
        ),
    ] {
        assert_eq!(
            names(&plan(&project, limits).removed),
            removed,
            "{limits:?}"
        );
    }
}

#[test]
fn only_unused_directories_of_runs_are_pruned() {
    let project = Project::new();
    let all = Limits {
        keep: Some(0),
        ..Limits::default()
    };
    let latest = project.record(1, &[]);
    fs::remove_file(project.path.join(".casebook/runs/latest")).ok();
    std::os::unix::fs::symlink(
        latest.file_name().unwrap(),
        project.path.join(".casebook/runs/latest"),
    )
    .unwrap();
    project.record(2, &[("ExamplePassed", test("a"))]);
    let noted = project.record(3, &[]);
    fs::write(noted.join("notes.txt"), "mine").unwrap();
    let open = project
        .store
        .create("open", "2026-11-04T08:00:00Z".parse().unwrap())
        .unwrap();
    let journal = Journal::create(&open.journal_file()).unwrap();
    let runs = project.path.join(".casebook/runs");
    fs::create_dir_all(runs.join("mine")).unwrap();
    fs::copy(latest.join("run.json"), runs.join("mine/run.json")).unwrap();
    fs::create_dir_all(runs.join("20261105-080000-empty")).unwrap();
    fs::create_dir_all(runs.join(".pruned-20261105-080000-half")).unwrap();
    let elsewhere = project.path.join("20261106-080000-elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::copy(latest.join("run.json"), elsewhere.join("run.json")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, runs.join("20261106-080000-elsewhere")).unwrap();

    let mut pruning = plan(&project, all);
    assert_eq!(names(&pruning.removed), ["run2"]);
    let spared: Vec<_> = pruning
        .protected
        .iter()
        .map(|(dir, reason)| format!("{dir}: {reason}"))
        .collect();
    assert_eq!(
        spared,
        [
            "20261104-080000-open: it is still being written",
            "20261103-080000-run3: it contains notes.txt, which is not part of a record"
        ]
    );
    project.store.prune(&mut pruning);
    assert!(
        !exists(&runs, "20261102-080000-run2") && !exists(&runs, ".pruned-20261105-080000-half")
    );
    for name in [
        "latest",
        "mine",
        "20261101-080000-run1",
        "20261103-080000-run3",
        "20261104-080000-open",
        "20261105-080000-empty",
    ] {
        assert!(exists(&runs, name), "{name}");
    }
    assert!(elsewhere.join("run.json").exists());
    drop(journal);
    assert_eq!(
        names(&plan(&project, all).removed),
        ["open"],
        "after its journal is closed"
    );
}

#[test]
fn a_run_resumed_after_planning_is_kept() {
    let project = Project::new();
    let open = project
        .store
        .create("open", "2026-11-01T08:00:00Z".parse().unwrap())
        .unwrap();
    Journal::create(&open.journal_file())
        .unwrap()
        .finish()
        .unwrap();
    project.record(2, &[]);
    let mut pruning = plan(
        &project,
        Limits {
            keep: Some(1),
            ..Limits::default()
        },
    );
    assert_eq!(names(&pruning.removed), ["open"]);
    let _resumed = Journal::resume(&open.journal_file()).unwrap();
    project.store.prune(&mut pruning);
    assert_eq!(pruning.removed, []);
    assert!(open.path().exists());
}

fn exists(dir: &Path, name: &str) -> bool {
    fs::symlink_metadata(dir.join(name)).is_ok()
}
