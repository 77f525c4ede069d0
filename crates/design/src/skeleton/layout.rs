//! The skeleton as text: 5.5, and 11.4 for format 2.0.

use super::tree::{Context, contexts};
use super::values::example_values;
use crate::characteristic::Kind;
use crate::metadata::read::{Layout, Plan};
use crate::ruby::MethodType;

/// How placeholders are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// As they are: other tools look for them; the file is not Ruby yet.
    #[default]
    Bare,
    /// In comments: the file is Ruby at once.
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

/// Lines that belong together; between blocks stands one empty line.
type Block = Vec<String>;

/// A whole spec file.
pub fn skeleton(plan: &Plan, style: Style) -> String {
    let mut lines = vec![
        "# frozen_string_literal: true".to_owned(),
        String::new(),
        format!("RSpec.describe {} do", plan.class),
    ];
    lines.extend(indented(describe_block(plan, style)));
    lines.push("end".to_owned());
    lines.join("\n") + "\n"
}

/// The block of one method, without indentation.
pub fn describe_block(plan: &Plan, style: Style) -> Vec<String> {
    let call = match plan.method_type {
        MethodType::Instance => format!("service.{}", plan.method),
        MethodType::Class => format!("described_class.{}", plan.method),
    };
    let mut blocks: Vec<Block> = vec![vec![format!(
        "subject(:result) {{ {call} }}  # TODO: Add parameters"
    )]];
    if plan.method_type == MethodType::Instance {
        blocks.push(vec!["let(:service) { described_class.new }".to_owned()]);
    }
    blocks.push(vec![style.line("{COMMON_SETUP}")]);
    let contexts = contexts(plan);
    if contexts.is_empty() {
        blocks.push(example(false, style));
    }
    blocks.extend(contexts.iter().map(|context| group(plan, context, style)));
    let title = format!("describe '{}{}' do", plan.method_type.sign(), plan.method);
    enclosed(title, blocks)
}

fn group(plan: &Plan, context: &Context, style: Style) -> Block {
    let word = context.word.unwrap_or("{CONTEXT_WORD}");
    let title = format!(
        "context '{}' do",
        escaped(&format!("{word} {}", context.description))
    );
    let mut blocks = Vec::new();
    blocks.push(match plan.layout {
        Layout::V1_3 => vec![style.line("{SETUP_CODE}")],
        _ => later_setup(plan, context, style),
    });
    if context.children.is_empty() {
        blocks.push(example(
            context.is_terminal && plan.layout != Layout::V1_3,
            style,
        ));
    }
    blocks.extend(
        context
            .children
            .iter()
            .map(|child| group(plan, child, style)),
    );
    enclosed(title, blocks)
}

/// Where the state comes from, and a value for it: format 2.0.
fn later_setup(plan: &Plan, context: &Context, style: Style) -> Block {
    let entry = &plan.entries[context.entry];
    let mut lines = Vec::new();
    if let Some(source) = &entry.source {
        lines.push(format!("# Logic: {source}"));
    }
    let value = example_values(entry, &context.state);
    match (entry.kind, value) {
        (Some(Kind::Range), Some(value)) => {
            let token = style.line("{SETUP_CODE}");
            lines.push(format!(
                "{token}  # {} {value}",
                entry.name.replace('_', " ")
            ));
        }
        (Some(Kind::Range), None) => {
            lines.push(style.line(&format!("let(:{}) {{ {{THRESHOLD_VALUE}} }}", entry.name)));
            lines.push(style.line("{SETUP_CODE}"));
        }
        (_, Some(value)) => {
            lines.push(format!("let(:{}) {{ {value} }}", entry.name));
            lines.push(style.line("{SETUP_CODE}"));
        }
        _ => lines.push(style.line("{SETUP_CODE}")),
    }
    lines
}

fn example(is_terminal: bool, style: Style) -> Block {
    let token = if is_terminal {
        "{TERMINAL_BEHAVIOR_DESCRIPTION}"
    } else {
        "{BEHAVIOR_DESCRIPTION}"
    };
    vec![
        format!("it '{token}' do"),
        format!("  {}", style.line("{EXPECTATION}")),
        "end".to_owned(),
    ]
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

/// For single quotes in Ruby.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}
