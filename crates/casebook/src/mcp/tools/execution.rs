//! Tools that run tests: `run` and `rspec`.

use std::fs;

use serde_json::Value;

use super::records::{link_to, run_summary, selected};
use super::{Answer, Effect, Tool, rspec_options};
use crate::mcp::call::Call;
use crate::mcp::input::{Input, Words};
use crate::mcp::schema::{closed_object, flag, positive, text, texts};

pub(super) const RUN: Tool = Tool {
    name: "run",
    title: "Run suites",
    description: "Run the tests of YAML suites and record the result. Returns counts and every failure; the linked resource has all tests.",
    effect: Effect::RunsCode,
    input: || {
        closed_object(
            &[
                (
                    "paths",
                    texts("Suites, directories, globs, or FILE:LINE for one test; default: all"),
                ),
                (
                    "filter",
                    text("Only tests whose names contain this text or match /ERE/"),
                ),
                (
                    "tags",
                    texts("Only tests with one of these tags; `a,b` requires both, `!a` excludes"),
                ),
                (
                    "failed",
                    flag("Only the tests that failed in the newest run"),
                ),
                (
                    "fail_fast",
                    flag("Start no more tests after the first failure"),
                ),
                ("jobs", positive("Run up to this many tests at once")),
                (
                    "timeout",
                    text("The timeout of tests without one: 2, 500ms, 2m"),
                ),
            ],
            &[],
        )
    },
    result: run_summary,
    call: |input, call| {
        let words = Words::new(&["run"])
            .option("filter", input.text("filter")?)
            .options("tag", input.texts("tags")?)
            .flag("failed=latest", input.flag("failed")?)
            .flag("fail-fast", input.flag("fail_fast")?)
            .option("jobs", input.number("jobs")?)
            .option("timeout", input.text("timeout")?);
        execute(
            words,
            |words| Ok(words.all(["--"]).all(input.paths("paths")?)),
            call,
        )
    },
};

pub(super) const RSPEC: Tool = Tool {
    name: "rspec",
    title: "Run RSpec",
    description: "Run RSpec examples in several processes and record them as one run. Returns counts and every failure.",
    effect: Effect::RunsCode,
    input: || {
        closed_object(
            &[
                (
                    "specs",
                    texts("Files, directories or FILE:LINE; default: what RSpec runs by default"),
                ),
                ("workers", positive("The number of processes")),
                (
                    "fail_fast",
                    flag("Start no more examples after the first failure"),
                ),
                (
                    "timeout",
                    text("Kill a process whose example takes longer: 30, 500ms, 2m"),
                ),
                (
                    "options",
                    texts("Options for RSpec, such as --tag, ~slow; files belong to `specs`"),
                ),
            ],
            &[],
        )
    },
    result: run_summary,
    call: |input, call| {
        let words = Words::new(&["rspec"])
            .option("workers", input.number("workers")?)
            .flag("fail-fast", input.flag("fail_fast")?)
            .option("timeout", input.text("timeout")?);
        execute(words, |words| with_specs(words, input), call)
    },
};

fn with_specs(words: Words, input: &Input<'_>) -> Result<Words, String> {
    let words = words.all(input.paths("specs")?);
    let options = input.texts("options")?;
    rspec_options::check(&options, input)?;
    Ok(words.all(["--"]).all(options))
}

/// Runs tests: their events are progress, and the result is the JSON of the finished run.
fn execute(
    words: Words,
    finish: impl FnOnce(Words) -> Result<Words, String>,
    call: &Call<'_>,
) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("cannot create a temporary file: {error}");
    let dir = tempfile::tempdir().map_err(failed)?;
    let file = dir.path().join("run.json");
    let formats = ["jsonl".to_owned(), format!("json={}", file.display())];
    let words = finish(words.options("format", formats.to_vec()))?;
    let outcome = call.run_observed(&words.done())?;
    let written = fs::read_to_string(&file).unwrap_or_default();
    let report: Value = serde_json::from_str(&written).map_err(|_| outcome.reason())?;
    let result = selected(report, None, false);
    let link = link_to(&result);
    Ok(Answer::new(&outcome, result).link(link))
}
