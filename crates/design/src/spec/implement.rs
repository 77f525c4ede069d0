//! The implementer: writes inputs and expectations that are certain, and marks the other examples as pending.

use std::ops::Range;

use super::behavior::{BehaviorResult, behaviors, default, describe_outcome};
use super::block::{change_blocks, indent_of, indented, is_token, leftovers};
use super::callable::attempt;
use super::certainty::outcome;
use super::expectation::{Expectation, mark_expectation, take_marked};
use super::expected::{ContextPath, ExpectedResult, expected};
use super::failure::{pending_line, quoted};
use super::inputs::{Input, Inputs};
use super::matcher::matcher;
use super::observed::{self, LearnedLeaves};
use super::open_setup::{set_up, without_needless};
use super::records::Records;
use crate::characteristic::Characteristic;
use crate::learn::{LearnedExample, LearnedMethod, PendingReason};
use crate::metadata::read::Plan;
use crate::ruby::{Analysis, BranchOutcome};
use crate::skeleton::{Context, Distance, contexts, example_values, is_marker, placeholder_value};

/// The result of the implementer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implemented {
    /// The new text of the spec.
    pub text: String,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The expectations that were written.
    pub expectations: Vec<Expectation>,
    /// The number of pending examples.
    pub pending: usize,
}

/// Replaces the placeholders in the blocks of methods. `analyses` are in the order of `plans`, and so are `learned`, unless
/// nothing was learned.
pub fn implement(
    spec: &str,
    plans: &[Plan],
    analyses: &[Analysis],
    records: &Records,
    distance: Distance,
    learned: &[LearnedMethod],
) -> Implemented {
    let (mut warnings, mut pending) = (Vec::new(), 0);
    let (mut lines, reports) = change_blocks(spec, plans, |index, block| {
        let inputs = Inputs {
            analysis: &analyses[index],
            plan: &plans[index],
            records,
            distance,
        };
        filled(block, &inputs, learned.get(index))
    });
    for (warned, count) in reports {
        warnings.extend(warned);
        pending += count;
    }
    lines.retain(|line| !is_marker(line) || !plans.iter().any(|plan| marks(line, plan)));
    let expectations = take_marked(&mut lines);
    Implemented {
        text: lines.join("\n") + "\n",
        warnings,
        expectations,
        pending,
    }
}

/// Warnings, and the number of pending examples.
type FillReport = (Vec<String>, usize);

/// The block of a method with its placeholders replaced. A block without placeholders is finished and is not changed.
fn filled(
    block: &[String],
    inputs: &Inputs<'_>,
    learned: Option<&LearnedMethod>,
) -> (Vec<String>, FillReport) {
    if leftovers(&block.join("\n")).is_empty() {
        return (block.to_vec(), FillReport::default());
    }
    let tree = contexts(inputs.plan);
    let mut writer = Writer::new(inputs, &tree, learned);
    let mut done = Vec::with_capacity(block.len());
    for line in block {
        writer.line(line, &mut done);
    }
    let needed = without_needless(&done, &writer.setup_lines);
    let report = (writer.warnings, writer.pending);
    (without_doubled_blanks(needed), report)
}

struct Writer<'a> {
    inputs: &'a Inputs<'a>,
    setups: std::vec::IntoIter<ContextPath<'a>>,
    expectations: std::vec::IntoIter<ExpectedResult<'a>>,
    learned: LearnedLeaves<'a>,
    /// Where setups were written.
    setup_lines: Vec<Range<usize>>,
    /// Defines the receiver of the example that was written last.
    receiver: Option<String>,
    warnings: Vec<String>,
    pending: usize,
}

impl<'a> Writer<'a> {
    fn new(
        inputs: &'a Inputs<'a>,
        tree: &'a [Context],
        learned: Option<&'a LearnedMethod>,
    ) -> Writer<'a> {
        let mut paths = Vec::new();
        for context in tree {
            collect(context, &mut Vec::new(), &mut paths);
        }
        let expectations = expected(inputs, tree);
        Writer {
            inputs,
            setups: paths.into_iter(),
            expectations: expectations.into_iter(),
            learned: LearnedLeaves::of(tree, learned),
            setup_lines: Vec::new(),
            receiver: None,
            warnings: Vec::new(),
            pending: 0,
        }
    }

    fn line(&mut self, line: &str, done: &mut Vec<String>) {
        let indent = indent_of(line);
        let trimmed = line.trim();
        if let Some(setup) = self.setup_of(line) {
            let start = done.len();
            done.extend(indented(indent, &setup));
            self.setup_lines.push(start..done.len());
            return;
        }
        let new = if is_token(line, "{EXPECTATION}") {
            self.expectation(done.last_mut())
        } else if trimmed.starts_with("# Logic:")
            || trimmed.contains("{THRESHOLD_VALUE}")
            || self.is_placeholder_value(trimmed)
        {
            Vec::new()
        } else {
            return done.push(line.to_owned());
        };
        if let Some(receiver) = self.receiver.take() {
            define_before_example(done, &receiver);
        }
        done.extend(indented(indent, &new));
    }

    /// The setup that replaces a line of the skeleton.
    fn setup_of(&mut self, line: &str) -> Option<Vec<String>> {
        let trimmed = line.trim();
        if is_token(line, "{COMMON_SETUP}") {
            Some(self.inputs.common())
        } else if is_token(line, "{SETUP_CODE}") {
            Some(self.setup())
        } else if trimmed.ends_with("# TODO: Add parameters") {
            Some(vec![self.inputs.subject()])
        } else if trimmed == "let(:service) { described_class.new }" {
            Some(vec![self.inputs.service()])
        } else {
            trimmed
                .starts_with("subject(:result) {")
                .then(|| vec![trimmed.to_owned()])
        }
    }

    /// Whether a line is the placeholder value that skeletons of format 2.0 contain for a state.
    fn is_placeholder_value(&self, line: &str) -> bool {
        let next = self.setups.as_slice().first().and_then(|path| path.last());
        next.is_some_and(|context| {
            let entry = &self.inputs.plan.entries[context.entry];
            let value = example_values(entry, &context.state);
            value.is_some_and(|value| line == placeholder_value(entry, &value))
        })
    }

    fn setup(&mut self) -> Vec<String> {
        let Some(path) = self.setups.next() else {
            return Vec::new();
        };
        let Some((found, state)) = self.states(&path).pop() else {
            return Vec::new();
        };
        let unknown = || vec![set_up(&found.name, state)];
        let Some(input) = self.inputs.of(found, state) else {
            return unknown();
        };
        let Some(value) = self.record_value(&path, &input) else {
            return unknown();
        };
        self.warnings.extend(input.warning);
        vec![format!("let(:{}) {{ {value} }}", input.variable)]
    }

    /// The value of a record, with the factory arguments of all contexts around it. `None` if they contradict one another.
    fn record_value(&self, path: &ContextPath<'_>, input: &Input) -> Option<String> {
        let Some(argument) = &input.factory_argument else {
            return Some(input.value.clone());
        };
        let states = self.states(path);
        let arguments = self.inputs.factory_arguments(&states, &input.variable);
        if self.inputs.contradiction(&arguments).is_some() {
            return None;
        }
        Some(format!(
            "{}(:{}, {})",
            self.inputs.verb(),
            argument.factory,
            arguments.join(", ")
        ))
    }

    /// The characteristics and states on a path. Those that the source no longer has are skipped.
    fn states<'w>(&self, path: &'w ContextPath<'_>) -> Vec<(&'a Characteristic, &'w str)> {
        let characteristics = &self.inputs.analysis.characteristics;
        path.iter()
            .filter_map(|context| {
                let name = &self.inputs.plan.entries[context.entry].name;
                let found = characteristics.iter().find(|found| found.name == *name)?;
                Some((found, context.state.as_str()))
            })
            .collect()
    }

    fn expectation(&mut self, title: Option<&mut String>) -> Vec<String> {
        let Some(expected) = self.expectations.next() else {
            return self.pending_example("the example was added manually");
        };
        if expected.is_effect {
            return self.uncertain(&expected, "expect the effect", title);
        }
        let line = |outcome: BranchOutcome| Ok((matcher(self.inputs, &outcome)?, outcome));
        match self.common_outcome(&expected).and_then(line) {
            Ok((line, outcome)) => {
                if let Some(title) = title {
                    self.describe(title, &outcome);
                }
                vec![mark_expectation(&line, None)]
            }
            Err(reason) => self.uncertain(&expected, &reason, title),
        }
    }

    /// What was observed in the leaf; otherwise what a run may confirm; otherwise the example is pending for this reason.
    fn uncertain(
        &mut self,
        expected: &ExpectedResult<'_>,
        reason: &str,
        title: Option<&mut String>,
    ) -> Vec<String> {
        let with_code = |code: PendingReason| format!("{reason} (not learned: {})", code.code());
        let learned = self.learned.about(expected);
        if let Some(Ok(example)) = learned {
            if let Some(title) = title {
                self.describe_observed(title, expected, example);
            }
            return self.observed(example, &with_code(PendingReason::NotGreen));
        }
        if let Some(line) = self.attempt(expected) {
            return vec![mark_expectation(&line, Some(reason))];
        }
        match learned {
            Some(Err(code)) => self.pending_example(&with_code(code)),
            _ => self.pending_example(reason),
        }
    }

    /// An example with what was observed. It is pending for this reason if it does not pass in the finished spec.
    fn observed(&mut self, example: &LearnedExample, doubt: &str) -> Vec<String> {
        let mut lines = observed::lines(example, &self.inputs.analysis.method.class);
        if let Some(last) = lines.body.last_mut() {
            *last = mark_expectation(last, Some(doubt));
        }
        self.receiver = lines.setup;
        lines.body
    }

    /// The outcome of all paths of an example.
    fn common_outcome(&self, expected: &ExpectedResult<'_>) -> Result<BranchOutcome, String> {
        let paths = expected.paths.iter();
        let mut outcomes: Vec<_> = paths.map(|path| self.outcome(path)).collect();
        outcomes.dedup();
        match outcomes.len() {
            1 => outcomes.remove(0),
            _ => Err("the result differs between contexts".to_owned()),
        }
    }

    /// The expectation of an example with one path that is correct if an instance can be created.
    fn attempt(&self, expected: &ExpectedResult<'_>) -> Option<String> {
        let [path] = expected.paths.as_slice() else {
            return None;
        };
        if expected.is_effect {
            return None;
        }
        let states = self.states(path);
        let outcome = attempt(self.inputs, &states).filter(|_| states.len() == path.len())?;
        matcher(self.inputs, &outcome).ok()
    }

    /// Replaces a default description by the certain outcome.
    fn describe(&self, title: &mut String, outcome: &BranchOutcome) {
        self.replace_default(title, &describe_outcome(outcome));
    }

    /// Replaces a default description, and a guessed outcome that was not observed.
    fn describe_observed(
        &self,
        title: &mut String,
        expected: &ExpectedResult<'_>,
        example: &LearnedExample,
    ) {
        let observed_title = observed::title(&example.expectation);
        self.replace_default(title, &observed_title);
        let names: Vec<_> = self
            .inputs
            .plan
            .entries
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let paths = expected.paths.iter();
        for guess in paths.flat_map(|path| behaviors(self.inputs.analysis, &names, path)) {
            let BehaviorResult::Ends(outcome) = &guess.result else {
                continue;
            };
            if !observed::agrees(outcome, &example.expectation) {
                replace_title(title, &guess.description, &observed_title);
            }
        }
    }

    fn replace_default(&self, title: &mut String, text: &str) {
        replace_title(title, &default(self.inputs.analysis), text);
    }

    fn outcome(&self, path: &ContextPath<'_>) -> Result<BranchOutcome, String> {
        let states = self.states(path);
        if states.len() < path.len() {
            return Err("the metadata does not describe this source".to_owned());
        }
        outcome(self.inputs, &states)
    }

    fn pending_example(&mut self, reason: &str) -> Vec<String> {
        self.pending += 1;
        vec![pending_line(reason)]
    }
}

/// Inserts a definition before the first line of an example, unless its group already has it.
fn define_before_example(done: &mut Vec<String>, definition: &str) {
    let Some(example) = done.len().checked_sub(1) else {
        return;
    };
    let line = format!("{}{definition}", " ".repeat(indent_of(&done[example])));
    let group = done[..example].iter().rev();
    let mut group = group.take_while(|line| !line.trim().starts_with("context "));
    if !group.any(|other| *other == line) {
        done.splice(example..example, [line, String::new()]);
    }
}

/// Replaces this description of an example.
fn replace_title(title: &mut String, old: &str, new: &str) {
    let old = format!("it '{}' do", quoted(old));
    if title.trim() == old {
        *title = title.replace(&old, &it_line(new));
    }
}

/// The first line of an example. Quotes in the text need no escapes if the other kind is around it.
fn it_line(text: &str) -> String {
    if text.contains('\'') && !text.contains(['"', '#', '\\']) {
        format!("it \"{text}\" do")
    } else {
        format!("it '{}' do", quoted(text))
    }
}

/// Every context with the ones around it, in the order of the text.
fn collect<'c>(
    context: &'c Context,
    parents: &mut ContextPath<'c>,
    paths: &mut Vec<ContextPath<'c>>,
) {
    parents.push(context);
    paths.push(parents.clone());
    for child in &context.children {
        collect(child, parents, paths);
    }
    parents.pop();
}

/// Whether a marker belongs to this method, or to an example.
fn marks(line: &str, plan: &Plan) -> bool {
    !line.contains("method_id=") || line.contains(&format!("method_id=\"{}\"", plan.id()))
}

/// Removes double empty lines, which replaced placeholders leave.
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
