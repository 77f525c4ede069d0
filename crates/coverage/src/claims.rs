//! Resolves the names in `covers` to characteristics and states.
//!
//! A name alone is enough if only one method has such a characteristic. If several have it, the method is the one that the
//! suite is named after (as `design skeleton --suite` does), the only one with these states, or the one in the name itself:
//! `Cart#total.user_role`.

use casebook_source::closest_match;

use crate::covering_tests::{CoveringTest, CoveringTests};
use crate::designs::Design;
use crate::state_names::State;

/// The `covers` of one test.
pub(crate) struct Claim<'c> {
    /// The location of the test.
    pub(crate) place: &'c str,
    /// The name of its suite, if any.
    pub(crate) suite: Option<&'c str>,
    /// Characteristics and states.
    pub(crate) covers: &'c [(String, String)],
}

impl Claim<'_> {
    /// Adds the states to the test, and a warning for each name that cannot be resolved.
    pub(crate) fn resolve(
        &self,
        designs: &[Design],
        test: &mut CoveringTest,
        tests: &mut CoveringTests,
    ) {
        for (name, state) in self.covers {
            match self.resolve_name(name, state, designs) {
                Ok((design, state)) => test.cover(design, [state]),
                Err(reason) => tests.warn(format!("{}: {reason}", self.place)),
            }
        }
    }

    fn resolve_name(
        &self,
        name: &str,
        state: &str,
        designs: &[Design],
    ) -> Result<(usize, State), String> {
        let (method, bare) = qualified(name, designs);
        let mut fitting: Vec<(usize, usize)> = designs
            .iter()
            .enumerate()
            .filter(|(_, design)| method.is_none_or(|method| has_name(design, method)))
            .filter_map(|(index, design)| Some((index, entry(design, bare)?)))
            .collect();
        if fitting.is_empty() {
            return Err(unknown(name, bare, method, designs));
        }
        let by_suite =
            |(index, _): &(usize, usize)| Some(designs[*index].id.as_str()) == self.suite;
        let has_state =
            |(index, entry): &(usize, usize)| position(&designs[*index], *entry, state).is_some();
        let has_all_states = |(index, _): &(usize, usize)| self.has_all_states_of(&designs[*index]);
        for rule in [
            &by_suite as &dyn Fn(&_) -> bool,
            &has_state,
            &has_all_states,
        ] {
            if fitting.len() > 1 && fitting.iter().any(rule) {
                fitting.retain(|one| rule(one));
            }
        }
        let [(index, entry)] = fitting[..] else {
            return Err(ambiguous(bare, &fitting, designs));
        };
        let design = &designs[index];
        match position(design, entry, state) {
            Some(position) => Ok((index, (entry, position))),
            None => Err(no_state(design, entry, state)),
        }
    }

    /// Whether the method has all states of this claim.
    fn has_all_states_of(&self, design: &Design) -> bool {
        self.covers.iter().all(|(name, state)| {
            entry(design, name).is_some_and(|entry| position(design, entry, state).is_some())
        })
    }
}

/// Splits `Cart#total.user_role`, unless a characteristic has this whole name.
fn qualified<'n>(name: &'n str, designs: &[Design]) -> (Option<&'n str>, &'n str) {
    let is_bare = designs.iter().any(|design| entry(design, name).is_some());
    match name.rsplit_once('.') {
        Some((method, bare)) if !is_bare => (Some(method), bare),
        _ => (None, name),
    }
}

/// Whether the name is `Shop::Cart#total`, `Cart#total` or `#total` for `Shop::Cart#total`.
fn has_name(design: &Design, method: &str) -> bool {
    design.id.strip_suffix(method).is_some_and(|before| {
        before.is_empty() || before.ends_with("::") || method.starts_with(['#', '.'])
    })
}

fn entry(design: &Design, name: &str) -> Option<usize> {
    design
        .plan
        .entries
        .iter()
        .position(|entry| entry.name == name)
}

fn position(design: &Design, entry: usize, state: &str) -> Option<usize> {
    let states = &design.plan.entries[entry].states;
    states.iter().position(|known| known == state)
}

fn unknown(name: &str, bare: &str, method: Option<&str>, designs: &[Design]) -> String {
    let entries = designs.iter().flat_map(|design| &design.plan.entries);
    let names: Vec<&str> = entries.map(|entry| entry.name.as_str()).collect();
    let ids = || designs.iter().map(|design| design.id.as_str());
    let advice = match method {
        Some(method) if !ids().any(|id| id.ends_with(method)) => {
            did_you_mean(closest_match(method, ids()))
        }
        _ => did_you_mean(closest_match(bare, names)),
    };
    format!("covers unknown characteristic `{name}`{advice}")
}

fn no_state(design: &Design, entry: usize, state: &str) -> String {
    let entry = &design.plan.entries[entry];
    let states = || entry.states.iter().map(String::as_str);
    let advice = match closest_match(state, states()) {
        Some(near) => format!(": did you mean `{near}`?"),
        None => format!(
            ": its states are {}",
            states().collect::<Vec<_>>().join(", ")
        ),
    };
    format!(
        "covers unknown state `{}: {state}` of {}{advice}",
        entry.name, design.id
    )
}

fn ambiguous(name: &str, fitting: &[(usize, usize)], designs: &[Design]) -> String {
    let ids: Vec<_> = fitting
        .iter()
        .map(|(index, _)| designs[*index].id.as_str())
        .collect();
    format!(
        "covers ambiguous characteristic `{name}` of {}; name the method, as in `{}.{name}`",
        ids.join(" and "),
        ids[0]
    )
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|near| format!(": did you mean `{near}`?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use casebook_report::coverage::CoverageSource;

    use super::*;
    use crate::fixture::{PARCEL, design};

    /// The states that a test of this suite covers, and the warnings.
    fn resolved(suite: &str, covers: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let role =
            "- {name: role, type: enum, states: [guest, admin], depends_on: null, level: 1}\n";
        let size = "- {name: role, type: enum, states: [guest, staff], depends_on: null, level: 1}\n- {name: size, type: enum, states: [big, small], depends_on: null, level: 1}\n";
        let designs = [
            design("Shop::Router", PARCEL),
            design("Access", role),
            design("Door", size),
        ];
        let covers: Vec<_> = covers
            .iter()
            .map(|(name, state)| ((*name).to_owned(), (*state).to_owned()))
            .collect();
        let claim = Claim {
            place: "a.yaml:3",
            suite: Some(suite),
            covers: &covers,
        };
        let mut tests = CoveringTests::default();
        let mut test = CoveringTest::new("t", "a.yaml:3", CoverageSource::Covers);
        claim.resolve(&designs, &mut test, &mut tests);
        let mut found: Vec<String> = test
            .states
            .iter()
            .flat_map(|(index, states)| states.iter().map(move |state| (index, state)))
            .map(|(index, (entry, state))| {
                let design = &designs[*index];
                let entry = &design.plan.entries[*entry];
                format!("{} {}={}", design.id, entry.name, entry.states[*state])
            })
            .collect();
        found.sort();
        (found, tests.warnings().to_vec())
    }

    #[test]
    fn a_name_resolves_to_the_only_matching_method() {
        for (suite, covers, found) in [
            (
                "s",
                vec![("carrier", "van")],
                vec!["Shop::Router#call carrier=van"],
            ),
            ("s", vec![("role", "admin")], vec!["Access#call role=admin"]),
            (
                "Door#call",
                vec![("role", "guest")],
                vec!["Door#call role=guest"],
            ),
            (
                "s",
                vec![("role", "guest"), ("size", "big")],
                vec!["Door#call role=guest", "Door#call size=big"],
            ),
            (
                "s",
                vec![("Access#call.role", "guest")],
                vec!["Access#call role=guest"],
            ),
            (
                "s",
                vec![("Router#call.carrier", "bike")],
                vec!["Shop::Router#call carrier=bike"],
            ),
        ] {
            assert_eq!(
                resolved(suite, &covers),
                (found.into_iter().map(str::to_owned).collect(), vec![]),
                "{covers:?}"
            );
        }
    }

    #[test]
    fn unresolved_names_are_warnings() {
        for (name, state, warning) in [
            (
                "carier",
                "van",
                "covers unknown characteristic `carier`: did you mean `carrier`?",
            ),
            ("colour", "red", "covers unknown characteristic `colour`"),
            (
                "carrier",
                "vann",
                "covers unknown state `carrier: vann` of Shop::Router#call: did you mean `van`?",
            ),
            (
                "carrier",
                "rocket",
                "covers unknown state `carrier: rocket` of Shop::Router#call: its states are bike, van",
            ),
            (
                "role",
                "guest",
                "covers ambiguous characteristic `role` of Access#call and Door#call; name the method, as in `Access#call.role`",
            ),
            (
                "Acces#call.role",
                "guest",
                "covers unknown characteristic `Acces#call.role`: did you mean `Access#call`?",
            ),
        ] {
            let (found, warnings) = resolved("s", &[(name, state)]);
            assert_eq!(found, Vec::<String>::new());
            assert_eq!(warnings, [format!("a.yaml:3: {warning}")]);
        }
    }
}
