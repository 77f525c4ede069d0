//! [`MethodBehaviors`]: the behaviors of a method's leaves in the plugin layout.

use serde_json::{Map, Value};

use super::plugin::state;
use super::text;

/// One behavior of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behavior {
    /// Unique in its document.
    pub id: String,
    /// The text of the example.
    pub description: String,
    /// How the method ends, or that this is a side effect.
    pub kind: BehaviorKind,
}

/// Kinds of behavior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehaviorKind {
    /// The method ends early.
    Terminal,
    /// The method runs to its end.
    Success,
    /// Something that the method does before its end.
    SideEffect,
}

impl BehaviorKind {
    /// The spelling of the plugin layout.
    pub fn as_str(self) -> &'static str {
        match self {
            BehaviorKind::Terminal => "terminal",
            BehaviorKind::Success => "success",
            BehaviorKind::SideEffect => "side_effect",
        }
    }

    fn parse(text: &str) -> Option<BehaviorKind> {
        [
            BehaviorKind::Terminal,
            BehaviorKind::Success,
            BehaviorKind::SideEffect,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == text)
    }
}

/// The behaviors of a method, per leaf.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MethodBehaviors {
    effects: Vec<Behavior>,
    /// By characteristic and state.
    leaves: Vec<(String, String, Behavior)>,
    /// The behavior of a method without characteristics.
    unconditional: Option<Behavior>,
    /// Whether the document has any behaviors; formats 1.3 and 2.0 have none.
    pub(crate) are_described: bool,
}

impl MethodBehaviors {
    /// Reads the behaviors of one method. Disabled ones are skipped.
    pub(super) fn of(document: &Map<String, Value>, method: &Value) -> MethodBehaviors {
        let list =
            |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let all = list(document.get("behaviors"));
        let behavior_of = |value: &Value| {
            let id = text(value, "behavior_id")?;
            let behavior = all
                .iter()
                .find(|one| text(one, "id").as_deref() == Some(&id))
                .filter(|one| one.get("enabled") != Some(&Value::Bool(false)))?;
            Some(Behavior {
                description: text(behavior, "description")?,
                kind: BehaviorKind::parse(&text(behavior, "type")?)?,
                id,
            })
        };
        let mut leaves = Vec::new();
        for one in list(method.get("characteristics")) {
            let (name, kind) = (text(&one, "name"), text(&one, "type"));
            for value in list(one.get("values")) {
                let state = state(&one, &value, kind.as_deref().unwrap_or_default());
                if let (Some(name), Some(state), Some(behavior)) =
                    (name.clone(), state, behavior_of(&value))
                {
                    leaves.push((name, state, behavior));
                }
            }
        }
        MethodBehaviors {
            effects: list(method.get("side_effects"))
                .iter()
                .filter_map(behavior_of)
                .collect(),
            leaves,
            unconditional: behavior_of(method),
            are_described: !all.is_empty(),
        }
    }

    /// The behaviors in a leaf, or of a method without characteristics. Side effects come first; a leaf that ends early
    /// has none.
    pub fn of_leaf(&self, leaf: Option<(&str, &str)>) -> Vec<&Behavior> {
        let end = match leaf {
            None => self.unconditional.as_ref(),
            Some((name, state)) => self
                .leaves
                .iter()
                .find(|(of, when, _)| of == name && when == state)
                .map(|(_, _, behavior)| behavior),
        };
        let ends_early = end.is_some_and(|end| end.kind == BehaviorKind::Terminal);
        let effects = self.effects.iter().filter(|_| !ends_early);
        effects.chain(end).collect()
    }
}
