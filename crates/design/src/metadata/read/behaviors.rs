//! What the leaves of a method do, as the plugin layout says it.

use serde_json::{Map, Value};

use super::plugin::state;
use super::text;

/// One thing that a method does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// Unique in its document.
    pub id: String,
    /// In words.
    pub description: String,
    /// Which kind.
    pub kind: BehaviourKind,
}

/// Kinds of behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehaviourKind {
    /// The method ends early.
    Terminal,
    /// It comes to its end.
    Success,
    /// Something on the way.
    SideEffect,
}

impl BehaviourKind {
    /// As the plugin layout spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            BehaviourKind::Terminal => "terminal",
            BehaviourKind::Success => "success",
            BehaviourKind::SideEffect => "side_effect",
        }
    }

    fn parse(text: &str) -> Option<BehaviourKind> {
        [
            BehaviourKind::Terminal,
            BehaviourKind::Success,
            BehaviourKind::SideEffect,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == text)
    }
}

/// What a method does in each of its leaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behaviours {
    effects: Vec<Behaviour>,
    /// By characteristic and state.
    leaves: Vec<(String, String, Behaviour)>,
    /// Where nothing varies.
    whole: Option<Behaviour>,
    /// Whether the document knows such a thing at all.
    pub(crate) are_known: bool,
}

impl Behaviours {
    /// Of one method of a document. Those that somebody disabled are left out.
    pub(super) fn of(document: &Map<String, Value>, method: &Value) -> Behaviours {
        let list =
            |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let known = list(document.get("behaviors"));
        let named = |holder: &Value| {
            let id = text(holder, "behavior_id")?;
            let known = known
                .iter()
                .find(|one| text(one, "id").as_deref() == Some(&id))
                .filter(|one| one.get("enabled") != Some(&Value::Bool(false)))?;
            Some(Behaviour {
                description: text(known, "description")?,
                kind: BehaviourKind::parse(&text(known, "type")?)?,
                id,
            })
        };
        let mut leaves = Vec::new();
        for one in list(method.get("characteristics")) {
            let (name, kind) = (text(&one, "name"), text(&one, "type"));
            for value in list(one.get("values")) {
                let state = state(&one, &value, kind.as_deref().unwrap_or_default());
                if let (Some(name), Some(state), Some(behaviour)) =
                    (name.clone(), state, named(&value))
                {
                    leaves.push((name, state, behaviour));
                }
            }
        }
        Behaviours {
            effects: list(method.get("side_effects"))
                .iter()
                .filter_map(named)
                .collect(),
            leaves,
            whole: named(method),
            are_known: !known.is_empty(),
        }
    }

    /// What is done in a leaf, or by a method in which nothing varies: side effects first, unless it ends early.
    pub fn of_leaf(&self, leaf: Option<(&str, &str)>) -> Vec<&Behaviour> {
        let end = match leaf {
            None => self.whole.as_ref(),
            Some((name, state)) => self
                .leaves
                .iter()
                .find(|(of, when, _)| of == name && when == state)
                .map(|(_, _, behaviour)| behaviour),
        };
        let ends_early = end.is_some_and(|end| end.kind == BehaviourKind::Terminal);
        let effects = self.effects.iter().filter(|_| !ends_early);
        effects.chain(end).collect()
    }
}
