//! How the project is loaded, and which of its files are read.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::facts::facts_of;
use super::spec_values::SpecValues;
use crate::steps::ruby_files;

/// Directories below the root from which Ruby files can be required.
const LOAD_PATH: [&str; 3] = ["lib", "app", "spec"];

/// A larger project is read only in part: the search uses what is near the method.
const MAX_FILES: usize = 3_000;

/// How the helper loads the project; `files` are the sources with methods to learn, from the root.
pub(super) fn loading(root: &Path, files: &[&str]) -> Value {
    let load_path = LOAD_PATH.iter().map(|name| root.join(name));
    let load_path: Vec<_> = load_path.filter(|dir| dir.is_dir()).collect();
    let files: Vec<_> = files.iter().map(|file| root.join(file)).collect();
    let mut requires = main_files(root);
    requires.extend(record_helper(root));
    json!({ "root": root, "load_path": load_path, "requires": requires, "files": files })
}

/// The helper of the specs, which connects to the database and finds the factories. Other projects are loaded without
/// it: it may need gems that the code does not.
fn record_helper(root: &Path) -> Option<PathBuf> {
    const SIGNS: [&str; 5] = [
        "db/schema.rb",
        "spec/factories",
        "spec/factories.rb",
        "spec/fabricators",
        "spec/fabricators.rb",
    ];
    let has_records = SIGNS.iter().any(|name| root.join(name).exists());
    let helpers = ["spec/rails_helper.rb", "spec/spec_helper.rb"].map(|name| root.join(name));
    let mut helpers = helpers.into_iter().filter(|file| file.is_file());
    has_records.then(|| helpers.next())?
}

/// The file that loads the whole project: that of a Rails application, or those named like a gem.
pub(super) fn main_files(root: &Path) -> Vec<PathBuf> {
    let rails = root.join("config/environment.rb");
    if rails.is_file() {
        return vec![rails];
    }
    let gemspecs = names_in(root, "gemspec");
    let candidates = gemspecs.iter().flat_map(|name| {
        let file = |name: &str| root.join("lib").join(format!("{name}.rb"));
        [
            file(name),
            file(&name.replace('-', "/")),
            file(&name.replace('-', "_")),
        ]
    });
    let mut found: Vec<_> = candidates.filter(|file| file.is_file()).collect();
    found.dedup();
    if let ([], [only]) = (
        found.as_slice(),
        names_in(&root.join("lib"), "rb").as_slice(),
    ) {
        found.push(root.join("lib").join(format!("{only}.rb")));
    }
    found
}

/// The names without extension of the files in a directory that have this extension.
fn names_in(dir: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let mut names: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

/// The facts about the methods of all sources, by the absolute path of the file.
pub(super) fn facts(root: &Path) -> Value {
    let dirs: Vec<_> = ["lib", "app"].iter().map(|name| root.join(name)).collect();
    let files = ruby_files(&dirs).into_iter().take(MAX_FILES);
    let read = files.filter_map(|file| {
        let facts = facts_of(&fs::read(&file).ok()?);
        let facts = facts.iter().map(super::facts::MethodFacts::to_json);
        Some((file.to_str()?.to_owned(), Value::Array(facts.collect())))
    });
    Value::Object(read.collect::<Map<_, _>>())
}

/// The values that existing specs and tests use.
pub(super) fn harvest(root: &Path) -> Value {
    let dirs: Vec<_> = ["spec", "test"]
        .iter()
        .map(|name| root.join(name))
        .collect();
    let mut harvest = SpecValues::default();
    for file in ruby_files(&dirs).into_iter().take(MAX_FILES) {
        if let Ok(text) = fs::read(file) {
            harvest.read(&text);
        }
    }
    harvest.to_json()
}
