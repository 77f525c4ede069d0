//! Writes the skeleton as text: rules S6 and S7, and rule S11 for format 2.0.

use super::examples::{Examples, Leaf};
use super::marker;
use super::tree::{Context, contexts};
use super::values::example_values;
use crate::characteristic::Kind;
use crate::metadata::read::{Behavior, Entry, Layout, Plan};
use crate::name::let_name;
use crate::operator::{operator_call, usual_arguments};
use crate::ruby::MethodType;

/// How placeholders are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// As bare tokens, which other tools look for. The file is not valid Ruby yet.
    #[default]
    Bare,
    /// In comments. The file is valid Ruby.
    Comments,
}

impl Style {
    fn line(self, token: &str) -> String {
        match self {
            Style::Bare => token.to_owned(),
            Style::Comments => format!("# {token}"),
        }
    }
}

/// Lines of one block. Blocks are separated by an empty line.
type Block = Vec<String>;

/// A complete spec file, with a group for each class and a block for each of its methods.
pub fn skeleton(plans: &[Plan], style: Style) -> String {
    let mut lines = vec!["# frozen_string_literal: true".to_owned()];
    let mut classes: Vec<&str> = Vec::new();
    for plan in plans {
        if !classes.contains(&plan.class.as_str()) {
            classes.push(&plan.class);
        }
    }
    for class in classes {
        let of_class = plans.iter().filter(|plan| plan.class == class);
        let methods = of_class.map(|plan| method_block(plan, style));
        let title = format!("RSpec.describe {class} do");
        lines.push(String::new());
        lines.extend(enclosed(title, methods.collect()));
    }
    lines.join("\n") + "\n"
}

/// The blocks of methods without the group of their class.
pub fn blocks(plans: &[Plan], style: Style) -> String {
    let block = |plan| indented(method_block(plan, style)).join("\n") + "\n";
    let blocks: Vec<_> = plans.iter().map(block).collect();
    blocks.join("\n")
}

/// The block of one method without indentation. If the document has behaviors, its content is between markers.
pub fn method_block(plan: &Plan, style: Style) -> Vec<String> {
    let mut content = describe_content(plan, style);
    if plan.behaviors.are_described {
        let [begin, end] = marker::pair(plan);
        if let Some(first) = content.first_mut() {
            first.insert(0, begin);
        }
        if let Some(last) = content.last_mut() {
            last.push(end);
        }
    }
    enclosed(format!("describe '{}' do", plan.short()), content)
}

fn describe_content(plan: &Plan, style: Style) -> Vec<Block> {
    let receiver = match plan.method_type {
        MethodType::Instance => "service",
        MethodType::Class => "described_class",
    };
    let method = plan.method.as_str();
    let call = match operator_call(receiver, method, usual_arguments(method)) {
        Some(call) => call,
        // `service.name=` without a value is not valid Ruby.
        None if is_setter(method) => format!("{receiver}.public_send(:{method})"),
        None => format!("{receiver}.{method}"),
    };
    let mut blocks: Vec<Block> = vec![vec![format!(
        "subject(:result) {{ {call} }}  # TODO: Add parameters"
    )]];
    if plan.method_type == MethodType::Instance {
        blocks.push(vec!["let(:service) { described_class.new }".to_owned()]);
    }
    blocks.push(vec![style.line("{COMMON_SETUP}")]);
    let contexts = contexts(plan);
    let writer = Writer {
        plan,
        style,
        examples: Examples::of(plan, &contexts),
    };
    blocks.extend(writer.templates());
    if contexts.is_empty() {
        blocks.extend(writer.leaf(&[]));
    }
    for context in &contexts {
        blocks.push(writer.group(context, &mut Vec::new()));
    }
    blocks
}

fn is_setter(method: &str) -> bool {
    method.ends_with('=') && method.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Writes the contexts of one method.
struct Writer<'p> {
    plan: &'p Plan,
    style: Style,
    examples: Option<Examples<'p>>,
}

impl Writer<'_> {
    fn group<'c>(&self, context: &'c Context, path: &mut Vec<&'c Context>) -> Block {
        path.push(context);
        let word = context.word.unwrap_or("{CONTEXT_WORD}");
        let title = format!(
            "context '{}' do",
            escaped(&format!("{word} {}", context.description))
        );
        let mut blocks = vec![match self.plan.layout {
            Layout::V1_3 => vec![self.style.line("{SETUP_CODE}")],
            _ => setup_with_value(self.plan, context, self.style),
        }];
        if context.children.is_empty() {
            blocks.extend(self.leaf(path));
        }
        for child in &context.children {
            blocks.push(self.group(child, path));
        }
        path.pop();
        enclosed(title, blocks)
    }

    /// The examples of a leaf.
    fn leaf(&self, leaf: &Leaf<'_>) -> Vec<Block> {
        let Some(examples) = &self.examples else {
            let is_terminal = leaf.last().is_some_and(|context| context.is_terminal);
            let token = if is_terminal && self.plan.layout != Layout::V1_3 {
                "{TERMINAL_BEHAVIOR_DESCRIPTION}"
            } else {
                "{BEHAVIOR_DESCRIPTION}"
            };
            return vec![self.example(token, None)];
        };
        let behaviors_of = examples.behaviors_of(leaf).into_iter();
        behaviors_of
            .map(|behavior| {
                let marker = marker::example(self.plan, behavior, Some(leaf));
                if examples.templates().contains(&behavior) {
                    let name = escaped(&examples.name(behavior));
                    vec![marker, format!("it_behaves_like '{name}'")]
                } else {
                    self.example(&escaped(&behavior.description), Some(marker))
                }
            })
            .collect()
    }

    /// The shared examples of several leaves.
    fn templates(&self) -> Vec<Block> {
        let Some(examples) = &self.examples else {
            return Vec::new();
        };
        let template = |behavior: &&Behavior| {
            let marker = marker::example(self.plan, behavior, None);
            let example = self.example(&escaped(&behavior.description), Some(marker));
            let name = escaped(&examples.name(behavior));
            enclosed(format!("shared_examples '{name}' do"), vec![example])
        };
        examples.templates().iter().map(template).collect()
    }

    fn example(&self, description: &str, marker: Option<String>) -> Block {
        let mut lines = vec![
            format!("it '{description}' do"),
            format!("  {}", self.style.line("{EXPECTATION}")),
        ];
        lines.extend(marker.map(|marker| format!("  {marker}")));
        lines.push("end".to_owned());
        lines
    }
}

/// The setup of a context in format 2.0: the source of the state, and a value for it.
fn setup_with_value(plan: &Plan, context: &Context, style: Style) -> Block {
    let entry = &plan.entries[context.entry];
    let mut lines = Vec::new();
    if let Some(source) = &entry.source {
        lines.push(format!("# Logic: {source}"));
    }
    let value = example_values(entry, &context.state);
    let mut setup = style.line("{SETUP_CODE}");
    match (entry.kind, value) {
        (Some(Kind::Range), Some(value)) => {
            setup = format!("{setup}  # {} {value}", entry.name.replace('_', " "));
        }
        (Some(Kind::Range), None) => {
            let threshold = placeholder_value(entry, "{THRESHOLD_VALUE}");
            lines.push(style.line(&threshold));
        }
        (_, Some(value)) => lines.push(placeholder_value(entry, &value)),
        _ => {}
    }
    lines.push(setup);
    lines
}

/// The line that sets a state before its real input is known.
pub(crate) fn placeholder_value(entry: &Entry, value: &str) -> String {
    format!("let(:{}) {{ {value} }}", let_name(&entry.name))
}

fn enclosed(title: String, blocks: Vec<Block>) -> Block {
    let mut inside: Block = Vec::new();
    for block in blocks {
        if !inside.is_empty() {
            inside.push(String::new());
        }
        inside.extend(block);
    }
    let mut lines = vec![title];
    lines.extend(indented(inside));
    lines.push("end".to_owned());
    lines
}

pub(super) fn indented(lines: Block) -> Block {
    lines
        .into_iter()
        .map(|line| {
            if line.is_empty() {
                line
            } else {
                format!("  {line}")
            }
        })
        .collect()
}

/// Escapes a text for single quotes in Ruby.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}
