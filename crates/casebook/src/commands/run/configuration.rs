//! The configuration of a run, for its record. `run --resume` and `run --failed` take it over.

use casebook_record::Metadata;
use casebook_run::{EngineKind, Plan};
use serde_json::{Value, json};

use super::repeat;
use super::resume::EarlierRun;
use super::settings::Settings;

/// The configuration and the versions.
pub(super) fn metadata(settings: &Settings, plan: &Plan, earlier: Option<&EarlierRun>) -> Metadata {
    let mut configuration = json!({
        "engine": match settings.options.engine {
            EngineKind::Native => "native",
            EngineKind::Bats => "bats",
        },
        "jobs": settings.options.jobs,
        "paths": settings.paths,
    });
    for (key, value) in optional(settings) {
        if let Some(value) = value {
            configuration[key] = value;
        }
    }
    // A run of some of the selected tests; without them, it could not be resumed.
    if earlier.is_some_and(|earlier| earlier.journal().is_none()) {
        let tests = plan.suites.iter().flat_map(|suite| &suite.tests);
        let ids: Vec<_> = tests.map(|test| test.stable_id.as_str()).collect();
        configuration["tests"] = ids.into();
    }
    Metadata::from_iter([
        ("configuration", configuration),
        ("versions", json!({"casebook": env!("CARGO_PKG_VERSION")})),
    ])
}

/// The options that are recorded only if they were given.
fn optional(settings: &Settings) -> [(&'static str, Option<Value>); 8] {
    let options = &settings.options;
    let workers = settings.transport.as_ref().map(|_| options.jobs.into());
    let shard = settings.shard.map(|shard| shard.to_string().into());
    let timeout = options.timeout.map(|timeout| timeout.as_secs_f64().into());
    let retries = Some(options.retries).filter(|retries| *retries > 0);
    let tags: Vec<_> = settings.tags.iter().map(ToString::to_string).collect();
    [
        ("workers", workers),
        ("filter", settings.filter.clone().map(Value::from)),
        ("shard", shard),
        ("trials", settings.trials.map(Value::from)),
        ("timeout", timeout),
        ("retries", retries.map(Value::from)),
        ("repeat", repeat::configuration(settings)),
        ("tags", (!tags.is_empty()).then(|| tags.into())),
    ]
}
