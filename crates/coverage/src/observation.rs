//! [`Observation`]: which states the examples of a project reach, as probes reported it while they ran.
//!
//! `coverage --observe` writes it to `.casebook/observation.json`, where the other commands read it. `collect` builds it
//! from the results of the Ruby processes, `designs` adds the observed methods to those with metadata, `annotate`
//! adds what was observed to the coverage matrix.

mod annotate;
mod by_names;
mod collect;
mod designs;
mod line_numbers;
mod mutants;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use casebook_design::ruby::Method;
use casebook_record::Redactor;
use casebook_report::coverage::ObservedStatus;
use serde::{Deserialize, Serialize};

use collect::digest;
pub use collect::{ProcessResult, collect};
pub(crate) use designs::observed_designs;
pub use mutants::{Mutant, MutantPlan, MutantResult, Proof, mutants};

/// The version of the file.
const VERSION: u32 = 1;

/// What was observed in one run of a project's specs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    version: u32,
    /// The command that ran the specs.
    pub command: Vec<String>,
    /// All examples, in the order in which they ended.
    pub examples: Vec<ObservedExample>,
    /// The methods with characteristics.
    pub methods: Vec<ObservedMethod>,
    /// Files that were loaded, but could not be observed.
    pub unobserved: Vec<UnobservedFile>,
    /// The results of mutants, by a digest of their code and examples. They are kept when the specs are observed again.
    #[serde(default)]
    proofs: HashMap<String, Proof>,
    /// Whether nothing was observed: the names of the examples say what they reach.
    #[serde(skip)]
    pub(crate) is_by_names: bool,
}

/// An example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedExample {
    /// The id by which RSpec runs it: `./spec/cart_spec.rb[1:2]`.
    pub id: String,
    /// The names of its groups and its own.
    pub description: String,
    /// `file:line`.
    pub location: String,
    /// Whether it passed.
    pub passed: bool,
}

/// A method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedMethod {
    /// `Class#method`.
    pub id: String,
    /// The path of its source from the project root.
    pub file: String,
    /// Its first line.
    pub line: usize,
    /// Its last line.
    pub last_line: usize,
    /// The digest of its source text.
    pub digest: String,
    /// All states of all characteristics.
    pub states: Vec<ObservedState>,
    /// Indexes of examples that name the method, perhaps without a state; only if nothing was observed.
    #[serde(skip)]
    pub(crate) examples: Vec<usize>,
}

/// A state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedState {
    /// The name of the characteristic.
    pub characteristic: String,
    /// The name of the state.
    pub state: String,
    /// The line of the condition that decides it.
    pub line: usize,
    /// The lines of all code that shows that it is reached: conditions, and branches of a `case`.
    #[serde(default)]
    pub lines: Vec<usize>,
    /// How far it is tested.
    pub status: ObservedStatus,
    /// Indexes of the passed examples that reach it.
    pub examples: Vec<usize>,
    /// What happened when it was inverted; `None` if that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// A file that was loaded unchanged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnobservedFile {
    /// The path from the project root.
    pub file: String,
    /// Why it could not be rewritten.
    pub reason: String,
}

/// Why an observation cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ObservationError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file contains something else.
    #[error("{}: not an observation ({reason}); run `casebook coverage --observe -- rspec` again", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl ObservedMethod {
    /// Its first and its last line.
    pub fn lines(&self) -> (usize, usize) {
        (self.line, self.last_line)
    }
}

impl Observation {
    fn path(project: &Path) -> PathBuf {
        project.join(".casebook").join("observation.json")
    }

    /// The last observation of a project, if there is one.
    pub fn load(project: &Path) -> Result<Option<Observation>, ObservationError> {
        let path = Observation::path(project);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ObservationError::File { path, source }),
        };
        let reason = match serde_json::from_slice::<Observation>(&text) {
            Ok(observation) if observation.version == VERSION => return Ok(Some(observation)),
            Ok(observation) => format!("version {}", observation.version),
            Err(error) => error.to_string(),
        };
        Err(ObservationError::Content { path, reason })
    }

    /// Keeps the results of mutants that an earlier observation contains.
    pub fn keep_proofs(&mut self, earlier: Observation) {
        self.proofs = earlier.proofs;
    }

    /// Replaces the last observation of a project.
    pub fn save(&self, project: &Path) -> Result<(), ObservationError> {
        let path = Observation::path(project);
        let text = serde_json::to_vec(self).expect("maps have strings as keys");
        write(&path, &text).map_err(|source| ObservationError::File { path, source })
    }

    /// Removes secrets from descriptions, which may contain them.
    pub fn redact(&mut self, redactor: &Redactor) {
        for example in &mut self.examples {
            example.description = redactor.text(&example.description);
        }
    }

    /// The observed method, if its source text is still the same.
    pub(crate) fn unchanged_method(
        &self,
        file: &str,
        method: &Method,
        source: &[u8],
    ) -> Option<&ObservedMethod> {
        let observed = self.method(file, &method.id());
        observed.filter(|observed| observed.digest == digest(source, method.lines))
    }

    /// The method with this id in this file.
    pub fn method(&self, file: &str, id: &str) -> Option<&ObservedMethod> {
        let mut methods = self.methods.iter();
        methods.find(|method| method.id == id && method.file == file)
    }
}

/// Writes a file completely or not at all.
fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let new = tempfile::NamedTempFile::new_in(dir)?;
    fs::write(new.path(), text)?;
    new.persist(path)?;
    Ok(())
}
