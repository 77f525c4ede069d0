//! How names are written (rules N1 and N2). The analyzer keeps receiver and attribute apart; the profile decides
//! whether the receiver is written. A short name is only used when it is unambiguous: no other characteristic of the
//! method has the same name, with or without its receiver. Later steps can therefore find the characteristic for a name
//! in a document, whichever profile wrote it.

use std::collections::{HashMap, HashSet};

use crate::characteristic::{Characteristic, SetupKind};
use crate::metadata::read::Plan;
use crate::metadata::write::Format;
use crate::name::is_reserved;
use crate::ruby::{Analysis, snake};

/// A naming profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamingProfile {
    /// Always with the receiver: format 1.3.
    Full,
    /// Without the receiver for states set up by a factory, if the method reads only one record: format 2.0.
    Domain,
    /// With the receiver only when two names would collide: the plugin layout.
    Short,
}

impl NamingProfile {
    /// The default profile of a format.
    pub fn of(format: Format) -> NamingProfile {
        match format {
            Format::V1_3 | Format::Strict1_3 => NamingProfile::Full,
            Format::V2_0 => NamingProfile::Domain,
            Format::Plugin => NamingProfile::Short,
        }
    }

    /// The value written into a document; `None` when the profile is the default of the format.
    pub(crate) fn metadata_value(self, format: Format) -> Option<&'static str> {
        let word = match self {
            NamingProfile::Full => "full",
            NamingProfile::Domain => "domain",
            NamingProfile::Short => "short",
        };
        (self != NamingProfile::of(format)).then_some(word)
    }
}

impl Analysis {
    /// Renames the characteristics by a profile. Requires resolved setups, because `Domain` depends on them.
    pub(crate) fn apply_profile(&mut self, names: NamingProfile) {
        let is_about_one = is_about_one(&self.characteristics);
        let is_short = |found: &Characteristic| match names {
            NamingProfile::Full => false,
            NamingProfile::Domain => is_about_one && found.setup.kind == SetupKind::Factory,
            NamingProfile::Short => true,
        };
        let is_parameter = |name: &str| {
            let mut all = self.parameters.iter().chain(self.initializer.iter());
            all.any(|parameter| parameter.name == name)
        };
        let is_free = |name: &str| !is_reserved(name) && !is_parameter(name);
        let spelling = self.shortened(|found| is_short(found) && is_free(found.parts.short()));
        spelling.apply(self);
    }

    /// Renames the characteristics to match a document, with or without their receivers.
    pub(crate) fn match_document(&mut self, plan: &Plan) {
        let has = |name: &str| plan.entries.iter().any(|entry| entry.name == name);
        let is_short = |found: &Characteristic| !has(&found.parts.full) && has(found.parts.short());
        let spelling = self.shortened(is_short);
        spelling.apply(self);
    }

    /// New names for the characteristics that should have a short name and can have one.
    fn shortened(&self, should_shorten: impl Fn(&Characteristic) -> bool) -> Spelling {
        let mut meanings: HashMap<&str, usize> = HashMap::new();
        for found in &self.characteristics {
            let (full, short) = (found.parts.full.as_str(), found.parts.short());
            *meanings.entry(full).or_default() += 1;
            if short != full {
                *meanings.entry(short).or_default() += 1;
            }
        }
        let is_clear = |found: &&Characteristic| {
            found.parts.attribute.is_some() && meanings[found.parts.short()] == 1
        };
        let short = self.characteristics.iter().filter(is_clear);
        let short = short.filter(|found| should_shorten(found));
        Spelling(
            short
                .map(|found| (found.name.clone(), found.parts.short().to_owned()))
                .collect(),
        )
    }
}

/// Whether a method reads only one record: all receivers are that record, and no factory creates another.
fn is_about_one(found: &[Characteristic]) -> bool {
    let has_receiver = |one: &&Characteristic| one.parts.attribute.is_some();
    let has_factory = |one: &&Characteristic| one.setup.kind == SetupKind::Factory;
    let receivers = found
        .iter()
        .filter(has_receiver)
        .map(|one| one.parts.subject.clone());
    let classes = found.iter().filter(has_factory).map(|one| {
        let class = one.setup.class.as_ref()?;
        class.rsplit("::").next().map(snake)
    });
    let records: HashSet<Option<String>> = receivers.chain(classes).collect();
    records.len() == 1
}

/// New names by old name.
struct Spelling(HashMap<String, String>);

impl Spelling {
    fn apply(&self, analysis: &mut Analysis) {
        if self.0.is_empty() {
            return;
        }
        for found in &mut analysis.characteristics {
            self.characteristic(found);
        }
        for warning in &mut analysis.warnings {
            self.text(warning);
        }
    }

    fn characteristic(&self, found: &mut Characteristic) {
        let ends = found.terminal_states.iter_mut().chain(&mut found.default);
        for state in found.states.iter_mut().chain(ends) {
            self.state(&found.name, state);
        }
        if let Some(parent) = &mut found.depends_on {
            for state in &mut found.when_parent {
                self.state(parent, state);
            }
            self.name(parent);
        }
        self.name(&mut found.name);
    }

    fn name(&self, name: &mut String) {
        if let Some(new) = self.0.get(name) {
            name.clone_from(new);
        }
    }

    /// Renames a state that has the name of its characteristic.
    fn state(&self, of: &str, state: &mut String) {
        let Some(new) = self.0.get(of) else {
            return;
        };
        if state == of {
            state.clone_from(new);
        } else if state.strip_prefix("not_") == Some(of) {
            *state = format!("not_{new}");
        }
    }

    /// Renames the characteristics quoted in a message, where names are between backticks.
    fn text(&self, text: &mut String) {
        for (old, new) in &self.0 {
            *text = text.replace(&format!("`{old}`"), &format!("`{new}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_deep_stack;
    use crate::ruby::{AnalysisOptions, analyze_all};

    const METHODS: &str = "\
class Cart
  def one(user, order)
    return if user.nil?
    return 1 if user.active? && order.active?
    user[:paid] == true ? order.name : user.class
  end

  def two(order)
    raise Late if order.late? || order.user.late?
    case order.user_role when :a then 1 when :b then user.role == 2 ? 3 : 4 end
  end

  def three(user)
    if user.age > 18 then user.age > 65 ? 1 : 2 else user.vip? ? 3 : 4 end
  end
end
";

    #[test]
    fn names_of_every_profile_are_matched_again() {
        for joins_alternatives in [false, true] {
            let options = AnalysisOptions {
                joins_alternatives,
                ..AnalysisOptions::default()
            };
            let all = on_deep_stack(|| analyze_all(METHODS.as_bytes(), "lib/cart.rb", options));
            for full in all.unwrap().into_iter().map(Result::unwrap) {
                for names in [
                    NamingProfile::Full,
                    NamingProfile::Domain,
                    NamingProfile::Short,
                ] {
                    let mut renamed = full.clone();
                    renamed.apply_profile(names);
                    let mut found = full.clone();
                    found.match_document(&Plan::of(&renamed, "lib/cart.rb"));
                    assert_eq!(found, renamed);
                }
            }
        }
    }
}
