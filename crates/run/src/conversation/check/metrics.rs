//! Checks of numbers: turns, latency, tokens, cost.

use std::time::Duration;

use casebook_suite::model::conversation::Bounds;
use serde_json::Value;

use super::text::{numbered_replies, reply_name};
use super::{data, format};
use crate::assertions::CheckResult;
use crate::transcript::{Reply, Scope, added};

/// Checks the number of turns up to the scope's turn.
pub(super) fn turns(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    let all = scope.transcript.turns.len();
    let turns = scope.turn_index.map_or(all, |index| index + 1);
    let problem = (!bounds.contains(format::float(turns))).then(|| {
        let turns = format::counted(turns, "turn");
        format!("{turns} instead of {}", format::bounds(bounds))
    });
    check_result(bounds, problem, Some(turns.into()))
}

/// Checks the seconds that each reply took.
pub(super) fn latency(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    times(bounds, scope, "took", |reply| Some(reply.latency))
}

/// Checks the seconds to the first token of each reply. Fails for a reply that was not streamed.
pub(super) fn first_token(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    times(bounds, scope, "had its first token after", |reply| {
        reply.first_token
    })
}

fn times(
    bounds: Bounds,
    scope: Scope<'_>,
    verb: &str,
    time: impl Fn(&Reply) -> Option<Duration>,
) -> CheckResult {
    let replies = numbered_replies(scope);
    let seconds = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
    let mut longest: Option<f64> = None;
    for (turn, reply) in &replies {
        let name = reply_name(*turn, &replies);
        let Some(seconds) = time(reply).map(seconds) else {
            let problem = format!(
                "{name} was not streamed, so its first token has no time; set the agent's `stream`"
            );
            return unreported(bounds, problem);
        };
        if !bounds.contains(seconds) {
            let (shown, expected) = (format::number(seconds), format::bounds(bounds));
            let problem = format!("{name} {verb} {shown} seconds instead of {expected}");
            return check_result(bounds, Some(problem), Some(seconds.into()));
        }
        longest = Some(longest.map_or(seconds, |longest| longest.max(seconds)));
    }
    check_result(bounds, None, longest.map(Value::from))
}

/// Checks the number of input and output tokens of the agent.
pub(super) fn tokens(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    let tokens = |reply: &Reply| {
        let tokens = reply.tokens?;
        #[expect(clippy::cast_precision_loss, reason = "token counts stay below 2^52")]
        Some(tokens.all() as f64)
    };
    let advice = "it must report `tokens: {input, output}`";
    reported_sum(bounds, scope, ("tokens", advice), tokens)
}

/// Checks the cost of the agent.
pub(super) fn cost(bounds: Bounds, scope: Scope<'_>) -> CheckResult {
    let advice = "set `price` of an `openai` or `anthropic` agent; others must report `cost`";
    reported_sum(bounds, scope, ("cost", advice), |reply| reply.cost)
}

/// Checks a sum over numbers that the agent reports for its replies. Fails with the advice if it does not report one.
fn reported_sum(
    bounds: Bounds,
    scope: Scope<'_>,
    (what, advice): (&str, &str),
    figure: impl Fn(&Reply) -> Option<f64>,
) -> CheckResult {
    let replies = numbered_replies(scope);
    let mut sum = 0.0;
    for (turn, reply) in &replies {
        let Some(figure) = figure(reply) else {
            let name = reply_name(*turn, &replies);
            let problem = format!("the agent did not report the {what} of {name}; {advice}");
            return unreported(bounds, problem);
        };
        sum = added(sum, figure);
    }
    let problem = (!bounds.contains(sum)).then(|| {
        let sum = format::number(sum);
        format!("{what} {sum} instead of {}", format::bounds(bounds))
    });
    check_result(bounds, problem, Some(data::number(sum)))
}

/// The result if the agent did not report the number.
fn unreported(bounds: Bounds, problem: String) -> CheckResult {
    CheckResult {
        is_undecided: true,
        ..check_result(bounds, Some(problem), None)
    }
}

fn check_result(bounds: Bounds, problem: Option<String>, actual: Option<Value>) -> CheckResult {
    CheckResult {
        problem,
        expected: Some(data::bounds(bounds)),
        actual,
        ..CheckResult::default()
    }
}
