//! [`Shard`]: a part of the tests, for one of several machines.

use std::fmt;
use std::str::FromStr;

use super::PlannedSuite;

/// Shard K of N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Starts at 0.
    index: usize,
    count: usize,
}

/// A shard that cannot be parsed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("a shard must be K/N with K from 1 to N, such as 2/5")]
pub struct InvalidShard;

impl FromStr for Shard {
    type Err = InvalidShard;

    fn from_str(text: &str) -> Result<Shard, InvalidShard> {
        let (number, count) = text.split_once('/').ok_or(InvalidShard)?;
        let number: usize = number.trim().parse().map_err(|_| InvalidShard)?;
        let count = count.trim().parse().map_err(|_| InvalidShard)?;
        if (1..=count).contains(&number) {
            Ok(Shard {
                index: number - 1,
                count,
            })
        } else {
            Err(InvalidShard)
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

/// The number of parts of a suite that can be in different shards.
pub(super) fn unit_count(suite: &PlannedSuite) -> usize {
    let tests = suite.tests.len();
    if suite.suite.parallel {
        tests
    } else {
        tests.min(1)
    }
}

/// Keeps the tests of one shard. Each test goes to the shard with the fewest tests so far. The tests of a suite that is
/// not parallel stay together.
pub(super) fn retain_shard(suites: &mut [PlannedSuite], shard: Shard) {
    let mut sizes = vec![0; shard.count];
    let mut take = |tests: usize| {
        let smallest = (0..sizes.len())
            .min_by_key(|index| sizes[*index])
            .unwrap_or(0);
        sizes[smallest] += tests;
        smallest == shard.index
    };
    for suite in suites {
        if suite.suite.parallel {
            let mut taken: Vec<bool> = Vec::new();
            for test in &suite.tests {
                // The trials of a test with a threshold stay together, because they have one result.
                let is_next = test
                    .trial
                    .is_some_and(|trial| trial.needs.is_some() && trial.number > 1);
                let same = taken.last().copied().filter(|_| is_next);
                taken.push(same.unwrap_or_else(|| take(1)));
            }
            let first = suite.tests.first().map_or(0, |test| test.number);
            suite.keep(|test| taken[test.number - first]);
        } else if !take(suite.tests.len()) {
            suite.keep(|_| false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_parsed() {
        assert_eq!(
            "2/5".parse::<Shard>().unwrap(),
            Shard { index: 1, count: 5 }
        );
        for bad in ["", "1", "0/2", "3/2", "a/b", "1/0", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
