//! Scores of criteria in both runs.

use std::collections::BTreeMap;

use casebook_record::RunData;
use serde::Serialize;

use crate::scores::{ScoreFigures, Scores};

/// The scores of a criterion in both runs.
#[derive(Debug, Serialize)]
pub struct ScoreChange {
    /// The criterion.
    pub name: String,
    /// Its scores in the earlier run.
    pub base: Option<ScoreFigures>,
    /// Its scores in the later run.
    pub new: Option<ScoreFigures>,
}

impl ScoreChange {
    /// The mean and the distribution on each side.
    pub(crate) fn sides(&self) -> [(String, String); 2] {
        [&self.base, &self.new].map(|figures| {
            let figures = figures.as_ref();
            let mean = figures.map_or_else(|| "–".to_owned(), ScoreFigures::mean_text);
            let distribution = figures.map(ScoreFigures::distribution_text);
            (mean, distribution.unwrap_or_default())
        })
    }
}

/// Compares the scores of all criteria, by name.
pub(super) fn compare(base: &RunData, new: &RunData) -> Vec<ScoreChange> {
    let mut sides: BTreeMap<String, [Option<ScoreFigures>; 2]> = BTreeMap::new();
    for (side, run) in [base, new].into_iter().enumerate() {
        let mut scores = Scores::default();
        let examples = run.examples.values();
        examples.for_each(|example| scores.add_example(example));
        for (name, figures) in scores.figures() {
            sides.entry(name.to_owned()).or_default()[side] = Some(figures);
        }
    }
    let sides = sides.into_iter();
    let changes = sides.map(|(name, [base, new])| ScoreChange { name, base, new });
    changes.collect()
}
