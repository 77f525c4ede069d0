//! [`Inputs`]: the value of each parameter in each state, from literals and factories.

pub(super) use super::input::{FactoryArgument, Input};
use super::records::Records;
use super::signature::can_be_passed;
use super::values::{is_any_value, is_something};
use crate::characteristic::{AttributeCall, Characteristic, Kind};
use crate::metadata::read::Plan;
use crate::name::{Name, let_name};
use crate::ruby::{Analysis, MethodType, ModelFacts, TestLevel, snake};
use crate::skeleton::Distance;

/// The data from which inputs are computed.
pub(super) struct Inputs<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) plan: &'a Plan,
    pub(super) records: &'a Records,
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

    /// The method's own record in a state: with a trait if the factory has one, otherwise with an attribute.
    fn own_record(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let factory = self.own_factory()?;
        let argument = self
            .own_trait(found, state, &factory)
            .or_else(|| self.own_attribute(found, state, &factory))
            .or_else(|| self.known_argument(found, state, &factory, AttributeCall::OWN))?;
        Some(self.factory_input("service", "service", &factory, argument))
    }

    /// A trait for the state of the method's own record.
    fn own_trait(&self, found: &Characteristic, state: &str, factory: &str) -> Option<String> {
        let call = found.attribute_call.as_ref();
        let call = call.filter(|call| call.variable == AttributeCall::OWN)?;
        self.state_trait(factory, &call.method, state)
    }

    /// A tested attribute of the method's own record that is read back as it was written.
    fn own_attribute(&self, found: &Characteristic, state: &str, factory: &str) -> Option<String> {
        let attribute = found.tested.as_ref()?;
        let own = || {
            let is_own = self.analysis.has_attribute(attribute);
            self.value(found, state).filter(|_| is_own)
        };
        let value = self.accepted_value(found, state, factory, attribute);
        Some(format!("{attribute}: {}", value.or_else(own)?))
    }

    /// A value of a column that leads to the state and is read back as it was written.
    fn accepted_value(
        &self,
        found: &Characteristic,
        state: &str,
        factory: &str,
        attribute: &str,
    ) -> Option<String> {
        let facts = self.facts(factory)?;
        let value = self.value(found, state);
        let accepted = |value: &String| facts.accepts(attribute, value, self.is_stored());
        value.filter(accepted).or_else(|| {
            let is_last = found.states.last().is_some_and(|last| last == state);
            let one = facts
                .enum_of(attribute)
                .filter(|_| is_last && !found.presence)?;
            one.other_than(&found.values)
        })
    }

    /// The trait of a factory that is named after a state: `active`, or `with_name` and `without_name` for the presence of
    /// a name. `method` is the method that reads the attribute.
    fn state_trait(&self, factory: &str, method: &str, state: &str) -> Option<String> {
        let (_, traits) = self.factory(factory)?;
        let attribute = method.trim_start_matches("has_").trim_end_matches('?');
        let name = match state {
            "present" => format!("with_{attribute}"),
            "absent" => format!("without_{attribute}"),
            _ => state.to_owned(),
        };
        traits.contains(&name).then(|| format!(":{name}"))
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
        self.factory(&parameter.name)?;
        let call = found.attribute_call.as_ref();
        let method = call.map_or(attribute, |call| &call.method);
        let name = parameter.name.as_str();
        let given = let_name(name);
        let argument = self
            .state_trait(name, method, state)
            .or_else(|| self.known_argument(found, state, name, name));
        if let Some(argument) = argument {
            return Some(self.factory_input(name, &given, name, argument));
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
    fn known_argument(
        &self,
        found: &Characteristic,
        state: &str,
        factory: &str,
        variable: &str,
    ) -> Option<String> {
        let call = found.attribute_call.as_ref();
        let call = call.filter(|call| call.variable.trim_start_matches('@') == variable)?;
        if let Some(value) = self.accepted_value(found, state, factory, &call.method) {
            return Some(format!("{}: {value}", call.method));
        }
        let facts = self.facts(factory)?;
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
        let mut models = self.records.models.iter();
        models
            .find(|(name, _)| name == factory)
            .map(|(_, facts)| facts)
    }

    /// Whether records are saved in the database.
    fn is_stored(&self) -> bool {
        !matches!(self.plan.test_level, None | Some(TestLevel::Unit))
    }

    pub(super) fn factory(&self, name: &str) -> Option<&(String, Vec<String>)> {
        self.plan
            .factories
            .iter()
            .find(|(factory, _)| factory == name)
    }

    /// The factory method of the test level: rule T7.
    pub(super) fn verb(&self) -> &'static str {
        match (self.is_stored(), self.records.are_fabricated) {
            (false, false) => "build_stubbed",
            (true, false) => "create",
            (false, true) => "Fabricate.build",
            (true, true) => "Fabricate",
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
