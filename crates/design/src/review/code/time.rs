//! Checks how a spec uses time.

use ruby_prism::{CallNode, Node, Visit};

use super::super::Review;
use crate::outline::{is_example, is_group};
use crate::ruby::syntax::{
    argument, arguments, called, constant, keyword, line, source, string_text, visit_children,
};

pub(super) fn check(program: &Node<'_>, review: &mut Review) {
    let mut times = Times::default();
    times.visit(program);
    for (at, what) in &times.clocks {
        if !at.is_in_one_of(&times.frozen) {
            review.add(
                "frozen-time",
                at.line,
                format!("{what} without freeze_time or travel_to"),
            );
        }
    }
    for at in &times.open_travels {
        if !at.is_in_one_of(&times.restored) {
            review.add(
                "frozen-time",
                at.line,
                "the time is changed and not restored",
            );
        }
    }
    for (line, what) in &times.parses {
        review.add("time-zone", *line, format!("{what} ignores the time zone"));
    }
    for line in &times.early {
        review.add(
            "time-dst",
            *line,
            "the hour may not exist on the day the clocks change",
        );
    }
    times.check_counted_twice("wday", "EXTRACT(DOW", "time-weekday", review);
    times.check_counted_twice(
        "beginning_of_week",
        "DATE_TRUNC('WEEK'",
        "time-week-start",
        review,
    );
}

/// A line, and the byte range of the enclosing group or example.
#[derive(Debug, Clone, Copy)]
struct ScopedLine {
    line: usize,
    scope: (usize, usize),
}

impl ScopedLine {
    /// Whether its scope is inside the scope of one of these.
    fn is_in_one_of(&self, others: &[ScopedLine]) -> bool {
        others
            .iter()
            .any(|other| other.scope.0 <= self.scope.0 && self.scope.1 <= other.scope.1)
    }
}

#[derive(Default)]
struct Times {
    clocks: Vec<(ScopedLine, String)>,
    parses: Vec<(usize, String)>,
    early: Vec<usize>,
    frozen: Vec<ScopedLine>,
    open_travels: Vec<ScopedLine>,
    restored: Vec<ScopedLine>,
    /// `wday` and `beginning_of_week`, with their lines.
    counts: Vec<(&'static str, usize)>,
    /// Uppercase texts without spaces.
    texts: Vec<String>,
    scopes: Vec<(usize, usize)>,
}

impl Times {
    fn call(&mut self, call: &CallNode<'_>) {
        let name = called(call);
        let receiver = call.receiver();
        let is_bare = receiver.is_none();
        let class = receiver.as_ref().and_then(constant);
        let at = ScopedLine {
            line: line(&call.as_node()),
            scope: self.scopes.last().copied().unwrap_or((0, usize::MAX)),
        };
        match (class, name) {
            (Some(class @ "Time"), "now") | (Some(class @ "Date"), "today") => {
                self.clocks.push((at, format!("{class}.{name}")));
            }
            (Some(class @ ("Date" | "Time")), "parse") => {
                self.parses.push((at.line, format!("{class}.parse")));
            }
            (None, "travel_to" | "freeze_time" | "travel") if is_bare => self.travel(call, at),
            (Some("Timecop"), "freeze" | "travel") => self.travel(call, at),
            (None, "travel_back" | "unfreeze_time") | (Some("Timecop"), "return") => {
                self.restored.push(at);
            }
            (_, "wday") if !is_bare => self.counts.push(("wday", at.line)),
            (_, "beginning_of_week") => self.counts.push(("beginning_of_week", at.line)),
            _ => {}
        }
    }

    fn travel(&mut self, call: &CallNode<'_>, at: ScopedLine) {
        self.frozen.push(at);
        if call.block().is_none() {
            self.open_travels.push(at);
        }
        let moment = argument(call).filter(|_| called(call) == "travel_to");
        if moment.is_some_and(|moment| is_early(&moment)) {
            self.early.push(at.line);
        }
    }

    /// Reports a weekday or week start that is computed both in Ruby and in SQL.
    fn check_counted_twice(&self, ruby: &str, sql: &str, slug: &str, review: &mut Review) {
        let first = self.counts.iter().find(|(what, _)| *what == ruby);
        let is_in_sql = self.texts.iter().any(|text| text.contains(sql));
        if let (Some((_, line)), true) = (first, is_in_sql) {
            review.add(slug, *line, format!(".{ruby} together with {sql}"));
        }
    }
}

/// Whether a time is between 0:00 and 3:59: `Time.new(2026, 3, 29, 2)`, `'2026-03-29 02:30'`, `change(hour: 2)`.
fn is_early(moment: &Node<'_>) -> bool {
    let in_text = source(moment).as_bytes().windows(4).any(|at| {
        matches!(at[0], b' ' | b'T' | b'\'' | b'"')
            && at[1] == b'0'
            && matches!(at[2], b'0'..=b'3')
            && at[3] == b':'
    });
    in_text
        || moment
            .as_call_node()
            .is_some_and(|call| has_early_hour(&call))
}

fn has_early_hour(call: &CallNode<'_>) -> bool {
    let hour = match called(call) {
        "new" | "local" | "utc" | "gm" | "mktime" => arguments(call).into_iter().nth(3),
        "change" => keyword(call, "hour"),
        _ => None,
    };
    let hour = hour.and_then(|hour| source(&hour).parse::<u8>().ok());
    hour.is_some_and(|hour| hour <= 3)
        || call
            .receiver()
            .and_then(|receiver| receiver.as_call_node())
            .is_some_and(|inner| has_early_hour(&inner))
}

impl<'pr> Visit<'pr> for Times {
    fn visit(&mut self, node: &Node<'pr>) {
        if let Some(text) = string_text(node) {
            self.texts
                .push(text.to_uppercase().split_whitespace().collect());
        }
        let Some(call) = node.as_call_node() else {
            return visit_children(self, node);
        };
        self.call(&call);
        let is_scope = is_group(&call) || is_example(&call);
        if is_scope {
            let location = node.location();
            self.scopes
                .push((location.start() as usize, location.end() as usize));
        }
        visit_children(self, node);
        if is_scope {
            self.scopes.pop();
        }
    }
}
