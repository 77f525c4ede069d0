//! [`BehaviorList`]: `behaviors` of the plugin layout, in which each behavior is described once.

use serde_json::{Value, json};

use crate::characteristic::Characteristic;
use crate::negation::uppercase_not;
use crate::ruby::{Analysis, BranchOutcome, Effect, snake};
use crate::unknown_behavior::phrase;

/// All behaviors of a file.
#[derive(Default)]
pub(super) struct BehaviorList {
    list: Vec<Value>,
}

impl BehaviorList {
    pub(super) fn into_list(self) -> Vec<Value> {
        self.list
    }

    /// Adds the behavior of a leaf; returns its id.
    pub(super) fn add_leaf(
        &mut self,
        one: &Characteristic,
        state: &str,
        found: &Analysis,
        is_terminal: bool,
    ) -> String {
        let mut outcomes = found
            .branches
            .iter()
            .filter(|branch| found.is_at(branch.state_ref, &one.name, state))
            .map(|branch| branch.outcome.as_ref());
        let first = outcomes.next().flatten();
        // The layout has one behavior per value. If the branches of this value differ, the result of the method is used.
        let outcome = first.filter(|_| outcomes.all(|other| other == first));
        let result = found.result.as_ref().filter(|_| !is_terminal);
        let description = described(outcome.or(result), found);
        let kind = if is_terminal { "terminal" } else { "success" };
        self.add(&description, kind, None, found)
    }

    /// Adds the behavior of a method without characteristics; returns its id.
    pub(super) fn add_unconditional(&mut self, found: &Analysis) -> String {
        let description = described(found.result.as_ref(), found);
        self.add(&description, "success", None, found)
    }

    /// Adds the behavior of a side effect; returns its id.
    pub(super) fn add_effect(&mut self, effect: &Effect, found: &Analysis) -> String {
        let subtype = Some(effect.kind.as_str());
        self.add(&effect.description, "side_effect", subtype, found)
    }

    fn add(
        &mut self,
        description: &str,
        kind: &str,
        subtype: Option<&str>,
        found: &Analysis,
    ) -> String {
        let description = without_modal_verbs(description);
        let user = json!(found.method.id());
        let subtype = subtype.map_or(Value::Null, Value::from);
        let is_same = |known: &&mut Value| {
            known["description"] == description.as_str()
                && known["type"] == kind
                && known["subtype"] == subtype
        };
        if let Some(known) = self.list.iter_mut().find(is_same) {
            if let Some(users) = known["used_by"].as_array_mut()
                && !users.contains(&user)
            {
                users.push(user);
            }
            return known["id"].as_str().unwrap_or_default().to_owned();
        }
        let id = self.free_id(&snake(&format!("{description} {kind}")));
        let mut behavior = json!({
            "id": id,
            "description": description,
            "type": kind,
            "enabled": true,
            "used_by": [user],
        });
        if !subtype.is_null() {
            behavior["subtype"] = subtype;
        }
        self.list.push(behavior);
        id
    }

    /// The id, with a number if it is already used: `returns 1` and `returns -1` have the same words.
    fn free_id(&self, id: &str) -> String {
        let is_free = |id: &String| self.list.iter().all(|known| known["id"] != id.as_str());
        let numbered = (2..).map(|number| format!("{id}_{number}"));
        std::iter::once(id.to_owned())
            .chain(numbered)
            .find(is_free)
            .unwrap_or_default()
    }
}

/// The first line of a text, with the words that a description must not contain replaced by `…`.
fn without_modal_verbs(value: &str) -> String {
    let words = value.lines().next().unwrap_or_default().split(' ');
    let words: Vec<_> = words
        .map(|word| match word.to_lowercase().as_str() {
            "should" | "can" | "must" | "will" | "cannot" => "…",
            lowercase if lowercase.ends_with("n't") => "…",
            _ => word,
        })
        .collect();
    uppercase_not(&words.join(" "))
}

/// A result in words, without modal verbs and with `NOT` in capitals.
fn described(outcome: Option<&BranchOutcome>, found: &Analysis) -> String {
    match outcome {
        Some(BranchOutcome::Raises(Some(class))) => format!("raises {class}"),
        Some(BranchOutcome::Raises(None)) => "raises an error".to_owned(),
        Some(BranchOutcome::Returns(value))
            if !outcome.is_some_and(BranchOutcome::is_error_hash) =>
        {
            format!("returns {value}")
        }
        Some(BranchOutcome::Returns(_) | BranchOutcome::ReturnsError) => {
            "returns error result".to_owned()
        }
        Some(BranchOutcome::ReturnsTruthy(truth)) => format!("returns {truth}"),
        Some(BranchOutcome::ReturnsNothing) => "returns nil".to_owned(),
        None => match found.method.name.trim_end_matches(['?', '!', '=']) {
            // Words that a description must not contain.
            "not" | "should" | "can" | "must" | "will" => "completes the call".to_owned(),
            name => phrase(&found.method.name)
                .map_or_else(|| format!("completes {name}"), str::to_owned),
        },
    }
}
