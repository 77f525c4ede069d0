//! [`Queue`]: the examples that are not yet assigned, and how many to assign at once.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::plan::Planned;

/// A worker gets its fair share of the remaining examples divided by this: many at first, single examples at the end.
const PORTIONS: u64 = 4;
/// The most examples assigned at once: if the worker dies, they have to wait for another.
const MAX_BATCH: usize = 50;

/// The examples that are not assigned to a worker.
#[derive(Debug, Default)]
pub(super) struct Queue {
    units: VecDeque<Unit>,
}

/// Examples that one worker must run together.
#[derive(Debug)]
struct Unit {
    ids: Vec<String>,
    /// The expected duration in milliseconds.
    weight: u64,
}

impl Queue {
    /// In the order of the plan; if durations are known, longest first.
    pub(super) fn new(examples: &[Planned], durations: &HashMap<String, u64>) -> Queue {
        let known = examples
            .iter()
            .filter_map(|planned| durations.get(planned.example.stable_id.as_ref()?));
        let (count, sum) = known.fold((0_u64, 0_u64), |(count, sum), millis| {
            (count + 1, sum + millis)
        });
        let average = sum.checked_div(count).map_or(1, |millis| millis.max(1));
        let weight = |planned: &Planned| {
            let id = planned.example.stable_id.as_ref();
            let known = id.and_then(|id| durations.get(id));
            known.map_or(average, |millis| (*millis).max(1))
        };
        let mut units: Vec<Unit> = Vec::new();
        let mut indexes: BTreeMap<&str, usize> = BTreeMap::new();
        for planned in examples {
            let index = match &planned.unit {
                Some(unit) => *indexes.entry(unit).or_insert(units.len()),
                None => units.len(),
            };
            if index == units.len() {
                units.push(Unit {
                    ids: Vec::new(),
                    weight: 0,
                });
            }
            units[index].ids.push(planned.example.example_id.clone());
            units[index].weight += weight(planned);
        }
        if count > 0 {
            units.sort_by_key(|unit| std::cmp::Reverse(unit.weight));
        }
        Queue {
            units: units.into(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.units.iter().map(|unit| unit.ids.len()).sum()
    }

    /// Takes the next batch for one of `workers` workers.
    pub(super) fn next(&mut self, workers: usize) -> Vec<String> {
        let left: u64 = self.units.iter().map(|unit| unit.weight).sum();
        let fair = left / (workers.max(1) as u64 * PORTIONS);
        let (mut batch, mut weight) = (Vec::new(), 0);
        while let Some(unit) = self.units.front() {
            let fits = weight + unit.weight <= fair && batch.len() + unit.ids.len() <= MAX_BATCH;
            if !batch.is_empty() && !fits {
                break;
            }
            weight += unit.weight;
            batch.extend(
                self.units
                    .pop_front()
                    .map(|unit| unit.ids)
                    .unwrap_or_default(),
            );
        }
        batch
    }

    /// Puts examples of a dead worker at the front, because they have waited longest.
    pub(super) fn put_back(&mut self, ids: Vec<String>) {
        let weight = ids.len() as u64;
        if !ids.is_empty() {
            self.units.push_front(Unit { ids, weight });
        }
    }

    /// Removes all examples; returns how many there were.
    pub(super) fn clear(&mut self) -> usize {
        let left = self.len();
        self.units.clear();
        left
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn planned(id: &str, unit: Option<&str>) -> Planned {
        let example = json!({
            "time": "2026-11-15T08:40:53.000Z", "example_id": id, "stable_id": id, "description": id,
            "full_description": id, "location": "a_spec.rb:1",
        });
        Planned {
            example: serde_json::from_value(example).unwrap(),
            file: String::new(),
            unit: unit.map(Into::into),
            is_skipped: false,
        }
    }

    fn batches(queue: &mut Queue, workers: usize) -> Vec<Vec<String>> {
        std::iter::from_fn(|| Some(queue.next(workers)).filter(|batch| !batch.is_empty())).collect()
    }

    #[test]
    fn batches_become_smaller_and_contain_all_examples() {
        let examples: Vec<_> = (0..400).map(|id| planned(&id.to_string(), None)).collect();
        let mut queue = Queue::new(&examples, &HashMap::new());
        let batches = batches(&mut queue, 2);
        let sizes: Vec<_> = batches.iter().map(Vec::len).collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
        assert_eq!((sizes[0], sizes.last()), (50, Some(&1)));
        let all: Vec<_> = batches.concat();
        let ids: Vec<_> = examples
            .into_iter()
            .map(|planned| planned.example.example_id)
            .collect();
        assert_eq!(all, ids);
    }

    #[test]
    fn examples_that_share_their_setup_stay_together() {
        let examples = [
            planned("a", Some("A")),
            planned("b", None),
            planned("c", Some("A")),
        ];
        let mut queue = Queue::new(&examples, &HashMap::new());
        assert_eq!(batches(&mut queue, 2), [vec!["a", "c"], vec!["b"]]);
    }

    #[test]
    fn the_longest_come_first_if_durations_are_known() {
        let examples = ["short", "unknown", "long"].map(|id| planned(id, None));
        let durations = HashMap::from([("short".to_owned(), 10), ("long".to_owned(), 1000)]);
        let mut queue = Queue::new(&examples, &durations);
        assert_eq!(
            batches(&mut queue, 1),
            [vec!["long"], vec!["unknown"], vec!["short"]]
        );
    }

    #[test]
    fn returned_examples_come_first() {
        let mut queue = Queue::new(&[planned("a", None), planned("b", None)], &HashMap::new());
        let batch = queue.next(2);
        queue.put_back(batch);
        queue.put_back(Vec::new());
        assert_eq!(batches(&mut queue, 2), [["a"], ["b"]]);
    }
}
