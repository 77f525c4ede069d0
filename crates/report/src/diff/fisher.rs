//! Fisher's exact test: the probability that two pass rates differ by chance alone.

use casebook_record::TrialScore;

/// Relative tolerance within which two tables are equally likely.
const ROUNDING: f64 = 1e-7;

/// The two-sided p-value: the probability of counts at least this far apart if both sides have the same chance to pass.
/// `None` if a side has no values.
pub(super) fn p_value(base: TrialScore, new: TrialScore) -> Option<f64> {
    if base.trials == 0 || new.trials == 0 {
        return None;
    }
    let (total, passed) = (base.trials + new.trials, base.passed + new.passed);
    let least = passed.saturating_sub(new.trials);
    let most = passed.min(base.trials);
    let factorials = LnFactorials::up_to(total);
    let likelihood = |in_base: u64| {
        factorials.choose(base.trials, in_base) + factorials.choose(new.trials, passed - in_base)
            - factorials.choose(total, passed)
    };
    let observed = likelihood(base.passed) + ROUNDING;
    let p: f64 = (least..=most)
        .map(likelihood)
        .filter(|ln| *ln <= observed)
        .map(libm::exp)
        .sum();
    Some(p.min(1.0))
}

/// `0.034`, `< 0.001`: only meaningful digits.
pub(super) fn rounded(p: f64) -> String {
    match p {
        p if p < 0.001 => "< 0.001".into(),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

/// ln 0!, ln 1!, ln 2!, …: logarithms because factorials overflow.
struct LnFactorials(Vec<f64>);

impl LnFactorials {
    fn up_to(number: u64) -> LnFactorials {
        let mut sum = 0.0;
        let rest = (1..=number).map(|factor| {
            #[expect(
                clippy::cast_precision_loss,
                reason = "counts of trials stay below 2⁵³"
            )]
            let factor = factor as f64;
            sum += libm::log(factor);
            sum
        });
        LnFactorials(std::iter::once(0.0).chain(rest).collect())
    }

    fn choose(&self, of: u64, chosen: u64) -> f64 {
        let ln = |number: u64| self.0[usize::try_from(number).expect("an index of the table")];
        ln(of) - ln(chosen) - ln(of - chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(base: (u64, u64), new: (u64, u64)) -> f64 {
        let score = |(passed, trials)| TrialScore { trials, passed };
        p_value(score(base), score(new)).unwrap()
    }

    #[test]
    fn matches_values_by_hand_and_from_the_literature() {
        for (base, new, expected) in [
            // The lady tasting tea: 3 of 4 against 1 of 4, (16 + 16 + 1 + 1) / 70.
            ((3, 4), (1, 4), 34.0 / 70.0),
            ((4, 4), (0, 4), 2.0 / 70.0),
            // C(5,1)/C(10,6) on this side, and the same on the other: (5 + 5) / 210.
            ((5, 5), (1, 5), 10.0 / 210.0),
            ((5, 5), (2, 5), 2.0 * 10.0 / 120.0),
            ((5, 5), (5, 5), 1.0),
            ((0, 3), (0, 7), 1.0),
            ((1, 1), (0, 1), 1.0),
            // R: fisher.test(matrix(c(1, 9, 11, 3), 2))
            ((1, 10), (11, 14), 0.002_759_456),
        ] {
            let actual = p(base, new);
            assert!(
                (actual - expected).abs() < 1e-6,
                "{base:?} {new:?}: {actual} is not {expected}"
            );
            assert!(
                (p(new, base) - expected).abs() < 1e-6,
                "the sides can be swapped"
            );
        }
    }

    #[test]
    fn large_samples_neither_overflow_nor_lose_precision() {
        assert!(p((90_000, 100_000), (89_000, 100_000)) < 1e-10);
        assert!((p((50_000, 100_000), (50_000, 100_000)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_side_without_values_has_no_p_value() {
        assert_eq!(
            p_value(
                TrialScore::default(),
                TrialScore {
                    trials: 3,
                    passed: 1
                }
            ),
            None
        );
    }
}
