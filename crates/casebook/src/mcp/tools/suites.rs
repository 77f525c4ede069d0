//! Tools for suites: `check`, `list`, `explain`, `accept`.

use serde_json::{Value, json};

use super::{Answer, Effect, Tool};
use crate::mcp::call::Call;
use crate::mcp::input::{Input, Words};
use crate::mcp::schema::{
    choice, closed_object, count, flag, list, number, object, optional_text, text, texts,
};

const PATHS: &str = "Suites, directories, globs, or FILE:LINE; default: all suites of the project";

pub(super) const CHECK: Tool = Tool {
    name: "check",
    title: "Check suites",
    description: "Find all problems in YAML test suites without running them. Each problem has its location, a help text, and where possible \
                  `fix`: the text to write at a location. Call it after every change of a suite.",
    effect: Effect::Reads,
    input: || closed_object(&[("paths", texts(PATHS))], &[]),
    result: checked,
    call: |input, call| {
        let words = Words::new(&["check", "--format", "json", "--"]);
        let outcome = call.run(&words.all(input.paths("paths")?).done())?;
        Answer::json(&outcome)
    },
};

fn checked() -> Value {
    let severity = choice("How serious it is", &["error", "warning", "note"]);
    let line = number("Counted from 1");
    let problem = object(
        &[
            ("code", text("Explained by the tool `explain`")),
            ("severity", severity),
            ("message", text("The problem")),
            ("file", text("Where it is")),
            ("line", line),
            ("help", optional_text()),
            ("fix", json!({ "type": ["object", "null"] })),
        ],
        &["code", "severity", "message", "file", "line"],
    );
    object(
        &[
            ("files", count()),
            ("tests", count()),
            ("errors", count()),
            ("warnings", count()),
            ("unmatched", texts("Paths without a suite")),
            ("problems", list(&problem)),
        ],
        &[
            "files",
            "tests",
            "errors",
            "warnings",
            "unmatched",
            "problems",
        ],
    )
}

pub(super) const LIST: Tool = Tool {
    name: "list",
    title: "List tests",
    description: "List the tests of suites: id, file, line, title, tags.",
    effect: Effect::Reads,
    input: || {
        closed_object(
            &[
                ("paths", texts(PATHS)),
                (
                    "filter",
                    text("Only tests whose names contain this text or match /ERE/"),
                ),
                (
                    "tags",
                    texts("Only tests with one of these tags; `a,b` requires both, `!a` excludes"),
                ),
            ],
            &[],
        )
    },
    result: || {
        let test = object(
            &[
                ("id", text("Its id in records")),
                ("file", text("The suite")),
                ("line", json!({ "type": ["integer", "null"] })),
                ("title", text("Its name")),
                ("tags", texts("Its tags")),
                ("skipped", flag("Whether it is skipped")),
            ],
            &["id", "file", "line", "title", "tags", "skipped"],
        );
        object(
            &[("count", count()), ("tests", list(&test))],
            &["count", "tests"],
        )
    },
    call: |input, call| {
        let words = Words::new(&["run", "--list", "--format", "json"])
            .option("filter", input.text("filter")?)
            .options("tag", input.texts("tags")?)
            .all(["--"])
            .all(input.paths("paths")?);
        Answer::json(&call.run(&words.done())?)
    },
};

pub(super) const EXPLAIN: Tool = Tool {
    name: "explain",
    title: "Explain a problem code",
    description: "What a problem code of `check` means, why it matters, and how to fix it, with an example. Without a code: all codes.",
    effect: Effect::Reads,
    input: || closed_object(&[("code", text("Such as unknown-field"))], &[]),
    result: || object(&[("text", text("The explanation, in Markdown"))], &["text"]),
    call: |input, call| {
        let words = Words::new(&["explain", "--"]).all(input.text("code")?);
        let outcome = call.run(&words.done())?;
        if outcome.exit != 0 {
            return Err(outcome.reason());
        }
        let result = json!({ "text": outcome.stdout });
        Ok(Answer::new(&outcome, result))
    },
};

pub(super) const ACCEPT: Tool = Tool {
    name: "accept",
    title: "Accept new output",
    description: "Write the actual output of failed tests of the newest run into their suites and snapshots. Without `apply`, returns the \
                  patch and writes nothing: check that the new output is right, then call it again with `apply: true`.",
    effect: Effect::Writes,
    input: || {
        closed_object(
            &[
                (
                    "paths",
                    texts("Suites, directories or FILE:LINE; default: all failed tests"),
                ),
                (
                    "apply",
                    flag("Write the changes; default: only show the patch"),
                ),
            ],
            &[],
        )
    },
    result: || {
        object(
            &[
                ("applied", flag("Whether files were written")),
                ("patch", text("The changes")),
            ],
            &["applied", "patch"],
        )
    },
    call: accept,
};

fn accept(input: &Input<'_>, call: &Call<'_>) -> Result<Answer, String> {
    let paths = input.paths("paths")?;
    let words = |is_dry_run: bool| {
        let words = Words::new(&["accept"]).flag("dry-run", is_dry_run);
        words.all(["--"]).all(paths.clone()).done()
    };
    let is_applied = input.flag("apply")?;
    let patch = call.run(&words(true))?;
    if patch.exit == 2 {
        return Err(patch.reason());
    }
    let outcome = if is_applied {
        &call.run(&words(false))?
    } else {
        &patch
    };
    let has_changes = !patch.stdout.is_empty();
    let result = json!({ "applied": is_applied && has_changes, "patch": patch.stdout });
    Ok(Answer::new(outcome, result))
}
