//! Prompts that users choose in their client.

use serde_json::{Value, json};

use super::message::{INVALID_PARAMS, Params, RpcError};

struct Prompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    argument: &'static str,
    argument_description: &'static str,
    is_required: bool,
    text: fn(&str) -> String,
}

const PROMPTS: [Prompt; 3] = [
    Prompt {
        name: "write_suite",
        title: "Write a suite for this command",
        description: "Write a YAML suite that tests a command-line program",
        argument: "command",
        argument_description: "The program or command to test",
        is_required: true,
        text: |command| {
            format!(
                "Write a Casebook suite for the command `{command}`. Read the resource casebook://schema for the fields. Find out what the \
                 command does from its help and its source; cover its normal use, its options, invalid input and its exit codes. Name each test \
                 after the behavior that it proves. Save the suite as NAME.casebook.yaml, call the tool `check` until it finds no problems, then \
                 `run`. Do not change an expectation only because a test fails: find out whether the program or the test is wrong."
            )
        },
    },
    Prompt {
        name: "explain_failure",
        title: "Explain this failure",
        description: "Find out why a test failed",
        argument: "test",
        argument_description: "The id or a part of the name of the test; default: all failures of the newest run",
        is_required: false,
        text: |test| {
            let which = match test {
                "" => "every test that failed in the newest run".to_owned(),
                test => format!("the test `{test}` of the newest run"),
            };
            format!(
                "Explain why {which} failed. Call the tool `report` (with `test` for one test) and read the suite at the location it names, then the \
                 code of the program. Call `history` to see since when it fails, and whether it is flaky. State the cause, the evidence, and whether the \
                 program or the test should change."
            )
        },
    },
    Prompt {
        name: "cover_method",
        title: "Cover this method",
        description: "Write an RSpec spec for a Ruby method",
        argument: "method",
        argument_description: "FILE#method or FILE.method",
        is_required: true,
        text: |method| {
            format!(
                "Cover the Ruby method `{method}` with RSpec. Call `design_read` with what: method to see what varies in it, and `design_pipeline` to \
                 write the spec. Complete each pending example by hand; the notes in the spec say what is missing. Then call `rspec` with the spec, and \
                 `design_read` with what: review. `coverage` shows which states have no test yet."
            )
        },
    },
];

pub(super) fn list() -> Value {
    let prompts = PROMPTS.iter().map(|prompt| {
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [{
                "name": prompt.argument,
                "description": prompt.argument_description,
                "required": prompt.is_required,
            }],
        })
    });
    json!({ "prompts": prompts.collect::<Vec<_>>() })
}

pub(super) fn get(params: &Params) -> Result<Value, RpcError> {
    let invalid = |message: String| RpcError::new(INVALID_PARAMS, message);
    let name = params
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let prompt = PROMPTS.iter().find(|prompt| prompt.name == name);
    let prompt = prompt.ok_or_else(|| invalid(format!("unknown prompt `{name}`")))?;
    let argument = params
        .get("arguments")
        .and_then(|all| all.get(prompt.argument));
    let argument = argument.and_then(Value::as_str).unwrap_or_default();
    if prompt.is_required && argument.is_empty() {
        return Err(invalid(format!(
            "the argument `{}` is required",
            prompt.argument
        )));
    }
    let content = json!({ "type": "text", "text": (prompt.text)(argument) });
    Ok(json!({
        "description": prompt.description,
        "messages": [{ "role": "user", "content": content }],
    }))
}
