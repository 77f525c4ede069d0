//! Tests that became slower or faster by more than chance explains.
//!
//! There is one duration per test and run, and machines are noisy. A test is reported only when its duration changed
//! differently from the others'. The ratios of all tests that passed in both runs give the speed of the machine (their
//! median) and the noise (their median distance from it).

use libm::{exp, log};
use serde::Serialize;

use super::sides::Pair;
use super::spreads::Spreads;

/// Smaller changes in milliseconds are ignored.
pub(crate) const MIN_MILLIS: f64 = 50.0;
/// Smaller ratios are ignored.
pub(crate) const MIN_RATIO: f64 = 1.2;
/// Required distance from the typical ratio, in standard deviations: one test in 400 exceeds it by chance.
const MIN_DEVIATIONS: f64 = 3.0;
/// The standard deviation of a normal distribution, in median absolute deviations.
const DEVIATION: f64 = 1.4826;
/// Shorter tests in milliseconds are too coarse to estimate the noise from.
const MIN_MEASURED: i64 = 10;
/// With fewer tests, the noise cannot be estimated…
const MIN_TESTS: usize = 5;
/// … and this ratio is assumed.
pub(crate) const UNKNOWN_NOISE: f64 = 1.5;
/// A change by more than this factor is always reported: noise in other tests does not explain it.
const MAX_NOISE: f64 = 2.5;

/// The durations of both runs.
#[derive(Debug, Serialize)]
pub struct Durations<'r> {
    /// The number of tests that passed in both runs.
    pub compared: usize,
    /// The sum of their durations in the earlier run.
    pub base_ms: i64,
    /// The sum of their durations in the later run.
    pub new_ms: i64,
    /// The median ratio of later to earlier duration: mostly the speed of the machine.
    pub typical_ratio: f64,
    /// Ratios within this factor of the typical one are noise.
    pub noise_ratio: f64,
    /// Tests beyond the noise, the largest change in milliseconds first.
    pub changed: Vec<DurationChange<'r>>,
}

/// A test that became slower or faster.
#[derive(Debug, Clone, Serialize)]
pub struct DurationChange<'r> {
    /// Its stable id.
    pub id: &'r str,
    /// Its name with the names of its groups.
    pub title: String,
    /// Its `file:line`.
    pub location: &'r str,
    /// The earlier duration.
    pub base_ms: i64,
    /// The later duration.
    pub new_ms: i64,
    /// `new_ms / base_ms`.
    pub ratio: f64,
}

/// The variation of durations that is not reported.
struct Noise {
    /// As natural logarithm, so that half and twice the duration are equally far from no change.
    typical: f64,
    beyond: f64,
}

impl<'r> Durations<'r> {
    pub(super) fn of(pairs: &[Pair<'r>], spreads: &Spreads) -> Durations<'r> {
        let timed: Vec<_> = pairs.iter().filter_map(timed).collect();
        let noise = Noise::of(&timed);
        let mut changed: Vec<_> = timed
            .iter()
            .filter(|test| noise.is_exceeded_by(test, spreads.of(test.id)))
            .cloned()
            .collect();
        changed.sort_by_key(|test| std::cmp::Reverse(test.new_ms.abs_diff(test.base_ms)));
        let sum = |millis: fn(&DurationChange) -> i64| {
            timed.iter().map(millis).fold(0, i64::saturating_add)
        };
        Durations {
            compared: timed.len(),
            base_ms: sum(|test| test.base_ms),
            new_ms: sum(|test| test.new_ms),
            typical_ratio: exp(noise.typical),
            noise_ratio: exp(noise.beyond),
            changed,
        }
    }
}

impl DurationChange<'_> {
    /// `2.5× as long`
    pub fn factor(&self) -> String {
        factor(self.ratio)
    }

    /// Whether the later duration is longer.
    pub fn is_slower(&self) -> bool {
        self.new_ms > self.base_ms
    }
}

/// `2.5× as long`
pub(crate) fn factor(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 10.0 => format!("{ratio:.0}× as long"),
        ratio if ratio >= 0.1 => format!("{ratio:.1}× as long"),
        ratio => format!("{ratio:.2}× as long"),
    }
}

fn timed<'r>(pair: &Pair<'r>) -> Option<DurationChange<'r>> {
    let (base, new) = (pair.base.as_ref()?, pair.new.as_ref()?);
    let (base_ms, new_ms) = (base.duration_ms?.max(0), new.duration_ms?.max(0));
    Some(DurationChange {
        id: pair.id,
        title: pair.title.clone(),
        location: new.location,
        base_ms,
        new_ms,
        ratio: exp(ln_ratio(float(base_ms), float(new_ms))),
    })
}

impl Noise {
    fn of(timed: &[DurationChange]) -> Noise {
        let measured = timed
            .iter()
            .filter(|test| test.base_ms.max(test.new_ms) >= MIN_MEASURED);
        let ratios: Vec<f64> = measured
            .map(|test| ln_ratio(float(test.base_ms), float(test.new_ms)))
            .collect();
        if ratios.len() < MIN_TESTS {
            return Noise {
                typical: 0.0,
                beyond: log(UNKNOWN_NOISE),
            };
        }
        let typical = typical(&ratios);
        Noise {
            typical,
            beyond: noise_of(deviation(&ratios, typical)).clamp(log(MIN_RATIO), log(MAX_NOISE)),
        }
    }

    /// `own` is the spread of the test in earlier runs, which is more exact than that of the other tests in these two.
    fn is_exceeded_by(&self, test: &DurationChange, own: Option<f64>) -> bool {
        let (base, new) = (float(test.base_ms), float(test.new_ms));
        let expected = base * exp(self.typical);
        let ratio = ln_ratio(base, new);
        let beyond = own.map_or(self.beyond, |own| noise_of(own).max(log(MIN_RATIO)));
        // The test must also be slower than before, and not only slower than the others became.
        let same_direction = (new - expected) * (new - base) > 0.0;
        same_direction
            && (ratio - self.typical).abs() > beyond
            && ratio.abs() > log(MIN_RATIO)
            && (new - expected).abs().min((new - base).abs()) >= MIN_MILLIS
    }
}

/// The general change in speed: the median, if it differs from no change by more than twice its standard error. The median
/// of a few tests that vary much says nothing about the machine.
fn typical(ratios: &[f64]) -> f64 {
    let middle = median(ratios.to_vec());
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2⁵³")]
    let count = ratios.len() as f64;
    let error = 1.2533 * DEVIATION * deviation(ratios, middle) / count.sqrt();
    if middle.abs() > 2.0 * error {
        middle
    } else {
        0.0
    }
}

/// The median absolute deviation.
pub(super) fn deviation(values: &[f64], from: f64) -> f64 {
    median(values.iter().map(|value| (value - from).abs()).collect())
}

/// Deviations beyond this are not noise, for a median absolute deviation.
pub(crate) fn noise_of(deviation: f64) -> f64 {
    MIN_DEVIATIONS * DEVIATION * deviation
}

/// The logarithm of the ratio. Adds 1 ms to both sides because a duration may be 0.
pub(crate) fn ln_ratio(base_ms: f64, new_ms: f64) -> f64 {
    log((new_ms + 1.0) / (base_ms + 1.0))
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "durations in milliseconds stay below 2⁵³"
)]
fn float(millis: i64) -> f64 {
    millis as f64
}

#[cfg(test)]
mod tests {
    use super::super::TestOutcome;
    use super::super::sides::TestSide;
    use super::*;

    fn side(duration_ms: i64) -> TestSide<'static> {
        TestSide {
            outcome: TestOutcome::Passed,
            flaky: false,
            trials: None,
            duration_ms: Some(duration_ms),
            reason: None,
            location: "",
            rerun: None,
            example: None,
        }
    }

    /// The durations that are reported as changed.
    fn reported(durations: &[(i64, i64)]) -> Vec<(i64, i64)> {
        reported_with(durations, &Spreads::default())
    }

    fn reported_with(durations: &[(i64, i64)], spreads: &Spreads) -> Vec<(i64, i64)> {
        let pairs: Vec<_> = durations
            .iter()
            .map(|(base, new)| Pair {
                id: "",
                title: String::new(),
                base: Some(side(*base)),
                new: Some(side(*new)),
            })
            .collect();
        let changed = Durations::of(&pairs, spreads).changed;
        changed
            .iter()
            .map(|test| (test.base_ms, test.new_ms))
            .collect()
    }

    #[test]
    fn a_test_must_differ_from_the_others() {
        let steady = [(100, 101), (200, 199), (300, 302), (400, 401), (500, 498)];
        for (test, is_reported) in [
            ((1_000, 1_190), false), // less than a fifth
            ((1_000, 1_300), true),
            ((1_300, 1_000), true),
            ((100, 149), false), // less than 50 ms
            ((100, 160), true),
            ((0, 40), false),
            ((0, 60), true),
        ] {
            let durations = [&steady[..], &[test]].concat();
            let expected: &[_] = if is_reported { &[test] } else { &[] };
            assert_eq!(reported(&durations), expected, "{test:?}");
        }
    }

    #[test]
    fn a_slow_machine_makes_no_test_slower() {
        let slow = [
            (100, 200),
            (200, 402),
            (300, 598),
            (400, 800),
            (500, 1_000),
            (1_000, 2_000),
        ];
        assert_eq!(reported(&slow), []);
        // Among tests that doubled, one with an unchanged duration is not reported as faster.
        let durations = [&slow[..], &[(1_000, 1_000), (1_000, 9_000)]].concat();
        assert_eq!(reported(&durations), [(1_000, 9_000)]);
    }

    #[test]
    fn with_much_noise_only_large_changes_are_reported() {
        let wild = [
            (100, 150),
            (150, 100),
            (300, 190),
            (200, 330),
            (400, 400),
            (300, 420),
        ];
        assert_eq!(reported(&[&wild[..], &[(1_000, 2_000)]].concat()), []);
        assert_eq!(
            reported(&[&wild[..], &[(1_000, 90_000)]].concat()),
            [(1_000, 90_000)]
        );
    }

    #[test]
    fn noisy_tests_do_not_hide_a_threefold_change() {
        let noisy = [(30, 90), (80, 25), (60, 20), (15, 55), (40, 41)];
        let durations = [&noisy[..], &[(121, 407)]].concat();
        let reported = reported(&durations);
        assert!(reported.contains(&(121, 407)), "{reported:?}");
    }

    #[test]
    fn the_spread_of_earlier_runs_replaces_the_noise_of_other_tests() {
        let spreads = |deviation| Spreads::from_iter([(String::new(), deviation)]);
        let change = [(1_000, 1_400)];
        assert_eq!(reported(&change), []);
        assert_eq!(reported_with(&change, &spreads(0.01)), change);
        assert_eq!(reported_with(&[(1_000, 1_600)], &spreads(0.5)), []);
    }

    #[test]
    fn with_few_tests_the_default_noise_is_used() {
        assert_eq!(reported(&[(1_000, 1_400)]), []);
        assert_eq!(reported(&[(1_000, 1_600)]), [(1_000, 1_600)]);
        assert_eq!(reported(&[]), []);
    }
}
