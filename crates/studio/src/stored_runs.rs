//! [`StoredRuns`]: finished runs that are open. Their examples stay in their files.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use casebook_record::{Run, open_run, write_line};
use casebook_report::html;
use parking_lot::Mutex;

use crate::project::{Project, shown_dir};

/// Runs that stay open.
const MAX_OPEN: usize = 4;

/// The runs that were shown last.
#[derive(Default)]
pub(crate) struct StoredRuns(Mutex<Vec<Arc<StoredRun>>>);

/// A finished run.
pub(crate) struct StoredRun {
    name: String,
    /// Identifies the content of its file.
    pub(crate) tag: String,
    pub(crate) run: Box<Run>,
    indexes: HashMap<String, usize>,
    /// The index of the page.
    pub(crate) index: Bytes,
}

impl StoredRuns {
    /// Opens a run, unless it is open and its file has not changed. The error is for the user.
    pub(crate) fn open(&self, project: &Project, name: &str) -> Result<Arc<StoredRun>, String> {
        let dir = project.run_dir(name).ok_or("unknown run")?;
        let path = project
            .store
            .file_in(&dir)
            .map_err(|error| error.to_string())?;
        let tag = tag_of(&path).map_err(|error| error.to_string())?;
        // Locked meanwhile: several tabs that open the same run should read it once.
        let mut open = self.0.lock();
        let known = open.iter().position(|run| run.name == name);
        if let Some(run) = known.map(|at| open.remove(at)).filter(|run| run.tag == tag) {
            open.push(Arc::clone(&run));
            return Ok(run);
        }
        let run = Arc::new(StoredRun::read(project, name, &path, tag)?);
        if open.len() >= MAX_OPEN {
            open.remove(0);
        }
        open.push(Arc::clone(&run));
        Ok(run)
    }
}

impl StoredRun {
    fn read(project: &Project, name: &str, path: &Path, tag: String) -> Result<StoredRun, String> {
        let opened = open_run(path, &project.redactor).map_err(|error| error.to_string())?;
        let run = opened.run;
        let options = html::Options {
            threads: project.threads,
            record: Some(shown_dir(name)),
            ..html::Options::default()
        };
        let mut index = Vec::new();
        html::write_index(&run, &options, &mut index).map_err(|error| error.to_string())?;
        let indexes = indexes_of(&run).map_err(|error| error.to_string())?;
        Ok(StoredRun {
            name: name.to_owned(),
            tag,
            indexes,
            run,
            index: index.into(),
        })
    }

    /// One example as JSON.
    pub(crate) fn example(&self, id: &str) -> Option<io::Result<Vec<u8>>> {
        let index = *self.indexes.get(id)?;
        Some(self.json(index))
    }

    /// Several examples as a JSON list.
    pub(crate) fn examples(&self, from: usize, to: usize) -> io::Result<Vec<u8>> {
        let mut list = vec![b'['];
        for index in from..to.min(self.run.examples.count()) {
            if list.len() > 1 {
                list.push(b',');
            }
            list.extend(self.json(index)?);
        }
        list.push(b']');
        Ok(list)
    }

    fn json(&self, index: usize) -> io::Result<Vec<u8>> {
        let mut json = Vec::new();
        write_line(&mut json, &*self.run.examples.read(index)?)?;
        Ok(json)
    }
}

/// Where each example is, by its id and by its stable id.
fn indexes_of(run: &Run) -> io::Result<HashMap<String, usize>> {
    let mut indexes = HashMap::new();
    for (index, example) in run.each_example().enumerate() {
        let example = &*example?;
        let stable_id = example.stable_id.iter();
        for id in stable_id.chain([&example.id]) {
            indexes.entry(id.clone()).or_insert(index);
        }
    }
    Ok(indexes)
}

fn tag_of(path: &Path) -> io::Result<String> {
    let file = fs::metadata(path)?;
    Ok(format!(
        "{} {} {:?}",
        path.display(),
        file.len(),
        file.modified()?
    ))
}
