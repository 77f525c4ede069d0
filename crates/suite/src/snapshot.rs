//! The paths of snapshot files.

use std::collections::HashSet;
use std::path::Path;

use crate::model::{Check, Step, Suite, Test};
use crate::stem;

/// The directory of all snapshots, next to their suites.
pub const DIRECTORY: &str = "__snapshots__";

/// The maximum length of a file name made from a test's name, in characters.
const MAX_SLUG: usize = 100;

/// The snapshot files of each test, one for each step, relative to the suite's directory; `None` for a step without a snapshot.
///
/// A snapshot without a name is named after its test, with a number if the name is taken, also in another case. The checker
/// reports tests that give the same name.
pub fn files(suite: &Suite) -> Vec<Vec<Option<String>>> {
    let stem = stem(Path::new(suite.file.name()));
    let steps = suite.tests.iter().flat_map(Test::steps);
    let own_names = steps.filter_map(own_name);
    let mut taken: HashSet<String> = own_names.map(|name| name.to_lowercase()).collect();
    let mut file = |test: &Test, step: &Step| {
        let name = match snapshot(step)? {
            Some(name) => name.clone(),
            None => unique_name(slug(&test.name), &mut taken),
        };
        Some(format!("{DIRECTORY}/{stem}/{name}.snap"))
    };
    let tests = suite.tests.iter();
    tests
        .map(|test| test.steps().iter().map(|step| file(test, step)).collect())
        .collect()
}

/// The name of the snapshot in a file that [`files`] returns.
pub fn name(file: &str) -> Option<String> {
    let name = file.splitn(3, '/').nth(2)?.strip_suffix(".snap")?;
    Some(name.to_owned())
}

fn snapshot(step: &Step) -> Option<&Option<String>> {
    step.assertions
        .iter()
        .find_map(|assertion| match &assertion.check {
            Check::Snapshot(name) => Some(name),
            _ => None,
        })
}

fn own_name(step: &Step) -> Option<String> {
    snapshot(step)?.clone()
}

/// Letters and digits in lower case, with dashes for all other characters.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<_> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let slug: String = words.join("-").chars().take(MAX_SLUG).collect();
    if slug.is_empty() {
        "test".to_owned()
    } else {
        slug
    }
}

/// The name, with a number appended if it is taken.
fn unique_name(name: String, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let free = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or(name);
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        for (name, expected) in [
            ("lists all files", "lists-all-files"),
            ("  a/../b [os=Linux]", "a-b-os-linux"),
            ("größe", "größe"),
            ("!?", "test"),
        ] {
            assert_eq!(slug(name), expected);
        }
        assert_eq!(slug(&"x".repeat(1000)).len(), MAX_SLUG);
    }

    #[test]
    fn tests_of_the_same_name_get_different_files() {
        let mut taken = HashSet::from(["a-2".to_owned()]);
        let names: Vec<_> = (0..3)
            .map(|_| unique_name("a".into(), &mut taken))
            .collect();
        assert_eq!(names, ["a", "a-3", "a-4"]);
    }
}
