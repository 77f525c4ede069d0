//! What the method is given in each state: parameters, and what the factories have for them.

pub(super) use super::input::{Input, Told};
use crate::characteristic::{Characteristic, Kind, Threshold};
use crate::metadata::read::Plan;
use crate::ruby::{Analysis, MethodType, Parameter, RecordFacts, TestLevel, members, snake};
use crate::skeleton::{Distance, threshold_pair};

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

/// Everything that is known about inputs.
pub(super) struct Inputs<'a> {
    pub(super) analysis: &'a Analysis,
    pub(super) plan: &'a Plan,
    /// Classes of records, by the names of their factories.
    pub(super) records: &'a [(String, RecordFacts)],
    /// How far from a bound its values are.
    pub(super) distance: Distance,
}

impl Inputs<'_> {
    /// How to bring this state about, if any way is known.
    pub(super) fn of(&self, found: &Characteristic, state: &str) -> Option<Input> {
        self.literal(found, state)
            .or_else(|| self.own(found, state))
            .or_else(|| self.record(found, state))
    }

    /// A literal for a parameter that is tested itself.
    pub(super) fn literal(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let tested = found.tested.as_ref()?;
        let parameter = self
            .parameters()
            .find(|parameter| parameter.name == tested.trim_start_matches('@'))?;
        let is_own = self.analysis.parameters.contains(parameter) || tested.starts_with('@');
        if !is_own && !self.analysis.readers.contains(tested) {
            return None;
        }
        let value = self.value(found, state)?;
        let is_present = found.presence && found.states.first().is_some_and(|first| first == state);
        let value = if is_present && self.factory(&parameter.name).is_some() {
            format!("{}(:{})", self.verb(), parameter.name)
        } else if is_present {
            let default = parameter.default.clone().filter(|_| is_any_value(found));
            let default = default.filter(|default| is_something(default) || default == "true");
            self.fitting(found).or(default).unwrap_or(value)
        } else {
            value
        };
        Some(Input {
            parameter: parameter.name.clone(),
            given: let_name(&parameter.name),
            value,
            told: None,
            is_certain: true,
            warning: None,
        })
    }

    /// A literal that brings a state about.
    fn value(&self, found: &Characteristic, state: &str) -> Option<String> {
        let position = found.states.iter().position(|known| known == state)?;
        match found.values.get(position) {
            Some(value) => value.clone(),
            None if found.threshold.is_none() => self.member(found, position),
            None => self.beyond(found, position),
        }
    }

    /// A member of a constant of the same file, or something that is none.
    fn member(&self, found: &Characteristic, position: usize) -> Option<String> {
        let lists = &self.analysis.lists;
        let list = |path: &str| lists.iter().find(|(known, _)| known == path);
        let path = self.in_scope(found.bound.as_ref()?, |path| list(path).is_some())?;
        let (_, known) = list(path.trim_start_matches("::"))?;
        members(known).get(position)?.clone()
    }

    /// Something that is there, and of the kind that the other conditions ask about.
    fn fitting(&self, found: &Characteristic) -> Option<String> {
        if !is_any_value(found) {
            return None;
        }
        let others = self.analysis.characteristics.iter();
        others
            .filter(|other| !other.presence && other.tested == found.tested)
            .find_map(|other| self.value(other, other.going_on()?))
            .filter(|value| is_something(value))
    }

    /// The state of a variable that is given this value.
    pub(super) fn state_of<'c>(&self, found: &'c Characteristic, value: &str) -> Option<&'c str> {
        let state = |position: usize| found.states.get(position).map(String::as_str);
        let is_it = |state: &&String| {
            let given = self.literal(found, state);
            given.is_some_and(|given| given.value == value)
        };
        if let Some(exact) = found.states.iter().find(is_it) {
            return Some(exact);
        }
        if is_any_value(found) && is_something(value) {
            return state(0);
        }
        if let Some(is_other) = differs(found, value) {
            return state(usize::from(is_other));
        }
        let bound = self.bound(found)?;
        let limit: i64 = bound.value.as_ref()?.parse().ok()?;
        let number: i64 = value.parse().ok()?;
        let holds = match bound.operator.as_str() {
            ">" => number > limit,
            ">=" => number >= limit,
            "<" => number < limit,
            "<=" => number <= limit,
            _ => return None,
        };
        state(usize::from(!holds))
    }

    /// What a single comparison is about, which may be a constant of the same file.
    fn bound(&self, found: &Characteristic) -> Option<Threshold> {
        let mut threshold = found.threshold.clone()?;
        if let Some(constant) = &found.bound {
            let numbers = &self.analysis.numbers;
            let number = |path: &str| numbers.iter().find(|(known, _)| known == path);
            let path = self.in_scope(constant, |path| number(path).is_some())?;
            threshold.value = number(&path).map(|(_, number)| number.to_string());
        }
        (found.states.len() == 2).then_some(threshold)
    }

    /// A number on the right side of a bound.
    fn beyond(&self, found: &Characteristic, position: usize) -> Option<String> {
        let (holds, fails) = threshold_pair(&self.bound(found)?, self.distance)?;
        let number = if position == 0 { holds } else { fails };
        Some(number.to_string())
    }

    /// A constant's full name, as the code would find it from inside its class.
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

    /// The factory of the record that the method belongs to, where it takes one to make it.
    pub(super) fn own_factory(&self) -> Option<String> {
        let class = self.plan.class.rsplit("::").next()?;
        let name = snake(class);
        let is_needed =
            self.plan.method_type == MethodType::Instance && !self.analysis.is_plainly_made;
        (is_needed && self.factory(&name).is_some()).then_some(name)
    }

    /// The method's own record, with an attribute of its own.
    fn own(&self, found: &Characteristic, state: &str) -> Option<Input> {
        let factory = self.own_factory()?;
        let attribute = found.tested.as_ref()?;
        if !self.analysis.attributes.contains(attribute) {
            return None;
        }
        let what = format!("{attribute}: {}", self.value(found, state)?);
        Some(self.told("service", "service", &factory, what))
    }

    /// A record that certainly is as its factory is told.
    fn told(&self, parameter: &str, given: &str, factory: &str, what: String) -> Input {
        Input {
            parameter: parameter.to_owned(),
            given: given.to_owned(),
            value: format!("{}(:{factory}, {what})", self.verb()),
            told: Some(Told {
                factory: factory.to_owned(),
                what,
            }),
            is_certain: true,
            warning: None,
        }
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
        let name = parameter.name.as_str();
        let given = let_name(name);
        if traits.iter().any(|known| known == state) {
            return Some(self.told(name, &given, name, format!(":{state}")));
        }
        if let Some(what) = self.known(found, state, name) {
            return Some(self.told(name, &given, name, what));
        }
        let attribute = found.name.strip_prefix(&format!("{name}_"))?.to_owned();
        let value = guessed(found, state)?;
        let told = self.told(name, &given, name, format!("{attribute}: {value}"));
        Some(Input {
            is_certain: false,
            warning: Some(format!(
                "factory '{name}' has no trait '{state}': `{attribute}: {value}` is used instead"
            )),
            ..told
        })
    }

    /// What a record's class itself says about a state: an attribute that is read as it was set, or one that decides.
    fn known(&self, found: &Characteristic, state: &str, factory: &str) -> Option<String> {
        let asked = found.asked.as_ref().filter(|asked| asked.of == factory)?;
        let (_, facts) = self.records.iter().find(|(name, _)| name == factory)?;
        if facts.attributes.contains(&asked.method) {
            let value = self.value(found, state)?;
            return Some(format!("{}: {value}", asked.method));
        }
        let answer = facts
            .answers
            .iter()
            .find(|one| one.method == asked.method)?;
        let position = found.states.iter().position(|known| known == state)?;
        let value = answer.values.get(position)?.as_ref()?;
        Some(format!("{}: {value}", answer.attribute))
    }

    pub(super) fn factory(&self, name: &str) -> Option<&(String, Vec<String>)> {
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
}

/// Whether a value differs from the literal that it is compared with; none where nothing is compared, or the values
/// are of different kinds.
fn differs(found: &Characteristic, value: &str) -> Option<bool> {
    let literal = found.values.first()?.as_deref()?;
    let kind = |text: &str| match text.chars().next() {
        Some(first @ (':' | '\'')) => Some(first),
        Some('"') => Some('\''),
        Some('0'..='9' | '-') => Some('0'),
        _ => None,
    };
    let word = |text: &str| text.trim_matches([':', '\'', '"']).to_owned();
    let is_equality = found.kind == Kind::Binary && found.states.first() == Some(&word(literal));
    let is_alike = kind(literal).is_some() && kind(literal) == kind(value);
    (is_equality && is_alike).then(|| word(literal) != word(value))
}

/// Whether a presence test is content with any value but nil and blanks.
fn is_any_value(found: &Characteristic) -> bool {
    let absent = found.values.get(1).and_then(Option::as_deref);
    found.presence && absent == Some("nil")
}

/// A literal that is neither nil nor false nor blank.
fn is_something(value: &str) -> bool {
    let is_word =
        |text: &str| text.contains(char::is_alphanumeric) && !text.contains(['\\', '#', '\'', '"']);
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let text = quoted('\'').or_else(|| quoted('"'));
    value.parse::<i64>().is_ok()
        || value.strip_prefix(':').is_some_and(|name| !name.is_empty())
        || text.is_some_and(is_word)
}

/// What an attribute would be called and given, if the state's name says it.
fn guessed(found: &Characteristic, state: &str) -> Option<String> {
    match found.kind {
        Kind::Binary if !found.presence => {
            let is_first = found.states.first().is_some_and(|first| first == state);
            Some(is_first.to_string())
        }
        Kind::Enum | Kind::Sequential if state != "other" => Some(format!(":{state}")),
        _ => None,
    }
}

/// What a parameter is called in a spec.
pub(super) fn let_name(parameter: &str) -> String {
    if TAKEN.contains(&parameter) {
        format!("given_{parameter}")
    } else {
        parameter.to_owned()
    }
}
