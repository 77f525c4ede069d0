//! `casebook design status`, `mark`, `survey` and `update`: the progress of the design.

use std::path::PathBuf;

use casebook_coverage::Observation;
use casebook_design::metadata::location::find_root;
use casebook_design::steps::{
    self, Change, Changed, MethodProgress, Step, StepContext, StepError, Surveyed, Target,
};
use serde_json::{Value, json};

use super::CommandOutput;
use crate::arguments::design::{Mark, Status, Survey, Update};
use crate::commands::shared::ruby_sources::ruby_sources;
use crate::commands::shared::table::table;

pub(super) fn status(arguments: &Status, world: &StepContext<'_>) -> CommandOutput {
    let (standings, warnings) = steps::status(world);
    let data = if arguments.json {
        Value::Array(standings.iter().map(MethodProgress::to_json).collect()).to_string()
    } else {
        let rows = standings.iter().map(|one| {
            let done: Vec<_> = one.done.iter().map(|step| step.command()).collect();
            let next = one.next().map_or("-", Step::command);
            [
                one.method.clone(),
                done.join(" "),
                next.to_owned(),
                one.reason.to_owned(),
            ]
        });
        table(["METHOD", "DONE", "NEXT", "METADATA"], rows.collect())
    };
    CommandOutput::data(data).warning(warnings)
}

pub(super) fn mark(arguments: &Mark, world: &StepContext<'_>) -> Result<CommandOutput, StepError> {
    let step = Step::parse(&arguments.step).ok_or_else(|| {
        let names: Vec<_> = Step::ALL.into_iter().map(Step::command).collect();
        StepError::Other(format!(
            "unknown step `{}`; the steps are: {}",
            arguments.step,
            names.join(", ")
        ))
    })?;
    let values = arguments
        .values
        .iter()
        .map(|text| value(text))
        .collect::<Result<Vec<_>, _>>()?;
    let target = Target::find(&arguments.target, world.cwd)?;
    steps::mark(&target, step, &values, world)?;
    Ok(CommandOutput::data(target.metadata.display().to_string()))
}

fn value(text: &str) -> Result<(String, Value), StepError> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| StepError::Other(format!("`{text}` is not KEY=VALUE; give a key and a value, as in `--set automation.linter=rubocop`")))?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}

/// How many states of a method the examples reach, if the specs were observed.
struct ObservedStates {
    observation: Option<Observation>,
    root: PathBuf,
    cwd: PathBuf,
}

impl ObservedStates {
    fn load(world: &StepContext<'_>) -> ObservedStates {
        let root = find_root(world.cwd).unwrap_or_else(|| world.cwd.to_owned());
        ObservedStates {
            // The survey does not need it, so an unreadable file is not reported here.
            observation: Observation::load(&root).ok().flatten(),
            cwd: world.cwd.to_owned(),
            root,
        }
    }

    /// The number of states that passed examples reach, and of all.
    fn counts(&self, surveyed: &Surveyed) -> Option<(usize, usize)> {
        let file = self.cwd.join(&surveyed.file);
        let file = file.strip_prefix(&self.root).ok()?;
        let observation = self.observation.as_ref()?;
        let method = observation.method(&file.to_string_lossy(), &surveyed.method)?;
        let states = method.states.iter();
        let reached = states.filter(|state| state.status.is_reached()).count();
        Some((reached, method.states.len()))
    }

    fn text(&self, surveyed: &Surveyed) -> String {
        match self.counts(surveyed) {
            Some((reached, all)) => format!("{reached} of {all}"),
            None => "-".to_owned(),
        }
    }

    fn json(&self, surveyed: &Surveyed) -> Value {
        match self.counts(surveyed) {
            Some((reached, all)) => json!({ "reached": reached, "states": all }),
            None => Value::Null,
        }
    }
}

pub(super) fn survey(
    arguments: &Survey,
    world: &StepContext<'_>,
    cores: usize,
) -> Result<CommandOutput, StepError> {
    let files = ruby_sources(&arguments.paths, world.cwd)?;
    let (mut methods, mut warnings) = steps::survey(&files, cores, world);
    if files.is_empty() {
        warnings.push(no_ruby_files(arguments, world));
    }
    methods.truncate(arguments.limit.unwrap_or(usize::MAX));
    let observed = ObservedStates::load(world);
    let data = if arguments.json {
        let methods = methods.iter().map(|one| {
            let mut value = one.to_json();
            value["observed"] = observed.json(one);
            value
        });
        Value::Array(methods.collect()).to_string()
    } else {
        survey_table(&methods, &observed)
    };
    Ok(CommandOutput::data(data).warning(warnings))
}

fn no_ruby_files(arguments: &Survey, world: &StepContext<'_>) -> String {
    let paths = arguments.paths.iter().map(|path| world.cwd.join(path));
    let searched: Vec<_> = paths.map(|path| path.display().to_string()).collect();
    match searched.as_slice() {
        [] => format!("no Ruby files in {}", world.cwd.display()),
        searched => format!("no Ruby files in {}", searched.join(", ")),
    }
}

fn survey_table(methods: &[Surveyed], observed: &ObservedStates) -> String {
    let titles = [
        "METHOD",
        "CHARACTERISTICS",
        "CONTEXTS",
        "SPEC",
        "EXERCISED",
        "METADATA",
        "LOCATION",
    ];
    let rows = methods.iter().map(|one| {
        [
            one.method.clone(),
            one.characteristics.to_string(),
            one.leaves.to_string(),
            if one.has_spec { "yes" } else { "no" }.to_owned(),
            observed.text(one),
            one.metadata.to_owned(),
            format!("{}:{}", one.file, one.line),
        ]
    });
    table(titles, rows.collect())
}

fn may_lose(changed: &Changed) -> String {
    let spec = changed.spec.as_deref().unwrap_or_default();
    let by_hand = changed.by_hand.join(", ");
    let method = &changed.method;
    format!("{method}: {spec} contains {by_hand}, which a new block may lose")
}

pub(super) fn update(
    arguments: &Update,
    world: &StepContext<'_>,
) -> Result<CommandOutput, StepError> {
    let (changed, mut warnings) = steps::update(&arguments.base, world)?;
    let is_careful = |one: &&Changed| one.change == Change::Varies && !one.by_hand.is_empty();
    warnings.extend(changed.iter().filter(is_careful).map(may_lose));
    let data = if arguments.json {
        Value::Array(changed.iter().map(Changed::to_json).collect()).to_string()
    } else {
        let rows = changed.iter().map(|one| {
            [
                one.method.clone(),
                one.change.as_str().to_owned(),
                one.spec.clone().unwrap_or_else(|| "-".to_owned()),
                one.file.clone(),
            ]
        });
        table(["METHOD", "CHANGE", "SPEC", "FILE"], rows.collect())
    };
    Ok(CommandOutput::data(data).warning(warnings))
}
