//! Reads one `testcase`.

use std::io::BufRead;

use serde_json::{Map, Value};

use super::super::example::Failure;
use super::super::truncated::TruncatedText;
use super::values::{seconds, timestamp};
use super::xml::{Element, Token, Xml};
use super::{JunitError, failure};
use crate::time::Time;

/// A test with all its attempts in the file.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) class: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    pub(super) run: CaseAttempt,
    pub(super) skipped: Option<Skipped>,
    /// Failed attempts before one that passed.
    pub(super) flaky: Vec<CaseAttempt>,
    /// Attempts after one that failed.
    pub(super) reruns: Vec<CaseAttempt>,
    pub(super) properties: Map<String, Value>,
}

/// One attempt: the case itself or a rerun of it.
#[derive(Default)]
pub(super) struct CaseAttempt {
    pub(super) started: Option<Time>,
    /// Seconds.
    pub(super) time: f64,
    pub(super) failures: Vec<Failure>,
    pub(super) stdout: TruncatedText,
    pub(super) stderr: TruncatedText,
}

pub(super) struct Skipped {
    pub(super) reason: Option<String>,
    /// Marked as to do: its failures are expected.
    pub(super) todo: bool,
}

impl Case {
    /// How many failures it contains, counted as suites do: over all attempts.
    pub(super) fn failures_shown(&self) -> u64 {
        let reruns = self.flaky.iter().chain(&self.reruns);
        let runs = [&self.run].into_iter().chain(reruns);
        runs.map(|run| run.failures.len() as u64).sum()
    }

    /// Reads the case whose start tag was just read.
    pub(super) fn read<R: BufRead>(
        xml: &mut Xml<R>,
        element: &Element,
    ) -> Result<Case, JunitError> {
        let owned = |name| element.get(name).map(str::to_owned);
        let mut case = Case {
            name: owned("name").unwrap_or_else(|| "(anonymous)".into()),
            class: owned("classname").unwrap_or_default(),
            file: owned("file"),
            line: element.get("line").and_then(|line| line.parse().ok()),
            run: CaseAttempt::of(element),
            skipped: None,
            flaky: Vec::new(),
            reruns: Vec::new(),
            properties: Map::new(),
        };
        loop {
            match xml.next()? {
                Token::Open(child) => case.take(xml, &child)?,
                Token::Text(_) => {}
                Token::Close | Token::End => break,
            }
        }
        case.take_status(element);
        Ok(case)
    }

    /// Reads the status attribute: the only sign of a failed or disabled test in some files of `GoogleTest` and
    /// `CTest`.
    fn take_status(&mut self, element: &Element) {
        if self.skipped.is_some() || !self.run.failures.is_empty() || !self.reruns.is_empty() {
            return;
        }
        let says = |words: &[&str]| {
            let values = ["status", "result"].map(|name| element.get(name).unwrap_or_default());
            values
                .iter()
                .any(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
        };
        if says(&["fail", "failed", "failure", "error"]) {
            self.run.failures.push(failure::read(element, "", ""));
        } else if says(&["notrun", "suppressed", "disabled", "skipped", "ignored"]) {
            self.skipped = Some(Skipped {
                reason: None,
                todo: false,
            });
        }
    }

    fn take<R: BufRead>(&mut self, xml: &mut Xml<R>, child: &Element) -> Result<(), JunitError> {
        match child.name.as_str() {
            "failure" | "error" => {
                let text = text_of(xml)?;
                let failure = failure::read(child, &text, &self.class);
                self.run.failures.push(failure);
            }
            "skipped" => self.skipped = Some(skipped(child, &text_of(xml)?)),
            "flakyFailure" | "flakyError" => self.flaky.push(rerun(xml, child, &self.class)?),
            "rerunFailure" | "rerunError" => self.reruns.push(rerun(xml, child, &self.class)?),
            "properties" => properties(xml, &mut self.properties)?,
            _ => self.run.take_output(xml, child)?,
        }
        Ok(())
    }
}

impl CaseAttempt {
    fn of(element: &Element) -> CaseAttempt {
        CaseAttempt {
            started: timestamp(element),
            time: seconds(element).unwrap_or(0.0),
            ..CaseAttempt::default()
        }
    }

    fn take_output<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        child: &Element,
    ) -> Result<(), JunitError> {
        match child.name.as_str() {
            "system-out" => xml.text(&mut |text| self.stdout.push(text)),
            "system-err" => xml.text(&mut |text| self.stderr.push(text)),
            _ => xml.skip(),
        }
    }
}

/// Surefire writes the stack of a rerun to a nested element, nextest directly into the rerun.
fn rerun<R: BufRead>(
    xml: &mut Xml<R>,
    element: &Element,
    class: &str,
) -> Result<CaseAttempt, JunitError> {
    let mut run = CaseAttempt::of(element);
    let mut text = String::new();
    loop {
        match xml.next()? {
            Token::Open(child) if child.name == "stackTrace" => {
                xml.text(&mut |part| text.push_str(part))?;
            }
            Token::Open(child) => run.take_output(xml, &child)?,
            Token::Text(part) => text.push_str(&part),
            Token::Close | Token::End => break,
        }
    }
    run.failures.push(failure::read(element, &text, class));
    Ok(run)
}

fn skipped(element: &Element, text: &str) -> Skipped {
    let reason = element.get("message").unwrap_or(text.trim());
    // node writes `true` for a test that is skipped or marked as to do without a reason.
    let has_reason = !matches!(reason, "" | "true");
    Skipped {
        reason: has_reason.then(|| reason.to_owned()),
        todo: element.get("type") == Some("todo"),
    }
}

/// Reads `properties` whose start tag was just read.
pub(super) fn properties<R: BufRead>(
    xml: &mut Xml<R>,
    properties: &mut Map<String, Value>,
) -> Result<(), JunitError> {
    loop {
        match xml.next()? {
            Token::Open(property) => {
                let text = text_of(xml)?;
                if let Some(name) = property.get("name") {
                    let value = property.get("value").unwrap_or(text.trim());
                    properties.insert(name.into(), value.into());
                }
            }
            Token::Text(_) => {}
            Token::Close | Token::End => return Ok(()),
        }
    }
}

pub(super) fn text_of<R: BufRead>(xml: &mut Xml<R>) -> Result<String, JunitError> {
    let mut text = String::new();
    xml.text(&mut |part| text.push_str(part))?;
    Ok(text)
}
