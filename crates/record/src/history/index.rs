//! The index file: a line with the format's name, then compressed content with a checksum.
//!
//! Each test is named once and referred to by number. A run stores for each of its tests the difference to the number
//! it would have in sequence, which is nearly always zero. A thousand runs of a thousand tests take a few megabytes.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use super::codec::{Bytes, put_number, put_optional, put_signed, put_text};
use super::{RunEntry, TestName, TestResult};
use crate::outcome::TestOutcome;
use crate::run_file::default_permissions;
use crate::time::Time;
use crate::trials::TrialScore;

const FORMAT: &[u8] = b"casebook history 2\n";

/// Identifies the state of a run's file when it was read. If it differs, the run is read again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileStamp {
    pub(super) file: String,
    pub(super) size: u64,
    pub(super) modified_nanos: u64,
}

/// One run in the index: its results, or why it could not be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IndexedRun {
    pub(super) dir: String,
    pub(super) stamp: FileStamp,
    pub(super) run: Result<RunEntry, String>,
}

/// The content of the index.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Index {
    pub(super) tests: Vec<TestName>,
    pub(super) runs: Vec<IndexedRun>,
}

impl Index {
    /// Returns `None` if the file is missing, damaged or of another version.
    pub(super) fn read(path: &Path) -> Option<Index> {
        let bytes = fs::read(path).ok()?;
        let compressed = bytes.strip_prefix(FORMAT)?;
        let mut body = Vec::new();
        zstd::Decoder::new(compressed)
            .ok()?
            .read_to_end(&mut body)
            .ok()?;
        Index::decode(&body)
    }

    fn decode(body: &[u8]) -> Option<Index> {
        let mut bytes = Bytes(body);
        let tests = bytes.list(|bytes| {
            Some(TestName {
                id: bytes.text()?,
                title: bytes.text()?,
                location: bytes.text()?,
            })
        })?;
        let runs = bytes.list(|bytes| indexed_run(bytes, tests.len()))?;
        bytes.0.is_empty().then_some(Index { tests, runs })
    }
}

/// Replaces the file atomically. Runs are written one after the other: the content of the index as bytes, or a copy of it, would
/// need as much memory again.
pub(super) fn write(path: &Path, tests: &[TestName], runs: &[&IndexedRun]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".history-")
        .permissions(default_permissions())
        .tempfile_in(dir)?;
    file.write_all(FORMAT)?;
    let mut encoder = zstd::Encoder::new(&mut file, 1)?;
    encoder.include_checksum(true)?;
    let mut out = Vec::new();
    put_number(&mut out, tests.len() as u64);
    for test in tests {
        for text in [&test.id, &test.title, &test.location] {
            put_text(&mut out, text);
        }
    }
    put_number(&mut out, runs.len() as u64);
    for run in runs {
        put_indexed_run(&mut out, run);
        encoder.write_all(&out)?;
        out.clear();
    }
    encoder.write_all(&out)?;
    encoder.finish()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn put_indexed_run(out: &mut Vec<u8>, indexed: &IndexedRun) {
    put_text(out, &indexed.dir);
    put_text(out, &indexed.stamp.file);
    put_number(out, indexed.stamp.size);
    put_number(out, indexed.stamp.modified_nanos);
    match &indexed.run {
        Ok(run) => put_run(out, run),
        Err(reason) => put_optional(out, Some(reason.as_str()), put_text),
    }
}

fn indexed_run(bytes: &mut Bytes, tests: usize) -> Option<IndexedRun> {
    let dir = bytes.text()?;
    let stamp = FileStamp {
        file: bytes.text()?,
        size: bytes.number()?,
        modified_nanos: bytes.number()?,
    };
    let run = match bytes.optional(Bytes::text)? {
        Some(reason) => Err(reason),
        None => Ok(run(bytes, &dir, tests)?),
    };
    Some(IndexedRun { dir, stamp, run })
}

fn put_run(out: &mut Vec<u8>, run: &RunEntry) {
    put_optional(out, None, put_text);
    put_text(out, &run.run_id);
    put_signed(out, run.started_at.as_millis());
    put_optional(out, run.finished_at.map(Time::as_millis), put_signed);
    put_optional(out, run.git_commit.as_deref(), put_text);
    put_optional(out, run.git_branch.as_deref(), put_text);
    out.push(u8::from(run.finished));
    put_number(out, run.results.len() as u64);
    let mut expected = 0;
    for result in &run.results {
        let test = i64::try_from(result.test).expect("an index of a list fits in i64");
        put_signed(out, test - expected);
        expected = test + 1;
        put_result(out, result);
    }
}

fn run(bytes: &mut Bytes, dir: &str, tests: usize) -> Option<RunEntry> {
    let run_id = bytes.text()?;
    let started_at = Time::from_millis(bytes.signed()?);
    let finished_at = bytes.optional(Bytes::signed)?.map(Time::from_millis);
    let git_commit = bytes.optional(Bytes::text)?;
    let git_branch = bytes.optional(Bytes::text)?;
    let finished = bytes.byte()? == 1;
    let mut expected = 0_i64;
    let results = bytes.list(|bytes| {
        let test = expected.checked_add(bytes.signed()?)?;
        expected = test.checked_add(1)?;
        let test = usize::try_from(test).ok().filter(|test| *test < tests)?;
        result(bytes, test)
    })?;
    Some(RunEntry {
        dir: dir.to_owned(),
        run_id,
        started_at,
        finished_at,
        git_commit,
        git_branch,
        finished,
        results,
    })
}

const OUTCOMES: [TestOutcome; 4] = [
    TestOutcome::Passed,
    TestOutcome::Failed,
    TestOutcome::Skipped,
    TestOutcome::Unfinished,
];
const FLAKY: u8 = 4;
const TRIALS: u8 = 8;

fn put_result(out: &mut Vec<u8>, result: &TestResult) {
    let outcome = OUTCOMES.iter().position(|one| *one == result.outcome);
    let outcome = u8::try_from(outcome.expect("OUTCOMES lists every outcome"))
        .expect("OUTCOMES has four elements");
    let flaky = if result.flaky { FLAKY } else { 0 };
    let trials = if result.trials.is_some() { TRIALS } else { 0 };
    out.push(outcome | flaky | trials);
    // Stored plus one, because 0 means `None`.
    let duration = result.duration_ms.map_or(0, |millis| u64::from(millis) + 1);
    put_number(out, duration);
    if let Some(score) = result.trials {
        put_number(out, score.trials);
        put_number(out, score.passed);
    }
}

fn result(bytes: &mut Bytes, test: usize) -> Option<TestResult> {
    let flags = bytes.byte()?;
    let duration = bytes.number()?.checked_sub(1);
    let trials = match flags & TRIALS {
        0 => None,
        _ => Some(TrialScore {
            trials: bytes.number()?,
            passed: bytes.number()?,
        }),
    };
    Some(TestResult {
        test,
        outcome: OUTCOMES[usize::from(flags % FLAKY)],
        flaky: flags & FLAKY != 0,
        trials,
        duration_ms: duration.map(u32::try_from).transpose().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Index {
        let name = |id: &str| TestName {
            id: id.into(),
            title: format!("title of {id} ›"),
            location: "a.yml:7".into(),
        };
        let result = |test, outcome, duration_ms| TestResult {
            test,
            outcome,
            flaky: test == 1,
            trials: (test == 2).then_some(TrialScore {
                trials: 5,
                passed: 3,
            }),
            duration_ms,
        };
        let run = RunEntry {
            dir: "one".into(),
            run_id: "r1".into(),
            started_at: Time::from_millis(1_763_195_251_594),
            finished_at: None,
            git_commit: Some("53e511a".into()),
            git_branch: Some("main".into()),
            finished: true,
            results: vec![
                result(2, TestOutcome::Failed, None),
                result(0, TestOutcome::Passed, Some(0)),
                result(1, TestOutcome::Unfinished, Some(u32::MAX)),
            ],
        };
        let stamp = FileStamp {
            file: "run.json".into(),
            size: 12,
            modified_nanos: u64::MAX,
        };
        let broken = IndexedRun {
            dir: "two".into(),
            stamp: stamp.clone(),
            run: Err("cut off".into()),
        };
        Index {
            tests: ["a", "b", "c"].map(name).into(),
            runs: vec![
                IndexedRun {
                    dir: "one".into(),
                    stamp,
                    run: Ok(run),
                },
                broken,
            ],
        }
    }

    fn write_index(index: &Index, path: &Path) {
        let runs: Vec<_> = index.runs.iter().collect();
        write(path, &index.tests, &runs).unwrap();
    }

    #[test]
    fn an_index_survives_writing_and_reading() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.idx");
        assert_eq!(Index::read(&path), None);
        for index in [Index::default(), sample()] {
            write_index(&index, &path);
            assert_eq!(Index::read(&path), Some(index));
        }
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            1,
            "no temporary file remains"
        );
    }

    #[test]
    fn every_kind_of_damage_is_detected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.idx");
        write_index(&sample(), &path);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(Index::read(&path), None, "cut at {at}");
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            fs::write(&path, flipped).unwrap();
            let read = Index::read(&path);
            assert!(
                read.is_none_or(|index| index == sample()),
                "flipped at {at}"
            );
        }
    }

    proptest! {
        #[test]
        fn decoding_arbitrary_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Index::decode(&bytes);
        }
    }
}
