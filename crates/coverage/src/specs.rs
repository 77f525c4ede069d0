//! Adds the examples of specs by the names of their groups and by their markers.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::on_deep_stack;
use casebook_design::outline::{Example, Group, Node, outline};
use casebook_design::spec::leftovers;
use casebook_record::{canonical_path, io_reason};
use casebook_report::coverage::CoverageSource;

use crate::covering_tests::{CoveringTest, CoveringTests, shown};
use crate::markers;
use crate::methods::Methods;

/// Placeholders of a skeleton in examples that are not written yet.
const PLACEHOLDERS: [&str; 3] = [
    "{EXPECTATION}",
    "{BEHAVIOR_DESCRIPTION}",
    "{TERMINAL_BEHAVIOR_DESCRIPTION}",
];

/// Adds the examples of all specs of the designs.
pub(crate) fn add(tests: &mut CoveringTests, methods: &Methods<'_>, cwd: &Path) {
    let mut files: Vec<&PathBuf> = methods
        .designs
        .iter()
        .flat_map(|design| &design.specs)
        .collect();
    files.sort();
    files.dedup();
    for file in files {
        let name = shown(file, cwd);
        if let Err(warning) = add_file(file, &name, tests, methods) {
            tests.warn(warning);
        }
    }
}

/// Adds the examples of a spec; an error is a warning for the user.
fn add_file(
    file: &Path,
    name: &str,
    tests: &mut CoveringTests,
    methods: &Methods<'_>,
) -> Result<(), String> {
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| format!("cannot read {name}: {}", io_reason(&error)))?;
    let found = on_deep_stack(|| outline(text.as_bytes(), name));
    let found = found.map_err(|error| match placeholder(&text) {
        Some((line, token)) => format!(
            "skipped {name}: line {line} still contains {token}; run `casebook design architect` and `implement`, or replace it"
        ),
        None => format!("skipped {name}: not valid Ruby: {error}"),
    })?;
    let mut spec = Spec {
        file,
        name,
        text: &text,
        methods,
        names: Vec::new(),
        tests,
    };
    for group in &found.groups {
        spec.group(group);
    }
    Ok(())
}

/// The first placeholder of a skeleton, and its line. Comments of a skeleton are valid Ruby.
fn placeholder(spec: &str) -> Option<(usize, String)> {
    let mut left = leftovers(spec).into_iter();
    left.find(|(_, text)| text.starts_with('{'))
}

/// Reads one spec.
struct Spec<'s> {
    file: &'s Path,
    name: &'s str,
    text: &'s str,
    methods: &'s Methods<'s>,
    /// The names of the groups around the current one.
    names: Vec<String>,
    tests: &'s mut CoveringTests,
}

impl Spec<'_> {
    fn group(&mut self, group: &Group) {
        self.names.push(group.description.clone());
        for child in &group.children {
            match child {
                Node::Group(group) => self.group(group),
                Node::Example(example) => self.example(example),
            }
        }
        // A group with only `include_…` calls includes shared examples.
        if group.children.is_empty() {
            for shared in &group.includes {
                self.shared(group, shared);
            }
        }
        self.names.pop();
    }

    fn example(&mut self, example: &Example) {
        let source = &self.text[example.span.0..example.span.1];
        let path = self.path(&example.description);
        let key = (self.file.to_owned(), path.clone());
        // A record may contain it: an example without a body passes.
        if PLACEHOLDERS.iter().any(|token| source.contains(token)) {
            return self.tests.ignore(key);
        }
        let name = match example.description.as_str() {
            "unknown" => self.names.last().cloned().unwrap_or_default(),
            name => name.to_owned(),
        };
        let covering = self.covering(name, example.line, &path, source);
        self.tests.add(key, covering);
    }

    fn shared(&mut self, group: &Group, shared: &str) {
        let name = format!("behaves like {shared}");
        let path = self.path(&name);
        let source = &self.text[group.span.0..group.span.1];
        let covering = self.covering(name, group.line, &path, source);
        self.tests
            .add_shared((self.file.to_owned(), path), covering);
    }

    /// The states named by the groups around a test, and by the markers in its source.
    fn covering(&self, name: String, line: usize, path: &str, source: &str) -> CoveringTest {
        let place = format!("{}:{line}", self.name);
        let mut covering = CoveringTest::new(name, place, CoverageSource::Context);
        for (index, states) in self.methods.covered_by(path, self.file) {
            covering.cover(index, states);
            let marked = markers::states(&self.methods.designs[index].plan, source);
            if !marked.is_empty() {
                covering.known_by = CoverageSource::Marker;
                covering.cover(index, marked);
            }
        }
        covering
    }

    /// The canonical path of an example, as in a record.
    fn path(&self, description: &str) -> String {
        let last = if description == "unknown" {
            ""
        } else {
            description
        };
        canonical_path(self.names.iter().map(String::as_str).chain([last]), None)
    }
}
