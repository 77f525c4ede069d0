//! Whether figures are within their bounds.

use casebook_suite::model::conversation::Bounds;
use serde_json::Value;

use super::text::{name, numbered};
use super::{data, format};
use crate::assertions::CheckResult;
use crate::transcript::{Reply, Scope, added};

/// How many turns there were: up to the scope's own.
pub(super) fn turns(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    let all = scope.transcript.turns.len();
    let turns = scope.exchange.map_or(all, |place| place + 1);
    let problem = (!bounds.contains(format::float(turns))).then(|| {
        let turns = format::counted(turns, "turn");
        format!("{turns} instead of {}", format::bounds(bounds))
    });
    finding(bounds, problem, Some(turns.into()))
}

/// How many seconds answers took: each of them.
pub(super) fn latency(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    let replies = numbered(scope);
    let seconds = |reply: &Reply| (reply.latency.as_secs_f64() * 1000.0).round() / 1000.0;
    let beyond = replies
        .iter()
        .find(|(_, reply)| !bounds.contains(seconds(reply)));
    let problem = beyond.map(|(turn, reply)| {
        let (name, seconds) = (name(*turn, &replies), format::number(seconds(reply)));
        let bounds = format::bounds(bounds);
        format!("{name} took {seconds} seconds instead of {bounds}")
    });
    let actual = beyond.map_or_else(
        || {
            replies
                .iter()
                .map(|(_, reply)| seconds(reply))
                .reduce(f64::max)
        },
        |(_, reply)| Some(seconds(reply)),
    );
    finding(bounds, problem, actual.map(Value::from))
}

/// How many tokens the agent used, read and written.
pub(super) fn tokens(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    let tokens = |reply: &Reply| {
        let tokens = reply.tokens?;
        #[expect(clippy::cast_precision_loss, reason = "nobody pays for so many")]
        Some(tokens.all() as f64)
    };
    reported(bounds, scope, "tokens", tokens)
}

/// What the agent cost.
pub(super) fn cost(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    reported(bounds, scope, "cost", |reply| reply.cost)
}

/// A sum of what the agent says of its replies; where it says nothing, the sum is not known.
fn reported(
    bounds: Bounds,
    scope: Scope<'_>,
    what: &str,
    figure: impl Fn(&Reply) -> Option<f64>,
) -> CheckResult {
    let replies = numbered(scope);
    let mut sum = 0.0;
    for (turn, reply) in &replies {
        let Some(figure) = figure(reply) else {
            let name = name(*turn, &replies);
            let problem = format!("the agent did not report the {what} of {name}");
            return finding(bounds, Some(problem), None);
        };
        sum = added(sum, figure);
    }
    let problem = (!bounds.contains(sum)).then(|| {
        let sum = format::number(sum);
        format!("{what} {sum} instead of {}", format::bounds(bounds))
    });
    finding(bounds, problem, Some(data::number(sum)))
}

fn finding(bounds: Bounds, problem: Option<String>, actual: Option<Value>) -> CheckResult {
    CheckResult {
        problem,
        expected: Some(data::bounds(bounds)),
        actual,
        ..CheckResult::default()
    }
}
