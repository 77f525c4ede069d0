//! Divides a plan into chunks.
//!
//! A chunk should be long enough that no worker waits for the network, and short enough that the workers finish at
//! about the same time. So chunks get shorter towards the end of the run.

use std::collections::HashMap;

use casebook_run::rspec::ListedExample;
use casebook_run::{Plan, TestEntry};

use crate::wire::is_whole;

/// The longest chunk, in milliseconds.
const LONGEST: u64 = 10_000;
/// If many durations are unknown, chunks are longer, but there are at least so many for each worker. Otherwise, thousands of
/// trivial tests would be thousands of chunks.
const UNKNOWN_CHUNKS: u64 = 32;
/// What a test of unknown duration is assumed to take, in milliseconds.
const UNKNOWN: u64 = 1_000;

/// Some tests of one suite, by their indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) suite: usize,
    pub(crate) tests: Vec<usize>,
    /// The expected duration in milliseconds.
    pub(crate) expected: u64,
}

/// What is known of a suite before the run.
#[derive(Debug)]
pub(crate) struct SuiteCosts {
    /// Whether its tests are one chunk.
    pub(crate) whole: bool,
    /// The index of each test, and its duration in an earlier run in milliseconds.
    pub(crate) tests: Vec<(usize, Option<u64>)>,
}

/// What is known of the suites of a plan and their matching tests.
pub(crate) fn costs(plan: &Plan, matches: impl Fn(&TestEntry) -> bool) -> Vec<SuiteCosts> {
    let suites = plan.suites.iter();
    suites
        .map(|planned| {
            let tests = planned.tests.iter().enumerate();
            let tests = tests.filter(|(_, test)| matches(test));
            SuiteCosts {
                whole: is_whole(planned),
                tests: tests
                    .map(|(index, test)| (index, test.expected_ms))
                    .collect(),
            }
        })
        .collect()
}

/// Divides the tests of suites among `workers`, the longest chunks first.
pub(crate) fn divide(suites: &[SuiteCosts], workers: usize) -> Vec<Slice> {
    let mut slices = Vec::new();
    let mut tests = Vec::new();
    let mut unknown = 0;
    for (suite, costs) in suites.iter().enumerate() {
        let all = costs.tests.iter();
        let all = all.map(|(test, cost)| (suite, *test, cost.unwrap_or(UNKNOWN).max(1)));
        if costs.tests.is_empty() {
            continue;
        }
        if costs.whole {
            slices.push(Slice {
                suite,
                expected: all.clone().map(|(.., expected)| expected).sum(),
                tests: all.map(|(_, test, _)| test).collect(),
            });
        } else {
            tests.extend(all);
            unknown += costs
                .tests
                .iter()
                .filter(|(_, cost)| cost.is_none())
                .count() as u64;
        }
    }
    let workers = workers.max(1) as u64;
    let longest = LONGEST.max(unknown * UNKNOWN / workers / UNKNOWN_CHUNKS);
    slices.extend(divide_tests(tests, workers, longest));
    slices.sort_by_key(|slice| std::cmp::Reverse(slice.expected));
    slices
}

/// Each chunk takes a share of what remains, so the last ones are short. Tests of one suite stay together.
fn divide_tests(mut tests: Vec<(usize, usize, u64)>, workers: u64, longest: u64) -> Vec<Slice> {
    let mut remaining: u64 = tests.iter().map(|(.., expected)| expected).sum();
    let shares = workers.saturating_mul(4);
    tests.reverse();
    let mut slices = Vec::new();
    while let Some((suite, test, expected)) = tests.pop() {
        let target = (remaining / shares).clamp(1, longest);
        let mut slice = Slice {
            suite,
            tests: vec![test],
            expected,
        };
        while slice.expected < target
            && let Some((suite, test, expected)) = tests.pop_if(|(suite, ..)| *suite == slice.suite)
        {
            debug_assert_eq!(suite, slice.suite);
            slice.tests.push(test);
            slice.expected += expected;
        }
        remaining -= slice.expected;
        slices.push(slice);
    }
    slices
}

/// Each spec file is a chunk, the longest first. One that takes much longer than a chunk should is divided between
/// examples that share no `before(:context)`.
pub(crate) fn divide_specs<'a>(
    files: impl Iterator<Item = &'a [&'a ListedExample]>,
    durations: &HashMap<String, u64>,
    matches: impl Fn(&ListedExample) -> bool,
) -> Vec<Slice> {
    let known = |example: &ListedExample| {
        let id = example.example.stable_id.as_ref()?;
        durations.get(id).copied()
    };
    let mut slices = Vec::new();
    for (file, examples) in files.enumerate() {
        let total: u64 = examples.iter().filter_map(|example| known(example)).sum();
        let longest = if total > 2 * LONGEST {
            LONGEST
        } else {
            u64::MAX
        };
        let mut current: Option<Slice> = None;
        for unit in units(examples) {
            let unit: Vec<_> = unit
                .into_iter()
                .filter(|index| matches(examples[*index]))
                .collect();
            if unit.is_empty() {
                continue;
            }
            let durations = unit.iter().map(|index| known(examples[*index]));
            let expected = durations.map(|known| known.unwrap_or(UNKNOWN).max(1)).sum();
            if let Some(full) =
                current.take_if(|slice| slice.expected.saturating_add(expected) > longest)
            {
                slices.push(full);
            }
            let slice = current.get_or_insert(Slice {
                suite: file,
                tests: Vec::new(),
                expected: 0,
            });
            slice.tests.extend(unit);
            slice.expected += expected;
        }
        slices.extend(current);
    }
    slices.sort_by_key(|slice| std::cmp::Reverse(slice.expected));
    slices
}

/// The indexes of examples that must be run together, in order.
fn units(examples: &[&ListedExample]) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut named = HashMap::new();
    for (index, example) in examples.iter().enumerate() {
        let unit = match &example.unit {
            Some(unit) => *named.entry(unit).or_insert(units.len()),
            None => units.len(),
        };
        if unit == units.len() {
            units.push(Vec::new());
        }
        units[unit].push(index);
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: usize, unit: Option<&str>) -> ListedExample {
        let example = serde_json::json!({
            "time": "2026-11-15T08:40:53.000Z", "example_id": id.to_string(), "stable_id": id.to_string(),
            "description": "", "full_description": "", "location": "a_spec.rb:1",
        });
        ListedExample {
            example: serde_json::from_value(example).unwrap(),
            file: "a_spec.rb".to_owned(),
            unit: unit.map(Into::into),
            is_skipped: false,
        }
    }

    #[test]
    fn a_spec_file_is_divided_only_if_it_is_known_to_be_slow() {
        let fast: Vec<_> = (0..100).map(|id| listed(id, None)).collect();
        let slow: Vec<_> = (100..112)
            .map(|id| listed(id, (id < 106).then_some("shared")))
            .collect();
        let durations = (100..112).map(|id| (id.to_string(), 4_000)).collect();
        let (fast, slow): (Vec<_>, Vec<_>) = (fast.iter().collect(), slow.iter().collect());
        let files = [fast.as_slice(), slow.as_slice()].into_iter();
        let slices = divide_specs(files, &durations, |example| {
            example.example.example_id != "0"
        });
        let found: Vec<_> = slices
            .iter()
            .map(|slice| (slice.suite, slice.tests.len()))
            .collect();
        assert_eq!(found, [(0, 99), (1, 6), (1, 2), (1, 2), (1, 2)]);
    }

    #[test]
    fn chunks_get_shorter_and_contain_every_test_once() {
        let tests: Vec<_> = (0..200)
            .map(|test| (test / 150, test % 150, 1_000))
            .collect();
        let slices = divide_tests(tests, 2, LONGEST);
        assert_eq!(slices[0].tests.len(), 10);
        assert_eq!(slices.last().map(|slice| slice.tests.len()), Some(1));
        let mut seen: Vec<_> = slices
            .iter()
            .flat_map(|slice| slice.tests.iter().map(|test| (slice.suite, *test)))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 200);
    }

    #[test]
    fn a_long_test_is_a_chunk_of_its_own() {
        let slices = divide_tests(vec![(0, 0, 60_000), (0, 1, 10), (0, 2, 10)], 1, LONGEST);
        assert_eq!(slices[0].tests, [0]);
    }

    #[test]
    fn many_tests_of_unknown_duration_are_few_chunks() {
        let suite = SuiteCosts {
            whole: false,
            tests: (0..10_000).map(|test| (test, None)).collect(),
        };
        let slices = divide(&[suite], 2);
        assert!(slices.len() < 150, "{}", slices.len());
        assert_eq!(slices[0].tests.len(), 157);
    }
}
