//! What is passed to a method where nothing is said about it, and how it is called.

use super::inputs::{FactoryArgument, Inputs};
use crate::characteristic::Characteristic;
use crate::name::let_name;
use crate::ruby::{MethodType, Parameter, ParameterKind};

impl Inputs<'_> {
    /// The parameters of the method, then those of `new`.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        let own = self.analysis.parameters.iter();
        let made: &[Parameter] = match self.plan.method_type {
            MethodType::Instance => &self.analysis.initializer,
            MethodType::Class => &[],
        };
        let others = made.iter().filter(|parameter| {
            self.analysis
                .parameters
                .iter()
                .all(|own| own.name != parameter.name)
        });
        own.chain(others)
    }

    /// Whether something must be passed for it: it has no default, or a state depends on it.
    pub(super) fn is_passed(&self, parameter: &Parameter) -> bool {
        let is_value = matches!(
            parameter.kind,
            ParameterKind::Positional | ParameterKind::Keyword
        );
        let is_tested = || {
            self.analysis.characteristics.iter().any(|found| {
                let states = &found.states;
                states
                    .iter()
                    .filter_map(|state| self.of(found, state))
                    .any(|input| input.parameter == parameter.name)
            })
        };
        is_value && !parameter.name.is_empty() && (parameter.default.is_none() || is_tested())
    }

    /// What a parameter is given where nothing is said about it: what lets the guards pass, else its factory, what
    /// leaves a decision to others, its default, a value that can be tested, nothing.
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
            .unwrap_or_else(|| "nil".to_owned())
    }

    /// What leaves the decision to the conditions that one about this parameter is joined with.
    fn agreeing(&self, parameter: &Parameter) -> Option<String> {
        let mut joined = self.analysis.joined.iter().flat_map(|fact| &fact.places);
        joined.find_map(|place| {
            let (found, state) = self.analysis.at(*place);
            let input = self.literal(found, state)?;
            (input.parameter == parameter.name).then_some(input.value)
        })
    }

    /// A value of the kind that the conditions ask about.
    fn testable(&self, parameter: &Parameter) -> Option<String> {
        let asked = self.analysis.characteristics.iter();
        asked.filter(|found| !found.presence).find_map(|found| {
            let input = self.literal(found, found.states.first()?)?;
            (input.parameter == parameter.name).then_some(input.value)
        })
    }

    /// What the factory of a record has to be told so that the guards before these conditions let it pass.
    pub(super) fn passing(
        &self,
        way: &[(&Characteristic, &str)],
        given: &str,
    ) -> Vec<FactoryArgument> {
        let is_on_way = |found: &Characteristic| way.iter().any(|(on, _)| on.name == found.name);
        let before = self.analysis.characteristics.iter();
        let guards = before
            .take_while(|found| !is_on_way(found))
            .filter(|found| found.is_guard() && found.depends_on.is_none());
        guards
            .filter_map(|guard| self.of(guard, guard.first_continuing_state()?))
            .filter(|input| input.is_certain && input.given == given)
            .filter_map(|input| input.told)
            .collect()
    }

    /// The arguments of a call.
    pub(super) fn arguments(&self, parameters: &[Parameter]) -> String {
        let passed = parameters
            .iter()
            .filter(|parameter| self.is_passed(parameter) || is_unnamed(parameter));
        let arguments: Vec<_> = passed
            .map(|parameter| match parameter.kind {
                _ if is_unnamed(parameter) => "nil".to_owned(),
                ParameterKind::Keyword => {
                    format!("{}: {}", parameter.name, let_name(&parameter.name))
                }
                _ => let_name(&parameter.name),
            })
            .collect();
        if arguments.is_empty() {
            String::new()
        } else {
            format!("({})", arguments.join(", "))
        }
    }
}

/// A parameter that is taken apart in place.
fn is_unnamed(parameter: &Parameter) -> bool {
    parameter.kind == ParameterKind::Positional && parameter.name.is_empty()
}

/// A literal on one line.
fn is_simple(default: &str) -> bool {
    !default.contains(['\n', '(', '.', '#'])
        && !default.starts_with(|first: char| first.is_alphabetic())
        || matches!(default, "true" | "false" | "nil")
}
