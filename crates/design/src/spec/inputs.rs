//! [`Inputs`]: the value of each parameter in each state, from literals and factories.

pub(super) use super::input::{FactoryArgument, Input};
use super::signature::can_be_passed;
use super::values::{is_any_value, is_something};
use crate::characteristic::{Characteristic, Kind};
use crate::metadata::read::Plan;
use crate::name::{Name, let_name};
use crate::ruby::{Analysis, MethodType, ModelFacts, TestLevel, snake};
use crate::skeleton::Distance;

/// The data from which inputs are computed.
pub(super) struct Inputs<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) plan: &'a Plan,
    /// Facts about model classes, by the names of their factories.
    pub(super) records: &'a [(String, ModelFacts)],
    /// How far values are from a limit.
    pub(super) distance: Distance,
}

impl Inputs<'_> {
    /// How to set up this state; `None` if it is unknown.
    pub(super) fn of(&self, found: &Characteristic, state: &str) -> Option<Input> {
        self.literal(found, state)
            .or_else(|| self.own_record(found, state))
            .or_else(|| self.parameter_record(found, state))
    }

    /// A literal for a parameter that is itself tested.
    pub(super) fn literal(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let tested = found.tested.as_ref()?;
        let parameter = self
            .parameters()
            .find(|parameter| parameter.name == tested.trim_start_matches('@'))?;
        let is_own = self.analysis.parameters.contains(parameter) || tested.starts_with('@');
        if !is_own && !self.analysis.has_reader(tested) {
            return None;
        }
        let value = self.value(found, state)?;
        let is_present = found.presence && found.states.first().is_some_and(|first| first == state);
        let value = if is_present && self.factory(&parameter.name).is_some() {
            format!("{}(:{})", self.verb(), parameter.name)
        } else if is_present {
            let default = parameter.default.clone().filter(|_| is_any_value(found));
            let default = default.filter(|default| is_something(default) || default == "true");
            let given = self.fitting(found).or(default);
            given.unwrap_or_else(|| self.typed(parameter, value))
        } else {
            self.typed(parameter, value)
        };
        let value = Some(value).filter(|value| can_be_passed(parameter, value))?;
        Some(Input {
            parameter: parameter.name.clone(),
            variable: let_name(&parameter.name),
            value,
            factory_argument: None,
            is_certain: true,
            warning: None,
        })
    }

    /// The full name of a constant, resolved from inside the method's class.
    pub(super) fn in_scope(&self, name: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
        let mut scope = self.analysis.method.class.as_str();
        loop {
            let candidate = format!("{scope}::{name}");
            if is_known(&candidate) {
                return Some(candidate);
            }
            match scope.rsplit_once("::") {
                Some((outer, _)) => scope = outer,
                None => break,
            }
        }
        is_known(name.trim_start_matches("::")).then(|| name.to_owned())
    }

    /// The factory of the method's own class, if its instances need one.
    pub(super) fn own_factory(&self) -> Option<String> {
        let class = self.plan.class.rsplit("::").next()?;
        let name = snake(class);
        let is_needed =
            self.plan.method_type == MethodType::Instance && !self.analysis.has_plain_initializer;
        (is_needed && self.factory(&name).is_some()).then_some(name)
    }

    /// The method's own record with a tested attribute set.
    fn own_record(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let factory = self.own_factory()?;
        let attribute = found.tested.as_ref()?;
        let value = self.value(found, state)?;
        let is_column = self
            .facts(&factory)
            .is_some_and(|facts| facts.accepts(attribute, &value, self.is_stored()));
        if !self.analysis.has_attribute(attribute) && !is_column {
            return None;
        }
        let what = format!("{attribute}: {value}");
        Some(self.factory_input("service", "service", &factory, what))
    }

    /// A record made by a factory with an argument that certainly leads to the state.
    fn factory_input(
        &self,
        parameter: &str,
        variable: &str,
        factory: &str,
        argument: String,
    ) -> Input {
        Input {
            parameter: parameter.to_owned(),
            variable: variable.to_owned(),
            value: format!("{}(:{factory}, {argument})", self.verb()),
            factory_argument: Some(FactoryArgument {
                factory: factory.to_owned(),
                argument,
            }),
            is_certain: true,
            warning: None,
        }
    }

    /// A record for a parameter whose attribute is tested: with a trait if the factory has one, otherwise with the attribute.
    fn parameter_record(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let Name {
            subject, attribute, ..
        } = &found.parts;
        let attribute = attribute.as_ref()?;
        let mut parameters = self.parameters();
        let parameter = parameters.find(|parameter| subject.as_ref() == Some(&parameter.name))?;
        let (_, traits) = self.factory(&parameter.name)?;
        let name = parameter.name.as_str();
        let given = let_name(name);
        if traits.iter().any(|known| known == state) {
            return Some(self.factory_input(name, &given, name, format!(":{state}")));
        }
        if let Some(what) = self.known_argument(found, state, name) {
            return Some(self.factory_input(name, &given, name, what));
        }
        let value = guess_value(found, state)?;
        let input = self.factory_input(name, &given, name, format!("{attribute}: {value}"));
        Some(Input {
            is_certain: false,
            warning: Some(format!(
                "factory '{name}' has no trait '{state}'; used `{attribute}: {value}` instead"
            )),
            ..input
        })
    }

    /// The attribute that the model class itself ties to a state: one that is returned as it was set, or one that decides a
    /// predicate.
    fn known_argument(&self, found: &Characteristic, state: &str, factory: &str) -> Option<String> {
        let call = found
            .attribute_call
            .as_ref()
            .filter(|call| call.variable == factory)?;
        let facts = self.facts(factory)?;
        let value = self.value(found, state);
        if let Some(value) =
            value.filter(|value| facts.accepts(&call.method, value, self.is_stored()))
        {
            return Some(format!("{}: {value}", call.method));
        }
        let predicate = facts
            .predicates
            .iter()
            .find(|one| one.method == call.method)?;
        let position = found.states.iter().position(|known| known == state)?;
        let value = predicate.values.get(position)?.as_ref()?;
        facts
            .accepts(&predicate.attribute, value, self.is_stored())
            .then(|| format!("{}: {value}", predicate.attribute))
    }

    /// The facts about the class of a factory's records.
    fn facts(&self, factory: &str) -> Option<&ModelFacts> {
        let mut records = self.records.iter();
        records
            .find(|(name, _)| name == factory)
            .map(|(_, facts)| facts)
    }

    /// Whether records are saved in the database.
    fn is_stored(&self) -> bool {
        self.verb() == "create"
    }

    pub(super) fn factory(&self, name: &str) -> Option<&(String, Vec<String>)> {
        self.plan
            .factories
            .iter()
            .find(|(factory, _)| factory == name)
    }

    /// The factory method of the test level: rule T7.
    pub(super) fn verb(&self) -> &'static str {
        match self.plan.test_level {
            None | Some(TestLevel::Unit) => "build_stubbed",
            Some(_) => "create",
        }
    }
}

/// The value of an attribute, guessed from the name of the state.
fn guess_value(found: &Characteristic, state: &str) -> Option<String> {
    match found.kind {
        Kind::Binary if !found.presence => {
            let is_first = found.states.first().is_some_and(|first| first == state);
            Some(is_first.to_string())
        }
        Kind::Enum | Kind::Sequential if state != "other" => Some(format!(":{state}")),
        _ => None,
    }
}
