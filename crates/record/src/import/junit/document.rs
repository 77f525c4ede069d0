//! Reads the suites of a file.

use std::io::BufRead;

use serde_json::{Map, Value};

use super::super::example::Failure;
use super::super::truncated::TruncatedText;
use super::case::{Case, properties, text_of};
use super::values::{count, timestamp};
use super::xml::{Element, Token, Xml};
use super::{JunitError, failure};
use crate::time::Time;

/// The content of a file: usually one root, but files are sometimes concatenated.
pub(super) struct Document {
    pub(super) roots: Vec<Suite>,
}

/// A `testsuite`, or the `testsuites` around them.
pub(super) struct Suite {
    /// Its line in the file.
    pub(super) line: u64,
    /// False for `testsuites`, which is the run.
    pub(super) is_group: bool,
    pub(super) name: Option<String>,
    pub(super) file: Option<String>,
    pub(super) started: Option<Time>,
    /// The number of failures and errors that it claims to contain.
    pub(super) failures_counted: u64,
    pub(super) children: Vec<Child>,
    /// Failures outside of any case.
    pub(super) failures: Vec<Failure>,
    pub(super) stdout: TruncatedText,
    pub(super) stderr: TruncatedText,
    pub(super) properties: Map<String, Value>,
}

pub(super) enum Child {
    Suite(Suite),
    Case(Case),
}

/// Reads a complete file.
pub(super) fn read<R: BufRead>(reader: R) -> Result<Document, JunitError> {
    let mut xml = Xml::new(reader);
    let mut roots = Vec::new();
    loop {
        match xml.next()? {
            Token::Open(root) if matches!(root.name.as_str(), "testsuites" | "testsuite") => {
                roots.push(Suite::read(&mut xml, &root)?);
            }
            Token::Open(root) => return Err(JunitError::NotJunit { root: root.name }),
            Token::End if roots.is_empty() => return Err(xml.error("no XML element found")),
            Token::End => return Ok(Document { roots }),
            Token::Text(_) | Token::Close => {}
        }
    }
}

impl Document {
    /// The name of the run in the file.
    pub(super) fn name(&self) -> Option<&str> {
        let run = self.roots.first().filter(|root| !root.is_group)?;
        run.name.as_deref()
    }
}

impl Suite {
    pub(super) fn case_count(&self) -> u64 {
        let count = |child: &Child| match child {
            Child::Suite(suite) => suite.case_count(),
            Child::Case(_) => 1,
        };
        self.children.iter().map(count).sum()
    }

    /// The first time in the document: that of the root or of an element in it.
    pub(super) fn first_time(&self) -> Option<Time> {
        self.started.or_else(|| {
            self.children.iter().find_map(|child| match child {
                Child::Suite(suite) => suite.first_time(),
                Child::Case(case) => case.run.started,
            })
        })
    }

    fn read<R: BufRead>(xml: &mut Xml<R>, element: &Element) -> Result<Suite, JunitError> {
        let mut suite = Suite::of(element);
        loop {
            match xml.next()? {
                Token::Open(child) => suite.take(xml, &child)?,
                Token::Text(_) => {}
                Token::Close | Token::End => return Ok(suite),
            }
        }
    }

    fn of(element: &Element) -> Suite {
        let owned = |name| element.get(name).map(str::to_owned);
        Suite {
            line: element.line,
            is_group: element.name == "testsuite",
            name: owned("name"),
            file: owned("file"),
            started: timestamp(element),
            failures_counted: count(element, "failures").saturating_add(count(element, "errors")),
            children: Vec::new(),
            failures: Vec::new(),
            stdout: TruncatedText::default(),
            stderr: TruncatedText::default(),
            properties: Map::new(),
        }
    }

    fn take<R: BufRead>(&mut self, xml: &mut Xml<R>, child: &Element) -> Result<(), JunitError> {
        match child.name.as_str() {
            "testsuite" | "testsuites" => {
                let suite = Suite::read(xml, child)?;
                self.children.push(Child::Suite(suite));
            }
            "testcase" => {
                let case = Case::read(xml, child)?;
                self.children.push(Child::Case(case));
            }
            "failure" | "error" => {
                let text = text_of(xml)?;
                self.failures.push(failure::read(child, &text, ""));
            }
            "properties" => properties(xml, &mut self.properties)?,
            "system-out" => xml.text(&mut |text| self.stdout.push(text))?,
            "system-err" => xml.text(&mut |text| self.stderr.push(text))?,
            _ => xml.skip()?,
        }
        Ok(())
    }
}
