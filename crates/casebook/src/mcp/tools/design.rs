//! Tools that design RSpec tests: `design_read`, `design_write`, `design_pipeline`.

use casebook_design::steps::Target;
use serde_json::{Map, Value, json};

use super::{Answer, Effect, Tool};
use crate::commands::design::DECISION_HINT;
use crate::mcp::call::{Call, Outcome};
use crate::mcp::input::{Input, Words};
use crate::mcp::ruby_project;
use crate::mcp::schema::{choice, closed_object, flag, positive, text, texts};

const LEVELS: [&str; 4] = ["unit", "integration", "request", "e2e"];
/// Methods that `survey` lists unless the client asks for more.
const SURVEYED: u64 = 30;

pub(super) const READ: Tool = Tool {
    name: "design_read",
    title: "Read the design of tests",
    description: "What to test in Ruby code. survey: public methods, those most in need of tests first. method: what varies in FILE#method, with lines; \
                  its code, its examples and the states without one. status: the progress of each design. outline, review: the \
                  structure of a spec, and findings of style. factories: FactoryBot factories. update: specs affected by a change.",
    effect: Effect::Reads,
    input: || {
        let whats = [
            "survey",
            "status",
            "outline",
            "review",
            "factories",
            "update",
            "method",
        ];
        closed_object(
            &[
                ("what", choice("What to read", &whats)),
                (
                    "target",
                    text(
                        "method: FILE#method or FILE.method; outline, review: a spec; factories: a directory",
                    ),
                ),
                ("paths", texts("survey: files or directories")),
                (
                    "limit",
                    positive("survey: at most this many methods; default: 30"),
                ),
                (
                    "base",
                    text("update: the commit to compare with; default: HEAD"),
                ),
            ],
            &["what"],
        )
    },
    result: || json!({ "type": "object" }),
    call: read,
};

fn read(input: &Input<'_>, call: &Call<'_>) -> Result<Answer, String> {
    ruby_project::check(&call.session.root)?;
    let what = input.text("what")?.unwrap_or_default();
    let target = || input.required_path("target");
    let words = match what {
        "survey" => Words::new(&["design", "survey", "--json"])
            .option("limit", Some(input.number("limit")?.unwrap_or(SURVEYED)))
            .all(["--"])
            .all(input.paths("paths")?),
        "status" => Words::new(&["design", "status", "--json"]),
        "outline" => Words::new(&["design", "outline", "--"]).all([target()?]),
        "review" => Words::new(&["design", "review", "--json", "--"]).all([target()?]),
        "factories" => Words::new(&["design", "factories", "--"]).all(input.path("target")?),
        "update" => Words::new(&["design", "update", "--json"]).option("base", input.text("base")?),
        "method" => return method(target()?, call),
        _ => {
            return Err(
                "`what` must be survey, status, outline, review, factories, update or method"
                    .to_owned(),
            );
        }
    };
    let outcome = call.run(&words.done())?;
    let result = match outcome.json()? {
        Value::Array(items) => {
            let name = if what == "status" || what == "survey" {
                "methods"
            } else {
                "items"
            };
            json!({ name: items })
        }
        value => value,
    };
    Ok(below_root(&outcome, result, call))
}

/// What varies in a method, and what its specs do not test.
fn method(target: &str, call: &Call<'_>) -> Result<Answer, String> {
    let words = [
        "design", "analyze", "--print", "--format", "json", "--", target,
    ];
    let analysis = call.run(&Words::new(&words).done())?;
    let design = analysis.json()?;
    let found = call.run(&Words::new(&["design", "gaps", "--json", "--", target]).done())?;
    let gaps = found
        .json()
        .unwrap_or_else(|reason| json!({ "unknown": reason }));
    let result = json!({ "design": design, "gaps": gaps });
    let messages = [analysis.messages.as_str(), &found.messages];
    let messages = messages.into_iter().filter(|text| !text.is_empty());
    let messages: Vec<_> = messages.collect();
    Ok(Answer::new(&analysis, result).messages(messages.join("\n")))
}

pub(super) const WRITE: Tool = Tool {
    name: "design_write",
    title: "Write one step of a design",
    description: "One step of the pipeline for a method: analyze, validate, skeleton, architect, implement, optimize, polish, or mark for a step \
                  that you did yourself. If a decision is needed, the result names the options: call it again with the chosen one. implement, \
                  optimize and polish run the spec.",
    effect: Effect::Writes,
    input: || {
        let steps = [
            "analyze",
            "validate",
            "skeleton",
            "architect",
            "implement",
            "optimize",
            "polish",
            "mark",
        ];
        closed_object(
            &[
                ("step", choice("The step", &steps)),
                ("target", text("FILE#method, or a metadata file")),
                ("marked", choice("mark: the step that is done", &steps[..7])),
                (
                    "level",
                    choice("analyze, skeleton: the test level", &LEVELS),
                ),
                ("force", flag("analyze: even if the metadata is up to date")),
                (
                    "merge",
                    choice(
                        "skeleton: how a block is written into a spec",
                        &["insert", "replace", "upsert", "missing"],
                    ),
                ),
                (
                    "conflict",
                    choice(
                        "skeleton: what happens to an existing block; default: a decision is needed if it is finished",
                        &["overwrite", "skip"],
                    ),
                ),
                (
                    "policy",
                    choice(
                        "skeleton: the kind of spec for controllers",
                        &["request", "controller", "ask"],
                    ),
                ),
            ],
            &["step", "target"],
        )
    },
    result: || json!({ "type": "object" }),
    call: write,
};

fn write(input: &Input<'_>, call: &Call<'_>) -> Result<Answer, String> {
    let step = input.text("step")?.unwrap_or_default();
    let target = input.required_path("target")?;
    ruby_project::check_outputs(target, &call.session.root)?;
    let level = input.text("level")?;
    let words = Words::new(&["design", step]);
    let words = match step {
        "analyze" => words
            .option("level", level)
            .flag("force", input.flag("force")?),
        "skeleton" => {
            let (merge, conflict) = (input.text("merge")?, input.text("conflict")?);
            // An agent must not lose examples that a person wrote.
            let conflict = conflict.or(merge.is_none().then_some("ask"));
            words
                .option("level", level)
                .option("merge", merge)
                .option("conflict", conflict)
                .option("policy", input.text("policy")?)
        }
        "validate" | "architect" | "implement" | "optimize" | "polish" => words,
        "mark" => words.all([input
            .text("marked")?
            .ok_or("`marked` is required: the step that is done")?]),
        _ => return Err(format!("`{step}` is not a step")),
    };
    // This command takes the metadata of a method.
    let metadata = Target::find(target, call.session.root.dir());
    let metadata = metadata.map(|found| found.metadata.display().to_string());
    let target = match (step, &metadata) {
        ("validate", Ok(metadata)) => metadata,
        _ => target,
    };
    finished(&call.run(&words.all(["--", target]).done())?, call)
}

pub(super) const PIPELINE: Tool = Tool {
    name: "design_pipeline",
    title: "Design and write a spec",
    description: "All steps for one method, from the analysis of its code to a review of the spec. Runs the spec. If a decision is needed, the \
                  result names the options and nothing is changed.",
    effect: Effect::RunsCode,
    input: || {
        closed_object(
            &[
                ("target", text("FILE#method or FILE.method")),
                (
                    "overwrite",
                    flag("Replace the method's block in an existing spec; a backup is kept"),
                ),
                ("keep_going", flag("Continue if an optional step fails")),
                (
                    "level",
                    choice("The test level; default: detected", &LEVELS),
                ),
            ],
            &["target"],
        )
    },
    result: || json!({ "type": "object" }),
    call: |input, call| {
        let target = input.required_path("target")?;
        ruby_project::check_outputs(target, &call.session.root)?;
        let words = Words::new(&["design", "pipeline"])
            .flag("overwrite", input.flag("overwrite")?)
            .flag("keep-going", input.flag("keep_going")?)
            .option("level", input.text("level")?)
            .all(["--", target]);
        finished(&call.run(&words.done())?, call)
    },
};

/// The JSON of a step, or the path that it printed.
fn finished(outcome: &Outcome, call: &Call<'_>) -> Result<Answer, String> {
    if outcome.exit == 1 {
        return Err(outcome.reason());
    }
    let mut result = match outcome.json() {
        Ok(value @ Value::Object(_)) => value,
        _ => json!({ "output": outcome.stdout.trim() }),
    };
    for decision in list(&mut result, "decisions") {
        list(decision, "choices").for_each(add_arguments);
    }
    let hint = "call the tool again with the `arguments` of a choice";
    let outcome = Outcome {
        messages: outcome.messages.replace(DECISION_HINT, hint),
        stdout: String::new(),
        ..*outcome
    };
    Ok(below_root(&outcome, result, call))
}

/// The answer with paths relative to the root, as other tools have them and as clients pass them.
fn below_root(outcome: &Outcome, mut result: Value, call: &Call<'_>) -> Answer {
    let root = format!("{}/", call.session.root.dir().display());
    shorten_paths(&mut result, &root);
    Answer::new(outcome, result).messages(outcome.messages.replace(&root, ""))
}

fn shorten_paths(value: &mut Value, root: &str) {
    match value {
        Value::String(text) if text.contains(root) => *text = text.replace(root, ""),
        Value::Array(items) => items.iter_mut().for_each(|one| shorten_paths(one, root)),
        Value::Object(map) => map.values_mut().for_each(|one| shorten_paths(one, root)),
        _ => {}
    }
}

fn list<'v>(value: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    let list = value.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

/// Replaces the `flag` of a choice by `arguments` for the tool. A choice without a flag needs no other call.
fn add_arguments(choice: &mut Value) {
    let Some(choice) = choice.as_object_mut() else {
        return;
    };
    let flag = choice.shift_remove("flag");
    let flag = flag.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut arguments = Map::new();
    for option in flag.split("--").skip(1) {
        let (name, value) = match option.trim().split_once(' ') {
            Some((name, value)) => (name, json!(value)),
            None => (option.trim(), json!(true)),
        };
        arguments.insert(name.replace('-', "_"), value);
    }
    if !arguments.is_empty() {
        choice.insert("arguments".to_owned(), arguments.into());
    }
}
