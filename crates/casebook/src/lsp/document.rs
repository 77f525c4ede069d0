//! [`Document`]: an open file, or a suite that includes one.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use casebook_source::SourceFile;
use casebook_suite::Checked;
use serde_json::Value;

use super::files::{Files, Parsed};
use crate::commands::shared::suites;
use crate::context::Context;
use crate::percent::decoded;

pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) version: Value,
    pub(super) text: String,
    /// Whether the editor shows it. Otherwise it is a suite on disk that includes a file that the editor shows.
    pub(super) is_open: bool,
    /// The result for the last text that was checked.
    pub(super) checked: Option<Checked>,
    /// The names in the text; `None` inside if it is not valid YAML.
    parsed: OnceCell<Option<Rc<Parsed>>>,
}

impl Document {
    pub(super) fn new(uri: &str, version: Value, text: String) -> Document {
        Document {
            path: path_of(uri),
            version,
            text,
            is_open: true,
            checked: None,
            parsed: OnceCell::new(),
        }
    }

    /// A suite on disk.
    pub(super) fn in_background(path: PathBuf, text: String) -> Document {
        Document {
            path,
            version: Value::Null,
            text,
            is_open: false,
            checked: None,
            parsed: OnceCell::new(),
        }
    }

    /// Whether the file can be a suite; editors send all YAML files.
    pub(super) fn is_suite(&self) -> bool {
        casebook_suite::is_suite(&self.path)
    }

    /// The text as a file.
    pub(super) fn file(&self) -> SourceFile {
        SourceFile::new(self.path.to_string_lossy(), self.text.as_str())
    }

    pub(super) fn change(&mut self, version: Value, text: String) {
        self.version = version;
        self.text = text;
        self.parsed.take();
    }

    /// The names in the text; `None` if it is not valid YAML.
    pub(super) fn parsed(&self) -> Option<Rc<Parsed>> {
        let parse = || Parsed::of(&self.path, &self.text).map(Rc::new);
        self.parsed.get_or_init(parse).clone()
    }

    /// The stable ids of the tests by the lines where they begin. A suite with errors has none.
    pub(super) fn test_ids(&self) -> HashMap<usize, Vec<String>> {
        let mut ids: HashMap<usize, Vec<String>> = HashMap::new();
        let checked = self.checked.iter();
        for suite in checked.filter_map(|checked| checked.suite.as_ref()) {
            for (test, id) in casebook_run::stable_ids(suite) {
                let line = suite.file.position(test.span.start).line;
                ids.entry(line).or_default().push(id);
            }
        }
        ids
    }

    /// Checks the text, with the unsaved texts of the files that it names.
    pub(super) fn check(&self, files: &Files<'_>, context: &Context) -> Checked {
        let path = self.path.strip_prefix(&context.dir).unwrap_or(&self.path);
        let unsaved = |path: &Path| files.unsaved(path);
        suites::check_text(path, self.text.clone(), &unsaved, context)
    }
}

/// The path of a `file:` URI.
pub(super) fn path_of(uri: &str) -> PathBuf {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    decoded(path).into()
}
