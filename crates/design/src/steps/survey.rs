//! `design survey`: lists public methods, those most in need of tests first.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::StepContext;
use super::parallel::map_parallel;
use crate::characteristic::Characteristic;
use crate::metadata::freshness::{Freshness, freshness};
use crate::metadata::location::MetadataLocation;
use crate::metadata::read::Plan;
use crate::ruby::{Analysis, AnalysisOptions, analyze_all};
use crate::skeleton::{Components, contexts, leaves};

/// One method of a survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    /// `Class#method`.
    pub method: String,
    /// The source, as it was found.
    pub file: String,
    /// Its first line.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The number of characteristics.
    pub characteristics: usize,
    /// The number of leaf contexts that a spec would have.
    pub leaves: usize,
    /// Whether the spec has a group for it.
    pub has_spec: bool,
    /// `fresh`, `stale` or `none`.
    pub metadata: &'static str,
    /// Where it decides the states of its characteristics.
    pub decisions: Vec<SurveyedDecision>,
}

/// One place at which a method decides the state of a characteristic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedDecision {
    /// The name of the characteristic.
    pub characteristic: String,
    /// The lines of its conditions.
    pub conditions: Vec<usize>,
    /// The branches.
    pub states: Vec<SurveyedState>,
}

/// One branch of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedState {
    /// The name of the state.
    pub name: String,
    /// The first line of the branch; `None` if the method has no code for it.
    pub line: Option<usize>,
}

impl Surveyed {
    /// Converts it to the JSON of `design survey`.
    pub fn to_json(&self) -> Value {
        json!({
            "method": self.method,
            "file": self.file,
            "line": self.line,
            "end_line": self.end_line,
            "characteristics": self.characteristics,
            "leaves": self.leaves,
            "has_spec": self.has_spec,
            "metadata": self.metadata,
            "decisions": self.decisions.iter().map(SurveyedDecision::to_json).collect::<Vec<_>>(),
        })
    }
}

impl SurveyedDecision {
    fn to_json(&self) -> Value {
        let states = self.states.iter();
        let states = states.map(|state| json!({ "name": state.name, "line": state.line }));
        json!({
            "characteristic": self.characteristic,
            "conditions": self.conditions,
            "states": states.collect::<Vec<_>>(),
        })
    }
}

/// Lists the public methods of these files: methods without a spec first, those with most leaf contexts before others.
pub fn survey(
    files: &[PathBuf],
    threads: usize,
    context: &StepContext<'_>,
) -> (Vec<Surveyed>, Vec<String>) {
    let results = map_parallel(files, threads, Components::default, |components, file| {
        survey_file(file, components, context)
    });
    let (mut methods, mut warnings) = (Vec::new(), Vec::new());
    for (found, file_warnings) in results {
        methods.extend(found);
        warnings.extend(file_warnings);
    }
    methods.sort_by(|a, b| {
        let key = |one: &Surveyed| {
            (
                one.has_spec,
                std::cmp::Reverse((one.leaves, one.characteristics)),
                one.file.clone(),
                one.line,
            )
        };
        key(a).cmp(&key(b))
    });
    warnings.sort();
    (methods, warnings)
}

fn survey_file(
    file: &Path,
    components: &mut Components,
    context: &StepContext<'_>,
) -> (Vec<Surveyed>, Vec<String>) {
    let shown = file.strip_prefix(context.cwd).unwrap_or(file);
    let shown = shown.to_string_lossy().into_owned();
    let Ok(located) = MetadataLocation::of(file, context.cwd) else {
        return (Vec::new(), Vec::new());
    };
    let failed = |error: String| (Vec::new(), vec![format!("{shown}: {error}")]);
    let source = match fs::read(&located.source) {
        Ok(source) => source,
        Err(error) => return failed(error.to_string()),
    };
    let found = match analyze_all(&source, &located.relative, AnalysisOptions::default()) {
        Ok(found) => found,
        Err(error) => return failed(error.to_string()),
    };
    let base = located.base();
    let spec = base.join(components.spec_path(&located.relative, &base));
    let spec = fs::read_to_string(spec).unwrap_or_default();
    let (mut methods, mut warnings) = (Vec::new(), Vec::new());
    for analysis in found {
        match analysis {
            Ok(analysis) => methods.push(surveyed(&analysis, &source, &shown, &spec, &located)),
            Err(error) => warnings.push(format!("{shown}: {error}")),
        }
    }
    (methods, warnings)
}

fn surveyed(
    analysis: &Analysis,
    source: &[u8],
    file: &str,
    spec: &str,
    located: &MetadataLocation,
) -> Surveyed {
    let short = analysis.method.short();
    let has_spec = ["'", "\""].iter().any(|quote| {
        let described = format!("describe {quote}{short}");
        let mut after = spec.split(&described).skip(1);
        after.any(|rest| rest.starts_with(quote) || rest.starts_with('('))
    });
    let symbol = format!("describe :{}", analysis.method.name);
    let mut lines = spec
        .lines()
        .filter_map(|line| line.trim().strip_prefix(&symbol));
    let has_spec = has_spec || lines.any(|rest| rest.starts_with([' ', ',']));
    let metadata = match freshness(located, &analysis.method.query()) {
        Freshness::Fresh => "fresh",
        Freshness::NotFound | Freshness::DifferentMethod | Freshness::DifferentFile => "none",
        _ => "stale",
    };
    let plan = Plan::of(analysis, &located.relative);
    Surveyed {
        method: analysis.method.id(),
        file: file.to_owned(),
        line: analysis.method.lines.0,
        end_line: analysis.method.lines.1,
        characteristics: analysis.characteristics.len(),
        leaves: leaves(&contexts(&plan)).max(1),
        has_spec,
        metadata,
        decisions: decisions(analysis, source),
    }
}

/// The states that one condition decides between.
fn both(characteristic: &Characteristic) -> Vec<SurveyedState> {
    let states = characteristic.states.iter();
    let state = |name: &String| SurveyedState {
        name: name.clone(),
        line: None,
    };
    states.map(state).collect()
}

fn decisions(analysis: &Analysis, source: &[u8]) -> Vec<SurveyedDecision> {
    let line = |offset: usize| {
        1 + source[..offset]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
    };
    let decided = analysis.decisions.iter().map(|decision| {
        let characteristic = &analysis.characteristics[decision.characteristic];
        let arms = decision.arms.iter().map(|arm| SurveyedState {
            name: characteristic.states[arm.state].clone(),
            line: arm.body.map(|(start, _)| line(start)),
        });
        let conditions = decision.conditions.iter();
        let mut lines: Vec<_> = conditions.map(|condition| line(condition.start)).collect();
        lines.dedup();
        SurveyedDecision {
            characteristic: characteristic.name.clone(),
            conditions: lines,
            states: if decision.arms.is_empty() {
                both(characteristic)
            } else {
                arms.collect()
            },
        }
    });
    decided.collect()
}
