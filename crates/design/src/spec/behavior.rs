//! What an example is about, in words: rule W2. A heuristic, and labelled so where it is told.

use crate::negation::uppercase_not;
use crate::refactor::third_person;
use crate::ruby::{Analysis, BranchCall, BranchFact, BranchOutcome};
use crate::skeleton::Context;

/// One thing a leaf does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Behaviour {
    pub(super) description: String,
    pub(super) what: BehaviorResult,
}

/// Which kind of thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BehaviorResult {
    /// The branch's outcome.
    Ends(BranchOutcome),
    /// Something on the way.
    Effect,
    /// Nobody knows.
    Unknown,
}

/// The behaviours of a leaf: side effects first, then the result.
pub(super) fn behaviours(analysis: &Analysis, names: &[&str], leaf: &[&Context]) -> Vec<Behaviour> {
    let states: Vec<_> = leaf
        .iter()
        .map(|context| (names[context.entry], context.state.as_str()))
        .collect();
    let fact = states
        .last()
        .and_then(|(name, state)| fact(analysis, name, state, &states));
    let mut found: Vec<Behaviour> = Vec::new();
    let ends = fact.is_some_and(|fact| fact.outcome.is_some());
    let own = fact.into_iter().flat_map(|fact| &fact.calls);
    // What does not end here comes to the method's end.
    let last = analysis
        .last_calls
        .iter()
        .filter(|_| !ends && !leaves(analysis, &states));
    for call in own.chain(last) {
        let effect = effect(call).map(|description| Behaviour {
            description,
            what: BehaviorResult::Effect,
        });
        found.extend(effect.filter(|effect| !found.contains(effect)));
    }
    let outcome = fact.and_then(|fact| fact.outcome.as_ref());
    let last = analysis
        .last_outcome
        .as_ref()
        .filter(|_| !leaves(analysis, &states));
    if let Some(outcome) = outcome.or(last) {
        found.push(Behaviour {
            description: ended(outcome),
            what: BehaviorResult::Ends(outcome.clone()),
        });
    }
    if found.is_empty() {
        found.push(Behaviour {
            description: default(analysis),
            what: BehaviorResult::Unknown,
        });
    }
    found
}

/// Whether the method is left in the last of these states, or may be, together with others.
fn leaves(analysis: &Analysis, states: &[(&str, &str)]) -> bool {
    let Some((name, state)) = states.last() else {
        return false;
    };
    let mut all = analysis.characteristics.iter();
    let found = all.find(|found| found.name == *name);
    found.is_none_or(|found| {
        found.combination.is_some() || found.terminal_states.iter().any(|end| end == state)
    })
}

/// What the code says about a branch where these characteristics are in these states.
pub(super) fn fact<'a>(
    analysis: &'a Analysis,
    name: &str,
    state: &str,
    around: &[(&str, &str)],
) -> Option<&'a BranchFact> {
    let is_here = |under| {
        let (parent, wanted) = analysis.at(under);
        let parent = around.iter().find(|(name, _)| *name == parent.name);
        parent.is_none_or(|(_, state)| *state == wanted)
    };
    analysis.branches.iter().find(|branch| {
        analysis.is_at(branch.place, name, state) && branch.under.is_none_or(is_here)
    })
}

pub(super) fn ended(outcome: &BranchOutcome) -> String {
    match outcome {
        BranchOutcome::Raises(Some(class)) => format!("raises {class}"),
        BranchOutcome::Raises(None) => "raises an error".to_owned(),
        BranchOutcome::Counts(truth) => format!("returns {truth}"),
        BranchOutcome::ReturnsNothing => "returns nil".to_owned(),
        BranchOutcome::ReturnsError => "returns error result".to_owned(),
        BranchOutcome::Returns(_) if outcome.tells_of_error() => "returns error result".to_owned(),
        BranchOutcome::Returns(value) => format!("returns {}", plain(value)),
    }
}

/// A literal as people say it.
fn plain(value: &str) -> String {
    let word = value.trim_start_matches(':').trim_matches(['\'', '"']);
    grammatical(&word.replace('_', " "))
}

/// What a call does, if its name says so.
fn effect(call: &BranchCall) -> Option<String> {
    let of = call.receiver.as_deref().map(last_word).unwrap_or_default();
    let method = call.method.trim_end_matches('!');
    let text = match method {
        "create" if !of.is_empty() => format!("creates the {of}"),
        "save" | "update" | "destroy" | "delete" if !of.is_empty() => {
            format!("{} the {of}", third_person(method))
        }
        "deliver_now" | "deliver_later" => format!("sends {of}"),
        "perform_later" | "perform_async" => format!("enqueues {of}"),
        "call" if !of.is_empty() => format!("calls {of}"),
        "head" => format!("returns {} status", status(call.argument.as_deref()?)),
        "redirect_to" => "redirects".to_owned(),
        "render" => match &call.status {
            Some(code) => format!("returns {} status", status(code)),
            None => "renders the page".to_owned(),
        },
        _ => return None,
    };
    Some(grammatical(&text))
}

/// The last name in an expression, in plain words.
fn last_word(receiver: &str) -> String {
    let path = receiver.split('(').next().unwrap_or(receiver);
    let word = path
        .rsplit(['.', ':'])
        .find(|word| !word.is_empty() && *word != "new")
        .unwrap_or(path);
    crate::ruby::snake(word.trim_start_matches('@')).replace('_', " ")
}

fn status(argument: &str) -> String {
    let code = match argument.trim_start_matches(':') {
        "ok" => "200",
        "created" => "201",
        "accepted" => "202",
        "no_content" => "204",
        "bad_request" => "400",
        "unauthorized" => "401",
        "forbidden" => "403",
        "not_found" => "404",
        "conflict" => "409",
        "gone" => "410",
        "unprocessable_entity" | "unprocessable_content" => "422",
        "too_many_requests" => "429",
        "internal_server_error" => "500",
        other => other,
    };
    code.to_owned()
}

pub(super) fn default(analysis: &Analysis) -> String {
    let name = analysis
        .method
        .name
        .trim_end_matches(['?', '!', '='])
        .replace('_', " ");
    let verb = if analysis.method.name.ends_with('?') {
        "answers"
    } else {
        "completes"
    };
    grammatical(&format!("{verb} {name}"))
}

/// No modal verbs, a loud `NOT`, no clause that belongs into a context.
fn grammatical(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| {
        !matches!(
            *word,
            "should" | "can" | "must" | "will" | "when" | "with" | "and" | "but" | "without"
        )
    });
    let words: Vec<_> = words.collect();
    uppercase_not(words.join(" ").trim_start_matches("it "))
}
