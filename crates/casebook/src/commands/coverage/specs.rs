//! What the groups of a spec say that its examples cover.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::on_deep_stack;
use casebook_design::outline::{Example, Group, Node, outline};
use casebook_record::canonical_path;
use casebook_report::coverage::KnownBy;

use super::contexts::Methods;
use super::covering::{Covering, Tests, shown};
use super::markers;
use crate::context::Context;

/// What a skeleton has where a test is still to be written.
const PLACEHOLDERS: [&str; 3] = [
    "{EXPECTATION}",
    "{BEHAVIOR_DESCRIPTION}",
    "{TERMINAL_BEHAVIOR_DESCRIPTION}",
];

/// Adds the examples of the designs' specs.
pub(super) fn add(tests: &mut Tests, methods: &Methods<'_>, context: &Context) {
    let mut files: Vec<&PathBuf> = methods
        .designs
        .iter()
        .flat_map(|design| &design.specs)
        .collect();
    files.sort();
    files.dedup();
    for file in files {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                tests.warn(format!(
                    "cannot read {}: {error}",
                    shown(file, &context.folder)
                ));
                continue;
            }
        };
        let name = shown(file, &context.folder);
        let found = on_deep_stack(|| outline(text.as_bytes(), &name));
        let groups = match found {
            Ok(outline) => outline.groups,
            Err(error) => {
                tests.warn(format!("{name} is no Ruby yet, and is left out: {error}"));
                continue;
            }
        };
        let mut spec = Spec {
            file,
            name: &name,
            text: &text,
            methods,
            names: Vec::new(),
            tests,
        };
        for group in &groups {
            spec.group(group);
        }
    }
}

/// A spec that is being read.
struct Spec<'s> {
    file: &'s Path,
    name: &'s str,
    text: &'s str,
    methods: &'s Methods<'s>,
    /// The groups around.
    names: Vec<String>,
    tests: &'s mut Tests,
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
        // With nothing else in it, what a group includes is examples.
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
        // A record may have it all the same: an example without a body passes.
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

    /// What the names down to a test say, and the markers in its source.
    fn covering(&self, name: String, line: usize, path: &str, source: &str) -> Covering {
        let place = format!("{}:{line}", self.name);
        let mut covering = Covering::new(name, place, KnownBy::Context);
        for (place, states) in self.methods.of_path(path, self.file) {
            covering.cover(place, states);
            let marked = markers::states(&self.methods.designs[place].plan, source);
            if !marked.is_empty() {
                covering.known_by = KnownBy::Marker;
                covering.cover(place, marked);
            }
        }
        covering
    }

    /// The names down to an example as a record has them.
    fn path(&self, description: &str) -> String {
        let last = if description == "unknown" {
            ""
        } else {
            description
        };
        canonical_path(self.names.iter().map(String::as_str).chain([last]), None)
    }
}
