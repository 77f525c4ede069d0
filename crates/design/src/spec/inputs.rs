//! What the method is given in each state: parameters, and what the factories have for them.

use crate::characteristic::{Characteristic, Kind};
use crate::metadata::read::Plan;
use crate::ruby::{Analysis, MethodType, Parameter, ParameterKind, TestLevel};
use crate::skeleton::threshold_pair;

/// Names that RSpec needs for itself.
const TAKEN: [&str; 16] = [
    "result",
    "service",
    "subject",
    "described_class",
    "it",
    "example",
    "method",
    "class",
    "send",
    "name",
    "expect",
    "allow",
    "receive",
    "object_id",
    "initialize",
    "then",
];

/// How a state is brought about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    /// The parameter.
    pub(super) parameter: String,
    /// What it is given, in Ruby.
    pub(super) value: String,
    /// What the parameter's factory is told, where the value is a record: `:active` or `active: false`.
    pub(super) told: Option<String>,
    /// Whether this certainly brings the state about.
    pub(super) is_certain: bool,
    /// What to tell about it.
    pub(super) warning: Option<String>,
}

/// Everything that is known about inputs.
pub(super) struct Inputs<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) plan: &'a Plan,
}

impl Inputs<'_> {
    /// How to bring this state about, if any way is known.
    pub(super) fn of(&self, found: &Characteristic, state: &str) -> Option<Input> {
        self.literal(found, state)
            .or_else(|| self.record(found, state))
    }

    /// A literal for a parameter that is tested itself.
    fn literal(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let tested = found.tested.as_ref()?.trim_start_matches('@');
        let parameter = self
            .parameters()
            .find(|parameter| parameter.name == tested)?;
        let position = found.states.iter().position(|known| known == state)?;
        let value = match found.values.get(position) {
            Some(value) => value.clone(),
            None => bound(found, position),
        }?;
        let is_record = found.presence && position == 0 && self.factory(&parameter.name).is_some();
        let value = if is_record {
            format!("{}(:{})", self.verb(), parameter.name)
        } else {
            value
        };
        Some(Input {
            parameter: parameter.name.clone(),
            value,
            told: None,
            is_certain: true,
            warning: None,
        })
    }

    /// A record for a parameter whose attribute is tested: by trait if there is one, else by attribute.
    fn record(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let is_about =
            |parameter: &&Parameter| found.name.starts_with(&format!("{}_", parameter.name));
        let parameter = self
            .parameters()
            .filter(is_about)
            .max_by_key(|parameter| parameter.name.len())?;
        let (_, traits) = self.factory(&parameter.name)?;
        let verb = self.verb();
        let name = &parameter.name;
        if traits.iter().any(|known| known == state) {
            return Some(Input {
                parameter: name.clone(),
                value: format!("{verb}(:{name}, :{state})"),
                told: Some(format!(":{state}")),
                is_certain: true,
                warning: None,
            });
        }
        let attribute = found.name.strip_prefix(&format!("{name}_"))?.to_owned();
        let value = match found.kind {
            Kind::Binary if found.presence => return None,
            Kind::Binary => found
                .states
                .first()
                .is_some_and(|first| first == state)
                .to_string(),
            Kind::Enum | Kind::Sequential if state != "other" => format!(":{state}"),
            _ => return None,
        };
        Some(Input {
            parameter: name.clone(),
            value: format!("{verb}(:{name}, {attribute}: {value})"),
            told: Some(format!("{attribute}: {value}")),
            is_certain: false,
            warning: Some(format!(
                "factory '{name}' has no trait '{state}': `{attribute}: {value}` is used instead"
            )),
        })
    }

    fn factory(&self, name: &str) -> Option<&(String, Vec<String>)> {
        self.plan
            .factories
            .iter()
            .find(|(factory, _)| factory == name)
    }

    /// The verb of the test level: section 7.
    pub(super) fn verb(&self) -> &'static str {
        match self.plan.test_level {
            None | Some(TestLevel::Unit) => "build_stubbed",
            Some(_) => "create",
        }
    }

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

    /// What a parameter is given where nothing is said about it: what lets the guards pass, else its factory, its
    /// default, nothing.
    pub(super) fn base(&self, parameter: &Parameter) -> String {
        let passing = self.analysis.characteristics.iter().find_map(|found| {
            let going_on = found
                .states
                .iter()
                .find(|state| !found.terminal_states.contains(state))?;
            let input = self.of(found, going_on)?;
            let is_guard = !found.terminal_states.is_empty();
            (is_guard && input.parameter == parameter.name && input.is_certain)
                .then_some(input.value)
        });
        passing
            .or_else(|| {
                self.factory(&parameter.name)
                    .map(|_| format!("{}(:{})", self.verb(), parameter.name))
            })
            .or_else(|| {
                parameter
                    .default
                    .clone()
                    .filter(|default| is_simple(default))
            })
            .unwrap_or_else(|| "nil".to_owned())
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

/// A number on the right side of a single bound.
fn bound(found: &Characteristic, position: usize) -> Option<String> {
    let (holds, fails) = threshold_pair(found.threshold.as_ref()?)?;
    (found.states.len() == 2).then(|| if position == 0 { holds } else { fails }.to_string())
}

/// A literal on one line.
fn is_simple(default: &str) -> bool {
    !default.contains(['\n', '(', '.', '#'])
        && !default.starts_with(|first: char| first.is_alphabetic())
        || matches!(default, "true" | "false" | "nil")
}

/// What a parameter is called in a spec.
pub(super) fn let_name(parameter: &str) -> String {
    if TAKEN.contains(&parameter) {
        format!("given_{parameter}")
    } else {
        parameter.to_owned()
    }
}
