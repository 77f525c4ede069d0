//! What is unusual about a reply: that it is not complete, or that its request was retried.

use casebook_record::Metadata;

use crate::terminal::retries;
use crate::terminal::value::text_at;

/// The notes about a reply with this metadata.
pub(in crate::terminal) fn notes(metadata: &Metadata) -> Vec<String> {
    let stopped = text_at(metadata, "stop_reason").and_then(|reason| {
        Some(match reason.as_str() {
            "refusal" => "refused",
            "filter" => "stopped by a content filter",
            "cut" => "cut off at the maximum number of tokens",
            "tool_rounds" => "too many rounds of tool calls",
            _ => return None,
        })
    });
    let retried = metadata.get("tracing").and_then(retries::describe);
    let stopped = stopped.map(str::to_owned);
    stopped.into_iter().chain(retried).collect()
}
