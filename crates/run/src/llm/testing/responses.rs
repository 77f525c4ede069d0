//! Responses of models for tests, with all fields that the official clients require; a test checks that with these clients.

use serde_json::{Value, json};

/// A chat completion with this message. `tokens` are those of the prompt and of the completion.
pub(crate) fn chat_completion(message: &Value, reason: &str, tokens: (u64, u64)) -> Value {
    let mut complete = json!({"role": "assistant", "content": null});
    if let (Some(fields), Some(own)) = (complete.as_object_mut(), message.as_object()) {
        fields.extend(own.clone());
    }
    let (input, output) = tokens;
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_795_000_000,
        "model": "m-1",
        "choices": [{"index": 0, "message": complete, "finish_reason": reason}],
        "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
    })
}

/// A chunk of a streamed chat completion.
pub(crate) fn chat_chunk(delta: &Value, reason: Option<&str>) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_795_000_000,
        "model": "m-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    })
}

/// A message of the Anthropic API.
pub(crate) fn anthropic_message(content: &Value, reason: &str, usage: &Value) -> Value {
    json!({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": usage,
    })
}
