//! Where the states of a characteristic are decided, as in format 2.0 and in the plugin layout.

use serde_json::{Map, Value, json};

use crate::characteristic::Characteristic;
use crate::decision::{ConditionSpan, Decision, DecisionArm};
use crate::ruby::Analysis;

/// The decisions of the characteristic with this index.
pub(super) fn decisions(index: usize, analysis: &Analysis) -> Value {
    let characteristic = &analysis.characteristics[index];
    let own = analysis.decisions.iter();
    let own = own.filter(|decision| decision.characteristic == index);
    own.map(|one| decision(one, characteristic)).collect()
}

fn decision(decision: &Decision, characteristic: &Characteristic) -> Value {
    let mut map = Map::new();
    map.insert("kind".to_owned(), json!(decision.kind.as_str()));
    let conditions = decision.conditions.iter().map(condition).collect();
    map.insert("conditions".to_owned(), conditions);
    if !decision.arms.is_empty() {
        let arms = decision.arms.iter();
        let arms = arms.map(|one| arm(one, characteristic)).collect();
        map.insert("arms".to_owned(), arms);
    }
    Value::Object(map)
}

fn condition(span: &ConditionSpan) -> Value {
    json!({ "start": span.start, "end": span.end, "negated": span.negated })
}

fn arm(arm: &DecisionArm, characteristic: &Characteristic) -> Value {
    json!({
        "state": characteristic.states.get(arm.state),
        "start": arm.body.map(|(start, _)| start),
    })
}
