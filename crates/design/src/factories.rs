//! Lists the factories of a project and their traits: rules F1 to F3. It does not judge them. The fabricators of Fabrication
//! are read like the factories of FactoryBot; they have no traits.

mod traits;

use std::fs;
use std::path::{Path, PathBuf};

use ruby_prism::{CallNode, Node, Visit};
use serde_json::{Map, Value, json};

use crate::ruby::RubyError;
use crate::ruby::syntax::{argument, called, constant, literal_text, visit_children};

pub use traits::TraitDefinition;
pub(crate) use traits::sets;

/// The factories found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Factories {
    /// Name → `{file, traits}`, in order of first appearance.
    pub found: Map<String, Value>,
    /// Files that could not be read, duplicate names and missing directories or traits.
    pub warnings: Vec<String>,
    /// The traits of all factories, with the attributes they set.
    pub traits: Vec<TraitDefinition>,
    /// Whether the factories are fabricators.
    pub are_fabricators: bool,
}

/// A factory file that is not valid Ruby.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {source}", file.display())]
pub struct BrokenFactory {
    /// The path of the file.
    pub file: PathBuf,
    /// The syntax error.
    pub source: RubyError,
}

/// Lists the factories below `dir`, or in the standard locations of the project at `root`. Paths are relative to
/// `root` as given.
pub fn factories(root: &Path, dir: Option<&Path>) -> Result<Factories, BrokenFactory> {
    let mut scan = Factories::default();
    let files = match dir {
        Some(dir) => scan.files_of(root, dir),
        None => scan.usual_files(root),
    };
    for file in &files {
        scan.read(root, file)?;
    }
    if !files.is_empty() {
        scan.warn_if_empty();
    }
    Ok(scan)
}

impl Factories {
    fn usual_files(&mut self, root: &Path) -> Vec<PathBuf> {
        for (home, name) in [
            ("spec", "factories"),
            ("test", "factories"),
            ("spec", "fabricators"),
            ("test", "fabricators"),
        ] {
            let dir = Path::new(home).join(name);
            let single = Path::new(home).join(format!("{name}.rb"));
            let mut files = Vec::new();
            if root.join(&single).is_file() {
                files.push(single);
            }
            if root.join(&dir).is_dir() {
                files.extend(self.files_of(root, &dir));
            }
            if !files.is_empty() {
                return files;
            }
        }
        if self.warnings.is_empty() {
            self.warnings
                .push("directory not found: spec/factories or test/factories".to_owned());
        }
        Vec::new()
    }

    fn files_of(&mut self, root: &Path, dir: &Path) -> Vec<PathBuf> {
        if !root.join(dir).is_dir() {
            self.warnings
                .push(format!("directory not found: {}", dir.display()));
            return Vec::new();
        }
        let mut files = Vec::new();
        collect(root, dir, &mut files, &mut self.warnings);
        // Compared as text, so that `users.rb` comes before `users/admin.rb`.
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        if files.is_empty() {
            self.warnings
                .push(format!("no Ruby files found in {}", dir.display()));
        }
        files
    }

    fn read(&mut self, root: &Path, file: &Path) -> Result<(), BrokenFactory> {
        let text = match fs::read(root.join(file)) {
            Ok(text) => text,
            Err(error) => {
                self.warnings
                    .push(format!("cannot read {}: {error}", file.display()));
                return Ok(());
            }
        };
        let parsed = ruby_prism::parse(&text);
        if let Some(source) = crate::ruby::syntax_error(&parsed) {
            return Err(BrokenFactory {
                file: file.to_owned(),
                source,
            });
        }
        let mut reader = FactoryReader::default();
        reader.visit(&parsed.node());
        for (name, traits) in reader.found {
            self.add(&name, &traits, file);
        }
        self.traits.extend(reader.traits);
        self.are_fabricators |= reader.has_fabricators;
        Ok(())
    }

    fn add(&mut self, name: &str, traits: &[String], file: &Path) {
        let file = file.to_string_lossy();
        if let Some(before) = self.found.get(name) {
            let before = before["file"].as_str().unwrap_or_default();
            self.warnings.push(format!(
                "factory '{name}' in {file} replaces the one in {before}"
            ));
        }
        self.found
            .insert(name.to_owned(), json!({ "file": file, "traits": traits }));
    }

    fn warn_if_empty(&mut self) {
        let has_trait = self.found.values().any(|factory| {
            factory["traits"]
                .as_array()
                .is_some_and(|traits| !traits.is_empty())
        });
        if self.found.is_empty() {
            self.warnings
                .push("no factories found: no file calls `factory` or `Fabricator`".to_owned());
        } else if !has_trait && !self.are_fabricators {
            self.warnings.push("no factory has a trait".to_owned());
        }
    }
}

fn collect(root: &Path, dir: &Path, files: &mut Vec<PathBuf>, warnings: &mut Vec<String>) {
    let entries = match fs::read_dir(root.join(dir)) {
        Ok(entries) => entries,
        Err(error) => {
            warnings.push(format!("cannot read {}: {error}", dir.display()));
            return;
        }
    };
    for entry in entries.flatten() {
        let path = dir.join(entry.file_name());
        // `file_type` does not follow symbolic links: a link to a parent directory would recurse forever.
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_dir {
            collect(root, &path, files, warnings);
        } else if path.extension().is_some_and(|extension| extension == "rb") {
            files.push(path);
        }
    }
}

/// Follows blocks, so that every trait is assigned to its factory.
#[derive(Default)]
struct FactoryReader {
    found: Vec<(String, Vec<String>)>,
    traits: Vec<TraitDefinition>,
    has_fabricators: bool,
    /// Indexes of the enclosing factories.
    open: Vec<usize>,
    depth: usize,
}

impl FactoryReader {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        if is_modify(call) {
            return;
        }
        if call.receiver().is_some() {
            return visit_children(self, &call.as_node());
        }
        let first = argument(call).as_ref().and_then(literal_text);
        match (name, first) {
            ("factory" | "Fabricator", Some(factory)) => {
                self.has_fabricators |= name == "Fabricator";
                let name = factory;
                self.found.push((name, Vec::new()));
                self.open.push(self.found.len() - 1);
                self.block(call);
                self.open.pop();
            }
            ("trait", Some(name)) => {
                self.traits.push(TraitDefinition::of(&name, call));
                if let Some(factory) = self.open.last() {
                    self.found[*factory].1.push(name);
                }
            }
            (
                "transient" | "before" | "after" | "callback" | "sequence" | "initialize_with"
                | "to_create",
                _,
            ) => {}
            _ if self.is_attribute(call) => {}
            _ => visit_children(self, &call.as_node()),
        }
    }

    /// `name { 'Ann' }`: an attribute, whose block defines neither factories nor traits.
    fn is_attribute(&self, call: &CallNode<'_>) -> bool {
        !self.open.is_empty() && call.arguments().is_none()
    }

    fn block(&mut self, call: &CallNode<'_>) {
        if let Some(block) = call.block() {
            self.visit(&block);
        }
    }
}

/// `FactoryBot.modify` changes factories that are defined elsewhere.
fn is_modify(call: &CallNode<'_>) -> bool {
    let receiver = call.receiver();
    called(call) == "modify"
        && matches!(
            receiver.as_ref().and_then(constant),
            Some("FactoryBot" | "FactoryGirl")
        )
}

impl<'pr> Visit<'pr> for FactoryReader {
    fn visit(&mut self, node: &Node<'pr>) {
        if self.depth > 2_000 {
            return;
        }
        self.depth += 1;
        match node.as_call_node() {
            Some(call) => self.call(&call),
            None => visit_children(self, node),
        }
        self.depth -= 1;
    }
}
