//! `include`: definitions that several suites share.
//!
//! [`load`] reads the included files, and those that they include. [`import`] adds their definitions to the tree of the suite, so that
//! everything else decodes them like its own. The spans of an included file follow those of the suite: see [`SourceFile::locate`].

mod definitions;
mod load;

use std::sync::Arc;

use casebook_source::yaml::{self, Node};
use casebook_source::{Diagnostic, Label, SourceFile};

use definitions::Definitions;
pub(crate) use load::Includes;
use load::Loader;

use crate::check::CheckContext;

/// The fields that map names to definitions.
const MAPPINGS: [&str; 6] = [
    "variables",
    "fragments",
    "services",
    "env",
    "criteria",
    "topics",
];

/// The field that is a list; those of all files are joined.
const LIST: &str = "normalize";

/// Whether an included file can have a field.
pub fn can_be_included(field: &str) -> bool {
    MAPPINGS.contains(&field) || [LIST, "include"].contains(&field)
}

/// Reads the files that a suite includes.
pub(crate) fn load(file: &SourceFile, root: &Node, context: &CheckContext<'_>) -> Includes {
    let includes = Loader::new(file, context).load(root);
    file.set_included(includes.sources());
    includes
}

/// Adds the definitions of the included files to the root of the suite.
pub(crate) fn import<'f>(file: &'f SourceFile, root: &mut Node<'f>, includes: &mut Includes) {
    let roots: Vec<Node<'f>> = roots(file);
    let mut definitions = Definitions::new(file, &roots, &includes.files);
    let imported = definitions.imported(root, &includes.of_suite);
    let lists = definitions.lists(&includes.of_suite);
    includes.problems.append(&mut definitions.problems);
    for field in MAPPINGS {
        let of_field = imported.iter().filter(|one| one.field.key == field);
        definitions::add_entries(root, of_field);
    }
    definitions::add_elements(root, &lists);
}

/// The roots of the included files that are mappings. Others are already reported.
fn roots(file: &SourceFile) -> Vec<Node<'_>> {
    let mut start = file.end();
    let mut roots = Vec::new();
    for included in file.included() {
        let mut root = yaml::parse(included)
            .documents
            .into_iter()
            .next()
            .unwrap_or_else(|| definitions::empty(start));
        root.shift(start);
        roots.push(root);
        start += included.end();
    }
    roots
}

/// Names the file of a problem that is in an included one. Related locations in another file become part of the message, because
/// only the lines of one file are shown.
pub(crate) fn locate_problem(file: &SourceFile, mut problem: Diagnostic) -> Diagnostic {
    if problem.file.is_some() || file.included().is_empty() {
        return problem;
    }
    let (own, span) = file.locate(problem.span);
    let labels = std::mem::take(&mut problem.labels);
    for label in labels {
        let (of_label, span) = file.locate(label.span);
        if std::ptr::eq(of_label, own) {
            problem.labels.push(Label { span, ..label });
        } else {
            let line = of_label.position(span.start).line;
            let place = format!("; {} ({}:{line})", label.text, of_label.name());
            problem.message.push_str(&place);
        }
    }
    problem.span = span;
    let mut included = file.included().iter();
    problem.file = included
        .find(|one| std::ptr::eq(Arc::as_ptr(one), own))
        .cloned();
    if problem.file.is_some() {
        problem.part = problem.part.filter(|part| part.starts_with("fragment "));
    }
    problem
}
