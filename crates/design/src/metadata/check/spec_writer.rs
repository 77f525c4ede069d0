//! The plugin layout after the spec is written: how it is tested, and that nothing is left over (rule L11).

use std::fs;

use serde_json::{Map, Value};

use super::plugin::{list, text};
use super::{ValidationContext, ValidationReport, got};
use crate::spec::leftovers;

/// Keys of `test_config` and what each may say.
const CONFIG: [(&str, &[&str]); 5] = [
    ("/level", &["unit", "integration", "request", "e2e"]),
    ("/confidence", &["high", "medium", "low"]),
    ("/isolation/db", &["real", "stubbed", "none"]),
    ("/isolation/http", &["stubbed", "none"]),
    ("/isolation/queue", &["stubbed", "none"]),
];

pub(super) fn check(
    document: &Map<String, Value>,
    around: &ValidationContext<'_>,
    findings: &mut ValidationReport,
) {
    for (index, method) in list(document, "methods").iter().enumerate() {
        config_is_right(method, &format!("methods[{index}].test_config"), findings);
    }
    let Some(spec) = document.get("spec_path").and_then(Value::as_str) else {
        return findings.missing("Missing spec_path");
    };
    let written = document.get("automation").map_or(spec, |automation| {
        match text(automation, "skeleton_file") {
            "" => spec,
            file => file,
        }
    });
    let path = around.root.unwrap_or(around.cwd).join(written);
    let Ok(bytes) = fs::read(&path) else {
        return findings.missing(format!("Missing spec: {}", path.display()));
    };
    for (line, left) in leftovers(&String::from_utf8_lossy(&bytes)) {
        findings.wrong(format!("{written}:{line} must be finished, got: {left}"));
    }
}

fn config_is_right(method: &Value, path: &str, findings: &mut ValidationReport) {
    let Some(config) = method
        .get("test_config")
        .filter(|config| config.is_object())
    else {
        return findings.missing(format!("Missing {path}"));
    };
    for (key, allowed) in CONFIG {
        let value = config
            .pointer(key)
            .or_else(|| config.get("test_level").filter(|_| key == "/level"))
            .unwrap_or(&Value::Null);
        if !value.as_str().is_some_and(|value| allowed.contains(&value)) {
            findings.wrong(format!(
                "{path}{} must be one of {}, {}",
                key.replace('/', "."),
                allowed.join(", "),
                got(value)
            ));
        }
    }
}
