//! How a method is to be tested, the way the plugin layout decides it: section 11.6.

use serde_json::{Value, json};

use crate::characteristic::{Characteristic, SetupKind};
use crate::ruby::{Analysis, EffectKind, TestLevel, is_http_client};

/// How much a file asks of whoever tests it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// Under 150 lines and 7 methods.
    Green,
    /// Up to 300 lines and 12 methods.
    Yellow,
    /// More.
    Red,
}

impl Zone {
    /// Of a file with that many lines and methods.
    pub fn of(lines: usize, methods: usize) -> Zone {
        if lines < 150 && methods < 7 {
            Zone::Green
        } else if lines <= 300 && methods <= 12 {
            Zone::Yellow
        } else {
            Zone::Red
        }
    }

    /// As the plugin layout spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Zone::Green => "green",
            Zone::Yellow => "yellow",
            Zone::Red => "red",
        }
    }
}

/// Kinds of code, each with the folder that holds it and the end of its classes' names; the first that fits counts.
const KINDS: [(&str, &str, &str); 13] = [
    ("controller", "app/controllers/", "Controller"),
    ("channel", "app/channels/", "Channel"),
    ("helper", "app/helpers/", "Helper"),
    ("job", "app/jobs/", "Job"),
    ("mailbox", "app/mailboxes/", "Mailbox"),
    ("policy", "app/policies/", "Policy"),
    ("serializer", "app/serializers/", "Serializer"),
    ("validator", "app/validators/", "Validator"),
    ("worker", "app/workers/", "Worker"),
    ("service", "app/services/", "Service"),
    ("service", "app/interactors/", "Interactor"),
    ("model", "app/models/", ""),
    ("lib", "lib/", ""),
];

/// What kind of code a class is.
pub fn kind(file: &str, class: &str) -> &'static str {
    let fits = |(_, folder, ending): &&(&str, &str, &str)| {
        file.starts_with(folder)
            || file.contains(&format!("/{folder}"))
            || !ending.is_empty() && class.ends_with(ending)
    };
    KINDS.iter().find(fits).map_or("other", |(kind, ..)| kind)
}

/// What is known about the file around a method.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// What kind of code it is.
    pub kind: &'static str,
    /// How much it asks.
    pub zone: Zone,
    /// Whether the project is a library, not an application.
    pub is_library: bool,
}

/// What a test of a method needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Needs {
    db: bool,
    http: bool,
    queue: bool,
}

impl Needs {
    fn of(found: &Analysis) -> Needs {
        let has = |kinds: &[EffectKind]| {
            let effects = &found.reach.effects;
            effects.iter().any(|effect| kinds.contains(&effect.kind))
        };
        let asks = |found: &Characteristic| {
            let external = found.setup.external.as_ref();
            external.is_some_and(|external| is_http_client(&external.class))
        };
        let of_model = |found: &Characteristic| found.setup.kind == SetupKind::Factory;
        Needs {
            db: found.characteristics.iter().any(of_model) || has(&[EffectKind::Cache]),
            http: found.characteristics.iter().any(asks) || has(&[EffectKind::ExternalApi]),
            queue: has(&[EffectKind::Event, EffectKind::Webhook, EffectKind::Email]),
        }
    }

    /// Every kind of effect is one of the three.
    fn are_none(self) -> bool {
        !(self.db || self.http || self.queue)
    }
}

/// Level, isolation and how sure that is.
pub fn test_config(found: &Analysis, place: Place) -> Value {
    let needs = Needs::of(found);
    let lines = found.method.lines.1 - found.method.lines.0 + 1;
    let (level, reason) = level(found, place, needs, lines);
    let confidence = confidence(place, needs, lines);
    json!({
        "level": level.as_str(),
        "isolation": isolation(level, needs),
        "confidence": confidence,
        "decision_trace": [format!("{}: {reason}", level.as_str())],
    })
}

fn level(found: &Analysis, place: Place, needs: Needs, lines: usize) -> (TestLevel, &'static str) {
    let is_large = lines > 20 || place.zone > Zone::Green || found.reach.dependencies.len() > 1;
    match place.kind {
        _ if needs.are_none() => (TestLevel::Unit, "it touches nothing around it"),
        "controller" if !place.is_library => (TestLevel::Request, "it is a controller's"),
        _ if needs.db && is_large => (TestLevel::Integration, "it is large and uses records"),
        _ if needs.db => (TestLevel::Unit, "it is small, its records can be stubbed"),
        "job" | "worker" if !place.is_library => (TestLevel::Integration, "it is a job's"),
        _ => (TestLevel::Unit, "nothing asks for more"),
    }
}

fn isolation(level: TestLevel, needs: Needs) -> Value {
    let stubbed = |is_needed: bool| if is_needed { "stubbed" } else { "none" };
    let db = match level {
        TestLevel::Request => "real",
        TestLevel::Integration if needs.db => "real",
        _ => stubbed(needs.db),
    };
    json!({ "db": db, "http": stubbed(needs.http), "queue": stubbed(needs.queue) })
}

fn confidence(place: Place, needs: Needs, lines: usize) -> &'static str {
    if place.zone == Zone::Red || place.kind == "controller" && needs.are_none() {
        "low"
    } else if place.zone == Zone::Yellow || needs.db && needs.http || (15..=25).contains(&lines) {
        "medium"
    } else {
        "high"
    }
}

/// The levels that somebody may choose where the rules are not sure.
pub fn choices(kind: &str) -> &'static [TestLevel] {
    match kind {
        "controller" => &[TestLevel::Unit, TestLevel::Integration, TestLevel::Request],
        _ => &[TestLevel::Unit, TestLevel::Integration],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_path_or_name() {
        for (file, class, expected) in [
            ("app/controllers/a.rb", "A", "controller"),
            ("lib/a.rb", "UsersController", "controller"),
            ("app/channels/chat_channel.rb", "ChatChannel", "channel"),
            ("app/helpers/a.rb", "A", "helper"),
            ("app/jobs/a.rb", "A", "job"),
            ("app/mailboxes/a.rb", "A", "mailbox"),
            ("app/policies/a.rb", "A", "policy"),
            ("app/serializers/a.rb", "A", "serializer"),
            ("app/validators/a.rb", "A", "validator"),
            ("app/workers/a.rb", "A", "worker"),
            ("app/interactors/a.rb", "A", "service"),
            ("app/models/pay_service.rb", "PayService", "service"),
            ("app/models/a.rb", "A", "model"),
            ("engines/pay/app/models/a.rb", "A", "model"),
            ("lib/a.rb", "A", "lib"),
            ("bin/a.rb", "A", "other"),
        ] {
            assert_eq!(kind(file, class), expected, "{file} {class}");
        }
    }

    #[test]
    fn zones() {
        for (lines, methods, expected) in [
            (149, 6, Zone::Green),
            (150, 6, Zone::Yellow),
            (10, 7, Zone::Yellow),
            (300, 12, Zone::Yellow),
            (301, 1, Zone::Red),
            (10, 13, Zone::Red),
        ] {
            assert_eq!(Zone::of(lines, methods), expected, "{lines} {methods}");
        }
    }

    fn config(ruby: &str, file: &str, zone: Zone) -> String {
        let wanted = crate::ruby::Wanted::default();
        let found = crate::ruby::analyze(ruby.as_bytes(), file, &wanted).unwrap();
        let place = Place {
            kind: kind(file, &found.method.class),
            zone,
            is_library: false,
        };
        let config = test_config(&found, place);
        let isolation = &config["isolation"];
        format!(
            "{} {}/{}/{} {}",
            config["level"].as_str().unwrap(),
            isolation["db"].as_str().unwrap(),
            isolation["http"].as_str().unwrap(),
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
}
