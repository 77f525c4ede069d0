//! The plan that the helper reads.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::LearnOptions;
use super::helper::Helper;
use super::project;
use crate::metadata::read::Plan;
use crate::probes::{ProbePlan, ProbedMethod, StateProbe, Unmatched};
use crate::ruby::{Analysis, MethodType};
use crate::skeleton::{contexts, leaves_of};

/// A way to find inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Constructors with arguments, and class methods that return an instance.
    Constructors,
    /// Classes that have the methods called on a parameter, its keys, its name and its default.
    Types,
    /// Literals in the method, texts that its regular expressions match, neighbors of numbers.
    Literals,
    /// The values of constants that the method and its helper methods read.
    Constants,
    /// The types of YARD tags.
    Yard,
    /// Values of existing specs.
    Specs,
    /// Factories and fabricators, with their traits.
    Factories,
    /// Values for the columns and associations of records that the method reads.
    Columns,
    /// Objects that are filled or changed before the call.
    Setup,
    /// Doubles that respond to the methods called on a parameter.
    Doubles,
    /// Random changes of the call that came nearest to a leaf.
    Climb,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 11] = [
        Rule::Constructors,
        Rule::Types,
        Rule::Literals,
        Rule::Constants,
        Rule::Yard,
        Rule::Specs,
        Rule::Factories,
        Rule::Columns,
        Rule::Setup,
        Rule::Doubles,
        Rule::Climb,
    ];

    /// Its name in the plan.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Constructors => "constructors",
            Rule::Types => "types",
            Rule::Literals => "literals",
            Rule::Constants => "constants",
            Rule::Yard => "yard",
            Rule::Specs => "specs",
            Rule::Factories => "factories",
            Rule::Columns => "columns",
            Rule::Setup => "setup",
            Rule::Doubles => "doubles",
            Rule::Climb => "climb",
        }
    }
}

/// A method to learn: its source from the project root, and its analysis.
#[derive(Debug)]
pub struct LearnMethod {
    /// The path of the source from the project root.
    pub file: String,
    /// The analysis of the method.
    pub analysis: Analysis,
    /// For each leaf, characteristics and states by index, from the outermost to the leaf's own.
    pub leaves: Vec<Vec<(usize, usize)>>,
}

impl LearnMethod {
    /// A method with the leaves of its test design. A leaf that the source no longer has is an empty path.
    pub fn new(file: &str, analysis: Analysis, plan: &Plan) -> LearnMethod {
        let tree = contexts(plan);
        let index = |name: &str, state: &str| {
            let characteristics = &analysis.characteristics;
            let index = characteristics.iter().position(|one| one.name == name)?;
            let states = &characteristics[index].states;
            Some((index, states.iter().position(|known| known == state)?))
        };
        let leaves = leaves_of(&tree).into_iter().map(|path| {
            let states = path
                .iter()
                .map(|context| index(&plan.entries[context.entry].name, &context.state));
            states.collect::<Option<Vec<_>>>().unwrap_or_default()
        });
        LearnMethod {
            file: file.to_owned(),
            leaves: leaves.collect(),
            analysis,
        }
    }
}

/// Writes the plan of the probes into the helper's directory and returns the plan.
pub(super) fn build(
    root: &Path,
    methods: &[LearnMethod],
    options: &LearnOptions,
    helper: &Helper,
) -> io::Result<Value> {
    let probes = probes(root, methods)?;
    let text = probes.to_text(&root.to_string_lossy());
    let probe_file = helper.add("probes", &text)?;
    let planned = methods.iter().map(|method| method_json(method, &probes));
    let mut files: Vec<&str> = methods.iter().map(|method| method.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let rules: Vec<_> = options.rules.iter().map(|rule| rule.as_str()).collect();
    Ok(json!({
        "probes": probe_file,
        "project": project::loading(root, &files),
        "rules": rules,
        "seconds": options.seconds,
        "facts": project::facts(root),
        "harvest": project::harvest(root),
        "methods": planned.collect::<Vec<_>>(),
    }))
}

/// The probes of all methods, by file.
fn probes(root: &Path, methods: &[LearnMethod]) -> io::Result<ProbePlan> {
    let mut plan = ProbePlan::default();
    let mut files: Vec<&str> = methods.iter().map(|method| method.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let source = std::fs::read(root.join(file))?;
        let own = methods.iter().filter(|method| method.file == file);
        let analyses = own.map(|method| method.analysis.clone()).collect();
        plan.add(file, &source, analyses);
    }
    Ok(plan)
}

fn method_json(method: &LearnMethod, probes: &ProbePlan) -> Value {
    let id = method.analysis.method.id();
    let is_own = |file: &str, probed: &ProbedMethod| {
        file == method.file && probed.analysis.method.id() == id
    };
    let states = probes
        .methods()
        .find(|(file, probed)| is_own(&file.path, probed))
        .map_or(&[][..], |(_, probed)| probed.states.as_slice());
    let position = |(characteristic, state): &(usize, usize)| {
        states
            .iter()
            .position(|one| one.characteristic == *characteristic && one.state == *state)
    };
    let leaves: Vec<Vec<_>> = method
        .leaves
        .iter()
        .map(|path| path.iter().filter_map(position).collect())
        .collect();
    json!({
        "id": id,
        "file": method.file,
        "class": method.analysis.method.class,
        "method": method.analysis.method.name,
        "is_class_method": method.analysis.method.method_type == MethodType::Class,
        "states": states.iter().map(state_json).collect::<Vec<_>>(),
        "leaves": leaves,
    })
}

fn state_json(state: &StateProbe) -> Value {
    let unmatched = |one: &Unmatched| json!({ "subject": one.subject, "arms": one.arms });
    json!({
        "characteristic": state.characteristic,
        "outcomes": state.outcomes,
        "unmatched": state.unmatched.iter().map(unmatched).collect::<Vec<_>>(),
    })
}
