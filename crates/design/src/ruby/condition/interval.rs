//! Intervals of numbers and their order, which decide the words "low" and "high" in a chain of comparisons (rule E12).

use ruby_prism::Node;

use crate::ruby::syntax::node::{constant, source};
use crate::ruby::syntax::words::is_number;

/// The numbers for which a comparison or range is true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    low: f64,
    includes_low: bool,
    high: f64,
    includes_high: bool,
}

impl Interval {
    /// All numbers on one side of a bound.
    pub(crate) fn from_comparison(operator: &str, bound: &Node<'_>) -> Option<Interval> {
        let bound = number(bound)?;
        let includes = operator.ends_with('=');
        Some(if operator.starts_with('<') {
            Interval::new((f64::NEG_INFINITY, true), (bound, includes))
        } else {
            Interval::new((bound, includes), (f64::INFINITY, true))
        })
    }

    /// An interval for bounds that are not numbers: below the lower one or above the upper one.
    pub(crate) fn on_side(is_below: bool) -> Interval {
        if is_below {
            Interval::new((f64::NEG_INFINITY, true), (0.0, true))
        } else {
            Interval::new((1.0, true), (f64::INFINITY, true))
        }
    }

    /// A single number, or a range of numbers.
    pub(crate) fn of_value(node: &Node<'_>) -> Option<Interval> {
        let Some(range) = node.as_range_node() else {
            let number = number(node)?;
            return Some(Interval::new((number, true), (number, true)));
        };
        let bound = |node: Option<Node<'_>>, open: f64| match node {
            Some(node) => number(&node),
            None => Some(open),
        };
        let low = bound(range.left(), f64::NEG_INFINITY)?;
        let high = bound(range.right(), f64::INFINITY)?;
        Some(Interval::new((low, true), (high, !range.is_exclude_end())))
    }

    /// Both bounds of `between?`.
    pub(crate) fn between(low: &Node<'_>, high: &Node<'_>) -> Option<Interval> {
        Some(Interval::new((number(low)?, true), (number(high)?, true)))
    }

    /// The intersection.
    pub(crate) fn intersection(self, other: Interval) -> Interval {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        let includes = |bound: f64| self.contains(bound) && other.contains(bound);
        Interval::new((low, includes(low)), (high, includes(high)))
    }

    /// An integer inside and one outside, as Ruby literals.
    pub(crate) fn samples(self) -> Vec<Option<String>> {
        let inside = [self.low, self.low + 1.0, self.high]
            .into_iter()
            .find(|number| is_integer(*number) && self.contains(*number));
        let outside = [self.low - 1.0, self.high + 1.0]
            .into_iter()
            .find(|number| is_integer(*number) && !self.contains(*number));
        let literal = |number: Option<f64>| number.map(|number| format!("{number:.0}"));
        vec![literal(inside), literal(outside)]
    }

    fn new((low, includes_low): (f64, bool), (high, includes_high): (f64, bool)) -> Interval {
        Interval {
            low,
            includes_low,
            high,
            includes_high,
        }
    }

    /// Whether all numbers inside this interval (or all outside) are in the other one; `None` if only some are.
    pub(crate) fn decides(self, is_inside: bool, other: Interval) -> Option<bool> {
        let mut results = probes(&[&[self], &[other]])
            .into_iter()
            .filter(|number| self.contains(*number) == is_inside)
            .map(|number| other.contains(number));
        let first = results.next()?;
        results.all(|is_in| is_in == first).then_some(first)
    }

    fn contains(&self, number: f64) -> bool {
        let above = self.low < number || self.includes_low && self.low <= number;
        let below = number < self.high || self.includes_high && number <= self.high;
        above && below
    }
}

/// Whether it is an integer that is formatted exactly.
fn is_integer(number: f64) -> bool {
    number.is_finite() && number.fract() == 0.0 && number.abs() < 1e15
}

/// The value of a number literal.
fn number(node: &Node<'_>) -> Option<f64> {
    if is_number(node) {
        return source(node).replace('_', "").parse().ok();
    }
    (constant(node) == Some("INFINITY")).then_some(f64::INFINITY)
}

/// The intervals of one branch; `None` if a bound is not a number.
pub(crate) type Arm = Option<Vec<Interval>>;

/// The rank of each branch, from the lowest group upwards. With one group more than branches, the last group takes all
/// other numbers. `ascending` is used when the bounds are not numbers.
pub(crate) fn ranks(arms: &[Arm], groups: usize, ascending: bool) -> Vec<usize> {
    by_numbers(arms, groups).unwrap_or_else(|| {
        let upwards = 0..groups;
        if ascending {
            upwards.collect()
        } else {
            upwards.rev().collect()
        }
    })
}

fn by_numbers(arms: &[Arm], groups: usize) -> Option<Vec<usize>> {
    let arms: Vec<&[Interval]> = arms.iter().map(Option::as_deref).collect::<Option<_>>()?;
    let taken: Vec<usize> = probes(&arms)
        .into_iter()
        .map(|number| {
            let takes = |arm: &&[Interval]| arm.iter().any(|interval| interval.contains(number));
            arms.iter().position(takes).unwrap_or(arms.len())
        })
        .collect();
    let mut order: Vec<usize> = Vec::with_capacity(groups);
    for group in taken.iter().filter(|group| **group < arms.len()) {
        if !order.contains(group) {
            order.push(*group);
        }
    }
    if groups > arms.len() {
        let at = rest_position(&taken, &order, arms.len());
        order.insert(at.min(order.len()), arms.len());
    }
    (0..groups)
        .map(|group| order.iter().position(|other| *other == group))
        .collect()
}

/// The position of the remaining numbers among the groups: their actual position if they are contiguous, else after the
/// last branch.
fn rest_position(taken: &[usize], order: &[usize], rest: usize) -> usize {
    let mut runs = taken.to_vec();
    runs.dedup();
    let is_contiguous = runs.iter().filter(|group| **group == rest).count() == 1;
    if is_contiguous && let Some(at) = runs.iter().position(|group| *group == rest) {
        let mut before = runs[..at].to_vec();
        before.sort_unstable();
        before.dedup();
        return before.len();
    }
    let is_descending = order.len() > 1 && order.is_sorted_by(|a, b| a > b);
    if is_descending { 0 } else { order.len() }
}

/// Numbers on, between and beyond all bounds, in order.
fn probes(arms: &[&[Interval]]) -> Vec<f64> {
    let mut bounds: Vec<f64> = arms
        .iter()
        .flat_map(|arm| arm.iter())
        .flat_map(|interval| [interval.low, interval.high])
        .filter(|bound| bound.is_finite())
        .collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let (Some(first), Some(last)) = (bounds.first(), bounds.last()) else {
        return Vec::new();
    };
    let mut probes = vec![first - 1.0];
    for pair in bounds.windows(2) {
        probes.extend([pair[0], f64::midpoint(pair[0], pair[1])]);
    }
    probes.extend([*last, last + 1.0]);
    probes
}
