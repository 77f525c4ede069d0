//! Exports a run to an OpenTelemetry collector.

use casebook_record::Run;
use casebook_report::otlp::{self, Options};
use casebook_run::Uploader;
use serde_json::Value;

use crate::arguments::otlp_args::OtlpArgs;
use crate::context::Context;

/// Headers for the collector, such as a key: `name=value,name=value`, as all OpenTelemetry exporters read them.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// Exports the run if a collector is given. The error is a message for the user.
pub(crate) fn export(run: &Run, arguments: &OtlpArgs, context: &Context) -> Result<(), String> {
    let Some(url) = &arguments.otlp else {
        return Ok(());
    };
    let headers = context.environment.get(HEADERS);
    let headers = parse_headers(headers.map_or("", String::as_str))?;
    let system = context.system();
    let uploader = Uploader::new(&system, headers).map_err(|error| error.to_string())?;
    let options = Options {
        content: arguments.otlp_content,
    };
    let exported = otlp::export(run, options, &mut |signal, request| {
        let response = uploader.post_json(url, signal.path(), &request.to_string())?;
        rejection(&response).map_or(Ok(()), Err)
    });
    exported.map_err(|error| error.to_string())
}

/// What a collector that accepted the request did not take of it.
fn rejection(response: &str) -> Option<String> {
    let response: Value = serde_json::from_str(response).ok()?;
    let rejected = response.get("partialSuccess")?;
    let message = rejected.get("errorMessage").and_then(Value::as_str);
    let count = ["rejectedSpans", "rejectedDataPoints"]
        .iter()
        .find_map(|key| rejected.get(key))
        .map(|count| count.to_string().trim_matches('"').to_owned())
        .filter(|count| count != "0")?;
    let message = message.unwrap_or("no reason given");
    Some(format!("the collector rejected {count} items: {message}"))
}

fn parse_headers(text: &str) -> Result<Vec<(String, String)>, String> {
    let entries = text.split(',').filter(|entry| !entry.trim().is_empty());
    entries
        .map(|entry| {
            let (name, value) = entry
                .split_once('=')
                .ok_or_else(|| format!("{HEADERS} must have the form name=value,name=value"))?;
            Ok((name.trim().to_owned(), percent_decoded(value.trim())))
        })
        .collect()
}

fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_a_list_with_encoded_values() {
        let headers = parse_headers("api-key=a%20b=, x = 1 ,").unwrap();
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (&name[..], &value[..]))
            .collect();
        assert_eq!(headers, [("api-key", "a b="), ("x", "1")]);
        assert!(parse_headers("key").is_err());
        assert_eq!(parse_headers(""), Ok(Vec::new()));
    }

    #[test]
    fn only_rejected_items_are_reported() {
        assert_eq!(rejection("{}"), None);
        assert_eq!(rejection(""), None);
        assert_eq!(
            rejection(r#"{"partialSuccess": {"rejectedSpans": "0"}}"#),
            None
        );
        let response = r#"{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}"#;
        let message = "the collector rejected 2 items: too old";
        assert_eq!(rejection(response).as_deref(), Some(message));
    }
}
