//! The default values of parameters, and the arguments of calls.

use super::inputs::{FactoryArgument, Inputs};
use crate::characteristic::Characteristic;
use crate::name::let_name;
use crate::ruby::{MethodType, Parameter, ParameterClass, ParameterKind};

impl Inputs<'_> {
    /// The parameters of the method, then those of `new`.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        let own = self.analysis.parameters.iter();
        let initializer: &[Parameter] = match self.plan.method_type {
            MethodType::Instance => &self.analysis.initializer,
            MethodType::Class => &[],
        };
        let others = initializer.iter().filter(|parameter| {
            self.analysis
                .parameters
                .iter()
                .all(|own| own.name != parameter.name)
        });
        own.chain(others)
    }

    /// Whether the parameter has to be passed: it has no default, or a state depends on it.
    pub(super) fn is_passed(&self, parameter: &Parameter) -> bool {
        let is_tested = || {
            self.analysis.characteristics.iter().any(|found| {
                let states = &found.states;
                states
                    .iter()
                    .filter_map(|state| self.of(found, state))
                    .any(|input| input.parameter == parameter.name)
            })
        };
        !parameter.name.is_empty() && (parameter.default.is_none() || is_tested())
    }

    /// The class of a parameter, from its kind or from the calls that are made on it.
    fn class_of(&self, parameter: &Parameter) -> Option<ParameterClass> {
        let called = |name: &str| {
            let mut classes = self.analysis.classes.iter();
            classes.find(|(known, _)| known == name)
        };
        match parameter.kind {
            ParameterKind::Rest => Some(ParameterClass::Array),
            ParameterKind::KeywordRest => Some(ParameterClass::Hash),
            ParameterKind::Block => Some(ParameterClass::Proc),
            ParameterKind::Positional | ParameterKind::Keyword => called(&parameter.name)
                .or_else(|| called(&format!("@{}", parameter.name)))
                .map(|(_, class)| *class),
        }
    }

    /// A literal of the parameter's class for one of the literals that are written without knowing it.
    pub(super) fn typed(&self, parameter: &Parameter, value: String) -> String {
        let class = self.class_of(parameter);
        let typed = class.and_then(|class| match value.as_str() {
            "'value'" | "['value']" => Some(class.present_value()),
            "[]" => class.empty_value(),
            _ => None,
        });
        typed.map_or(value, ToOwned::to_owned)
    }

    /// The default value of a parameter in the spec. In this order: a value that passes the guards, its factory, a value that
    /// leaves a joint decision to other conditions, its default in the code, a value that can be tested, a value of its
    /// class, nil.
    pub(super) fn base(&self, parameter: &Parameter) -> String {
        let guards = self.analysis.characteristics.iter();
        let passing = guards.filter(|found| found.is_guard()).find_map(|found| {
            let input = self.of(found, found.first_continuing_state()?)?;
            (input.parameter == parameter.name && input.is_certain).then_some(input.value)
        });
        passing
            .or_else(|| {
                self.factory(&parameter.name)
                    .map(|_| format!("{}(:{})", self.verb(), parameter.name))
            })
            .or_else(|| self.agreeing(parameter))
            .or_else(|| {
                parameter
                    .default
                    .clone()
                    .filter(|default| is_simple(default) && default != "nil")
            })
            .or_else(|| self.testable(parameter))
            .or_else(|| self.plain_value(parameter))
            .unwrap_or_else(|| "nil".to_owned())
    }

    /// A value of the parameter's class. A splat passes nothing.
    fn plain_value(&self, parameter: &Parameter) -> Option<String> {
        let class = self.class_of(parameter)?;
        let is_rest = matches!(
            parameter.kind,
            ParameterKind::Rest | ParameterKind::KeywordRest
        );
        let empty = class.empty_value().filter(|_| is_rest);
        Some(empty.unwrap_or(class.present_value()).to_owned())
    }

    /// The value with which the conditions that are joined with one on this parameter decide.
    fn agreeing(&self, parameter: &Parameter) -> Option<String> {
        let mut joined = self
            .analysis
            .joined
            .iter()
            .flat_map(|fact| &fact.state_refs);
        joined.find_map(|place| {
            let (found, state) = self.analysis.at(*place);
            let input = self.literal(found, state)?;
            (input.parameter == parameter.name).then_some(input.value)
        })
    }

    /// A value of the type that the conditions test.
    fn testable(&self, parameter: &Parameter) -> Option<String> {
        let characteristics = self.analysis.characteristics.iter();
        characteristics
            .filter(|found| !found.presence)
            .find_map(|found| {
                let input = self.literal(found, found.states.first()?)?;
                (input.parameter == parameter.name).then_some(input.value)
            })
    }

    /// The factory arguments of a record with which the guards before these conditions pass.
    pub(super) fn passing(
        &self,
        path: &[(&Characteristic, &str)],
        variable: &str,
    ) -> Vec<FactoryArgument> {
        let is_on_path = |found: &Characteristic| path.iter().any(|(on, _)| on.name == found.name);
        let before = self.analysis.characteristics.iter();
        let guards = before
            .take_while(|found| !is_on_path(found))
            .filter(|found| found.is_guard() && found.depends_on.is_none());
        guards
            .filter_map(|guard| self.of(guard, guard.first_continuing_state()?))
            .filter(|input| input.is_certain && input.variable == variable)
            .filter_map(|input| input.factory_argument)
            .collect()
    }

    /// The arguments of a call.
    pub(super) fn arguments(&self, parameters: &[Parameter]) -> String {
        let passed = parameters
            .iter()
            .filter(|parameter| self.is_passed(parameter) || is_unnamed(parameter));
        let arguments: Vec<_> = passed
            .map(|parameter| {
                let name = let_name(&parameter.name);
                match parameter.kind {
                    _ if is_unnamed(parameter) => "nil".to_owned(),
                    ParameterKind::Positional => name,
                    ParameterKind::Keyword => format!("{}: {name}", parameter.name),
                    ParameterKind::Rest => format!("*{name}"),
                    ParameterKind::KeywordRest => format!("**{name}"),
                    ParameterKind::Block => format!("&{name}"),
                }
            })
            .collect();
        if arguments.is_empty() {
            String::new()
        } else {
            format!("({})", arguments.join(", "))
        }
    }
}

/// Whether a parameter has no name, because it is destructured.
fn is_unnamed(parameter: &Parameter) -> bool {
    parameter.kind == ParameterKind::Positional && parameter.name.is_empty()
}

/// Whether a value can be passed as this parameter: `*nil` passes no argument, and `&'value'` is an error.
pub(super) fn can_be_passed(parameter: &Parameter, value: &str) -> bool {
    match parameter.kind {
        ParameterKind::Positional | ParameterKind::Keyword => true,
        ParameterKind::Rest => value.starts_with('['),
        ParameterKind::KeywordRest => value.starts_with('{') && !value.contains("=>"),
        ParameterKind::Block => value == "nil" || value.starts_with("proc"),
    }
}

/// Whether a default is a literal on one line.
fn is_simple(default: &str) -> bool {
    !default.contains(['\n', '(', '.', '#'])
        && !default.starts_with(|first: char| first.is_alphabetic())
        || matches!(default, "true" | "false" | "nil")
}
