//! The designs of observed methods that have no metadata.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use casebook_design::metadata::read::Plan;
use casebook_design::ruby::{AnalysisOptions, analyze_all};

use super::Observation;
use crate::designs::Design;

/// The observed methods of the project that still have the source text that was observed, and how many do not.
pub(crate) fn observed_designs(observation: &Observation, root: &Path) -> (Vec<Design>, usize) {
    let files: BTreeSet<&str> = observation
        .methods
        .iter()
        .map(|one| one.file.as_str())
        .collect();
    let mut designs = Vec::new();
    for file in files {
        let text = fs::read(root.join(file)).unwrap_or_default();
        let found = analyze_all(&text, file, AnalysisOptions::default()).unwrap_or_default();
        for analysis in found.into_iter().flatten() {
            if observation
                .unchanged_method(file, &analysis.method, &text)
                .is_some()
            {
                designs.push(Design::without_metadata(Plan::of(&analysis, file), root));
            }
        }
    }
    let changed = observation.methods.len().saturating_sub(designs.len());
    (designs, changed)
}
