//! A distribution of values in fixed ranges.

use serde_json::{Value, json};

use super::attributes::Attributes;
use super::nanos;

#[derive(Debug, Clone)]
pub(super) struct Histogram {
    /// The upper ends of all ranges but the last, which has none.
    bounds: &'static [f64],
    counts: Vec<u64>,
    sum: f64,
}

/// The ranges that the semantic conventions recommend for durations of model calls, in seconds.
pub(super) const SECONDS: &[f64] = &[
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
/// Those for tokens.
pub(super) const TOKENS: &[f64] = &[
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

impl Histogram {
    pub(super) fn new(bounds: &'static [f64]) -> Histogram {
        Histogram {
            bounds,
            counts: vec![0; bounds.len() + 1],
            sum: 0.0,
        }
    }

    pub(super) fn add(&mut self, value: f64) {
        let range = self.bounds.partition_point(|bound| *bound < value);
        self.counts[range] += 1;
        self.sum += value;
    }

    /// A data point. Times are in milliseconds since 1970.
    pub(super) fn point(&self, attributes: Attributes, (start, end): (i64, i64)) -> Value {
        let counts = self.counts.iter().map(ToString::to_string);
        json!({
            "attributes": attributes.into_json(),
            "startTimeUnixNano": nanos(start),
            "timeUnixNano": nanos(end),
            "count": self.counts.iter().sum::<u64>().to_string(),
            "sum": self.sum,
            "bucketCounts": counts.collect::<Vec<_>>(),
            "explicitBounds": self.bounds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_at_a_bound_is_in_the_range_below_it() {
        let mut histogram = Histogram::new(&[1.0, 2.0]);
        for value in [0.5, 1.0, 1.5, 7.0] {
            histogram.add(value);
        }
        let point = histogram.point(Attributes::default(), (0, 1));
        assert_eq!(point["bucketCounts"], json!(["2", "1", "1"]));
        assert_eq!(
            (&point["count"], &point["sum"]),
            (&json!("4"), &json!(10.0))
        );
    }
}
