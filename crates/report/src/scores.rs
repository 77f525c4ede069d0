//! [`Scores`]: the scores that a judge gave, by criterion.

use std::collections::{BTreeMap, HashMap};

use casebook_record::event::EvaluationRecorded;
use casebook_record::{ExampleData, Metadata};
use serde::Serialize;
use serde_json::Value;

/// The 97.5 % quantiles of Student's t distribution with 1 to 30 degrees of freedom.
const T975: [f64; 30] = [
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010,
    2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687,
    2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
];
/// The quantile of the normal distribution.
const Z975: f64 = 1.959_964;
/// The number of ranges of a scale without whole steps.
const RANGES: u32 = 5;
/// A scale with at most this many whole steps is shown step by step.
const MAX_STEPS: f64 = 10.0;

/// The scores of a run.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    criteria: BTreeMap<String, CriterionScores>,
    /// Scores of running tests by id. Only those of the last attempt count.
    running: HashMap<String, Vec<(String, Score)>>,
}

#[derive(Debug, Default)]
struct CriterionScores {
    scale: [f64; 2],
    values: Vec<f64>,
}

/// One recorded score.
#[derive(Debug, Clone, Copy)]
struct Score {
    value: f64,
    scale: [f64; 2],
}

/// The figures of a criterion's scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreFigures {
    /// How many scores there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The 95 % interval of the mean; `None` for a single score.
    pub interval: Option<(f64, f64)>,
    /// The lowest and the highest possible score.
    pub scale: [f64; 2],
    /// How many scores are in each part of the scale.
    pub distribution: Vec<(String, usize)>,
}

impl Scores {
    /// Adds the scores of an example of a finished run.
    pub(crate) fn add_example(&mut self, example: &ExampleData) {
        for one in &example.evaluations {
            if let Some(score) = Score::of(&one.metadata) {
                self.add(one.name.clone(), score);
            }
        }
    }

    /// Starts an attempt at a test and drops the scores of the previous one.
    pub(crate) fn begin(&mut self, example: &str) {
        self.running.remove(example);
    }

    pub(crate) fn note(&mut self, event: &EvaluationRecorded) {
        if let (Some(score), Some(name)) = (Score::of(&event.metadata), &event.name) {
            let of_test = self.running.entry(event.example_id.clone()).or_default();
            of_test.push((name.clone(), score));
        }
    }

    /// Adds the scores of a test whose last attempt has ended.
    pub(crate) fn end(&mut self, example: &str) {
        for (criterion, score) in self.running.remove(example).unwrap_or_default() {
            self.add(criterion, score);
        }
    }

    fn add(&mut self, criterion: String, score: Score) {
        let scores = self.criteria.entry(criterion).or_default();
        scores.scale = score.scale;
        scores.values.push(score.value);
    }

    /// The figures of each criterion, by name.
    pub(crate) fn figures(&self) -> impl Iterator<Item = (&str, ScoreFigures)> {
        let criteria = self.criteria.iter();
        criteria.filter_map(|(name, scores)| Some((name.as_str(), scores.figures()?)))
    }
}

impl Score {
    fn of(metadata: &Metadata) -> Option<Score> {
        let score = metadata.get("score")?;
        let number = |pointer| score.pointer(pointer).and_then(Value::as_f64);
        Some(Score {
            value: number("/value")?,
            scale: [number("/scale/0")?, number("/scale/1")?],
        })
    }
}

impl CriterionScores {
    fn figures(&self) -> Option<ScoreFigures> {
        let count = self.values.len();
        let mean = self.values.iter().sum::<f64>() / number(count);
        let [low, high] = self.scale;
        let interval = margin(&self.values, mean)
            .map(|margin| ((mean - margin).max(low), (mean + margin).min(high)));
        (count > 0).then(|| ScoreFigures {
            count,
            mean,
            interval,
            scale: self.scale,
            distribution: self.distribution(),
        })
    }

    /// The number of scores at each whole step of the scale, or in ranges of equal size.
    fn distribution(&self) -> Vec<(String, usize)> {
        let [low, high] = self.scale;
        let is_whole = low.fract().abs() + high.fract().abs() < f64::EPSILON
            && (2.0..=MAX_STEPS).contains(&(high - low));
        let steps = if is_whole {
            high - low + 1.0
        } else {
            f64::from(RANGES)
        };
        let step = if is_whole { 1.0 } else { (high - low) / steps };
        let part_of = |value: f64| {
            let part = (value - low) / step;
            let part = if is_whole { part.round() } else { part.floor() };
            part.clamp(0.0, steps - 1.0)
        };
        let mut parts = Vec::new();
        let mut part = 0.0;
        while part < steps {
            let from = rounded(low + part * step);
            let title = if is_whole {
                from
            } else {
                format!("{from}–{}", rounded(low + (part + 1.0) * step))
            };
            let is_in = |value: &&f64| (part_of(**value) - part).abs() < 0.5;
            parts.push((title, self.values.iter().filter(is_in).count()));
            part += 1.0;
        }
        parts
    }
}

impl ScoreFigures {
    /// `4.20 of 5 (95% interval 3.80 to 4.60)`.
    pub(crate) fn mean_text(&self) -> String {
        let mean = format!("{:.2} of {}", self.mean, rounded(self.scale[1]));
        match self.interval {
            Some((low, high)) => format!("{mean} (95% interval {low:.2} to {high:.2})"),
            None => mean,
        }
    }

    /// How often each score was given: `3 ×1, 4 ×3, 5 ×6`.
    pub(crate) fn distribution_text(&self) -> String {
        let given = self.distribution.iter().filter(|(_, count)| *count > 0);
        let parts: Vec<_> = given
            .map(|(part, count)| format!("{part} ×{count}"))
            .collect();
        parts.join(", ")
    }
}

/// Half the 95 % interval of the mean, by Student's t distribution.
fn margin(values: &[f64], mean: f64) -> Option<f64> {
    let free = values.len().checked_sub(1).filter(|free| *free > 0)?;
    Some(quantile(free) * standard_error(values, mean))
}

/// The standard error of the mean of at least two values.
fn standard_error(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let count = number(values.len());
    (squares / (count - 1.0) / count).sqrt()
}

/// The 97.5 % quantile of Student's t distribution. Above the table, by its expansion around the normal distribution.
fn quantile(free: usize) -> f64 {
    let z = Z975;
    let expansion = || z + (z.powi(3) + z) / (4.0 * number(free));
    T975.get(free - 1).copied().unwrap_or_else(expansion)
}

/// The number with at most two digits after the point.
fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2⁵³")]
fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means and intervals by `scipy.stats.t.interval(0.95, n - 1, mean, sem)` of `SciPy` 1.17.1, limited to the scale.
    #[test]
    fn means_and_intervals_are_those_of_scipy() {
        let many: Vec<f64> = (0_u32..50).map(|index| f64::from(1 + index % 5)).collect();
        for (values, scale, mean, low, high) in SCIPY_CASES {
            let values = values.map_or_else(|| many.clone(), <[f64]>::to_vec);
            let scores = CriterionScores { scale, values };
            let figures = scores.figures().unwrap();
            let interval = figures.interval.unwrap();
            for (actual, expected) in [(figures.mean, mean), (interval.0, low), (interval.1, high)]
            {
                assert!(
                    (actual - expected).abs() < 1e-3,
                    "{actual} is not {expected}"
                );
            }
        }
    }

    /// The metric `stderr()` of inspect-ai 0.3.285, called with these scores.
    #[test]
    fn standard_errors_are_those_of_inspect_ai() {
        for (values, expected) in [
            (&[4.0, 5.0, 3.0][..], 0.577_350_269_189_625_8),
            (&[0.2, 0.9, 0.7, 0.4, 0.6], 0.120_830_459_735_945_7),
            (
                &[5.0, 5.0, 4.0, 4.0, 3.0, 5.0, 4.0, 5.0, 2.0, 5.0],
                0.326_598_632_371_090_44,
            ),
            (
                &[1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
                0.152_752_523_165_194_64,
            ),
        ] {
            let mean = values.iter().sum::<f64>() / number(values.len());
            let actual = standard_error(values, mean);
            assert!(
                (actual - expected).abs() < 1e-9,
                "{actual} is not {expected}"
            );
        }
    }

    #[test]
    fn the_distribution_has_whole_steps_or_five_ranges() {
        for (values, scale, text) in [
            (&[4.0, 5.0, 4.3, 1.0][..], [1.0, 5.0], "1 ×1, 4 ×2, 5 ×1"),
            (
                &[0.0, 0.19, 0.5, 1.0],
                [0.0, 1.0],
                "0–0.2 ×2, 0.4–0.6 ×1, 0.8–1 ×1",
            ),
            (&[50.0], [0.0, 100.0], "40–60 ×1"),
        ] {
            let values = values.to_vec();
            let figures = CriterionScores { scale, values }.figures().unwrap();
            assert_eq!(figures.distribution_text(), text);
        }
        let one = CriterionScores {
            scale: [0.0, 1.0],
            values: vec![0.5],
        };
        assert_eq!(one.figures().unwrap().mean_text(), "0.50 of 1");
        assert_eq!(CriterionScores::default().figures(), None);
    }

    /// Scores (50 of them for `None`), scale, mean and interval.
    type ScipyCase = (Option<&'static [f64]>, [f64; 2], f64, f64, f64);
    const SCIPY_CASES: [ScipyCase; 4] = [
        (
            Some(&[4.0, 5.0, 3.0]),
            [1.0, 5.0],
            4.000_000,
            1.515_862,
            5.000_000,
        ),
        (
            Some(&[0.2, 0.9, 0.7, 0.4, 0.6]),
            [0.0, 1.0],
            0.560_000,
            0.224_521,
            0.895_479,
        ),
        (
            Some(&[5.0, 5.0, 4.0, 4.0, 3.0, 5.0, 4.0, 5.0, 2.0, 5.0]),
            [1.0, 5.0],
            4.200_000,
            3.461_183,
            4.938_817,
        ),
        (None, [1.0, 5.0], 3.000_000, 2.594_004, 3.405_996),
    ];
}
