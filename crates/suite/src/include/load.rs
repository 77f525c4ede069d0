//! Reads included files, and checks that they can be included.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use casebook_source::yaml::{self, Entry, Node};
use casebook_source::{Diagnostic, SourceFile, Span};

use super::{LIST, MAPPINGS, can_be_included};
use crate::check::CheckContext;
use crate::codes::{BAD_INCLUDE, CYCLE, TOO_LARGE, UNKNOWN_FIELD, WRONG_VALUE};
use crate::fields::{Field, SUITE};
use crate::reader::unknown_field_help;

/// The maximum number of files that a suite includes.
const MAX_FILES: usize = 256;

/// The included files of a suite.
#[derive(Default)]
pub(crate) struct Includes {
    /// In the order of their offsets: each file before those that it includes.
    pub(super) files: Vec<IncludedFile>,
    /// The files that the suite itself includes.
    pub(super) of_suite: Vec<Inclusion>,
    pub(crate) problems: Vec<Diagnostic>,
}

impl Includes {
    /// Their texts, by their paths relative to the suite's directory.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (String, String)> {
        let files = self.files.iter();
        files.map(|file| (file.path.clone(), file.source.text().to_owned()))
    }

    pub(super) fn sources(&self) -> Vec<Arc<SourceFile>> {
        let files = self.files.iter();
        files.map(|file| Arc::clone(&file.source)).collect()
    }
}

/// One included file.
pub(super) struct IncludedFile {
    /// Its path relative to the suite's directory.
    path: String,
    /// The same for all paths of the file.
    identity: PathBuf,
    source: Arc<SourceFile>,
    pub(super) includes: Vec<Inclusion>,
}

/// An entry of `include`.
#[derive(Clone, Copy)]
pub(super) struct Inclusion {
    /// The index of the file.
    pub(super) file: usize,
    pub(super) span: Span,
}

pub(super) struct Loader<'a> {
    context: &'a CheckContext<'a>,
    /// The suite's directory, as shown to the user.
    dir: &'a Path,
    /// The files being read, each included by the one before it: identity and name.
    path: Vec<(PathBuf, String)>,
    /// The first offset of the next file.
    end: usize,
    found: Includes,
}

impl<'a> Loader<'a> {
    pub(super) fn new(suite: &'a SourceFile, context: &'a CheckContext<'a>) -> Loader<'a> {
        let path = Path::new(suite.name());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Loader {
            context,
            dir: path.parent().unwrap_or(Path::new("")),
            path: vec![(context.read.identity(&name), suite.name().to_owned())],
            end: suite.end(),
            found: Includes::default(),
        }
    }

    pub(super) fn load(mut self, root: &Node) -> Includes {
        self.found.of_suite = self.inclusions(root, Path::new(""));
        self.found
    }

    /// Reads the files that a file in `dir` includes.
    fn inclusions(&mut self, root: &Node, dir: &Path) -> Vec<Inclusion> {
        let Some(node) = root.get("include") else {
            return Vec::new();
        };
        let Some(nodes) = node.as_list() else {
            let message = format!("`include` must be a list of paths, not {}", node.describe());
            let help = format!("write `include: [{}]`", node.as_text().unwrap_or("PATH"));
            self.report(Diagnostic::error(WRONG_VALUE, node.span, message).help(help));
            return Vec::new();
        };
        let inclusions = nodes.iter().filter_map(|node| {
            let named = self.path_of(node)?;
            let path = without_dots(&dir.join(named)).display().to_string();
            let file = self.file(&path, node.span)?;
            Some(Inclusion {
                file,
                span: node.span,
            })
        });
        inclusions.collect()
    }

    fn path_of<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        let message = match node.as_text() {
            None => format!(
                "`include` must be a list of paths, not of {}",
                node.describe()
            ),
            Some(text) if text.trim().is_empty() => "a path must not be empty".to_owned(),
            Some(text) if text.contains("{{") => {
                "a path in `include` cannot contain variables: they may be defined in the included file"
                    .to_owned()
            }
            Some(text) => return Some(text),
        };
        let help = "write the path of a file, relative to the directory of this one";
        self.report(Diagnostic::error(WRONG_VALUE, node.span, message).help(help));
        None
    }

    /// The index of a file, which is read if it is new.
    fn file(&mut self, path: &str, span: Span) -> Option<usize> {
        let identity = self.context.read.identity(path);
        if let Some(start) = self.path.iter().position(|(known, _)| *known == identity) {
            let names: Vec<_> = self.path[start..].iter().map(|(_, name)| &**name).collect();
            let message = format!("cyclic include: {} -> {}", names.join(" -> "), names[0]);
            let help = "remove one of the includes of the cycle";
            self.report(Diagnostic::error(CYCLE, span, message).help(help));
            return None;
        }
        let mut known = self.found.files.iter();
        if let Some(index) = known.position(|file| file.identity == identity) {
            return Some(index);
        }
        if self.found.files.len() == MAX_FILES {
            let message = format!("the suite includes more than {MAX_FILES} files");
            self.report(Diagnostic::error(TOO_LARGE, span, message));
            return None;
        }
        match self.context.read.read(path) {
            Ok(text) => Some(self.add(path, identity, text)),
            Err(why) => {
                let message = format!(
                    "cannot read the included file `{}`: {why}",
                    if path.is_empty() { "." } else { path }
                );
                let help = "the path is relative to the directory of the file that includes it";
                self.report(Diagnostic::error(BAD_INCLUDE, span, message).help(help));
                None
            }
        }
    }

    fn add(&mut self, path: &str, identity: PathBuf, text: String) -> usize {
        let name = self.dir.join(path).display().to_string();
        let source = Arc::new(SourceFile::new(name.clone(), text));
        let (index, start) = (self.found.files.len(), self.end);
        self.end += source.end();
        self.found.files.push(IncludedFile {
            path: path.to_owned(),
            identity: identity.clone(),
            source: Arc::clone(&source),
            includes: Vec::new(),
        });
        self.path.push((identity, name));
        let dir = Path::new(path).parent().unwrap_or(Path::new(""));
        if let Some(root) = self.root(&source, start) {
            self.found.files[index].includes = self.inclusions(&root, dir);
        }
        self.path.pop();
        index
    }

    /// The root of a file, if it is a mapping of fields that can be shared.
    fn root<'s>(&mut self, source: &'s SourceFile, start: usize) -> Option<Node<'s>> {
        let parsed = yaml::parse(source);
        let is_valid = parsed.diagnostics.is_empty();
        for mut problem in parsed.diagnostics {
            let moved = |span: Span| Span::new(span.start + start, span.end + start);
            problem.span = moved(problem.span);
            for label in &mut problem.labels {
                label.span = moved(label.span);
            }
            self.report(problem);
        }
        let mut documents = parsed.documents.into_iter();
        let mut root = documents.next();
        if let Some(root) = &mut root {
            root.shift(start);
        }
        let message = match &root {
            None if !is_valid => return None,
            None => "the included file is empty".to_owned(),
            Some(root) if root.as_map().is_none() => format!(
                "an included file must be a mapping of definitions, not {}",
                root.describe()
            ),
            Some(_) if documents.next().is_some() => {
                "an included file must be one YAML document".to_owned()
            }
            Some(root) => {
                self.check_fields(root);
                return Some(root.clone());
            }
        };
        let span = root.map_or(Span::new(start, start), |root| root.span);
        let help = format!("write definitions, for example `{}:`", MAPPINGS[0]);
        self.report(Diagnostic::error(BAD_INCLUDE, span, message).help(help));
        None
    }

    fn check_fields(&mut self, root: &Node) {
        for entry in root.as_map().unwrap_or_default() {
            let key = &*entry.key;
            let is_mapping = MAPPINGS.contains(&key);
            if is_mapping && entry.value.as_map().is_none() {
                self.wrong_type(entry, "a mapping");
            } else if key == LIST && entry.value.as_list().is_none() {
                self.wrong_type(entry, "a list");
            } else if !can_be_included(key) && !key.starts_with("x-") {
                self.report(not_shared(entry));
            }
        }
    }

    fn wrong_type(&mut self, entry: &Entry, expected: &str) {
        let value = &entry.value;
        let message = format!(
            "`{}` must be {expected}, not {}",
            entry.key,
            value.describe()
        );
        self.report(Diagnostic::error(WRONG_VALUE, value.span, message));
    }

    fn report(&mut self, problem: Diagnostic) {
        self.found.problems.push(problem);
    }
}

/// The problem of a field that an included file cannot have.
fn not_shared(entry: &Entry) -> Diagnostic {
    let key = &entry.key;
    if SUITE.iter().any(|field| field.name == key) {
        let message = format!("`{key}` cannot be in an included file");
        return Diagnostic::error(BAD_INCLUDE, entry.key_span, message).help(format!(
            "move it to the suite: only {}, {LIST} and include are shared",
            MAPPINGS.join(", ")
        ));
    }
    let shared = SUITE.iter().filter(|field| can_be_included(field.name));
    let known: Vec<Field> = shared.copied().collect();
    let message = format!("an included file has no field `{key}`");
    let (help, _) = unknown_field_help(key, &known);
    Diagnostic::error(UNKNOWN_FIELD, entry.key_span, message).help(help)
}

/// The path without `.` components.
fn without_dots(path: &Path) -> PathBuf {
    let components = path.components();
    components
        .filter(|component| *component != Component::CurDir)
        .collect()
}
