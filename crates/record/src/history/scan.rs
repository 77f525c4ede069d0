//! Brings the index up to date with the records.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::UNIX_EPOCH;

use super::index::{FileStamp, Index, IndexedRun};
use super::skim::{SkimmedRun, skim};
use super::{History, RunEntry, TestName, TestResult};
use crate::store::{Store, file_in, is_journal};

/// After reading so many bytes of records, what is known so far is put into the index: who interrupts the first
/// reading of a large store does not begin anew.
const SAVE_EVERY: u64 = 256 << 20;

/// A run's file, as it is now.
struct RunFile {
    folder: String,
    path: PathBuf,
    stamp: FileStamp,
}

impl Store {
    /// What is known of all recorded runs. Runs that the index does not know are read, by so many threads; `progress`
    /// hears how many of how many have been.
    pub fn history(&self, threads: usize, progress: &dyn Fn(usize, usize)) -> History {
        let found: Vec<_> = self
            .folders()
            .iter()
            .filter_map(|folder| RunFile::in_folder(folder))
            .collect();
        let path = self.index_file();
        let mut known = IndexBuilder::of(Index::read(&path).unwrap_or_default());
        let fresh: Vec<&RunFile> = found.iter().filter(|run| !known.has(run)).collect();
        if !fresh.is_empty() {
            known.read(&fresh, threads, progress, &path);
        }
        let outdated = known.remove_deleted(&found);
        if outdated || !fresh.is_empty() {
            known.save(&path);
        }
        known.into_history(&found)
    }
}

impl RunFile {
    /// Nothing for a folder without a record: a run may have made it just now.
    fn in_folder(folder: &Path) -> Option<RunFile> {
        let path = file_in(folder).ok()?;
        let file = fs::metadata(&path).ok()?;
        let modified = file
            .modified()
            .ok()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Some(RunFile {
            folder: folder.file_name()?.to_str()?.to_owned(),
            stamp: FileStamp {
                file: path.file_name()?.to_str()?.to_owned(),
                size: file.len(),
                modified_nanos: u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX),
            },
            path,
        })
    }
}

/// The index, to be asked by name.
struct IndexBuilder {
    tests: Vec<TestName>,
    places: HashMap<String, usize>,
    runs: HashMap<String, IndexedRun>,
}

impl IndexBuilder {
    fn of(index: Index) -> IndexBuilder {
        let places = index.tests.iter().enumerate();
        IndexBuilder {
            places: places
                .map(|(place, test)| (test.id.clone(), place))
                .collect(),
            tests: index.tests,
            runs: index
                .runs
                .into_iter()
                .map(|run| (run.folder.clone(), run))
                .collect(),
        }
    }

    fn has(&self, run: &RunFile) -> bool {
        let known = self.runs.get(&run.folder);
        known.is_some_and(|known| known.stamp == run.stamp)
    }

    fn read(
        &mut self,
        runs: &[&RunFile],
        threads: usize,
        progress: &dyn Fn(usize, usize),
        index: &Path,
    ) {
        let next = AtomicUsize::new(0);
        let (sender, read) = channel();
        let work = || {
            let sender = sender.clone();
            let next = &next;
            move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(place) else {
                        return;
                    };
                    // The other end hears all of them, unless it has panicked.
                    let _ = sender.send((place, skim(&run.path)));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads.clamp(1, runs.len()) {
                scope.spawn(work());
            }
            let mut unsaved = 0;
            let mut early = HashMap::new();
            progress(0, runs.len());
            for (done, run) in (1..=runs.len()).zip(runs) {
                // In their own order, so that the newest run has the last word on what its tests are called.
                while !early.contains_key(&(done - 1)) {
                    let (place, seen) = read.recv().expect("every run is read");
                    early.insert(place, seen);
                }
                let seen = early.remove(&(done - 1)).expect("it came just now");
                self.add(run, seen);
                progress(done, runs.len());
                unsaved += run.stamp.size;
                if unsaved > SAVE_EVERY && done < runs.len() {
                    self.save(index);
                    unsaved = 0;
                }
            }
        });
    }

    fn add(&mut self, found: &RunFile, seen: Result<SkimmedRun, String>) {
        let seen = IndexedRun {
            folder: found.folder.clone(),
            stamp: found.stamp.clone(),
            run: seen.map(|glance| self.entry(found, glance)),
        };
        self.runs.insert(found.folder.clone(), seen);
    }

    fn entry(&mut self, found: &RunFile, glance: SkimmedRun) -> RunEntry {
        let results = glance.tests.into_iter().map(|test| {
            let duration = test.tally.duration_ms();
            TestResult {
                outcome: test.tally.outcome(),
                flaky: test.tally.is_flaky(),
                trials: test.has_trials.then_some(test.tally.score),
                duration_ms: duration
                    .map(|millis| u32::try_from(millis.max(0)).unwrap_or(u32::MAX)),
                test: self.place(test.name),
            }
        });
        RunEntry {
            results: results.collect(),
            folder: found.folder.clone(),
            run_id: glance.run_id,
            started_at: glance.started_at,
            finished_at: glance.finished_at,
            git_commit: glance.git_commit,
            finished: !is_journal(&found.path),
        }
    }

    /// Where the test is in the list. The run that was read last names it.
    fn place(&mut self, name: TestName) -> usize {
        if let Some(place) = self.places.get(&name.id) {
            self.tests[*place] = name;
            return *place;
        }
        self.places.insert(name.id.clone(), self.tests.len());
        self.tests.push(name);
        self.tests.len() - 1
    }

    /// Drops the runs that are gone; says whether there were any.
    fn remove_deleted(&mut self, found: &[RunFile]) -> bool {
        let before = self.runs.len();
        let names: std::collections::HashSet<&str> =
            found.iter().map(|run| run.folder.as_str()).collect();
        self.runs
            .retain(|folder, _| names.contains(folder.as_str()));
        let outdated = self.runs.len() < before;
        if outdated {
            self.forget_unused_tests();
        }
        outdated
    }

    fn forget_unused_tests(&mut self) {
        let mut used = vec![false; self.tests.len()];
        for_each_result(&mut self.runs, |result| used[result.test] = true);
        let mut places = Vec::with_capacity(used.len());
        let mut kept = 0;
        for used in &used {
            places.push(kept);
            kept += usize::from(*used);
        }
        for_each_result(&mut self.runs, |result| result.test = places[result.test]);
        let mut used = used.into_iter();
        self.tests.retain(|_| used.next() == Some(true));
    }

    /// An index that cannot be written is made anew next time: that is slower, and nothing else.
    fn save(&self, path: &Path) {
        let index = Index {
            tests: self.tests.clone(),
            runs: self.runs.values().cloned().collect(),
        };
        let _ = index.write(path);
    }

    fn into_history(mut self, order: &[RunFile]) -> History {
        let mut history = History {
            tests: self.tests,
            ..History::default()
        };
        for seen in order.iter().filter_map(|run| self.runs.remove(&run.folder)) {
            match seen.run {
                Ok(run) => history.runs.push(run),
                Err(reason) => history.damaged.push((seen.folder, reason)),
            }
        }
        history
    }
}

fn for_each_result(runs: &mut HashMap<String, IndexedRun>, each: impl FnMut(&mut TestResult)) {
    let runs = runs.values_mut().filter_map(|seen| seen.run.as_mut().ok());
    runs.flat_map(|run| &mut run.results).for_each(each);
}
