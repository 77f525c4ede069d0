//! [`Trials`]: how often a conversation is run, and how many of its trials must pass.

/// The trials of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trials {
    /// How many trials are run.
    pub count: u32,
    /// How many of them must pass; `None` if all must.
    pub threshold: Option<Threshold>,
    /// Whether the suite has another number, and `--trials` set this one.
    pub is_overridden: bool,
}

/// How many trials must pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// This number.
    AtLeast(u32),
    /// This share, from 0 to 1.
    PassRate(f64),
}

impl Trials {
    /// One trial, which must pass.
    pub const ONE: Trials = Trials {
        count: 1,
        threshold: None,
        is_overridden: false,
    };

    /// How many trials must pass, if not all.
    pub fn needs(self) -> Option<u32> {
        self.threshold.map(|threshold| match threshold {
            Threshold::AtLeast(number) => number,
            Threshold::PassRate(rate) => needed(rate, self.count),
        })
    }
}

/// The smallest number of trials whose share is at least the rate. Not the product rounded up, because 0.7 · 10 is a little more
/// than 7.
fn needed(rate: f64, count: u32) -> u32 {
    let reaches = |number: &u32| f64::from(*number) / f64::from(count) >= rate;
    (0..count).find(reaches).unwrap_or(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_rate_needs_the_next_whole_number_of_trials() {
        for (rate, count, needs) in [
            (0.8, 10, 8),
            (0.7, 10, 7),
            (0.81, 10, 9),
            (1.0, 3, 3),
            (0.5, 3, 2),
            (0.001, 3, 1),
        ] {
            assert_eq!(needed(rate, count), needs, "{rate} of {count}");
        }
    }
}
