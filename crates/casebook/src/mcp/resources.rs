//! Resources: the schema of suites, explanations of codes, recorded runs, and results that were too long for a response.

use serde_json::{Value, json};

use super::call::Call;
use super::message::{INVALID_PARAMS, RpcError};
use super::tools::selected;
use crate::percent::decoded;

/// The code of an unknown resource before version 2026-07-28.
const NOT_FOUND: i64 = -32_002;

pub(super) fn list() -> Value {
    let resource = |uri: &str, name: &str, description: &str, kind: &str| json!({ "uri": uri, "name": name, "description": description, "mimeType": kind });
    json!({ "resources": [
        resource("casebook://schema", "schema", "The JSON Schema of suites", "application/schema+json"),
        resource("casebook://codes", "codes", "All codes of problems that `check` finds", "text/plain"),
        resource("casebook://runs/latest", "latest run", "The newest recorded run", "application/json"),
    ]})
}

pub(super) fn templates() -> Value {
    let template = |uri: &str, name: &str, description: &str, kind: &str| json!({ "uriTemplate": uri, "name": name, "description": description, "mimeType": kind });
    json!({ "resourceTemplates": [
        template("casebook://codes/{code}", "code", "What a problem means and how to fix it", "text/markdown"),
        template("casebook://runs/{id}", "run", "A recorded run with all tests", "application/json"),
        template("casebook://runs/{id}/tests/{test}", "test", "One test of a recorded run", "application/json"),
    ]})
}

/// Reads a resource. `is_stateless` decides about the code of the error.
pub(super) fn read(uri: &str, call: &Call<'_>, is_stateless: bool) -> Result<Value, RpcError> {
    let (kind, text) = content(uri, call).map_err(|reason| {
        let code = if is_stateless {
            INVALID_PARAMS
        } else {
            NOT_FOUND
        };
        RpcError {
            data: Some(json!({ "uri": uri })),
            ..RpcError::new(code, format!("cannot read {uri}: {reason}"))
        }
    })?;
    let text = call.session.redacted(text.into());
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": kind, "text": text }] }))
}

fn content(uri: &str, call: &Call<'_>) -> Result<(&'static str, String), String> {
    let path = uri.strip_prefix("casebook://").unwrap_or_default();
    let parts: Vec<_> = path.split('/').map(decoded).collect();
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["schema"] => Ok(("application/schema+json", printed(&["schema"], call)?)),
        ["codes"] => Ok(("text/plain", printed(&["explain"], call)?)),
        ["codes", code] => Ok(("text/markdown", printed(&["explain", "--", code], call)?)),
        ["runs", id] => Ok(("application/json", printed(&report(id, call)?, call)?)),
        ["runs", id, "tests", test] => {
            let report = printed(&report(id, call)?, call)?;
            let report = serde_json::from_str(&report).map_err(|error| error.to_string())?;
            let report: Value = selected(report, Some(test), true);
            Ok(("application/json", report.to_string()))
        }
        ["results", number] => {
            let result = call.session.result(number);
            let gone = "it was discarded; call the tool again".to_owned();
            Ok(("application/json", result.ok_or(gone)?))
        }
        _ => {
            Err("unknown resource; resources/list and resources/templates/list name all".to_owned())
        }
    }
}

/// The words of the command that prints a run.
fn report<'r>(id: &'r str, call: &Call<'_>) -> Result<Vec<&'r str>, String> {
    let words = ["report", "--json", "--"].into_iter();
    let root = &call.session.root;
    root.check_argument(id).map_err(|error| error.to_string())?;
    Ok(words.chain(Some(id).filter(|id| *id != "latest")).collect())
}

fn printed(words: &[&str], call: &Call<'_>) -> Result<String, String> {
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    let outcome = call.run(&words)?;
    if outcome.exit == 0 {
        Ok(outcome.stdout)
    } else {
        Err(outcome.reason())
    }
}
