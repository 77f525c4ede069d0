//! How a spec handles time.

use ruby_prism::{CallNode, Node, Visit};

use super::super::Review;
use crate::ruby::syntax::{argument, arguments, called, constant, line, source, visit_children};

pub(super) fn check(spec: &str, program: &Node<'_>, review: &mut Review) {
    let mut times = Times::default();
    times.visit(program);
    if !times.is_frozen {
        for (line, what) in &times.clocks {
            review.add(
                "frozen-time",
                *line,
                format!("{what} without freeze_time or travel_to"),
            );
        }
    }
    if !times.travels_back {
        for line in &times.open_travels {
            review.add(
                "frozen-time",
                *line,
                "the time is changed and not given back",
            );
        }
    }
    for (line, what) in &times.parses {
        review.add("time-zone", *line, format!("{what} knows no zone"));
    }
    for line in &times.early {
        review.add(
            "time-dst",
            *line,
            "the hour may not exist on the day the clocks change",
        );
    }
    both(spec, ".wday", "EXTRACT(DOW", "time-weekday", review);
    both(
        spec,
        "beginning_of_week",
        "date_trunc('week'",
        "time-week-start",
        review,
    );
}

fn both(spec: &str, ruby: &str, sql: &str, slug: &str, review: &mut Review) {
    let at = spec.lines().position(|line| line.contains(ruby));
    if let (Some(index), true) = (at, spec.to_lowercase().contains(&sql.to_lowercase())) {
        review.add(slug, index + 1, format!("{ruby} together with {sql}"));
    }
}

#[derive(Default)]
struct Times {
    clocks: Vec<(usize, String)>,
    parses: Vec<(usize, String)>,
    early: Vec<usize>,
    open_travels: Vec<usize>,
    is_frozen: bool,
    travels_back: bool,
}

impl Times {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let at = line(&call.as_node());
        let receiver = call.receiver();
        let class = receiver.as_ref().and_then(constant);
        match (class, name) {
            (Some("Time"), "now") | (Some("Date"), "today") => {
                self.clocks
                    .push((at, format!("{}.{name}", class.unwrap_or_default())));
            }
            (Some("Date" | "Time"), "parse") => self
                .parses
                .push((at, format!("{}.parse", class.unwrap_or_default()))),
            (_, "travel_to" | "freeze_time" | "travel") => self.travel(call, at),
            (Some("Timecop"), "freeze") => self.is_frozen = true,
            (_, "travel_back" | "unfreeze_time") | (Some("Timecop"), "return") => {
                self.travels_back = true;
            }
            _ => {}
        }
    }

    fn travel(&mut self, call: &CallNode<'_>, at: usize) {
        self.is_frozen = true;
        if call.block().is_none() {
            self.open_travels.push(at);
        }
        if argument(call).is_some_and(|moment| is_early(&moment)) {
            self.early.push(at);
        }
    }
}

/// Whether a moment is between 0 and 4 o'clock: `Time.new(2026, 3, 29, 2)`, `'2026-03-29 02:30'`.
fn is_early(moment: &Node<'_>) -> bool {
    let in_text = source(moment).as_bytes().windows(4).any(|at| {
        matches!(at[0], b' ' | b'T')
            && at[1] == b'0'
            && matches!(at[2], b'0'..=b'3')
            && at[3] == b':'
    });
    let in_call = moment.as_call_node().is_some_and(|call| {
        let given = arguments(&call);
        let hour = given
            .get(3)
            .and_then(|hour| source(hour).parse::<u8>().ok());
        matches!(called(&call), "new" | "local" | "utc" | "mktime")
            && hour.is_some_and(|hour| hour <= 3)
    });
    in_text || in_call
}

impl<'pr> Visit<'pr> for Times {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(call) = node.as_call_node() {
            self.call(&call);
        }
        visit_children(self, node);
    }
}
