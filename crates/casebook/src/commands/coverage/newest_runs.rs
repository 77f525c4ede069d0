//! The records that are used if none is named.

use std::path::{Path, PathBuf};

use casebook_record::{Redactor, Store, StoreError, open_run};

/// How many records are searched for the other kind of tests.
const MAX_SEARCHED: usize = 50;

/// The newest record. If it has only suites, also the newest one with specs, and the other way round: they are run by different
/// commands, and the results of the last one would hide those of the other.
pub(super) fn find(
    store: &Store,
    redactor: &Redactor,
    working_dir: &Path,
) -> Result<Vec<PathBuf>, StoreError> {
    let newest = match store.find(None, working_dir) {
        Ok(newest) => newest,
        // Coverage can be shown before anything was run.
        Err(StoreError::NoRuns(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let kinds = Kinds::of(&newest, redactor);
    let earlier = store.dirs().into_iter().rev();
    let earlier = earlier.filter_map(|dir| store.file_in(&dir).ok());
    let other = earlier
        .filter(|path| *path != newest)
        .take(MAX_SEARCHED)
        .find(|path| Kinds::of(path, redactor).adds_to(kinds));
    Ok([newest].into_iter().chain(other).collect())
}

/// Which kinds of tests a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Kinds {
    specs: bool,
    suites: bool,
}

impl Kinds {
    /// The kinds of an unreadable record are unknown: it is reported when it is read.
    fn of(path: &Path, redactor: &Redactor) -> Kinds {
        let mut kinds = Kinds::default();
        let Ok(opened) = open_run(path, redactor) else {
            return kinds;
        };
        for example in opened.run.each_example().flatten() {
            let is_spec = Path::new(&example.file)
                .extension()
                .is_some_and(|extension| extension == "rb");
            kinds.specs |= is_spec;
            kinds.suites |= !is_spec;
        }
        kinds
    }

    fn adds_to(self, newest: Kinds) -> bool {
        (self.specs && !newest.specs) || (self.suites && !newest.suites)
    }
}
