//! Writes the coverage matrix as JSON.

use serde_json::{Map, Value, json};

use super::{
    Counts, CoverageOutcome, CoverageSource, CoverageStatus, Matrix, Method, Observed,
    ObservedStatus,
};

/// The matrix as JSON: counts first, then every method with its states, combinations and tests.
pub fn json(matrix: &Matrix) -> Value {
    let methods: Vec<_> = matrix.methods.iter().map(method).collect();
    let mut value = json!({
        "states": counts(matrix.states()),
        "combinations": counts(matrix.combinations()),
        "minimum": matrix.minimum,
        "enough": matrix.meets_minimum(),
        "runs": matrix.runs,
        "methods": methods,
    });
    if let Some(command) = &matrix.observed {
        value["observed"] = observed_counts(matrix);
        value["observed"]["command"] = json!(command);
    }
    value
}

fn counts(counts: Counts) -> Value {
    json!({
        "designed": counts.designed,
        "covered": counts.covered,
        "run": counts.run,
        "passed": counts.passed,
        "covered_percent": counts.percent(counts.covered),
        "passed_percent": counts.percent(counts.passed),
    })
}

fn method(method: &Method) -> Value {
    let characteristics: Vec<_> = method
        .characteristics
        .iter()
        .map(|one| {
            let states: Vec<_> = one
                .states
                .iter()
                .map(|state| {
                    let mut value = json!({
                        "name": state.name,
                        "standing": word(method.status(&state.tests)),
                        "tests": state.tests,
                    });
                    add_observed(&mut value, state.observed.as_ref());
                    value
                })
                .collect();
            json!({
                "name": one.name,
                "type": one.kind,
                "depends_on": one.depends_on,
                "states": states,
            })
        })
        .collect();
    let combinations: Vec<_> = method
        .combinations
        .iter()
        .map(|one| {
            let states = one.states.iter().cloned();
            let mut value = json!({
                "states": states.map(|(name, state)| (name, state.into())).collect::<Map<_, Value>>(),
                "standing": word(method.status(&one.tests)),
                "tests": one.tests,
            });
            add_observed(&mut value, one.observed.as_ref());
            value
        })
        .collect();
    json!({
        "method": method.name,
        "file": method.file,
        "metadata_path": method.metadata,
        "states": counts(method.counts()),
        "characteristics": characteristics,
        "combinations": combinations,
        "tests": tests(method),
    })
}

fn add_observed(value: &mut Value, observed: Option<&Observed>) {
    let Some(observed) = observed else {
        return;
    };
    let examples = observed.examples.iter();
    let examples: Vec<_> = examples
        .map(|example| json!({ "name": example.name, "place": example.location }))
        .collect();
    value["observed"] = json!({ "status": observed.status, "examples": examples });
}

/// How many states have each observed status.
fn observed_counts(matrix: &Matrix) -> Value {
    let counts = matrix.observed_states();
    let all = ObservedStatus::ALL.into_iter();
    let mut map: Map<String, Value> = all
        .map(|status| {
            (
                status.as_str().replace(' ', "_"),
                counts.of_status(status).into(),
            )
        })
        .collect();
    map.insert("reached_percent".to_owned(), counts.percent().into());
    Value::Object(map)
}

fn tests(method: &Method) -> Vec<Value> {
    let source = |source| match source {
        CoverageSource::Covers => "covers",
        CoverageSource::Context => "context",
        CoverageSource::Marker => "marker",
    };
    let outcome = |outcome| match outcome {
        CoverageOutcome::NotRun => "not_run",
        CoverageOutcome::Passed => "passed",
        CoverageOutcome::Failed => "failed",
    };
    method
        .tests
        .iter()
        .map(|test| {
            json!({
                "name": test.name,
                "place": test.location,
                "known_by": source(test.source),
                "outcome": outcome(test.outcome),
            })
        })
        .collect()
}

fn word(status: CoverageStatus) -> String {
    status.as_str().replace(' ', "_")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn counts_come_first_and_tests_have_a_location() {
        let json = json(&fixture::matrix());
        assert_eq!(
            json["states"],
            serde_json::json!({"designed": 6, "covered": 5, "run": 4, "passed": 3, "covered_percent": 83, "passed_percent": 50})
        );
        let carrier = &json["methods"][0]["characteristics"][1];
        assert_eq!(
            carrier["states"][2],
            serde_json::json!({"name": "drone", "standing": "not_covered", "tests": []})
        );
        assert_eq!(json["methods"][0]["tests"][2]["outcome"], "not_run");
        assert_eq!(
            json["methods"][0]["combinations"][0]["states"],
            serde_json::json!({"parcel_packed": "packed", "parcel_carrier": "bike"})
        );
    }
}
