//! What the names of a spec's groups say about states.
//!
//! A skeleton names a group for the state it is in: `when parcel packed`, `and carrier is van`. People change such names a
//! little, so the first word, articles and forms of `to be` do not count, nor do capitals.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use casebook_design::metadata::read::Plan;
use casebook_design::skeleton::{Context, contexts};

use super::designs::Design;

/// A characteristic and one of its states, by their places in the plan.
pub(super) type State = (usize, usize);

/// What one test brings about.
pub(super) type States = BTreeSet<State>;

const FIRST_WORDS: [&str; 7] = ["when", "with", "and", "but", "without", "if", "given"];
const FILLERS: [&str; 8] = ["the", "a", "an", "is", "are", "was", "were", "be"];

/// The states of a method by what groups are called.
pub(super) struct Vocabulary {
    states: HashMap<String, Vec<State>>,
    parents: Vec<Option<(usize, Vec<usize>)>>,
    /// The states from a root to a leaf.
    pub(super) leaves: Vec<Vec<State>>,
}

impl Vocabulary {
    pub(super) fn of(plan: &Plan) -> Vocabulary {
        let mut vocabulary = Vocabulary {
            states: HashMap::new(),
            parents: (0..plan.entries.len())
                .map(|entry| parent(plan, entry))
                .collect(),
            leaves: Vec::new(),
        };
        let mut path = Vec::new();
        for context in &contexts(plan) {
            vocabulary.learn(plan, context, &mut path);
        }
        vocabulary
    }

    fn learn(&mut self, plan: &Plan, context: &Context, path: &mut Vec<State>) {
        let states = &plan.entries[context.entry].states;
        let Some(place) = states.iter().position(|state| *state == context.state) else {
            return;
        };
        let state = (context.entry, place);
        let known = self.states.entry(normal(&context.description)).or_default();
        if !known.contains(&state) {
            known.push(state);
        }
        path.push(state);
        if context.children.is_empty() {
            self.leaves.push(path.clone());
        }
        for child in &context.children {
            self.learn(plan, child, path);
        }
        path.pop();
    }

    /// The states that these groups are named for, the outermost first. Others may stand between them.
    fn states(&self, groups: &[&str]) -> States {
        let mut states = States::new();
        for group in groups {
            let known = self.states.get(&normal(group)).map(Vec::as_slice);
            let known = known.unwrap_or_default();
            // Where one name means several, the one that hangs on what is around it is meant.
            let fits = |state: &&State| {
                self.parents[state.0]
                    .as_ref()
                    .is_some_and(|(parent, when)| {
                        when.iter().any(|place| states.contains(&(*parent, *place)))
                    })
            };
            let meant = known.iter().find(fits).or_else(|| known.first());
            states.extend(meant.copied());
        }
        states
    }

    /// These states and those without which they do not matter.
    pub(super) fn closed(&self, mut states: States) -> States {
        let mut open: Vec<State> = states.iter().copied().collect();
        while let Some((entry, _)) = open.pop() {
            if let Some((parent, when)) = &self.parents[entry]
                && let [only] = when.as_slice()
                && states.insert((*parent, *only))
            {
                open.push((*parent, *only));
            }
        }
        states
    }
}

fn parent(plan: &Plan, entry: usize) -> Option<(usize, Vec<usize>)> {
    let entry = &plan.entries[entry];
    let name = entry.depends_on.as_ref()?;
    let parent = plan.entries.iter().position(|other| other.name == *name)?;
    let states = &plan.entries[parent].states;
    let when = entry.when_parent.iter();
    let when = when.filter_map(|state| states.iter().position(|other| other == state));
    Some((parent, when.collect()))
}

/// A name as it is compared.
fn normal(name: &str) -> String {
    let lower = name.to_lowercase().replace('_', " ");
    let mut words: Vec<_> = lower.split_whitespace().collect();
    if words
        .first()
        .is_some_and(|first| FIRST_WORDS.contains(first))
    {
        words.remove(0);
    }
    words.retain(|word| !FILLERS.contains(word));
    words.join(" ")
}

/// All methods, to be found by their names.
pub(super) struct Methods<'d> {
    pub(super) designs: &'d [Design],
    /// Places by `#method`: of thousands, few have one name.
    by_short: HashMap<&'d str, Vec<usize>>,
}

impl<'d> Methods<'d> {
    pub(super) fn new(designs: &'d [Design]) -> Methods<'d> {
        let mut by_short: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, design) in designs.iter().enumerate() {
            by_short.entry(&design.short).or_default().push(place);
        }
        Methods { designs, by_short }
    }

    /// The methods that an example is about, by the names from the outermost group to itself, and what it covers of
    /// each.
    pub(super) fn of_path(&self, path: &str, file: &Path) -> Vec<(usize, States)> {
        let parts: Vec<&str> = path.split("::").collect();
        let groups = parts.split_last().map_or(&[][..], |(_, groups)| groups);
        let mut found = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            let short = group.find(['#', '.']).map(|at| &group[at..]);
            let known = short.and_then(|short| self.by_short.get(short));
            for method in known.into_iter().flatten() {
                let design = &self.designs[*method];
                if is_method(design, groups, place, file) {
                    found.push((*method, design.vocabulary.states(&groups[place + 1..])));
                }
            }
        }
        found
    }
}

/// Whether the method's own group stands there, in one of its class.
fn is_method(design: &Design, groups: &[&str], place: usize, file: &Path) -> bool {
    let whole = groups[..=place].join("::");
    if whole == design.id || whole.ends_with(&format!("::{}", design.id)) {
        return true;
    }
    groups[place] == design.short && is_class(design, &groups[..place], file)
}

/// In the method's own spec a class may be called without its modules, or by other words altogether.
fn is_class(design: &Design, groups: &[&str], file: &Path) -> bool {
    let class: Vec<&str> = design.plan.class.split("::").collect();
    if groups.windows(class.len()).any(|some| some == class) {
        return true;
    }
    let is_constant = |group: &str| {
        group.starts_with(|first: char| first.is_ascii_uppercase())
            && group.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let constants: Vec<&str> = groups
        .iter()
        .copied()
        .filter(|group| is_constant(group))
        .collect();
    design.specs.iter().any(|spec| spec == file) && class.ends_with(&constants)
}

#[cfg(test)]
mod tests {
    use super::super::designs::sample::{PARCEL, design};
    use super::*;

    fn of_path(design: &Design, path: &str, file: &Path) -> Option<States> {
        let methods = Methods::new(std::slice::from_ref(design));
        methods.of_path(path, file).pop().map(|(_, states)| states)
    }

    #[test]
    fn names_may_differ_a_little_and_not_more() {
        let design = design("Shop::Router", PARCEL);
        let packed = States::from([(0, 0)]);
        let van = States::from([(0, 0), (1, 1)]);
        for (path, states) in [
            (
                "Shop::Router::#call::when parcel packed::works",
                Some(packed.clone()),
            ),
            (
                "Shop::Router::#call::when the parcel is packed::works",
                Some(packed.clone()),
            ),
            ("Shop::Router::#call::if parcel PACKED::x", Some(packed)),
            (
                "Shop::Router::#call::when parcel packed::and carrier is van::works",
                Some(van.clone()),
            ),
            (
                "Shop::Router::#call::when parcel packed::at night::with van carrier::x",
                Some(States::from([(0, 0)])),
            ),
            (
                "Shop::Router::#call::when parcel NOT packed::raises",
                Some(States::from([(0, 1)])),
            ),
            (
                "Shop::Router#call::when parcel packed::and carrier is van::works",
                Some(van),
            ),
            ("Shop::Router::#call::works", Some(States::new())),
            ("Shop::Router::#other::when parcel packed::works", None),
            ("Shop::Other::#call::when parcel packed::works", None),
            ("Router::#call::when parcel packed::works", None),
            ("when parcel packed", None),
            ("", None),
        ] {
            let found = of_path(&design, path, Path::new("/x_spec.rb"));
            assert_eq!(found, states, "{path}");
        }
    }

    #[test]
    fn in_its_own_spec_a_class_may_go_by_other_names() {
        let mut design = design("Shop::Router", PARCEL);
        let own = Path::new("/p/spec/router_spec.rb");
        design.specs.push(own.to_owned());
        for (path, is_meant) in [
            ("Router::#call::when parcel packed::x", true),
            ("routing of parcels::#call::when parcel packed::x", true),
            ("Other::#call::when parcel packed::x", false),
        ] {
            assert_eq!(of_path(&design, path, own).is_some(), is_meant, "{path}");
        }
    }

    #[test]
    fn a_state_brings_along_the_one_it_needs() {
        let design = design("Router", PARCEL);
        let closed = design.vocabulary.closed(States::from([(1, 1)]));
        assert_eq!(closed, States::from([(0, 0), (1, 1)]));
        assert_eq!(
            design.vocabulary.leaves,
            [vec![(0, 0), (1, 0)], vec![(0, 0), (1, 1)], vec![(0, 1)]]
        );
    }

    #[test]
    fn where_a_name_means_two_things_its_surroundings_decide() {
        let design = design(
            "Router",
            "- {name: size, type: enum, states: [small, big], depends_on: null, level: 1}
- {name: lid_open, type: binary, states: [open, not_open], depends_on: size, when_parent: big, level: 2}
- {name: lid, type: enum, states: [open, shut], depends_on: size, when_parent: small, level: 2}
",
        );
        for (path, states) in [
            ("when size is small::and lid is open::x", [(0, 0), (2, 0)]),
            ("when size is big::with lid open::x", [(0, 1), (1, 0)]),
        ] {
            let path = format!("Router::#call::{path}");
            let found = of_path(&design, &path, Path::new("/x"));
            assert_eq!(found, Some(States::from(states)), "{path}");
        }
    }
}
