//! One analyzed method.

use serde_json::Value;

use super::super::{ValidationReport, got};
use super::behavior::EFFECTS;
use super::{characteristic, leaf, list_of, member, one_of, size, text};

pub(super) fn check(
    method: &Value,
    path: &str,
    behaviors: &[Value],
    findings: &mut ValidationReport,
) {
    if text(method, "name").is_empty() {
        findings.missing(format!("Missing {path}.name"));
    }
    let path_of = |key: &str| format!("{path}.{key}");
    let kind = member(method, "type");
    one_of(kind, &path_of("type"), &["instance", "class"], findings);
    let mode = member(method, "method_mode");
    let modes = ["new", "modified", "unchanged"];
    one_of(mode, &path_of("method_mode"), &modes, findings);
    if member(method, "analyzed") != &Value::Bool(true) {
        findings.wrong(format!(
            "{} must be true, {}",
            path_of("analyzed"),
            got(member(method, "analyzed"))
        ));
    }
    for key in ["side_effects", "dependencies"] {
        let value = member(method, key);
        if !value.is_null() && !value.is_array() {
            findings.wrong(format!("{} must be a list, {}", path_of(key), got(value)));
        }
    }
    effects(method, path, behaviors, findings);
    let Some(characteristics) = member(method, "characteristics").as_array() else {
        return findings.missing(format!("Missing {path}.characteristics"));
    };
    size::check(method, characteristics, path, behaviors, findings);
    for (index, one) in characteristics.iter().enumerate() {
        let path = format!("{path}.characteristics[{index}]");
        characteristic::check(one, &path, characteristics, index, findings);
        leaf::check(one, &path, characteristics, behaviors, findings);
    }
}

fn effects(method: &Value, path: &str, behaviors: &[Value], findings: &mut ValidationReport) {
    for (index, effect) in list_of(method, "side_effects").iter().enumerate() {
        let path = format!("{path}.side_effects[{index}]");
        one_of(
            member(effect, "type"),
            &format!("{path}.type"),
            &EFFECTS,
            findings,
        );
        let id = text(effect, "behavior_id");
        let known = behaviors.iter().find(|one| text(one, "id") == id);
        match known {
            _ if id.is_empty() => findings.missing(format!("Missing {path}.behavior_id")),
            None => findings.wrong(format!(
                "{path}.behavior_id must name a behavior, got: {id}"
            )),
            Some(known) if text(known, "type") != "side_effect" => findings.wrong(format!(
                "{path}.behavior_id must name a behavior of type side_effect, got: {id}"
            )),
            Some(_) => {}
        }
    }
}
