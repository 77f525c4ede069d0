//! What is left to be run, and how much of it to hand out at once.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::plan::Planned;

/// A worker gets this part of its fair share of what is left: large pieces at first, single examples in the end.
const PORTIONS: u64 = 4;
/// No piece is larger: if its worker dies, the rest of it has to wait for another.
const MAX_PIECE: usize = 50;

/// The examples that no worker has yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    units: VecDeque<Unit>,
}

/// Examples that belong together.
#[derive(Debug)]
struct Unit {
    ids: Vec<String>,
    /// How long they are expected to take.
    weight: u64,
}

impl Queue {
    /// In the order of the plan; where earlier runs are known, the longest first.
    pub(super) fn new(examples: &[Planned], durations: &HashMap<String, u64>) -> Queue {
        let known = examples
            .iter()
            .filter_map(|planned| durations.get(planned.example.stable_id.as_ref()?));
        let (count, sum) = known.fold((0_u64, 0_u64), |(count, sum), millis| {
            (count + 1, sum + millis)
        });
        let usual = sum.checked_div(count).map_or(1, |millis| millis.max(1));
        let weight = |planned: &Planned| {
            let id = planned.example.stable_id.as_ref();
            let known = id.and_then(|id| durations.get(id));
            known.map_or(usual, |millis| (*millis).max(1))
        };
        let mut units: Vec<Unit> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for planned in examples {
            let place = match &planned.unit {
                Some(unit) => *places.entry(unit).or_insert(units.len()),
                None => units.len(),
            };
            if place == units.len() {
                units.push(Unit {
                    ids: Vec::new(),
                    weight: 0,
                });
            }
            units[place].ids.push(planned.example.example_id.clone());
            units[place].weight += weight(planned);
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

    /// The next piece for one of so many workers.
    pub(super) fn next(&mut self, workers: usize) -> Vec<String> {
        let left: u64 = self.units.iter().map(|unit| unit.weight).sum();
        let fair = left / (workers.max(1) as u64 * PORTIONS);
        let (mut piece, mut weight) = (Vec::new(), 0);
        while let Some(unit) = self.units.front() {
            let fits = weight + unit.weight <= fair && piece.len() + unit.ids.len() <= MAX_PIECE;
            if !piece.is_empty() && !fits {
                break;
            }
            weight += unit.weight;
            piece.extend(
                self.units
                    .pop_front()
                    .map(|unit| unit.ids)
                    .unwrap_or_default(),
            );
        }
        piece
    }

    /// Takes back what a worker could not do any more: it has waited longest.
    pub(super) fn put_back(&mut self, ids: Vec<String>) {
        let weight = ids.len() as u64;
        if !ids.is_empty() {
            self.units.push_front(Unit { ids, weight });
        }
    }

    /// Leaves everything undone; says how much that was.
    pub(super) fn give_up(&mut self) -> usize {
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

    fn pieces(queue: &mut Queue, workers: usize) -> Vec<Vec<String>> {
        std::iter::from_fn(|| Some(queue.next(workers)).filter(|piece| !piece.is_empty())).collect()
    }

    #[test]
    fn pieces_become_smaller_and_nothing_is_lost() {
        let examples: Vec<_> = (0..400).map(|id| planned(&id.to_string(), None)).collect();
        let mut queue = Queue::new(&examples, &HashMap::new());
        let pieces = pieces(&mut queue, 2);
        let sizes: Vec<_> = pieces.iter().map(Vec::len).collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
        assert_eq!((sizes[0], sizes.last()), (50, Some(&1)));
        let all: Vec<_> = pieces.concat();
        let ids: Vec<_> = examples
            .into_iter()
            .map(|planned| planned.example.example_id)
            .collect();
        assert_eq!(all, ids);
    }

    #[test]
    fn what_shares_its_setup_stays_together() {
        let examples = [
            planned("a", Some("A")),
            planned("b", None),
            planned("c", Some("A")),
        ];
        let mut queue = Queue::new(&examples, &HashMap::new());
        assert_eq!(pieces(&mut queue, 2), [vec!["a", "c"], vec!["b"]]);
    }

    #[test]
    fn the_longest_come_first_where_they_are_known() {
        let examples = ["short", "unknown", "long"].map(|id| planned(id, None));
        let durations = HashMap::from([("short".to_owned(), 10), ("long".to_owned(), 1000)]);
        let mut queue = Queue::new(&examples, &durations);
        assert_eq!(
            pieces(&mut queue, 1),
            [vec!["long"], vec!["unknown"], vec!["short"]]
        );
    }

    #[test]
    fn what_comes_back_goes_first() {
        let mut queue = Queue::new(&[planned("a", None), planned("b", None)], &HashMap::new());
        let piece = queue.next(2);
        queue.put_back(piece);
        queue.put_back(Vec::new());
        assert_eq!(pieces(&mut queue, 2), [["a"], ["b"]]);
    }
}
