//! The effect of a call in words, as far as the name of the method shows it (rule W2).

use ruby_prism::CallNode;

use crate::ruby::syntax::node::{argument, called, keyword, source};
use crate::ruby::syntax::words::snake;

/// The effect of a call, such as "creates the order"; `None` if the name of its method does not show one.
pub(crate) fn call_effect(call: &CallNode<'_>) -> Option<String> {
    let verb = match called(call).trim_end_matches('!') {
        "create" => "creates the",
        "save" => "saves the",
        "update" => "updates the",
        "destroy" => "destroys the",
        "delete" => "deletes the",
        "call" => "calls",
        "deliver_now" | "deliver_later" => return Some(format!("sends {}", object(call))),
        "perform_later" | "perform_async" => return Some(format!("enqueues {}", object(call))),
        "head" => return Some(returned_status(&source(&argument(call)?))),
        "redirect_to" => return Some("redirects".to_owned()),
        "render" => {
            let status = keyword(call, "status").map(|status| returned_status(&source(&status)));
            return Some(status.unwrap_or_else(|| "renders the page".to_owned()));
        }
        _ => return None,
    };
    let object = object(call);
    (!object.is_empty()).then(|| format!("{verb} {object}"))
}

/// The last name in the receiver, in plain words.
fn object(call: &CallNode<'_>) -> String {
    let receiver = call.receiver().map(|receiver| source(&receiver));
    let receiver = receiver.unwrap_or_default();
    let path = receiver.split('(').next().unwrap_or(&receiver);
    let word = path
        .rsplit(['.', ':'])
        .find(|word| !word.is_empty() && *word != "new")
        .unwrap_or(path);
    snake(word.trim_start_matches('@')).replace('_', " ")
}

fn returned_status(argument: &str) -> String {
    let code = match argument.trim_start_matches(':') {
        "ok" => "200",
        "created" => "201",
        "accepted" => "202",
        "no_content" => "204",
        "bad_request" => "400",
        "unauthorized" => "401",
        "forbidden" => "403",
        "not_found" => "404",
        "conflict" => "409",
        "gone" => "410",
        "unprocessable_entity" | "unprocessable_content" => "422",
        "too_many_requests" => "429",
        "internal_server_error" => "500",
        other => other,
    };
    format!("returns {code} status")
}
