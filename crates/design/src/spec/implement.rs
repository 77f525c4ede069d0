//! The implementer: inputs and expectations where they are certain, a marked pending example elsewhere.

use super::behaviour::{What, behaviours};
use super::block::{block_of, indent_of, indented, is_token};
use super::certain::outcome;
use super::inputs::{Input, Inputs, let_name};
use crate::characteristic::Characteristic;
use crate::metadata::read::Plan;
use crate::ruby::{Analysis, MethodType, Outcome};
use crate::skeleton::{Context, contexts};

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

/// Errors that Ruby itself defines.
const BUILTIN: [&str; 24] = [
    "ArgumentError",
    "EncodingError",
    "EOFError",
    "Errno::ENOENT",
    "FiberError",
    "FloatDomainError",
    "FrozenError",
    "IndexError",
    "Interrupt",
    "IOError",
    "KeyError",
    "LoadError",
    "LocalJumpError",
    "NameError",
    "NoMethodError",
    "NotImplementedError",
    "RangeError",
    "RegexpError",
    "RuntimeError",
    "SecurityError",
    "StandardError",
    "StopIteration",
    "TypeError",
    "ZeroDivisionError",
];

/// Fills the placeholders of a method's block.
pub fn implement(spec: &str, plan: &Plan, analysis: &Analysis) -> Implemented {
    let lines: Vec<String> = spec.lines().map(ToOwned::to_owned).collect();
    let method = format!("{}{}", plan.method_type.sign(), plan.method);
    let block = block_of(&lines, &method);
    let inputs = Inputs { analysis, plan };
    let tree = contexts(plan);
    let mut writer = Writer::new(&inputs, &tree);
    let mut done: Vec<String> = lines[..block.start].to_vec();
    for line in &lines[block.clone()] {
        writer.line(line, &mut done);
    }
    done.extend(lines[block.end..].iter().cloned());
    Implemented {
        text: without_doubled_blanks(&done),
        warnings: writer.warnings,
        certain: writer.certain,
        pending: writer.pending,
    }
}

struct Writer<'a> {
    inputs: &'a Inputs<'a>,
    setups: std::vec::IntoIter<Way<'a>>,
    expectations: std::vec::IntoIter<(Way<'a>, What)>,
    warnings: Vec<String>,
    certain: usize,
    pending: usize,
}

/// Contexts from the outermost to one of them.
type Way<'a> = Vec<&'a Context>;

impl<'a> Writer<'a> {
    fn new(inputs: &'a Inputs<'a>, tree: &'a [Context]) -> Writer<'a> {
        let names: Vec<&str> = inputs
            .plan
            .entries
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let mut ways = Vec::new();
        for context in tree {
            collect(context, &mut Vec::new(), &mut ways);
        }
        let mut expectations = Vec::new();
        let leaves = ways
            .iter()
            .filter(|way| way.last().is_some_and(|leaf| leaf.children.is_empty()));
        for way in leaves {
            let found = behaviours(inputs.analysis, &names, way.last().copied());
            expectations.extend(found.into_iter().map(|one| (way.clone(), one.what)));
        }
        if tree.is_empty() {
            expectations.push((Vec::new(), What::Unknown));
        }
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
            self.common()
        } else if is_token(line, "{SETUP_CODE}") {
            self.setup()
        } else if is_token(line, "{EXPECTATION}") {
            self.expectation()
        } else if trimmed.ends_with("# TODO: Add parameters") {
            vec![self.subject()]
        } else if trimmed == "let(:service) { described_class.new }" {
            vec![self.service()]
        } else if trimmed.starts_with("# Logic:") || trimmed.contains("{THRESHOLD_VALUE}") {
            Vec::new()
        } else {
            return done.push(line.to_owned());
        };
        done.extend(indented(indent, &new));
    }

    fn subject(&self) -> String {
        let analysis = self.inputs.analysis;
        let arguments = self.inputs.arguments(&analysis.parameters);
        let name = &analysis.method.name;
        let receiver = match self.inputs.plan.method_type {
            MethodType::Instance => "service",
            MethodType::Class => "described_class",
        };
        let call = match name.strip_suffix('=') {
            Some(attribute) if name.len() > 1 => {
                let value = arguments.trim_matches(['(', ')']);
                format!("{receiver}.{attribute} = {value}")
            }
            _ if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
                format!("{receiver}.{name}{arguments}")
            }
            _ => format!(
                "{receiver}.public_send(:{name}{})",
                arguments.replacen('(', ", ", 1).trim_end_matches(')')
            ),
        };
        format!("subject(:result) {{ {call} }}")
    }

    fn service(&self) -> String {
        let analysis = self.inputs.analysis;
        let arguments = self.inputs.arguments(&analysis.initializer);
        let class = if analysis.method.in_module {
            "Class.new.include(described_class)"
        } else {
            "described_class"
        };
        format!("let(:service) {{ {class}.new{arguments} }}")
    }

    /// A value for every parameter that is passed.
    fn common(&self) -> Vec<String> {
        let passed = self
            .inputs
            .parameters()
            .filter(|parameter| self.inputs.is_passed(parameter));
        passed
            .map(|parameter| {
                format!(
                    "let(:{}) {{ {} }}",
                    let_name(&parameter.name),
                    self.inputs.base(parameter)
                )
            })
            .collect()
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
                vec![format!(
                    "let(:{}) {{ {value} }}",
                    let_name(&input.parameter)
                )]
            }
            None => vec![format!("# Bring about `{}`: {state}.", found.name)],
        }
    }

    /// A record keeps what the contexts around it told its factory; traits come before attributes.
    fn together(&self, way: &Way<'_>, input: &Input) -> String {
        if input.told.is_none() {
            return input.value.clone();
        }
        let mut told: Vec<String> = Vec::new();
        for (found, state) in self.states(way) {
            let given = self.inputs.of(found, state);
            let about = given.filter(|given| given.parameter == input.parameter);
            told.extend(about.and_then(|given| given.told));
        }
        told.sort_by_key(|one| !one.starts_with(':'));
        told.dedup();
        format!(
            "{}(:{}, {})",
            self.inputs.verb(),
            input.parameter,
            told.join(", ")
        )
    }

    /// The characteristics and states on a way; those the source no longer has are left out.
    fn states<'w>(&self, way: &'w Way<'_>) -> Vec<(&'a Characteristic, &'w str)> {
        let characteristics = &self.inputs.analysis.characteristics;
        way.iter()
            .filter_map(|context| {
                let name = &self.inputs.plan.entries[context.entry].name;
                let found = characteristics.iter().find(|found| found.name == *name)?;
                Some((found, context.state.as_str()))
            })
            .collect()
    }

    fn expectation(&mut self) -> Vec<String> {
        let Some((way, what)) = self.expectations.next() else {
            return self.left("the example was added by hand");
        };
        if what == What::Effect {
            return self.left("expect the effect");
        }
        let states = self.states(&way);
        let outcome = if states.len() == way.len() {
            outcome(self.inputs, &states)
        } else {
            Err("the metadata is not about this source".to_owned())
        };
        match outcome.and_then(|outcome| self.matcher(&outcome)) {
            Ok(line) => {
                self.certain += 1;
                vec![line]
            }
            Err(reason) => self.left(&reason),
        }
    }

    fn left(&mut self, reason: &str) -> Vec<String> {
        self.pending += 1;
        let reason = reason.replace('\\', "\\\\").replace('\'', "\\'");
        vec![format!("skip 'To be completed: {reason}'")]
    }

    fn matcher(&self, outcome: &Outcome) -> Result<String, String> {
        Ok(match outcome {
            Outcome::Raises(None) => "expect { result }.to raise_error(StandardError)".to_owned(),
            Outcome::Raises(Some(class)) => {
                let class = self
                    .resolved(class)
                    .ok_or_else(|| format!("where {class} is defined is not known"))?;
                format!("expect {{ result }}.to raise_error({class})")
            }
            Outcome::ReturnsNothing => "expect(result).to be_nil".to_owned(),
            Outcome::Returns(value) if matches!(value.as_str(), "true" | "false") => {
                format!("expect(result).to be({value})")
            }
            Outcome::Returns(value) => format!("expect(result).to eq({value})"),
        })
    }

    /// The full name of an error, as the code would find it from inside its class.
    fn resolved(&self, class: &str) -> Option<String> {
        let analysis = self.inputs.analysis;
        let mut scope = analysis.method.class.as_str();
        loop {
            let candidate = format!("{scope}::{class}");
            if analysis.constants.contains(&candidate) {
                return Some(candidate);
            }
            match scope.rsplit_once("::") {
                Some((outer, _)) => scope = outer,
                None => break,
            }
        }
        let name = class.trim_start_matches("::");
        let is_known =
            analysis.constants.iter().any(|known| known == name) || BUILTIN.contains(&name);
        is_known.then(|| class.to_owned())
    }
}

/// Every context with the ones around it, in the order of the text.
fn collect<'c>(context: &'c Context, around: &mut Way<'c>, ways: &mut Vec<Way<'c>>) {
    around.push(context);
    ways.push(around.clone());
    for child in &context.children {
        collect(child, around, ways);
    }
    around.pop();
}

/// Removed placeholders leave no gaps.
fn without_doubled_blanks(lines: &[String]) -> String {
    let mut text = String::new();
    let mut before = "";
    for line in lines {
        let is_gap = line.is_empty() && (before.is_empty() || before.ends_with(" do"));
        if !is_gap {
            text.push_str(line);
            text.push('\n');
            before = line;
        }
    }
    text
}
