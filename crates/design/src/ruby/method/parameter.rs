//! The parameters of a method.

use ruby_prism::{DefNode, Node, ParametersNode};

use crate::ruby::syntax::node::{source, text};

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position.
    Positional,
    /// By name.
    Keyword,
    /// `*rest`.
    Rest,
    /// `**rest`.
    KeywordRest,
    /// `&block`.
    Block,
}

impl ParameterKind {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ParameterKind::Positional => "positional",
            ParameterKind::Keyword => "keyword",
            ParameterKind::Rest => "rest",
            ParameterKind::KeywordRest => "keyword_rest",
            ParameterKind::Block => "block",
        }
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name without `*`, `&` and `:`.
    pub name: String,
    /// How its argument is passed.
    pub kind: ParameterKind,
    /// Its default, as written.
    pub default: Option<String>,
}

/// The parameters of a method, in order.
pub(crate) fn of(method: &DefNode<'_>) -> Vec<Parameter> {
    method
        .parameters()
        .map(|list| all(&list))
        .unwrap_or_default()
}

fn all(list: &ParametersNode<'_>) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = list
        .requireds()
        .iter()
        .map(|node| required(&node))
        .collect();
    parameters.extend(list.optionals().iter().filter_map(|node| {
        let optional = node.as_optional_parameter_node()?;
        let name = text(optional.name().as_slice());
        Some(parameter(
            name,
            ParameterKind::Positional,
            Some(source(&optional.value())),
        ))
    }));
    if let Some(rest) = list.rest().and_then(|rest| rest.as_rest_parameter_node()) {
        let name = rest.name().map_or("", |name| text(name.as_slice()));
        parameters.push(parameter(name, ParameterKind::Rest, None));
    }
    parameters.extend(list.posts().iter().map(|node| required(&node)));
    parameters.extend(list.keywords().iter().filter_map(|node| keyword(&node)));
    if let Some(rest) = list
        .keyword_rest()
        .and_then(|rest| rest.as_keyword_rest_parameter_node())
    {
        let name = rest.name().map_or("", |name| text(name.as_slice()));
        parameters.push(parameter(name, ParameterKind::KeywordRest, None));
    }
    if let Some(block) = list.block().and_then(|node| node.as_block_parameter_node()) {
        let name = block.name().map_or("", |name| text(name.as_slice()));
        parameters.push(parameter(name, ParameterKind::Block, None));
    }
    parameters
}

/// A required parameter. One that is destructured, such as `(a, b)`, has no name.
fn required(node: &Node<'_>) -> Parameter {
    let name = node
        .as_required_parameter_node()
        .map_or("", |required| text(required.name().as_slice()));
    parameter(name, ParameterKind::Positional, None)
}

fn keyword(node: &Node<'_>) -> Option<Parameter> {
    if let Some(required) = node.as_required_keyword_parameter_node() {
        let name = text(required.name().as_slice());
        return Some(parameter(name, ParameterKind::Keyword, None));
    }
    let optional = node.as_optional_keyword_parameter_node()?;
    let name = text(optional.name().as_slice());
    Some(parameter(
        name,
        ParameterKind::Keyword,
        Some(source(&optional.value())),
    ))
}

fn parameter(name: &str, kind: ParameterKind, default: Option<String>) -> Parameter {
    Parameter {
        name: name.trim_end_matches(':').to_owned(),
        kind,
        default,
    }
}
