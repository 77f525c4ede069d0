//! The implementer: inputs and expectations where they are certain, a marked pending example elsewhere.

use super::behavior::{default, ended};
use super::block::{change_blocks, indent_of, indented, is_token, leftovers};
use super::certainty::outcome;
use super::expected::{ContextPath, ExpectedResult, expected};
use super::inputs::{Input, Inputs};
use super::matcher::matcher;
use crate::characteristic::Characteristic;
use crate::metadata::read::Plan;
use crate::ruby::{Analysis, BranchOutcome, ModelFacts};
use crate::skeleton::{Context, Distance, contexts, example_values, is_marker, placeholder_value};

/// What the implementer did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implemented {
    /// The spec.
    pub text: String,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// Examples with an expectation.
    pub certain: usize,
    /// Examples left to a person.
    pub pending: usize,
}

/// Fills the placeholders in the blocks of methods; each has its analysis.
pub fn implement(
    spec: &str,
    plans: &[Plan],
    analyses: &[Analysis],
    records: &[(String, ModelFacts)],
    distance: Distance,
) -> Implemented {
    let (mut warnings, mut certain, mut pending) = (Vec::new(), 0, 0);
    let (mut lines, told) = change_blocks(spec, plans, |index, block| {
        let inputs = Inputs {
            analysis: &analyses[index],
            plan: &plans[index],
            records,
            distance,
        };
        filled(block, &inputs)
    });
    for (warned, counts) in told {
        warnings.extend(warned);
        certain += counts.0;
        pending += counts.1;
    }
    lines.retain(|line| !is_marker(line) || !plans.iter().any(|plan| marks(line, plan)));
    Implemented {
        text: lines.join("\n") + "\n",
        warnings,
        certain,
        pending,
    }
}

/// Warnings, and how many examples have an expectation or are left to a person.
type FillReport = (Vec<String>, (usize, usize));

/// The block of a method without its placeholders. One that somebody finished is not ours to change.
fn filled(block: &[String], inputs: &Inputs<'_>) -> (Vec<String>, FillReport) {
    if leftovers(&block.join("\n")).is_empty() {
        return (block.to_vec(), FillReport::default());
    }
    let tree = contexts(inputs.plan);
    let mut writer = Writer::new(inputs, &tree);
    let mut done = Vec::with_capacity(block.len());
    for line in block {
        writer.line(line, &mut done);
    }
    let told = (writer.warnings, (writer.certain, writer.pending));
    (without_doubled_blanks(done), told)
}

struct Writer<'a> {
    inputs: &'a Inputs<'a>,
    setups: std::vec::IntoIter<ContextPath<'a>>,
    expectations: std::vec::IntoIter<ExpectedResult<'a>>,
    warnings: Vec<String>,
    certain: usize,
    pending: usize,
}

impl<'a> Writer<'a> {
    fn new(inputs: &'a Inputs<'a>, tree: &'a [Context]) -> Writer<'a> {
        let mut ways = Vec::new();
        for context in tree {
            collect(context, &mut Vec::new(), &mut ways);
        }
        let expectations = expected(inputs, tree);
        Writer {
            inputs,
            setups: ways.into_iter(),
            expectations: expectations.into_iter(),
            warnings: Vec::new(),
            certain: 0,
            pending: 0,
        }
    }

    fn line(&mut self, line: &str, done: &mut Vec<String>) {
        let indent = indent_of(line);
        let trimmed = line.trim();
        let new = if is_token(line, "{COMMON_SETUP}") {
            self.inputs.common()
        } else if is_token(line, "{SETUP_CODE}") {
            self.setup()
        } else if is_token(line, "{EXPECTATION}") {
            self.expectation(done.last_mut())
        } else if trimmed.ends_with("# TODO: Add parameters") {
            vec![self.inputs.subject()]
        } else if trimmed == "let(:service) { described_class.new }" {
            vec![self.inputs.service()]
        } else if trimmed.starts_with("# Logic:")
            || trimmed.contains("{THRESHOLD_VALUE}")
            || self.is_stand_in(trimmed)
        {
            Vec::new()
        } else {
            return done.push(line.to_owned());
        };
        done.extend(indented(indent, &new));
    }

    /// Whether a line is the value that later skeletons write for a state before anything is known about inputs.
    fn is_stand_in(&self, line: &str) -> bool {
        let next = self.setups.as_slice().first().and_then(|way| way.last());
        next.is_some_and(|context| {
            let entry = &self.inputs.plan.entries[context.entry];
            let value = example_values(entry, &context.state);
            value.is_some_and(|value| line == placeholder_value(entry, &value))
        })
    }

    fn setup(&mut self) -> Vec<String> {
        let Some(way) = self.setups.next() else {
            return Vec::new();
        };
        let Some((found, state)) = self.states(&way).pop() else {
            return Vec::new();
        };
        match self.inputs.of(found, state) {
            Some(input) => {
                self.warnings.extend(input.warning.clone());
                let value = self.together(&way, &input);
                vec![format!("let(:{}) {{ {value} }}", input.given)]
            }
            None => vec![format!("# Bring about `{}`: {state}.", found.name)],
        }
    }

    /// A record keeps what the contexts around it told its factory; traits come before attributes.
    fn together(&self, way: &ContextPath<'_>, input: &Input) -> String {
        let Some(told) = &input.told else {
            return input.value.clone();
        };
        let factory = told.factory.clone();
        let states = self.states(way);
        let passing = self.inputs.passing(&states, &input.given).into_iter();
        let mut told: Vec<String> = passing.map(|told| told.what).collect();
        for (found, state) in states {
            let given = self.inputs.of(found, state);
            let about = given.filter(|given| given.given == input.given);
            told.extend(about.and_then(|given| given.told).map(|told| told.what));
        }
        told.sort_by_key(|one| !one.starts_with(':'));
        told.dedup();
        format!("{}(:{}, {})", self.inputs.verb(), factory, told.join(", "))
    }

    /// The characteristics and states on a way; those the source no longer has are left out.
    fn states<'w>(&self, way: &'w ContextPath<'_>) -> Vec<(&'a Characteristic, &'w str)> {
        let characteristics = &self.inputs.analysis.characteristics;
        way.iter()
            .filter_map(|context| {
                let name = &self.inputs.plan.entries[context.entry].name;
                let found = characteristics.iter().find(|found| found.name == *name)?;
                Some((found, context.state.as_str()))
            })
            .collect()
    }

    fn expectation(&mut self, title: Option<&mut String>) -> Vec<String> {
        let Some(expected) = self.expectations.next() else {
            return self.left("the example was added by hand");
        };
        if expected.is_effect {
            return self.left("expect the effect");
        }
        let mut outcomes: Vec<_> = expected.ways.iter().map(|way| self.outcome(way)).collect();
        outcomes.dedup();
        let outcome = match outcomes.len() {
            1 => outcomes.remove(0),
            _ => Err("what comes of it differs from context to context".to_owned()),
        };
        let line = |outcome: BranchOutcome| Ok((matcher(self.inputs, &outcome)?, outcome));
        match outcome.and_then(line) {
            Ok((line, outcome)) => {
                self.certain += 1;
                if let Some(title) = title {
                    self.describe(title, &outcome);
                }
                vec![line]
            }
            Err(reason) => self.left(&reason),
        }
    }

    /// Says what happens where the architect had to leave it open.
    fn describe(&self, title: &mut String, outcome: &BranchOutcome) {
        let open = format!("it '{}' do", quoted(&default(self.inputs.analysis)));
        if title.trim() == open {
            let said = format!("it '{}' do", quoted(&ended(outcome)));
            *title = title.replace(&open, &said);
        }
    }

    fn outcome(&self, way: &ContextPath<'_>) -> Result<BranchOutcome, String> {
        let states = self.states(way);
        if states.len() < way.len() {
            return Err("the metadata is not about this source".to_owned());
        }
        outcome(self.inputs, &states)
    }

    fn left(&mut self, reason: &str) -> Vec<String> {
        self.pending += 1;
        vec![format!("skip 'To be completed: {}'", quoted(reason))]
    }
}

/// For single quotes in Ruby.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

/// Every context with the ones around it, in the order of the text.
fn collect<'c>(
    context: &'c Context,
    around: &mut ContextPath<'c>,
    ways: &mut Vec<ContextPath<'c>>,
) {
    around.push(context);
    ways.push(around.clone());
    for child in &context.children {
        collect(child, around, ways);
    }
    around.pop();
}

/// Whether a marker is about this method, or about an example.
fn marks(line: &str, plan: &Plan) -> bool {
    !line.contains("method_id=") || line.contains(&format!("method_id=\"{}\"", plan.id()))
}

/// Removed placeholders leave no gaps.
fn without_doubled_blanks(lines: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let before = kept.last().map_or("", String::as_str);
        let is_gap = line.is_empty() && (before.is_empty() || before.ends_with(" do"));
        if !is_gap {
            kept.push(line);
        }
    }
    kept
}
