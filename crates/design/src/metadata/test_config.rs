//! `test_config` of the plugin layout, which defines how a method is tested: rules T9 and T10.

mod kind;
mod zone;

use serde_json::{Value, json};

use crate::characteristic::{Characteristic, SetupKind};
use crate::ruby::{Analysis, EffectKind, TestLevel, is_http_client};

pub use kind::kind;
pub use zone::Zone;

/// Properties of the file that contains a method.
#[derive(Debug, Clone, Copy)]
pub struct SourceInfo {
    /// The kind of code, such as `controller`.
    pub kind: &'static str,
    /// The complexity zone.
    pub zone: Zone,
    /// Whether the project is a library rather than an application.
    pub is_library: bool,
}

/// The external systems that a method uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Needs {
    db: bool,
    http: bool,
    queue: bool,
}

impl Needs {
    fn of(found: &Analysis) -> Needs {
        let has = |kinds: &[EffectKind]| {
            let effects = &found.side_effects.effects;
            effects.iter().any(|effect| kinds.contains(&effect.kind))
        };
        let calls_http = |found: &Characteristic| {
            let external = found.setup.external.as_ref();
            external.is_some_and(|external| is_http_client(&external.class))
        };
        let of_model = |found: &Characteristic| found.setup.kind == SetupKind::Factory;
        Needs {
            db: found.characteristics.iter().any(of_model) || has(&[EffectKind::Cache]),
            http: found.characteristics.iter().any(calls_http) || has(&[EffectKind::ExternalApi]),
            queue: has(&[EffectKind::Event, EffectKind::Webhook, EffectKind::Email]),
        }
    }

    /// Every kind of effect belongs to one of the three.
    fn is_empty(self) -> bool {
        !(self.db || self.http || self.queue)
    }
}

/// Level, isolation and the confidence of the decision.
pub fn test_config(found: &Analysis, info: SourceInfo) -> Value {
    let needs = Needs::of(found);
    let lines = found.method.lines.1 - found.method.lines.0 + 1;
    let (level, reason) = level(found, info, needs, lines);
    let confidence = confidence(info, needs, lines);
    json!({
        "test_level": level.as_str(),
        "isolation": isolation(level, needs),
        "confidence": confidence,
        "decision_trace": [format!("{}: {reason}", level.as_str())],
    })
}

fn level(
    found: &Analysis,
    info: SourceInfo,
    needs: Needs,
    lines: usize,
) -> (TestLevel, &'static str) {
    let is_large =
        lines > 20 || info.zone > Zone::Green || found.side_effects.dependencies.len() > 1;
    match info.kind {
        _ if needs.is_empty() => (TestLevel::Unit, "it touches nothing around it"),
        "controller" => (TestLevel::Request, "it is a controller's"),
        _ if needs.db && is_large => (TestLevel::Integration, "it is large and uses records"),
        _ if needs.db => (TestLevel::Unit, "it is small, its records can be stubbed"),
        "job" | "worker" if !info.is_library => (TestLevel::Integration, "it is a job's"),
        _ => (TestLevel::Unit, "nothing asks for more"),
    }
}

fn isolation(level: TestLevel, needs: Needs) -> Value {
    let stubbed = |is_needed: bool| if is_needed { "stubbed" } else { "none" };
    json!({
        "db": database(level, needs.db),
        "external_http": stubbed(needs.http),
        "queue": stubbed(needs.queue),
    })
}

/// The isolation of the database on a level.
fn database(level: TestLevel, is_used: bool) -> &'static str {
    match level {
        TestLevel::Request => "real",
        TestLevel::Integration if is_used => "real",
        _ if is_used => "stubbed",
        _ => "none",
    }
}

/// The level of a configuration. Documents of older versions have it under `level`.
pub fn level_of(config: &Value) -> Option<&str> {
    let level = config.get("test_level").or_else(|| config.get("level"));
    level.and_then(Value::as_str)
}

/// Whether the user must choose the level first.
pub fn is_undecided(config: &Value) -> bool {
    config["confidence"] == "low" && config["chosen"] != true
}

/// The same configuration on the level that the user chose.
pub fn with_level(config: &Value, level: TestLevel) -> Value {
    let mut config = config.clone();
    let trace = config["decision_trace"].as_array().cloned();
    let choice = json!(format!("{}: chosen", level.as_str()));
    // A request spec always uses a real database, so its value does not show whether the method uses records.
    let before = config["isolation"]["db"].as_str();
    let is_used = before.is_some_and(|db| db != "none") && level_of(&config) != Some("request");
    if config["isolation"].is_object() {
        config["isolation"]["db"] = json!(database(level, is_used));
    }
    if let Some(config) = config.as_object_mut() {
        config.shift_remove("level");
    }
    config["test_level"] = json!(level.as_str());
    config["chosen"] = json!(true);
    config["decision_trace"] = trace.into_iter().flatten().chain([choice]).collect();
    config
}

fn confidence(info: SourceInfo, needs: Needs, lines: usize) -> &'static str {
    if info.zone == Zone::Red || info.kind == "controller" && needs.is_empty() {
        "low"
    } else if info.zone == Zone::Yellow || needs.db && needs.http || (15..=25).contains(&lines) {
        "medium"
    } else {
        "high"
    }
}

/// The levels that the user can choose from if the rules are not confident.
pub fn choices(kind: &str) -> &'static [TestLevel] {
    match kind {
        "controller" => &[TestLevel::Unit, TestLevel::Integration, TestLevel::Request],
        _ => &[TestLevel::Unit, TestLevel::Integration],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(ruby: &str, file: &str, zone: Zone) -> String {
        let query = crate::ruby::MethodQuery::default();
        let found = crate::ruby::analyze(ruby.as_bytes(), file, &query).unwrap();
        let info = SourceInfo {
            kind: kind(file, &found.method.class),
            zone,
            is_library: false,
        };
        let config = test_config(&found, info);
        let isolation = &config["isolation"];
        format!(
            "{} {}/{}/{} {}",
            config["test_level"].as_str().unwrap(),
            isolation["db"].as_str().unwrap(),
            isolation["external_http"].as_str().unwrap(),
            isolation["queue"].as_str().unwrap(),
            config["confidence"].as_str().unwrap()
        )
    }

    #[test]
    fn levels_isolation_and_confidence() {
        let body = |body: &str| format!("class A\n  def m(x)\n    {body}\n  end\nend\n");
        let many = |body: &str, lines: usize| format!("{body}\n{}", "    step\n".repeat(lines));
        for (code, file, zone, expected) in [
            (
                "x.a? ? 1 : 2".to_owned(),
                "lib/a.rb",
                Zone::Green,
                "unit none/none/none high",
            ),
            (
                "a? ? 1 : 2".to_owned(),
                "app/models/a.rb",
                Zone::Green,
                "unit stubbed/none/none high",
            ),
            (
                many("a? ? 1 : 2", 30),
                "app/models/a.rb",
                Zone::Green,
                "integration real/none/none high",
            ),
            (
                "a? ? 1 : 2".to_owned(),
                "app/models/a.rb",
                Zone::Yellow,
                "integration real/none/none medium",
            ),
            (
                "a? ? One.x : Two.y".to_owned(),
                "app/models/a.rb",
                Zone::Green,
                "integration real/none/none high",
            ),
            (
                "Rails.cache.write(x, 1)".to_owned(),
                "app/services/a.rb",
                Zone::Green,
                "unit stubbed/none/none high",
            ),
            (
                "UserMailer.hi(x).deliver_later".to_owned(),
                "app/jobs/a.rb",
                Zone::Green,
                "integration none/none/stubbed high",
            ),
            (
                "Faraday.get(x)".to_owned(),
                "app/services/a.rb",
                Zone::Green,
                "unit none/stubbed/none high",
            ),
            (
                "Faraday.get(x)".to_owned(),
                "app/controllers/a.rb",
                Zone::Green,
                "request real/stubbed/none high",
            ),
            (
                "x.a? ? 1 : 2".to_owned(),
                "app/controllers/a.rb",
                Zone::Green,
                "unit none/none/none low",
            ),
            (
                "x.a? ? 1 : 2".to_owned(),
                "lib/a.rb",
                Zone::Red,
                "unit none/none/none low",
            ),
            (
                many("x.a? ? 1 : 2", 15),
                "lib/a.rb",
                Zone::Green,
                "unit none/none/none medium",
            ),
            (
                "PayClient.ok?(x) ? 1 : 2".to_owned(),
                "lib/a.rb",
                Zone::Green,
                "unit none/stubbed/none high",
            ),
        ] {
            assert_eq!(
                config(&body(&code), file, zone),
                expected,
                "{code} in {file}"
            );
        }
    }

    /// A method with this many lines, including `def` and `end`.
    fn sized(first: &str, lines: usize) -> String {
        let more = "    step\n".repeat(lines - 3);
        format!("class A\n  def m(x)\n    {first}\n{more}  end\nend\n")
    }

    #[test]
    fn limits_of_lines_and_dependencies() {
        let record = "a? ? 1 : 2";
        let plain = "x.a? ? 1 : 2";
        for (first, lines, file, expected) in [
            (
                record,
                20,
                "app/models/a.rb",
                "unit stubbed/none/none medium",
            ),
            (
                record,
                21,
                "app/models/a.rb",
                "integration real/none/none medium",
            ),
            (plain, 14, "lib/a.rb", "unit none/none/none high"),
            (plain, 15, "lib/a.rb", "unit none/none/none medium"),
            (plain, 25, "lib/a.rb", "unit none/none/none medium"),
            (plain, 26, "lib/a.rb", "unit none/none/none high"),
            (
                "a? ? One.x : 2",
                3,
                "app/models/a.rb",
                "unit stubbed/none/none high",
            ),
            (
                "a? ? One.x : Two.y",
                3,
                "app/models/a.rb",
                "integration real/none/none high",
            ),
            // Records and an HTTP server.
            (
                "a? ? Faraday.get(x) : 2",
                3,
                "app/models/a.rb",
                "unit stubbed/stubbed/none medium",
            ),
            // Jobs are integration tests unless their records can be stubbed.
            (
                "Bus.publish(x)",
                3,
                "app/workers/a.rb",
                "integration none/none/stubbed high",
            ),
            (
                "Rails.cache.delete(x)",
                3,
                "app/jobs/a.rb",
                "unit stubbed/none/none high",
            ),
            (
                "Rails.cache.delete(x)",
                21,
                "app/jobs/a.rb",
                "integration real/none/none medium",
            ),
            (
                "x.a? ? 1 : 2",
                3,
                "app/jobs/a.rb",
                "unit none/none/none high",
            ),
            (
                "a? ? 1 : 2",
                3,
                "app/controllers/a.rb",
                "unit none/none/none low",
            ),
            (
                "Rails.cache.delete(x)",
                3,
                "app/controllers/a.rb",
                "request real/none/none high",
            ),
            (
                "OrderWebhook.push(x)",
                3,
                "app/services/a.rb",
                "unit none/none/stubbed high",
            ),
        ] {
            let code = sized(first, lines);
            assert_eq!(
                config(&code, file, Zone::Green),
                expected,
                "{lines} lines of {first} in {file}"
            );
        }
        for (zone, expected) in [
            (Zone::Yellow, "integration real/none/none medium"),
            (Zone::Red, "integration real/none/none low"),
        ] {
            assert_eq!(config(&sized(record, 3), "app/models/a.rb", zone), expected);
        }
    }

    #[test]
    fn a_chosen_level_is_recorded_and_decides_the_database() {
        let config = |level: &str, db: &str| json!({ "test_level": level, "isolation": { "db": db }, "decision_trace": ["unit: x"] });
        // Documents of older versions.
        let older = |level: &str, db: &str| json!({ "level": level, "isolation": { "db": db }, "decision_trace": ["unit: x"] });
        for (before, level, db) in [
            (config("integration", "real"), TestLevel::Unit, "stubbed"),
            (config("unit", "stubbed"), TestLevel::Integration, "real"),
            (config("unit", "none"), TestLevel::Integration, "none"),
            (config("unit", "none"), TestLevel::Request, "real"),
            (config("request", "real"), TestLevel::Unit, "none"),
            (older("request", "real"), TestLevel::Unit, "none"),
            (older("unit", "stubbed"), TestLevel::Integration, "real"),
        ] {
            let after = with_level(&before, level);
            assert_eq!(after["isolation"]["db"], db, "{before} {level:?}");
            assert_eq!(after["test_level"], level.as_str());
            assert_eq!(after.get("level"), None);
            let choice = format!("{}: chosen", level.as_str());
            assert_eq!(after["decision_trace"], json!(["unit: x", choice]));
        }
    }

    #[test]
    fn a_library_has_no_jobs() {
        for (file, first, expected) in [
            ("app/jobs/a.rb", "Bus.publish(x)", "unit"),
            ("app/controllers/a.rb", "Bus.publish(x)", "request"),
            ("lib/a.rb", "Bus.publish(x)", "unit"),
        ] {
            let query = crate::ruby::MethodQuery::default();
            let found = crate::ruby::analyze(sized(first, 3).as_bytes(), file, &query).unwrap();
            let info = SourceInfo {
                kind: kind(file, "A"),
                zone: Zone::Green,
                is_library: true,
            };
            assert_eq!(test_config(&found, info)["test_level"], expected, "{file}");
        }
        assert_eq!(choices("controller").len(), 3);
        assert_eq!(choices("job").len(), 2);
    }
}
