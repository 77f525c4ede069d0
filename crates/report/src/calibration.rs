//! [`Calibration`]: how well the verdicts of a judge agree with those of people.

mod kappa;
mod label;

use std::collections::HashMap;

use casebook_record::model::EvaluationData;
use casebook_record::{ExampleData, RunData};
use serde_json::Value;

pub use kappa::Kappa;
pub use label::{InvalidLabel, Label, Verdict, read_labels};

/// The verdicts of a judge, compared with labels.
#[derive(Debug, Default)]
pub struct Calibration<'r> {
    /// How often each pair of verdicts occurs: by the label's verdict, then by the judge's.
    pub matrix: [[u64; 3]; 3],
    /// The labels that the judge contradicts.
    pub differences: Vec<Difference<'r>>,
}

/// A case in which the judge contradicts a label.
#[derive(Debug)]
pub struct Difference<'r> {
    /// The label.
    pub label: &'r Label,
    /// The recorded test.
    pub example: &'r ExampleData,
    /// The judge's verdict.
    pub verdict: Verdict,
    /// The judge's reason.
    pub reason: Option<&'r str>,
}

impl<'r> Calibration<'r> {
    /// Compares the recorded verdicts with the labels. Returns all labels that belong to no verdict.
    pub fn of(run: &'r RunData, labels: &'r [Label]) -> Result<Calibration<'r>, Vec<InvalidLabel>> {
        let examples = ExamplesByName::of(run);
        let mut calibration = Calibration::default();
        let mut invalid = Vec::new();
        for label in labels {
            let judged = examples
                .find(&label.example)
                .and_then(|example| Ok((example, judged(example, label)?)));
            match judged {
                Ok((example, (evaluation, verdict))) => {
                    calibration.add(label, example, evaluation, verdict);
                }
                Err(problem) => invalid.push(InvalidLabel {
                    line: label.line,
                    problem,
                }),
            }
        }
        if invalid.is_empty() {
            Ok(calibration)
        } else {
            Err(invalid)
        }
    }

    fn add(
        &mut self,
        label: &'r Label,
        example: &'r ExampleData,
        evaluation: &'r EvaluationData,
        verdict: Verdict,
    ) {
        self.matrix[label.verdict as usize][verdict as usize] += 1;
        if label.verdict != verdict {
            self.differences.push(Difference {
                label,
                example,
                verdict,
                reason: evaluation.reasoning.as_deref(),
            });
        }
    }

    /// The number of labels.
    pub fn labels(&self) -> u64 {
        self.matrix.iter().flatten().sum()
    }

    /// How many labels the judge agrees with.
    pub fn agreements(&self) -> u64 {
        (0..3).map(|verdict| self.matrix[verdict][verdict]).sum()
    }

    /// Cohen's kappa. An error says why it is not defined.
    pub fn kappa(&self) -> Result<Kappa, &'static str> {
        Kappa::of(&self.matrix)
    }
}

/// The examples of a run by all names that a label may use.
struct ExamplesByName<'r>(HashMap<&'r str, Vec<&'r ExampleData>>);

impl<'r> ExamplesByName<'r> {
    fn of(run: &'r RunData) -> ExamplesByName<'r> {
        let mut by_name: HashMap<&str, Vec<&ExampleData>> = HashMap::new();
        for example in run.examples.values() {
            let mut names = vec![example.id.as_str(), &example.description, example.title()];
            names.extend(example.stable_id.as_deref());
            names.sort_unstable();
            names.dedup();
            for name in names {
                by_name.entry(name).or_default().push(example);
            }
        }
        ExamplesByName(by_name)
    }

    fn find(&self, name: &str) -> Result<&'r ExampleData, String> {
        match self.0.get(name).map_or(&[][..], Vec::as_slice) {
            [example] => Ok(example),
            [] => Err(format!(
                "the run has no test `{name}`; use the name or the id of a test, as `casebook report --json` lists them"
            )),
            several => Err(format!(
                "`{name}` is the name of {} tests; use the id (`stable_id`) that `casebook report --json` lists",
                several.len()
            )),
        }
    }
}

/// The judge's verdict that the label is about.
fn judged<'r>(
    example: &'r ExampleData,
    label: &Label,
) -> Result<(&'r EvaluationData, Verdict), String> {
    let verdict = |one: &EvaluationData| {
        let verdict = one.metadata.get("verdict").and_then(Value::as_str)?;
        Verdict::of(verdict)
    };
    let of_criterion = || {
        let evaluations = example.evaluations.iter();
        let named = evaluations.filter(|one| one.name == label.criterion);
        named.filter_map(|one| Some((one, verdict(one)?)))
    };
    let mut of_turn = of_criterion().filter(|(one, _)| one.turn_number == label.turn);
    of_turn.next().ok_or_else(|| {
        let criterion = &label.criterion;
        let mut turns: Vec<_> = of_criterion().map(|(one, _)| one.turn_number).collect();
        turns.dedup();
        let turns: Vec<_> = turns.into_iter().map(turn_name).collect();
        let place = turn_name(label.turn);
        match turns.as_slice() {
            [] => format!("the judge has no verdict on `{criterion}` in this test; use the name of a judged criterion"),
            turns => format!(
                "the judge has no verdict on `{criterion}` for {place}, only for {}; correct `turn`",
                turns.join(", ")
            ),
        }
    })
}

/// `turn 2`; `the whole conversation`.
pub fn turn_name(turn: Option<u64>) -> String {
    turn.map_or_else(
        || "the whole conversation".to_owned(),
        |turn| format!("turn {turn}"),
    )
}
