//! The FactoryBot inventory: rules F1 to F3. It lists, and judges nothing.

use std::fs;
use std::path::{Path, PathBuf};

use ruby_prism::{CallNode, Node, Visit};
use serde_json::{Map, Value, json};

use crate::ruby::RubyError;
use crate::ruby::syntax::{argument, called, constant, literal_text, visit_children};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Factories {
    /// Name → `{file, traits}`, in order of first appearance.
    pub found: Map<String, Value>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

/// A file that is not valid Ruby.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {source}", file.display())]
pub struct BrokenFactory {
    /// Which one.
    pub file: PathBuf,
    /// What is wrong.
    pub source: RubyError,
}

/// The factories below `folder`, or in the usual places of the project at `root`. Paths are as they were scanned.
pub fn factories(root: &Path, folder: Option<&Path>) -> Result<Factories, BrokenFactory> {
    let mut scan = Factories::default();
    let files = match folder {
        Some(folder) => scan.files_of(root, folder),
        None => scan.usual_files(root),
    };
    for file in &files {
        scan.read(root, file)?;
    }
    if !files.is_empty() {
        scan.missing_things();
    }
    Ok(scan)
}

impl Factories {
    fn usual_files(&mut self, root: &Path) -> Vec<PathBuf> {
        for home in ["spec", "test"] {
            let folder = Path::new(home).join("factories");
            let single = Path::new(home).join("factories.rb");
            let mut files = Vec::new();
            if root.join(&single).is_file() {
                files.push(single);
            }
            if root.join(&folder).is_dir() {
                files.extend(self.files_of(root, &folder));
            }
            if !files.is_empty() {
                return files;
            }
        }
        if self.warnings.is_empty() {
            self.warnings
                .push("there is no folder spec/factories or test/factories".to_owned());
        }
        Vec::new()
    }

    fn files_of(&mut self, root: &Path, folder: &Path) -> Vec<PathBuf> {
        if !root.join(folder).is_dir() {
            self.warnings
                .push(format!("there is no folder {}", folder.display()));
            return Vec::new();
        }
        let mut files = Vec::new();
        collect(root, folder, &mut files, &mut self.warnings);
        // As texts: `users.rb` comes before `users/admin.rb`.
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        if files.is_empty() {
            self.warnings
                .push(format!("there are no Ruby files in {}", folder.display()));
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

    fn missing_things(&mut self) {
        let has_trait = self.found.values().any(|factory| {
            factory["traits"]
                .as_array()
                .is_some_and(|traits| !traits.is_empty())
        });
        if self.found.is_empty() {
            self.warnings
                .push("there is no factory in these files".to_owned());
        } else if !has_trait {
            self.warnings.push("no factory has a trait".to_owned());
        }
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>, warnings: &mut Vec<String>) {
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) => {
            warnings.push(format!("cannot read {}: {error}", folder.display()));
            return;
        }
    };
    for entry in entries.flatten() {
        let path = folder.join(entry.file_name());
        // A link to a folder above would never end.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            collect(root, &path, files, warnings);
        } else if path.extension().is_some_and(|extension| extension == "rb") {
            files.push(path);
        }
    }
}

/// Follows blocks, so that every trait finds its factory.
#[derive(Default)]
struct FactoryReader {
    found: Vec<(String, Vec<String>)>,
    /// Indexes of the factories around.
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
            ("factory", Some(name)) => {
                self.found.push((name, Vec::new()));
                self.open.push(self.found.len() - 1);
                self.block(call);
                self.open.pop();
            }
            ("trait", Some(name)) => {
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

    /// `name { 'Ann' }`: what the block does is no definition.
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
