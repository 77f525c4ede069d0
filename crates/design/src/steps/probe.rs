//! Plans the probes of a project: where its public methods decide something.

use std::fs;
use std::path::{Path, PathBuf};

use super::parallel::map_parallel;
use crate::probes::ProbePlan;
use crate::ruby::{Analysis, AnalysisOptions, analyze_all};

/// A file with the analyses of its methods.
type AnalyzedFile = (String, Vec<u8>, Vec<Analysis>);

/// Plans probes for the public methods of these files, with paths from the project root. The second value contains a
/// warning for each file and method that cannot be analyzed.
pub fn probe_plan(files: &[PathBuf], root: &Path, threads: usize) -> (ProbePlan, Vec<String>) {
    let results = map_parallel(files, threads, || (), |(), file| analyzed(file, root));
    let (mut plan, mut warnings) = (ProbePlan::default(), Vec::new());
    for result in results {
        match result {
            Ok(((path, source, analyses), messages)) => {
                plan.add(&path, &source, analyses);
                warnings.extend(messages);
            }
            Err(message) => warnings.push(message),
        }
    }
    (plan, warnings)
}

fn analyzed(file: &Path, root: &Path) -> Result<(AnalyzedFile, Vec<String>), String> {
    let path = file.strip_prefix(root).unwrap_or(file);
    let path = path.to_string_lossy().into_owned();
    let failed = |error: &dyn std::fmt::Display| format!("{path}: {error}");
    let source = fs::read(file).map_err(|error| failed(&error))?;
    let found = analyze_all(&source, &path, AnalysisOptions::default());
    let (mut methods, mut warnings) = (Vec::new(), Vec::new());
    for one in found.map_err(|error| failed(&error))? {
        match one {
            Ok(analysis) => methods.push(analysis),
            Err(error) => warnings.push(failed(&error)),
        }
    }
    Ok(((path, source, methods), warnings))
}
