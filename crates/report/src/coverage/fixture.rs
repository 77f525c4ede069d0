//! A matrix with one of everything, for tests.

use super::{
    Characteristic, Combination, CoverageOutcome, CoverageSource, Matrix, Method, Observed,
    ObservedExample, ObservedStatus, State, Test,
};

pub(crate) fn matrix() -> Matrix {
    Matrix {
        methods: vec![deliver(), label()],
        runs: vec![".casebook/runs/20261115-084051-d00fa811".into()],
        observed: None,
        minimum: None,
    }
}

/// The same matrix, observed: one state of each status.
pub(crate) fn observed() -> Matrix {
    let mut matrix = matrix();
    matrix.observed = Some("bundle exec rspec".into());
    let statuses = [
        ObservedStatus::Proven,
        ObservedStatus::Exercised,
        ObservedStatus::Never,
        ObservedStatus::OutsideExamples,
        ObservedStatus::NotLoaded,
    ];
    let states = matrix.methods[0].characteristics.iter_mut();
    for (state, status) in states.flat_map(|one| &mut one.states).zip(statuses) {
        let example = ObservedExample {
            name: "Router rides".into(),
            location: "spec/router_spec.rb:17".into(),
        };
        let count = if status.is_reached() { 2 } else { 0 };
        state.observed = Some(Observed {
            status,
            examples: vec![example; count],
        });
    }
    matrix
}

fn state(name: &str, tests: &[usize]) -> State {
    State {
        name: name.into(),
        tests: tests.to_vec(),
        observed: None,
    }
}

fn test(name: &str, location: &str, source: CoverageSource, outcome: CoverageOutcome) -> Test {
    Test {
        name: name.into(),
        location: location.into(),
        source,
        outcome,
    }
}

fn pair(name: &str, state: &str) -> (String, String) {
    (name.to_owned(), state.to_owned())
}

fn deliver() -> Method {
    Method {
        name: "ParcelRouter#deliver".into(),
        file: "app/services/parcel_router.rb".into(),
        metadata: "tmp/rspec_claude_metadata/metadata_app_services_parcel_router.yml".into(),
        characteristics: vec![
            Characteristic {
                name: "parcel_packed".into(),
                kind: "binary".into(),
                depends_on: None,
                states: vec![state("packed", &[0]), state("not_packed", &[1])],
            },
            Characteristic {
                name: "parcel_carrier".into(),
                kind: "enum".into(),
                depends_on: Some("parcel_packed".into()),
                states: vec![
                    state("bike", &[0, 2]),
                    state("van", &[2]),
                    state("drone", &[]),
                ],
            },
        ],
        combinations: vec![
            Combination {
                states: vec![
                    pair("parcel_packed", "packed"),
                    pair("parcel_carrier", "bike"),
                ],
                tests: vec![0],
                observed: None,
            },
            Combination {
                states: vec![
                    pair("parcel_packed", "packed"),
                    pair("parcel_carrier", "drone"),
                ],
                tests: vec![],
                observed: None,
            },
        ],
        tests: vec![
            test(
                "rides",
                "spec/router_spec.rb:17",
                CoverageSource::Context,
                CoverageOutcome::Passed,
            ),
            test(
                "raises <NotPacked>",
                "spec/router_spec.rb:34",
                CoverageSource::Marker,
                CoverageOutcome::Failed,
            ),
            test(
                "drives",
                "suites/router.casebook.yaml:4",
                CoverageSource::Covers,
                CoverageOutcome::NotRun,
            ),
        ],
    }
}

fn label() -> Method {
    Method {
        name: "Greeter.run".into(),
        file: "bin/greet.rb".into(),
        metadata: "tmp/rspec_claude_metadata/metadata_bin_greet.yml".into(),
        characteristics: vec![Characteristic {
            name: "loud".into(),
            kind: "binary".into(),
            depends_on: None,
            states: vec![state("loud", &[0])],
        }],
        combinations: vec![],
        tests: vec![test(
            "shouts",
            "suites/greet.casebook.yaml:4",
            CoverageSource::Covers,
            CoverageOutcome::Passed,
        )],
    }
}
