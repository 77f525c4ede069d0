//! A part of the tests, for one of several machines.

use std::fmt;
use std::str::FromStr;

use super::PlannedSuite;

/// The part K of N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, counted from 0.
    index: usize,
    count: usize,
}

/// What is no part of anything.
#[derive(Debug, Clone, thiserror::Error)]
#[error("a shard is written K/N, with K from 1 to N: 2/5 is the second of five parts")]
pub struct InvalidShard;

impl FromStr for Shard {
    type Err = InvalidShard;

    fn from_str(text: &str) -> Result<Shard, InvalidShard> {
        let (part, count) = text.split_once('/').ok_or(InvalidShard)?;
        let part: usize = part.trim().parse().map_err(|_| InvalidShard)?;
        let count = count.trim().parse().map_err(|_| InvalidShard)?;
        if (1..=count).contains(&part) {
            Ok(Shard {
                index: part - 1,
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

/// Keeps the tests of that part. Every test goes to the part that has the fewest so far, the tests of a suite that
/// must run one after another all to the same.
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
            let taken: Vec<_> = suite.tests.iter().map(|_| take(1)).collect();
            let first = suite.tests.first().map_or(0, |test| test.number);
            suite.keep(|_, test| taken[test.number - first]);
        } else if !take(suite.tests.len()) {
            suite.keep(|_, _| false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_several() {
        assert_eq!(
            "2/5".parse::<Shard>().unwrap(),
            Shard { index: 1, count: 5 }
        );
        for bad in ["", "1", "0/2", "3/2", "a/b", "1/0", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
