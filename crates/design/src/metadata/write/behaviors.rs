//! What leaves and side effects do, each described once: `behaviors` of the plugin layout.

use serde_json::{Value, json};

use crate::characteristic::Characteristic;
use crate::negation::loud;
use crate::ruby::{Analysis, Effect, Outcome, snake};

/// Every behavior of a file.
#[derive(Default)]
pub(super) struct Behaviors {
    list: Vec<Value>,
}

impl Behaviors {
    pub(super) fn into_list(self) -> Vec<Value> {
        self.list
    }

    /// The behavior of a state in which a method comes to its end.
    pub(super) fn of_leaf(
        &mut self,
        one: &Characteristic,
        state: &str,
        found: &Analysis,
        is_terminal: bool,
    ) -> String {
        let mut outcomes = found
            .branches
            .iter()
            .filter(|branch| branch.characteristic == one.name && branch.state == state)
            .map(|branch| branch.outcome.as_ref());
        let first = outcomes.next().flatten();
        // The layout has one behavior for a value, wherever it is asked.
        let outcome = first.filter(|_| outcomes.all(|other| other == first));
        let result = found.result.as_ref().filter(|_| !is_terminal);
        let description = described(outcome.or(result), found);
        let kind = if is_terminal { "terminal" } else { "success" };
        self.add(&description, kind, None, found)
    }

    /// The behavior of a method in which nothing varies.
    pub(super) fn of_whole(&mut self, found: &Analysis) -> String {
        let description = described(found.result.as_ref(), found);
        self.add(&description, "success", None, found)
    }

    /// The behavior of a side effect.
    pub(super) fn of_effect(&mut self, effect: &Effect, found: &Analysis) -> String {
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
        let id = snake(&format!("{description} {kind}"));
        let user = json!(found.method.id());
        let known = self
            .list
            .iter_mut()
            .find(|known| known["id"] == id.as_str());
        let Some(users) = known.map(|known| &mut known["used_by"]) else {
            let mut behavior = json!({
                "id": id,
                "description": description,
                "type": kind,
                "enabled": true,
                "used_by": [user],
            });
            if let Some(subtype) = subtype {
                behavior["subtype"] = json!(subtype);
            }
            self.list.push(behavior);
            return id;
        };
        if let Some(users) = users.as_array_mut()
            && !users.contains(&user)
        {
            users.push(user);
        }
        id
    }
}

/// The first line of a value, without the words that a description must not have.
fn plainly(value: &str) -> String {
    let words = value.lines().next().unwrap_or_default().split(' ');
    let words: Vec<_> = words
        .map(|word| match word {
            "should" | "can" | "must" | "will" => "…",
            word => word,
        })
        .collect();
    loud(&words.join(" "))
}

/// A result in words: no modal verb, a loud `NOT`.
fn described(outcome: Option<&Outcome>, found: &Analysis) -> String {
    match outcome {
        Some(Outcome::Raises(Some(class))) => format!("raises {class}"),
        Some(Outcome::Raises(None)) => "raises an error".to_owned(),
        Some(Outcome::Returns(value)) => {
            format!("returns {}", plainly(value))
        }
        Some(Outcome::Counts(truth)) => format!("returns {truth}"),
        Some(Outcome::ReturnsNothing) => "returns nil".to_owned(),
        None => {
            let name = found.method.name.trim_end_matches(['?', '!', '=']);
            match name {
                // What a description must not say.
                "not" | "should" | "can" | "must" | "will" | "" => "completes the call".to_owned(),
                name => format!("completes {name}"),
            }
        }
    }
}
