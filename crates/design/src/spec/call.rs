//! Writes the lines at the top of a method's block: how the method is called.

use super::inputs::Inputs;
use crate::name::let_name;
use crate::operator::operator_call;
use crate::ruby::MethodType;

impl Inputs<'_> {
    /// The line with the call.
    pub(super) fn subject(&self) -> String {
        let analysis = self.analysis;
        let arguments = self.arguments(&analysis.parameters);
        let name = &analysis.method.name;
        let receiver = match self.plan.method_type {
            MethodType::Instance => "service",
            MethodType::Class => "described_class",
        };
        let is_word = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let call = match name.strip_suffix('=') {
            Some(attribute) if is_word => {
                let value = arguments.trim_matches(['(', ')']);
                format!("{receiver}.{attribute} = {value}")
            }
            _ if is_word => format!("{receiver}.{name}{arguments}"),
            _ => operator(receiver, name, arguments.trim_matches(['(', ')'])),
        };
        format!("subject(:result) {{ {call} }}")
    }

    /// The line with the receiver of the call.
    pub(super) fn service(&self) -> String {
        let analysis = self.analysis;
        if let Some(factory) = self.own_factory() {
            let verb = self.verb();
            return format!("let(:service) {{ {verb}(:{factory}) }}");
        }
        let class = analysis.method.class.as_str();
        if let Some(literal) = literal_instance(class).filter(|_| !analysis.method.in_module) {
            return format!("let(:service) {{ {literal} }}");
        }
        let arguments = self.arguments(&analysis.initializer);
        let class = if analysis.method.in_module {
            "Class.new.include(described_class)"
        } else {
            "described_class"
        };
        format!("let(:service) {{ {class}.new{arguments} }}")
    }

    /// A `let` for every parameter that is passed.
    pub(super) fn common(&self) -> Vec<String> {
        let passed = self
            .parameters()
            .filter(|parameter| self.is_passed(parameter));
        passed
            .map(|parameter| {
                format!(
                    "let(:{}) {{ {} }}",
                    let_name(&parameter.name),
                    self.base(parameter)
                )
            })
            .collect()
    }
}

/// The call of an operator. With arguments that it usually does not have, it is called by its name.
fn operator(receiver: &str, method: &str, arguments: &str) -> String {
    let separate: Vec<&str> = arguments
        .split(", ")
        .filter(|one| !one.is_empty())
        .collect();
    operator_call(receiver, method, &separate).unwrap_or_else(|| {
        let separator = if separate.is_empty() { "" } else { ", " };
        format!("{receiver}.public_send(:{method}{separator}{arguments})")
    })
}

/// An instance of a class of Ruby itself that has no `new`, or whose `new` needs arguments.
fn literal_instance(class: &str) -> Option<&'static str> {
    Some(match class {
        "NilClass" => "nil",
        "TrueClass" => "true",
        "FalseClass" => "false",
        "Integer" => "1",
        "Float" => "1.5",
        "Rational" => "Rational(1, 2)",
        "Complex" => "Complex(1, 2)",
        "Symbol" => ":word",
        "Range" => "(1..2)",
        "Regexp" => "/a/",
        "Proc" => "proc {}",
        _ => return None,
    })
}
