//! Finds the methods that an example tests by the names of its groups.

use std::collections::HashMap;
use std::path::Path;

use crate::designs::Design;
use crate::state_names::States;

/// All designs, indexed by the short names of their methods.
pub(crate) struct Methods<'d> {
    pub(crate) designs: &'d [Design],
    /// Indices by `#method`. Even among thousands of methods, few share a name.
    by_short: HashMap<&'d str, Vec<usize>>,
}

impl<'d> Methods<'d> {
    pub(crate) fn new(designs: &'d [Design]) -> Methods<'d> {
        let mut by_short: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, design) in designs.iter().enumerate() {
            by_short.entry(&design.short).or_default().push(index);
        }
        Methods { designs, by_short }
    }

    /// The methods that an example tests, and the states of each that it covers, by the names from the outermost group to
    /// the example.
    pub(crate) fn covered_by(&self, path: &str, file: &Path) -> Vec<(usize, States)> {
        let parts: Vec<&str> = path.split("::").collect();
        let groups = parts.split_last().map_or(&[][..], |(_, groups)| groups);
        let mut found = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            let short = group.find(['#', '.']).map(|at| &group[at..]);
            let candidates = short.and_then(|short| self.by_short.get(short));
            for method in candidates.into_iter().flatten() {
                let design = &self.designs[*method];
                if is_method(design, groups, index, file) {
                    found.push((*method, design.state_names.states(&groups[index + 1..])));
                }
            }
        }
        found
    }
}

/// Whether the group at this index is the one of the method, inside a group of its class.
fn is_method(design: &Design, groups: &[&str], index: usize, file: &Path) -> bool {
    let full_name = groups[..=index].join("::");
    if full_name == design.id || full_name.ends_with(&format!("::{}", design.id)) {
        return true;
    }
    groups[index] == design.short && is_class(design, &groups[..index], file)
}

/// In the method's own spec, groups may name the class without its modules, or not at all.
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
    use super::*;
    use crate::fixture::{PARCEL, design};

    fn covered(design: &Design, path: &str, file: &Path) -> Option<States> {
        let methods = Methods::new(std::slice::from_ref(design));
        methods
            .covered_by(path, file)
            .pop()
            .map(|(_, states)| states)
    }

    #[test]
    fn group_names_may_differ_slightly() {
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
            let found = covered(&design, path, Path::new("/x_spec.rb"));
            assert_eq!(found, states, "{path}");
        }
    }

    #[test]
    fn in_its_own_spec_a_class_may_have_another_name() {
        let mut design = design("Shop::Router", PARCEL);
        let own = Path::new("/p/spec/router_spec.rb");
        design.specs.push(own.to_owned());
        for (path, is_found) in [
            ("Router::#call::when parcel packed::x", true),
            ("routing of parcels::#call::when parcel packed::x", true),
            ("Other::#call::when parcel packed::x", false),
        ] {
            assert_eq!(covered(&design, path, own).is_some(), is_found, "{path}");
        }
    }

    #[test]
    fn an_ambiguous_name_is_resolved_by_the_outer_groups() {
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
            let found = covered(&design, &path, Path::new("/x"));
            assert_eq!(found, Some(States::from(states)), "{path}");
        }
    }
}
