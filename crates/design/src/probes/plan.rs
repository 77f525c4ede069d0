//! The plan: which bytes of which files are probed.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::outcomes::{DecisionProbes, StateProbe, outcomes, unmatched};
use crate::decision::{Decision, DecisionKind};
use crate::ruby::Analysis;

/// What to probe in a project.
#[derive(Debug, Clone, Default)]
pub struct ProbePlan {
    /// Files with at least one method that varies.
    pub files: Vec<ProbedFile>,
    /// The number of probes.
    count: usize,
}

/// What to probe in one file.
#[derive(Debug, Clone)]
pub struct ProbedFile {
    /// The path from the project root.
    pub path: String,
    /// The number of bytes of the source that was analyzed.
    pub length: usize,
    /// The number of the first probe; the others follow.
    pub first: usize,
    /// In any order.
    pub probes: Vec<Probe>,
    /// The methods with characteristics.
    pub methods: Vec<ProbedMethod>,
}

/// A method and its states.
#[derive(Debug, Clone)]
pub struct ProbedMethod {
    /// The method with its characteristics.
    pub analysis: Analysis,
    /// One for each state that can be observed.
    pub states: Vec<StateProbe>,
}

/// One place that reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Probe {
    /// What is at this place.
    pub kind: ProbeKind,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
}

/// What is probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProbeKind {
    /// A condition: reports whether it is true.
    Condition,
    /// The subject of a `case`: reports that the `case` was reached.
    Subject,
    /// The statements of a branch of a `case`: reports that they were reached.
    Arm,
}

impl ProbeKind {
    fn as_str(self) -> &'static str {
        match self {
            ProbeKind::Condition => "condition",
            ProbeKind::Subject => "subject",
            ProbeKind::Arm => "arm",
        }
    }
}

impl ProbePlan {
    /// Adds the methods of a file. Methods without characteristics have nothing to report.
    pub fn add(&mut self, path: &str, source: &[u8], analyses: Vec<Analysis>) {
        let mut file = ProbedFile {
            path: path.to_owned(),
            length: source.len(),
            first: self.count,
            probes: Vec::new(),
            methods: Vec::new(),
        };
        let mut numbers = ProbeNumbers::default();
        for analysis in analyses {
            if !analysis.characteristics.is_empty() {
                let states = numbers.states(&analysis, file.first);
                file.methods.push(ProbedMethod { analysis, states });
            }
        }
        file.probes = numbers.probes;
        self.count += file.probes.len();
        if !file.methods.is_empty() {
            self.files.push(file);
        }
    }

    /// All methods, with their files.
    pub fn methods(&self) -> impl Iterator<Item = (&ProbedFile, &ProbedMethod)> {
        let files = self.files.iter();
        files.flat_map(|file| file.methods.iter().map(move |method| (file, method)))
    }

    /// The plan as `ruby/casebook_probes.rb` reads it: lines with tabs between the fields. `root` is the absolute path of
    /// the project.
    pub fn to_text(&self, root: &str) -> String {
        let mut text = format!("root\t{root}\n");
        for file in &self.files {
            writeln!(text, "file\t{}\t{}", file.length, file.path).expect(IN_MEMORY);
            for (index, probe) in file.probes.iter().enumerate() {
                let (kind, number) = (probe.kind.as_str(), file.first + index);
                let Probe { start, end, .. } = probe;
                writeln!(text, "{kind}\t{number}\t{start}\t{end}").expect(IN_MEMORY);
            }
        }
        text
    }
}

const IN_MEMORY: &str = "writing to a string succeeds";

impl ProbedFile {
    /// The offsets of all places that report a state.
    pub fn offsets<'f>(&'f self, state: &'f StateProbe) -> impl Iterator<Item = usize> + 'f {
        let subjects = state.unmatched.iter().map(|one| one.subject);
        let outcomes = state.outcomes.iter().copied().chain(subjects);
        outcomes.map(|outcome| self.probes[outcome / 2 - self.first].start)
    }
}

/// Numbers the probes of one file. A place that several decisions share has one probe.
#[derive(Default)]
struct ProbeNumbers {
    probes: Vec<Probe>,
    by_place: HashMap<Probe, usize>,
}

impl ProbeNumbers {
    fn number(&mut self, first: usize, kind: ProbeKind, (start, end): (usize, usize)) -> usize {
        let probe = Probe { kind, start, end };
        let index = *self.by_place.entry(probe).or_insert_with(|| {
            self.probes.push(probe);
            self.probes.len() - 1
        });
        first + index
    }

    fn states(&mut self, analysis: &Analysis, first: usize) -> Vec<StateProbe> {
        let mut states = Vec::new();
        for (characteristic, found) in analysis.characteristics.iter().enumerate() {
            states.extend((0..found.states.len()).map(|state| StateProbe {
                characteristic,
                state,
                outcomes: Vec::new(),
                unmatched: Vec::new(),
            }));
        }
        for decision in &analysis.decisions {
            let characteristic = decision.characteristic;
            let count = analysis.characteristics[characteristic].states.len();
            let probes = self.decision(decision, first);
            let own = states.iter_mut();
            let mut own: Vec<_> = own
                .filter(|state| state.characteristic == characteristic)
                .collect();
            for (state, outcome) in outcomes(decision, &probes) {
                // A chain without `else` may have no state for what follows it.
                if let Some(state) = own.get_mut(state) {
                    state.outcomes.push(outcome);
                }
            }
            if let Some((state, unmatched)) = unmatched(decision, &probes, count) {
                own[state].unmatched.push(unmatched);
            }
        }
        states.retain(|state| !state.outcomes.is_empty() || !state.unmatched.is_empty());
        states
    }

    fn decision(&mut self, decision: &Decision, first: usize) -> DecisionProbes {
        let kind = match decision.kind {
            DecisionKind::Case => ProbeKind::Subject,
            DecisionKind::Condition | DecisionKind::Chain => ProbeKind::Condition,
        };
        let conditions = decision.conditions.iter();
        let conditions = conditions
            .map(|span| self.number(first, kind, (span.start, span.end)))
            .collect();
        let arms = decision.arms.iter();
        let arms = arms.filter(|_| decision.kind == DecisionKind::Case);
        let arms = arms
            .map(|arm| Some(self.number(first, ProbeKind::Arm, arm.body?)))
            .collect();
        DecisionProbes { conditions, arms }
    }
}
