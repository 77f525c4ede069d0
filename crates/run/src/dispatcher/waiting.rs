//! [`WaitingTests`]: the tests of a suite that have not started.

use std::collections::{BTreeMap, VecDeque};

use super::locks::{LockSet, LockTable};

/// Tests that have not started, in order. Those that need the same locks are grouped, so that a thousand tests that wait for one lock are
/// asked once.
pub(super) struct WaitingTests {
    /// By the position of the first test.
    groups: BTreeMap<usize, Group>,
    /// The locks of each test.
    locks: Vec<LockSet>,
    /// The position of each test.
    positions: Vec<usize>,
    /// Whether no test may start before those in front of it.
    in_order: bool,
}

struct Group {
    locks: LockSet,
    tests: VecDeque<usize>,
}

impl WaitingTests {
    /// `order` contains the index of each test, `locks` is by index.
    pub(super) fn new(order: &[usize], locks: Vec<LockSet>, in_order: bool) -> WaitingTests {
        let mut positions = vec![0; locks.len()];
        for (position, test) in order.iter().enumerate() {
            positions[*test] = position;
        }
        let mut waiting = WaitingTests {
            groups: BTreeMap::new(),
            locks,
            positions,
            in_order,
        };
        waiting.add(order);
        waiting
    }

    /// Adds tests when none are left, in the order in which they start.
    pub(super) fn add(&mut self, tests: &[usize]) {
        let mut groups: BTreeMap<LockSet, VecDeque<usize>> = BTreeMap::new();
        for test in tests {
            let locks = self.locks[*test].clone();
            groups.entry(locks).or_default().push_back(*test);
        }
        for (locks, tests) in groups {
            self.insert(Group { locks, tests });
        }
    }

    pub(super) fn clear(&mut self) {
        self.groups.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The next test, if its locks are free.
    pub(super) fn first(&self) -> Option<usize> {
        let (_, group) = self.groups.first_key_value()?;
        group.tests.front().copied()
    }

    /// Takes the first test that is ready and whose locks are free, and acquires them.
    pub(super) fn take(
        &mut self,
        table: &mut LockTable,
        is_ready: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let candidates = if self.in_order { 1 } else { usize::MAX };
        let mut groups = self.groups.iter().take(candidates);
        let (position, index) = groups.find_map(|(position, group)| {
            let mut tests = group.tests.iter();
            let index = tests.position(|test| is_ready(*test))?;
            table
                .try_acquire(&group.locks)
                .then_some((*position, index))
        })?;
        let mut group = self.groups.remove(&position)?;
        let test = group.tests.remove(index);
        self.insert(group);
        test
    }

    /// Puts a test back that could not start.
    pub(super) fn put_back(&mut self, test: usize) {
        let locks = &self.locks[test];
        let mut groups = self.groups.iter();
        let same = groups.find(|(_, group)| group.locks == *locks);
        let position = same.map(|(position, _)| *position);
        let group = position.and_then(|position| self.groups.remove(&position));
        let mut group = group.unwrap_or_else(|| Group {
            locks: locks.clone(),
            tests: VecDeque::new(),
        });
        group.tests.push_front(test);
        self.insert(group);
    }

    fn insert(&mut self, group: Group) {
        if let Some(first) = group.tests.front() {
            self.groups.insert(self.positions[*first], group);
        }
    }

    /// The locks of a test.
    pub(super) fn locks(&self, test: usize) -> &LockSet {
        &self.locks[test]
    }

    /// All tests, in no particular order.
    pub(super) fn tests(&self) -> impl Iterator<Item = usize> {
        let groups = self.groups.values();
        groups.flat_map(|group| group.tests.iter().copied())
    }
}
