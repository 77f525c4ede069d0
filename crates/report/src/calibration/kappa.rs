//! Cohen's kappa: agreement beyond what chance explains.

/// The standard normal quantile of a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// Cohen's kappa of two raters with the same categories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kappa {
    /// 1 is complete agreement, 0 is the agreement that chance explains.
    pub value: f64,
    /// The 95 % interval, by the large-sample variance of Fleiss, Cohen and Everitt (1969). `None` without disagreement, where that
    /// variance is 0 and says nothing.
    pub interval: Option<(f64, f64)>,
}

impl Kappa {
    /// The kappa of a matrix of counts. An error says why it is not defined.
    pub fn of(matrix: &[[u64; 3]; 3]) -> Result<Kappa, &'static str> {
        let count: u64 = matrix.iter().flatten().sum();
        if count == 0 {
            return Err("the file has no labels");
        }
        let p = matrix.map(|row| row.map(|cell| ratio(cell, count)));
        let rows: [f64; 3] = std::array::from_fn(|i| p[i].iter().sum());
        let columns: [f64; 3] = std::array::from_fn(|j| p.iter().map(|row| row[j]).sum());
        let observed: f64 = (0..3).map(|i| p[i][i]).sum();
        let by_chance: f64 = (0..3).map(|i| rows[i] * columns[i]).sum();
        if (0..3).any(|i| matrix[i][i] == count) {
            return Err(
                "all labels and all verdicts are the same, so chance explains the agreement; add labels with other verdicts",
            );
        }
        let value = (observed - by_chance) / (1.0 - by_chance);
        let agrees = (0..3).map(|i| matrix[i][i]).sum::<u64>() == count;
        let margin =
            Z95 * (variance(&p, &rows, &columns, value, by_chance) / ratio(count, 1)).sqrt();
        Ok(Kappa {
            value,
            interval: (!agrees).then(|| ((value - margin).max(-1.0), (value + margin).min(1.0))),
        })
    }
}

/// The variance of kappa, times the number of labels.
fn variance(
    p: &[[f64; 3]; 3],
    rows: &[f64; 3],
    columns: &[f64; 3],
    kappa: f64,
    by_chance: f64,
) -> f64 {
    let rest = 1.0 - kappa;
    let mut sum = 0.0;
    for (i, row) in p.iter().enumerate() {
        for (j, cell) in row.iter().enumerate() {
            let weight = if i == j {
                1.0 - (rows[i] + columns[i]) * rest
            } else {
                (columns[i] + rows[j]) * rest
            };
            sum += cell * weight * weight;
        }
    }
    let mean = kappa - by_chance * rest;
    ((sum - mean * mean) / ((1.0 - by_chance) * (1.0 - by_chance))).max(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2⁵³")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_figures_are_those_of_scikit_learn_and_statsmodels() {
        let fixture = include_str!("../../tests/fixtures/kappa.json");
        let fixture: Value = serde_json::from_str(fixture).unwrap();
        for case in fixture["cases"].as_array().unwrap() {
            let matrix = serde_json::from_value(case["matrix"].clone()).unwrap();
            let Kappa { value, interval } = Kappa::of(&matrix).unwrap();
            let (low, high) = interval.unwrap();
            for (actual, key) in [(value, "kappa"), (low, "low"), (high, "high")] {
                let expected = case[key].as_f64().unwrap();
                assert!(
                    (actual - expected).abs() < 1e-9,
                    "{key} is {actual}: {case}"
                );
            }
        }
    }

    #[test]
    fn without_variation_there_is_a_statement_instead_of_a_number() {
        let one_class = "all labels and all verdicts are the same, so chance explains the agreement; add labels with other verdicts";
        for (matrix, error) in [
            ([[0; 3]; 3], "the file has no labels"),
            ([[7, 0, 0], [0; 3], [0; 3]], one_class),
            ([[0; 3], [0, 1, 0], [0; 3]], one_class),
        ] {
            assert_eq!(Kappa::of(&matrix), Err(error));
        }
        let complete = Kappa::of(&[[3, 0, 0], [0, 2, 0], [0; 3]]).unwrap();
        assert_eq!((complete.value, complete.interval), (1.0, None));
        // One label that the judge contradicts: no agreement at all, and none expected by chance.
        let one = Kappa::of(&[[0, 1, 0], [0; 3], [0; 3]]).unwrap();
        assert_eq!((one.value, one.interval), (0.0, Some((0.0, 0.0))));
    }
}
