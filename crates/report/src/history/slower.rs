//! Tests that have become slower and stayed so: since which run and commit.

use casebook_record::RunEntry;
use libm::{exp, log};
use serde::Serialize;

use super::{RunRef, Test, Timeline};
use crate::diff::durations::{
    MIN_MILLIS, MIN_RATIO, UNKNOWN_NOISE, factor, ln_ratio, median, noise_of,
};

/// Older durations of a test are not searched for a change.
const MAX_RUNS: usize = 60;
/// The durations before a change that are compared, so that an older change does not hide a newer one.
const MAX_BEFORE: usize = 10;
/// Fewer durations on one side are not a level.
const MIN_SIDE: usize = 3;
/// With fewer durations on one side, the noise is unknown.
const MIN_KNOWN: usize = 5;

/// A test that takes longer since some run.
#[derive(Debug, Serialize)]
pub struct SlowerTest<'h> {
    /// The test.
    #[serde(flatten)]
    pub test: Test<'h>,
    /// The first run in which it was slower.
    pub since: RunRef<'h>,
    /// The last run before that in which it passed.
    pub last_faster: RunRef<'h>,
    /// The number of runs since in which it passed.
    pub slower_runs: usize,
    /// The median duration before.
    pub base_ms: i64,
    /// The median duration since.
    pub new_ms: i64,
    /// `new_ms / base_ms`.
    pub ratio: f64,
}

impl SlowerTest<'_> {
    /// `2.5× as long`
    pub fn factor(&self) -> String {
        factor(self.ratio)
    }

    /// Whether it became slower without a new commit.
    pub fn without_commit(&self) -> bool {
        self.since.has_commit_of(&self.last_faster)
    }
}

/// Finds them, the most recent change first.
pub(super) fn find<'h>(
    tests: &[&(Test<'h>, Timeline<'h>)],
    runs: &[&'h RunEntry],
) -> Vec<SlowerTest<'h>> {
    let mut slower: Vec<_> = tests
        .iter()
        .filter_map(|(test, timeline)| of(*test, timeline, runs))
        .collect();
    slower.sort_by_key(|one| std::cmp::Reverse((one.since.started_at, one.new_ms - one.base_ms)));
    slower
}

fn of<'h>(test: Test<'h>, timeline: &Timeline, runs: &[&'h RunEntry]) -> Option<SlowerTest<'h>> {
    let timed = timeline.iter().rev();
    let mut timed: Vec<(usize, u32)> = timed
        .filter_map(|(run, result)| Some((*run, result.duration_ms?)))
        .take(MAX_RUNS)
        .collect();
    timed.reverse();
    let durations: Vec<f64> = timed.iter().map(|(_, millis)| f64::from(*millis)).collect();
    let change = Change::find(&durations)?;
    let run = |index: usize| RunRef::of(runs[timed[index].0]);
    Some(SlowerTest {
        test,
        since: run(change.first),
        last_faster: run(change.first - 1),
        slower_runs: durations.len() - change.first,
        base_ms: whole(change.before),
        new_ms: whole(change.after),
        ratio: exp(ln_ratio(change.before, change.after)),
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "medians of durations fit into 32 bits"
)]
fn whole(millis: f64) -> i64 {
    millis.round() as i64
}

/// A division of the durations of a test into those before and since a run.
struct Change {
    first: usize,
    before: f64,
    after: f64,
    /// The mean distance of the durations from the median of their side: the smaller, the better the division.
    distance: f64,
}

impl Change {
    /// The division into two levels that fits best, if the test is slower since and still is.
    fn find(durations: &[f64]) -> Option<Change> {
        let lowest = durations.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = durations.iter().copied().fold(0.0, f64::max);
        if highest - lowest < MIN_MILLIS {
            return None;
        }
        (MIN_SIDE..=durations.len().saturating_sub(MIN_SIDE))
            .filter_map(|first| Change::at(first, durations))
            .min_by(|one, other| one.distance.total_cmp(&other.distance))
    }

    /// The division before this duration, if the difference is larger than the noise. The last duration before and the
    /// first one since must belong to their sides.
    fn at(first: usize, durations: &[f64]) -> Option<Change> {
        if durations[first - 1] >= durations[first] {
            return None;
        }
        let (before, after) = durations.split_at(first);
        let before = &before[before.len().saturating_sub(MAX_BEFORE)..];
        let now = median(after[after.len() - MIN_SIDE..].to_vec());
        let (old, new) = (median(before.to_vec()), median(after.to_vec()));
        let is_long = |millis: f64| millis - old >= MIN_MILLIS;
        let center = f64::midpoint(old, new);
        let is_boundary = durations[first - 1] < center && center < durations[first];
        if !is_boundary || !is_long(new) || !is_long(now) {
            return None;
        }
        let distances = |side: &[f64], level: f64| -> Vec<f64> {
            side.iter()
                .map(|millis| ln_ratio(level, *millis).abs())
                .collect()
        };
        let distances = [distances(before, old), distances(after, new)].concat();
        let least = if before.len().min(after.len()) < MIN_KNOWN {
            UNKNOWN_NOISE
        } else {
            MIN_RATIO
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 60 durations")]
        let distance = distances.iter().sum::<f64>() / distances.len() as f64;
        let noise = noise_of(median(distances)).max(log(least));
        let exceeds = |millis: f64| ln_ratio(old, millis) > noise;
        (exceeds(new) && exceeds(now)).then_some(Change {
            first,
            before: old,
            after: new,
            distance,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The position of the change and both levels.
    fn change(durations: &[&[u32]]) -> Option<(usize, i64, i64)> {
        let durations: Vec<f64> = durations.concat().into_iter().map(f64::from).collect();
        let change = Change::find(&durations)?;
        Some((change.first, whole(change.before), whole(change.after)))
    }

    #[test]
    fn the_first_slow_run_is_found() {
        let before = [100, 104, 97, 102, 99, 101];
        let after = [203, 198, 205, 196];
        assert_eq!(change(&[&before, &after]), Some((6, 101, 201)));
    }

    #[test]
    fn single_slow_and_fast_runs_do_not_move_it() {
        let before = [100, 104, 900, 102, 99, 101];
        let after = [203, 198, 95, 205, 196];
        assert_eq!(change(&[&before, &after]), Some((6, 102, 198)));
    }

    #[test]
    fn three_runs_on_each_side_are_needed() {
        assert_eq!(change(&[&[100; 9], &[400; 2]]), None);
        assert_eq!(change(&[&[100; 2], &[400; 9]]), None);
        assert_eq!(change(&[&[100; 3], &[400; 3]]), Some((3, 100, 400)));
        assert_eq!(change(&[]), None);
    }

    #[test]
    fn few_runs_need_a_larger_change() {
        assert_eq!(change(&[&[1_000; 9], &[1_300; 4]]), None);
        assert_eq!(change(&[&[1_000; 9], &[1_300; 5]]), Some((9, 1_000, 1_300)));
    }

    #[test]
    fn small_and_noisy_differences_are_not_reported() {
        assert_eq!(change(&[&[10; 9], &[40; 9]]), None);
        assert_eq!(change(&[&[1_000; 9], &[1_100; 9]]), None);
        let noisy: Vec<u32> = (0..40u32).map(|run| 100 + run * 7_919 % 300).collect();
        assert_eq!(change(&[&noisy]), None);
    }

    #[test]
    fn a_test_that_is_fast_again_is_not_reported() {
        assert_eq!(change(&[&[100; 9], &[400; 9], &[100; 3]]), None);
        assert_eq!(change(&[&[400; 9], &[100; 9]]), None);
    }

    #[test]
    fn the_newest_of_several_changes_is_reported() {
        assert_eq!(
            change(&[&[400; 10], &[100; 10], &[400; 10]]),
            Some((20, 100, 400))
        );
        assert_eq!(
            change(&[&[100; 10], &[200; 10], &[400; 10]]),
            Some((20, 200, 400))
        );
    }
}
