//! Markers: comments in a spec that name the states an example covers (rule S12 of `docs/design-rules.md`).
//!
//! `# rspec-testing:example behavior_id="…" kind="success" path="1:carrier=:van,2:express=true"`. The
//! finished spec has none, so they count only while it is being written.

use casebook_design::metadata::read::{Entry, Plan};

use crate::state_names::States;

const EXAMPLE: &str = "# rspec-testing:example ";

/// The states that markers in these lines name.
pub(crate) fn states(plan: &Plan, lines: &str) -> States {
    let markers = lines
        .lines()
        .filter_map(|line| line.trim().strip_prefix(EXAMPLE));
    let paths = markers.filter_map(|marker| value(marker, "path"));
    paths.flat_map(|path| of_path(plan, &path)).collect()
}

/// The quoted value after `key=`.
fn value(marker: &str, key: &str) -> Option<String> {
    let start = marker.find(&format!("{key}=\""))? + key.len() + 2;
    let mut text = String::new();
    let mut rest = marker[start..].chars();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            c => text.push(c),
        }
    }
}

/// `1:carrier=:van,2:express=true`.
fn of_path(plan: &Plan, path: &str) -> States {
    path.split(',')
        .filter_map(|step| {
            let (_, pair) = step.split_once(':')?;
            let (name, value) = pair.split_once('=')?;
            let entry = plan.entries.iter().position(|entry| entry.name == name)?;
            Some((entry, state(&plan.entries[entry], value)?))
        })
        .collect()
}

/// The state of a Ruby value. Of two states, the first is `true`.
fn state(entry: &Entry, value: &str) -> Option<usize> {
    let word = value.trim_start_matches(':').trim_matches(['"', '\'']);
    let named = entry.states.iter().position(|state| state == word);
    let is_pair = entry.states.len() == 2;
    named.or(match word {
        "true" if is_pair => Some(0),
        "false" | "nil" if is_pair => Some(1),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::design;

    #[test]
    fn values_are_ruby() {
        let design = design(
            "A",
            "- {name: packed, type: binary, states: [packed, not_packed], depends_on: null, level: 1}
- {name: carrier, type: enum, states: [bike, van], depends_on: null, level: 1}
- {name: user_present, type: binary, states: [present, absent], depends_on: null, level: 1}
",
        );
        for (path, expected) in [
            (
                "1:packed=true,2:carrier=:van",
                States::from([(0, 0), (1, 1)]),
            ),
            ("1:packed=false", States::from([(0, 1)])),
            ("1:user_present=nil", States::from([(2, 1)])),
            ("1:user_present=present", States::from([(2, 0)])),
            (r#"1:carrier=\"bike\""#, States::from([(1, 0)])),
            ("1:carrier=:rocket,1:size=1,,x", States::new()),
            ("", States::new()),
        ] {
            let lines = format!(
                "it 'x' do\n  # rspec-testing:example behavior_id=\"b\" kind=\"success\" path=\"{path}\"\nend"
            );
            assert_eq!(states(&design.plan, &lines), expected, "{path}");
        }
        assert_eq!(
            states(&design.plan, "# rspec-testing:example path=\"1:packed=true"),
            States::new()
        );
    }
}
