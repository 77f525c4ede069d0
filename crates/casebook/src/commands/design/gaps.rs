//! `casebook design gaps`: what the specs of a project do not test.

use std::fmt::Write as _;
use std::path::Path;

use casebook_coverage::{
    Gap, GapReason, MethodGaps, Observation, ObservedExample, ObservedState, gaps,
};
use casebook_design::Characteristic;
use casebook_design::metadata::location::{absolute, find_root};
use casebook_design::skeleton::{Distance, project_spec_path, threshold_pair};
use casebook_design::steps::{StepContext, StepError, Subject, probe_plan};
use serde_json::{Value, json};

use super::CommandOutput;
use crate::arguments::design::Gaps;
use crate::commands::shared::changed_lines::ChangedLines;
use crate::commands::shared::plural::plural;
use crate::commands::shared::ruby_sources::ruby_sources;

const NOT_OBSERVED: &str = "the specs of this project were not observed yet; run `casebook coverage --observe -- bundle exec \
                            rspec` first, and then `casebook coverage --prove`";

const BY_NAMES: &str = "the specs of this project were not observed yet, so this goes by the names of examples; `casebook coverage --observe -- \
                        bundle exec rspec` shows which states they reach";

const NO_STATES: &str = "only public methods with conditions have states; test a private method through the public methods that call it";

/// States named per list in text; the others are counted.
const NAMED: usize = 12;

/// Examples of each state in JSON; hundreds may reach a state, and an agent needs only some to see how they are written.
const EXAMPLES: usize = 5;

const IN_MEMORY: &str = "writing to a string succeeds";

pub(super) fn run(
    arguments: &Gaps,
    world: &StepContext<'_>,
    cores: usize,
) -> Result<CommandOutput, StepError> {
    let root = find_root(world.cwd).unwrap_or_else(|| world.cwd.to_owned());
    let observation =
        Observation::load(&root).map_err(|error| StepError::Other(error.to_string()))?;
    let subjects: Vec<_> = arguments
        .paths
        .iter()
        .map(|path| Subject::parse(path))
        .collect();
    let files: Vec<_> = subjects
        .iter()
        .map(|subject| subject.file.clone())
        .collect();
    let files = ruby_sources(&files, world.cwd)?;
    for subject in &subjects {
        subject.require_method(world.cwd)?;
    }
    let is_method = |subject: &Subject| subject.method_query.name.is_some();
    if observation.is_none() && !subjects.iter().any(is_method) {
        return Err(StepError::Other(NOT_OBSERVED.to_owned()));
    }
    let (plan, mut warnings) = probe_plan(&files, &root, cores);
    warnings.extend(observation.is_none().then(|| BY_NAMES.to_owned()));
    let observation = observation.unwrap_or_else(|| Observation::by_names(&plan, &root));
    for (subject, path) in subjects.iter().zip(&arguments.paths) {
        let is_observed = plan
            .methods()
            .any(|(_, probed)| subject.method_query.matches(&probed.analysis.method));
        // Without a method, the path is that of the file.
        if !is_observed && !absolute(path.as_ref(), world.cwd).exists() {
            warnings.push(format!("{path}: {NO_STATES}"));
        }
    }
    let since = arguments.since.as_ref();
    let changed = since.map(|commit| ChangedLines::since(commit, &root));
    let changed = changed.transpose().map_err(StepError::Other)?;
    let mut found = gaps(&observation, &plan, &root);
    let is_named = |one: &MethodGaps<'_>, subject: &Subject| {
        let file = absolute(one.observed.file.as_ref(), &root);
        file.starts_with(absolute(&subject.file, world.cwd))
            && subject.method_query.matches(&one.probed.analysis.method)
    };
    found.retain(|one| {
        let is_changed =
            |changed: &ChangedLines| changed.touch(&one.observed.file, one.observed.lines());
        let mut named = subjects.iter().filter(|subject| is_named(one, subject));
        // A method that was asked for is shown even if nothing is missing.
        changed.as_ref().is_none_or(is_changed)
            && if one.has_any() {
                subjects.is_empty() || named.next().is_some()
            } else {
                named.any(is_method)
            }
    });
    found.truncate(arguments.limit.unwrap_or(usize::MAX));
    let data = shown(&found, arguments, &observation, &root);
    Ok(CommandOutput::data(data).warning(warnings))
}

/// The gaps in the requested format.
fn shown(
    found: &[MethodGaps<'_>],
    arguments: &Gaps,
    observation: &Observation,
    root: &Path,
) -> String {
    if arguments.json {
        let methods = found.iter().map(|one| method_json(one, observation, root));
        json!({ "methods": methods.collect::<Vec<_>>() }).to_string()
    } else if arguments.markdown {
        markdown(found, observation)
    } else {
        text(found, observation)
    }
}

fn text(found: &[MethodGaps<'_>], observation: &Observation) -> String {
    let mut text = String::new();
    for one in found.iter().filter(|one| !one.missing.is_empty()) {
        let method = one.observed;
        writeln!(text, "{}  {}:{}", method.id, method.file, method.line).expect(IN_MEMORY);
        for gap in one.missing.iter().take(NAMED) {
            writeln!(text, "  {}", row(gap, observation)).expect(IN_MEMORY);
        }
        if one.missing.len() > NAMED {
            writeln!(text, "  and {} more states", one.missing.len() - NAMED).expect(IN_MEMORY);
        }
    }
    excluded(found, &mut text);
    text + &summary(found)
}

/// One line below the name of the method.
fn row(gap: &Gap<'_>, observation: &Observation) -> String {
    let context = &gap.context;
    let text = match gap.reason {
        GapReason::NotChecked => format!("not checked {context}"),
        GapReason::NotNamed => format!("not named {context}"),
        GapReason::NotLoaded => return format!("not loaded by any spec: {context}"),
        _ => format!("never called {context}"),
    };
    format!(
        "line {}: {text}{}",
        gap.state.line,
        reached_by(gap, observation)
    )
}

/// The first example that reaches a state that is not checked.
fn reached_by(gap: &Gap<'_>, observation: &Observation) -> String {
    let Some((first, others)) = gap.state.examples.split_first() else {
        return String::new();
    };
    let location = &observation.examples[*first].location;
    match others.len() {
        0 => format!(" ({location})"),
        others => format!(" ({location} and {others} more)"),
    }
}

/// States that need no example.
fn excluded(found: &[MethodGaps<'_>], text: &mut String) {
    let gaps: Vec<_> = found.iter().flat_map(|one| &one.excluded).collect();
    if gaps.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str("Not gaps:\n");
    for gap in gaps.iter().take(NAMED) {
        writeln!(text, "  {}", gap.sentence).expect(IN_MEMORY);
    }
    if gaps.len() > NAMED {
        writeln!(text, "  and {} more", gaps.len() - NAMED).expect(IN_MEMORY);
    }
}

fn summary(found: &[MethodGaps<'_>]) -> String {
    let methods = found.iter().filter(|one| !one.missing.is_empty()).count();
    let states: usize = found.iter().map(|one| one.missing.len()).sum();
    match states {
        0 => "no gaps\n".to_owned(),
        states => format!(
            "\n{states} {} of {methods} {} not tested\n",
            plural(states as u64, "state"),
            plural(methods as u64, "method"),
        ),
    }
}

/// A section for a pull request.
fn markdown(found: &[MethodGaps<'_>], observation: &Observation) -> String {
    let mut text = String::from("### States that are not tested\n\n");
    let missing: Vec<_> = found.iter().filter(|one| !one.missing.is_empty()).collect();
    if missing.is_empty() {
        return text + "None.\n";
    }
    for one in missing {
        let method = one.observed;
        writeln!(
            text,
            "- **`{}`** (`{}:{}`)",
            method.id, method.file, method.line
        )
        .expect(IN_MEMORY);
        for gap in &one.missing {
            writeln!(text, "  - {}{}", gap.sentence, reached_by(gap, observation))
                .expect(IN_MEMORY);
        }
    }
    text
}

/// Everything that is needed to write the missing examples.
fn method_json(one: &MethodGaps<'_>, observation: &Observation, root: &Path) -> Value {
    let method = one.observed;
    let analysis = &one.probed.analysis;
    let parameters = analysis.parameters.iter().map(|parameter| {
        json!({ "name": parameter.name, "kind": parameter.kind.as_str(), "default": parameter.default })
    });
    let characteristics = analysis.characteristics.iter().map(|found| {
        let states = method.states.iter();
        let own = states.filter(|state| state.characteristic == found.name);
        json!({
            "name": found.name,
            "type": found.kind.as_str(),
            "lines": [found.lines.0, found.lines.1],
            "depends_on": found.depends_on,
            "when_parent": found.when_parent,
            "states": own.map(|state| state_json(state, observation)).collect::<Vec<_>>(),
        })
    });
    let examples = one.examples(observation, EXAMPLES).into_iter();
    json!({
        "method": method.id,
        "file": method.file,
        "line": method.line,
        "spec": project_spec_path(&method.file, root),
        "code": one.code,
        "parameters": parameters.collect::<Vec<_>>(),
        "characteristics": characteristics.collect::<Vec<_>>(),
        "examples": examples.map(example_json).collect::<Vec<_>>(),
        "missing": one.missing.iter().map(|gap| gap_json(gap, one)).collect::<Vec<_>>(),
        "excluded": one.excluded.iter().map(|gap| gap_json(gap, one)).collect::<Vec<_>>(),
    })
}

fn state_json(state: &ObservedState, observation: &Observation) -> Value {
    let examples = state
        .examples
        .iter()
        .take(EXAMPLES)
        .map(|index| &observation.examples[*index].id);
    json!({
        "name": state.state,
        "status": state.status,
        "example_count": state.examples.len(),
        "examples": examples.collect::<Vec<_>>(),
    })
}

fn example_json(example: &ObservedExample) -> Value {
    json!({ "id": example.id, "description": example.description, "location": example.location })
}

fn gap_json(gap: &Gap<'_>, method: &MethodGaps<'_>) -> Value {
    let characteristics = &method.probed.analysis.characteristics;
    let found = characteristics
        .iter()
        .find(|one| one.name == gap.state.characteristic);
    let value = found.and_then(|found| value(found, &gap.state.state));
    json!({
        "characteristic": gap.state.characteristic,
        "state": gap.state.state,
        "reason": gap.reason.as_str(),
        "message": gap.sentence,
        "line": gap.state.line,
        "conditions": gap.conditions,
        "variable": found.and_then(|found| found.tested.clone()),
        "value": value,
    })
}

/// A Ruby literal that brings the state about, if one is certain to.
fn value(found: &Characteristic, state: &str) -> Option<String> {
    let index = found.states.iter().position(|one| one == state)?;
    if let Some(literal) = found.values.get(index) {
        return literal.clone();
    }
    let (matching, failing) = threshold_pair(found.threshold.as_ref()?, Distance::Apart)?;
    Some(if index == 0 { matching } else { failing }.to_string())
}
