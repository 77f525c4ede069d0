//! The arguments of a factory call, and whether they contradict one another.

use super::inputs::Inputs;
use crate::characteristic::Characteristic;
use crate::factories::sets;

impl Inputs<'_> {
    /// The arguments with which a record is in all these states and passes the guards before them. Traits come before
    /// attributes.
    pub(super) fn factory_arguments(
        &self,
        states: &[(&Characteristic, &str)],
        variable: &str,
    ) -> Vec<String> {
        let passing = self.passing(states, variable).into_iter();
        let mut arguments: Vec<String> = passing.map(|passing| passing.argument).collect();
        for (found, state) in states {
            let other = self.of(found, state);
            let same = other.filter(|other| other.variable == variable);
            let argument = same.and_then(|same| same.factory_argument);
            arguments.extend(argument.map(|argument| argument.argument));
        }
        arguments.sort_by_key(|one| !one.starts_with(':'));
        arguments.dedup();
        arguments
    }

    /// Why these arguments contradict one another, if they do: a trait sets an attribute that another argument sets, too.
    pub(super) fn contradiction(&self, arguments: &[String]) -> Option<String> {
        let traits = arguments.iter().filter_map(|one| one.strip_prefix(':'));
        for name in traits {
            let others = arguments.iter().filter(|one| one[..] != format!(":{name}"));
            let mut attributes = others.flat_map(|other| self.attributes_of(other));
            if let Some(attribute) = attributes.find(|one| sets(&self.records.traits, name, one)) {
                return Some(format!("trait :{name} also sets `{attribute}`"));
            }
        }
        None
    }

    /// The attributes that an argument sets.
    fn attributes_of<'s>(&'s self, argument: &'s str) -> Vec<&'s str> {
        let Some(name) = argument.strip_prefix(':') else {
            return argument.split(": ").take(1).collect();
        };
        let traits = self.records.traits.iter();
        let same = traits.filter(|one| one.name == name);
        same.flat_map(|one| one.sets.iter().map(String::as_str))
            .collect()
    }
}
