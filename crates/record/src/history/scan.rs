//! Updates the index from the records.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::UNIX_EPOCH;

use super::index::{self, FileStamp, Index, IndexedRun};
use super::skim::{SkimmedRun, skim};
use super::{History, RunEntry, TestName, TestResult};
use crate::store::{Store, file_in, is_journal};

/// Save the index after reading this many bytes of records, so that an interrupted first scan of a large store does
/// not start from the beginning.
const SAVE_EVERY: u64 = 256 << 20;

/// A run's file in its current state.
struct RunFile {
    dir: String,
    path: PathBuf,
    stamp: FileStamp,
}

impl Store {
    /// Returns the results of all recorded runs. Runs that are not in the index are read by `threads` threads.
    /// `progress` is called with the number of runs read and the number to read.
    pub fn history(&self, threads: usize, progress: &dyn Fn(usize, usize)) -> History {
        let found: Vec<_> = self
            .dirs()
            .iter()
            .filter_map(|dir| RunFile::in_dir(dir))
            .collect();
        let path = self.index_file();
        let mut builder = IndexBuilder::of(Index::read(&path).unwrap_or_default());
        let fresh: Vec<&RunFile> = found.iter().filter(|run| !builder.has(run)).collect();
        if !fresh.is_empty() {
            builder.read(&fresh, threads, progress, &path);
        }
        let outdated = builder.remove_deleted(&found);
        if outdated || !fresh.is_empty() {
            builder.save(&path);
        }
        builder.into_history(&found)
    }
}

impl RunFile {
    /// `None` for a directory without a record: a run may have just created it.
    fn in_dir(dir: &Path) -> Option<RunFile> {
        let path = file_in(dir).ok()?;
        let file = fs::metadata(&path).ok()?;
        let modified = file
            .modified()
            .ok()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Some(RunFile {
            dir: dir.file_name()?.to_str()?.to_owned(),
            stamp: FileStamp {
                file: path.file_name()?.to_str()?.to_owned(),
                size: file.len(),
                modified_nanos: u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX),
            },
            path,
        })
    }
}

/// The index with lookup by name.
struct IndexBuilder {
    tests: Vec<TestName>,
    indices: HashMap<String, usize>,
    runs: HashMap<String, IndexedRun>,
}

impl IndexBuilder {
    fn of(index: Index) -> IndexBuilder {
        let indices = index.tests.iter().enumerate();
        IndexBuilder {
            indices: indices
                .map(|(index, test)| (test.id.clone(), index))
                .collect(),
            tests: index.tests,
            runs: index
                .runs
                .into_iter()
                .map(|run| (run.dir.clone(), run))
                .collect(),
        }
    }

    fn has(&self, run: &RunFile) -> bool {
        let indexed = self.runs.get(&run.dir);
        indexed.is_some_and(|indexed| indexed.stamp == run.stamp)
    }

    fn read(
        &mut self,
        runs: &[&RunFile],
        threads: usize,
        progress: &dyn Fn(usize, usize),
        index: &Path,
    ) {
        let next = AtomicUsize::new(0);
        // Threads that read faster than the results are added wait, so that few runs are in memory.
        let (sender, read) = sync_channel(threads);
        let work = || {
            let sender = sender.clone();
            let next = &next;
            move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(index) else {
                        return;
                    };
                    // The receiver takes all of them, unless it has panicked.
                    let _ = sender.send((index, skim(&run.path)));
                }
            }
        };
        std::thread::scope(|scope| {
            // Dropped if this closure panics, so that no thread waits to send.
            let read = read;
            for _ in 0..threads.clamp(1, runs.len()) {
                scope.spawn(work());
            }
            let mut unsaved = 0;
            let mut out_of_order = HashMap::new();
            progress(0, runs.len());
            for (done, run) in (1..=runs.len()).zip(runs) {
                // In the order of the runs, so that the newest run determines the names of its tests.
                while !out_of_order.contains_key(&(done - 1)) {
                    let (index, skimmed) = read.recv().expect("the threads read every run");
                    out_of_order.insert(index, skimmed);
                }
                let skimmed = out_of_order
                    .remove(&(done - 1))
                    .expect("the loop above waited for it");
                self.add(run, skimmed);
                progress(done, runs.len());
                unsaved += run.stamp.size;
                if unsaved > SAVE_EVERY && done < runs.len() {
                    self.save(index);
                    unsaved = 0;
                }
            }
        });
    }

    fn add(&mut self, found: &RunFile, skimmed: Result<SkimmedRun, String>) {
        let indexed = IndexedRun {
            dir: found.dir.clone(),
            stamp: found.stamp.clone(),
            run: skimmed.map(|skimmed| self.entry(found, skimmed)),
        };
        self.runs.insert(found.dir.clone(), indexed);
    }

    fn entry(&mut self, found: &RunFile, skimmed: SkimmedRun) -> RunEntry {
        // Collected, they would keep the memory of the tests, which is several times as much.
        let mut results = Vec::with_capacity(skimmed.tests.len());
        results.extend(skimmed.tests.into_iter().map(|test| {
            let duration = test.tally.duration_ms();
            TestResult {
                outcome: test.tally.outcome(),
                flaky: test.tally.is_flaky(),
                trials: test.has_trials.then_some(test.tally.score),
                duration_ms: duration
                    .map(|millis| u32::try_from(millis.max(0)).unwrap_or(u32::MAX)),
                test: self.index_of(test.name),
            }
        }));
        RunEntry {
            results,
            dir: found.dir.clone(),
            run_id: skimmed.run_id,
            started_at: skimmed.started_at,
            finished_at: skimmed.finished_at,
            git_commit: skimmed.git_commit,
            git_branch: skimmed.git_branch,
            finished: !is_journal(&found.path),
        }
    }

    /// Returns the test's index in the list. The names from the run read last are kept.
    fn index_of(&mut self, name: TestName) -> usize {
        if let Some(index) = self.indices.get(&name.id) {
            let known = &mut self.tests[*index];
            // Most names never change. Those of the last run would keep the memory of the thread that has read it.
            if *known != name {
                *known = name;
            }
            return *index;
        }
        self.indices.insert(name.id.clone(), self.tests.len());
        self.tests.push(name);
        self.tests.len() - 1
    }

    /// Removes runs that no longer exist; returns whether there were any.
    fn remove_deleted(&mut self, found: &[RunFile]) -> bool {
        let before = self.runs.len();
        let names: std::collections::HashSet<&str> =
            found.iter().map(|run| run.dir.as_str()).collect();
        self.runs.retain(|dir, _| names.contains(dir.as_str()));
        let outdated = self.runs.len() < before;
        if outdated {
            self.forget_unused_tests();
        }
        outdated
    }

    fn forget_unused_tests(&mut self) {
        let mut used = vec![false; self.tests.len()];
        for_each_result(&mut self.runs, |result| used[result.test] = true);
        let mut indices = Vec::with_capacity(used.len());
        let mut kept = 0;
        for used in &used {
            indices.push(kept);
            kept += usize::from(*used);
        }
        for_each_result(&mut self.runs, |result| result.test = indices[result.test]);
        let mut used = used.into_iter();
        self.tests.retain(|_| used.next() == Some(true));
    }

    /// A failed write is ignored: the index is then rebuilt next time, which is only slower.
    fn save(&self, path: &Path) {
        let runs: Vec<_> = self.runs.values().collect();
        let _ = index::write(path, &self.tests, &runs);
    }

    fn into_history(mut self, order: &[RunFile]) -> History {
        let mut history = History {
            tests: self.tests,
            ..History::default()
        };
        for indexed in order.iter().filter_map(|run| self.runs.remove(&run.dir)) {
            match indexed.run {
                Ok(run) => history.runs.push(run),
                Err(reason) => history.damaged.push((indexed.dir, reason)),
            }
        }
        history
    }
}

fn for_each_result(runs: &mut HashMap<String, IndexedRun>, each: impl FnMut(&mut TestResult)) {
    let runs = runs
        .values_mut()
        .filter_map(|indexed| indexed.run.as_mut().ok());
    runs.flat_map(|run| &mut run.results).for_each(each);
}
