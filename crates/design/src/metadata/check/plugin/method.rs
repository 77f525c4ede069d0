//! One analyzed method.

use serde_json::Value;

use super::super::{ValidationReport, got};
use super::behavior::EFFECTS;
use super::{characteristic, leaf, list_of, member, require_one_of, size, text};

pub(super) fn check(
    method: &Value,
    path: &str,
    behaviors: &[Value],
    report: &mut ValidationReport,
) {
    if text(method, "name").is_empty() {
        report.missing(format!("Missing {path}.name"));
    }
    let path_of = |key: &str| format!("{path}.{key}");
    let kind = member(method, "type");
    require_one_of(kind, &path_of("type"), &["instance", "class"], report);
    let mode = member(method, "method_mode");
    let modes = ["new", "modified", "unchanged"];
    require_one_of(mode, &path_of("method_mode"), &modes, report);
    if member(method, "analyzed") != &Value::Bool(true) {
        report.wrong(format!(
            "{} must be true, {}",
            path_of("analyzed"),
            got(member(method, "analyzed"))
        ));
    }
    for key in ["side_effects", "dependencies"] {
        let value = member(method, key);
        if !value.is_null() && !value.is_array() {
            report.wrong(format!("{} must be a list, {}", path_of(key), got(value)));
        }
    }
    effects(method, path, behaviors, report);
    let Some(characteristics) = member(method, "characteristics").as_array() else {
        return report.missing(format!("Missing {path}.characteristics"));
    };
    size::check(method, characteristics, path, behaviors, report);
    for (index, one) in characteristics.iter().enumerate() {
        let path = format!("{path}.characteristics[{index}]");
        characteristic::check(one, &path, characteristics, index, report);
        leaf::check(one, &path, characteristics, behaviors, report);
    }
}

fn effects(method: &Value, path: &str, behaviors: &[Value], report: &mut ValidationReport) {
    for (index, effect) in list_of(method, "side_effects").iter().enumerate() {
        let path = format!("{path}.side_effects[{index}]");
        require_one_of(
            member(effect, "type"),
            &format!("{path}.type"),
            &EFFECTS,
            report,
        );
        let id = text(effect, "behavior_id");
        let behavior = behaviors.iter().find(|one| text(one, "id") == id);
        match behavior {
            _ if id.is_empty() => report.missing(format!("Missing {path}.behavior_id")),
            None => report.wrong(format!(
                "{path}.behavior_id must name a behavior, got: {id}"
            )),
            Some(behavior) if text(behavior, "type") != "side_effect" => report.wrong(format!(
                "{path}.behavior_id must name a behavior of type side_effect, got: {id}"
            )),
            Some(_) => {}
        }
    }
}
