//! [`Files`]: the files of a project as the editor shows them, and which of them belong together through `include`.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use casebook_source::SourceFile;
use casebook_suite::discover;

use super::document::Document;
use super::symbols::{FileSymbols, Symbol};

/// A larger file is not read.
const MAX_BYTES: u64 = 16 << 20;
/// The maximum number of files that a suite includes.
const MAX_FILES: usize = 256;

/// A file and its names.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) file: SourceFile,
    pub(super) symbols: FileSymbols,
}

impl Parsed {
    /// `None`: it cannot be read as YAML.
    pub(super) fn of(path: &Path, text: &str) -> Option<Parsed> {
        let file = SourceFile::new(path.to_string_lossy(), text);
        let symbols = FileSymbols::of(&file)?;
        Some(Parsed { file, symbols })
    }
}

/// A file of a project.
#[derive(Debug, Clone)]
pub(super) struct ProjectFile {
    pub(super) path: PathBuf,
    pub(super) parsed: Rc<Parsed>,
}

/// The open documents, by their URIs, and the files on disk.
pub(super) struct Files<'s> {
    pub(super) documents: &'s HashMap<String, Document>,
    pub(super) dir: &'s Path,
}

impl Files<'_> {
    fn read(&self, path: &Path) -> Option<ProjectFile> {
        let mut documents = self.documents.values();
        let parsed = if let Some(document) = documents.find(|document| document.path == path) {
            document.parsed()?
        } else {
            let metadata = fs::metadata(path).ok()?;
            let is_readable = metadata.is_file() && metadata.len() <= MAX_BYTES;
            let text = is_readable.then(|| fs::read_to_string(path).ok())??;
            Rc::new(Parsed::of(path, &text)?)
        };
        let path = path.to_owned();
        Some(ProjectFile { path, parsed })
    }

    /// A file, then those that it includes, also through others.
    pub(super) fn with_includes(&self, path: &Path) -> Vec<ProjectFile> {
        let mut found: Vec<ProjectFile> = self.read(path).into_iter().collect();
        let mut next = 0;
        while next < found.len() {
            let dir = found[next]
                .path
                .parent()
                .unwrap_or(Path::new("/"))
                .to_owned();
            let parsed = Rc::clone(&found[next].parsed);
            for named in &parsed.symbols.includes {
                let path = normalized(&dir.join(named));
                let is_new = found.iter().all(|file| file.path != path);
                if is_new && found.len() < MAX_FILES {
                    found.extend(self.read(&path));
                }
            }
            next += 1;
        }
        found
    }

    /// The suites of the project that include files, each with these files.
    pub(super) fn groups(&self) -> Vec<Vec<ProjectFile>> {
        let suites = discover(&[], self.dir).files;
        let groups = suites.iter().map(|suite| {
            let path = normalized(&self.dir.join(&suite.path));
            self.with_includes(&path)
        });
        groups.filter(|group| group.len() > 1).collect()
    }

    /// The suites that include a file, also if it cannot be read as YAML.
    pub(super) fn including(&self, path: &Path) -> impl Iterator<Item = &Document> {
        let suites = self.documents.values().filter(|one| one.is_suite());
        suites.filter(move |suite| suite.path != path && self.reaches(&suite.path, path))
    }

    /// Whether a suite includes a file, also through others.
    pub(super) fn reaches(&self, suite: &Path, path: &Path) -> bool {
        let names = |file: &ProjectFile| {
            let dir = file.path.parent().unwrap_or(Path::new("/"));
            let mut named = file.parsed.symbols.includes.iter();
            named.any(|named| normalized(&dir.join(named)) == path)
        };
        self.with_includes(suite).iter().any(names)
    }

    /// A suite on disk that includes a file, as a document.
    pub(super) fn find_including(&self, path: &Path) -> Option<Document> {
        let suites = discover(&[], self.dir).files.into_iter();
        let mut suites = suites.map(|suite| normalized(&self.dir.join(&suite.path)));
        let suite = suites.find(|suite| suite != path && self.reaches(suite, path))?;
        let text = fs::read_to_string(&suite).ok()?;
        Some(Document::in_background(suite, text))
    }

    /// The text that the editor shows of a file.
    pub(super) fn unsaved(&self, path: &Path) -> Option<String> {
        let path = normalized(path);
        let mut open = self.documents.values().filter(|one| one.is_open);
        open.find(|one| one.path == path)
            .map(|one| one.text.clone())
    }

    /// A file, those that it includes, and those of the suites that include it.
    pub(super) fn related(&self, path: &Path) -> Vec<ProjectFile> {
        let mut related = self.with_includes(path);
        let groups = self.including(path).map(|suite| &suite.path);
        for file in groups.flat_map(|suite| self.with_includes(suite)) {
            if related.iter().all(|known| known.path != file.path) {
                related.push(file);
            }
        }
        related
    }

    /// All files in which a symbol of a file means the same: those that it includes, and those that include one of them in which the
    /// name occurs.
    pub(super) fn sharing(&self, path: &Path, symbol: &Symbol) -> Vec<ProjectFile> {
        let mut all = self.with_includes(path);
        let mut groups = self.groups();
        loop {
            let has_common = |group: &Vec<ProjectFile>| {
                let mut shared = group.iter().skip(1);
                shared.any(|file| {
                    let is_known = all.iter().any(|known| known.path == file.path);
                    is_known && !file.parsed.symbols.places(symbol).is_empty()
                })
            };
            let Some(index) = groups.iter().position(has_common) else {
                return all;
            };
            for file in groups.swap_remove(index) {
                if all.iter().all(|known| known.path != file.path) {
                    all.push(file);
                }
            }
        }
    }

    /// The URI of a file: the one that the editor uses if it is open.
    pub(super) fn uri(&self, path: &Path) -> String {
        let mut documents = self.documents.iter();
        let open = documents.find(|(_, document)| document.path == path);
        open.map_or_else(|| uri_of(path), |(uri, _)| uri.clone())
    }
}

/// The path without `.` and `..`.
pub(super) fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = normalized.pop(),
            component => normalized.push(component),
        }
    }
    normalized
}

/// The `file:` URI of a path.
pub(super) fn uri_of(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut uri = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(
            uri_of(Path::new("/a b/ü.yaml")),
            "file:///a%20b/%C3%BC.yaml"
        );
        assert_eq!(
            normalized(Path::new("/a/./b/../c.yaml")),
            Path::new("/a/c.yaml")
        );
    }
}
