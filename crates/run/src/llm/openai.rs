//! Chat completions, as `OpenAI` has them and many others offer them.

use serde_json::{Value, json};

use crate::http;
use crate::transcript::Tokens;

use super::ModelRequest;
use super::api::{OutputMode, ProviderApi, RawCompletion, ServerCapabilities, system_with_schema};

pub(super) struct OpenAi;

impl ProviderApi for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn key_variable(&self) -> &'static str {
        "OPENAI_API_KEY"
    }

    fn url(&self, base: Option<&str>) -> String {
        let base = base.unwrap_or("https://api.openai.com/v1");
        http::join_path(base, "/chat/completions")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(String, String)> {
        let key = key.map(|key| ("authorization".to_owned(), format!("Bearer {key}")));
        key.into_iter().collect()
    }

    fn body(&self, model: &str, question: &ModelRequest, knows: ServerCapabilities) -> Value {
        let system = match knows.form {
            OutputMode::Schema => question.system.clone().into_owned(),
            OutputMode::Loose | OutputMode::Words => system_with_schema(question),
        };
        let mut all = vec![json!({"role": "system", "content": system})];
        all.extend(question.messages.iter().map(|message| json!(message)));
        let mut body = json!({"model": model, "messages": all});
        let most = if knows.completion_tokens {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body[most] = question.max_tokens.into();
        if !knows.no_temperature {
            body["temperature"] = question.temperature.into();
        }
        match knows.form {
            OutputMode::Schema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": true, "schema": question.schema()},
                });
            }
            OutputMode::Loose => body["response_format"] = json!({"type": "json_object"}),
            OutputMode::Words => {}
        }
        body
    }

    fn read(&self, reply: &Value) -> Result<RawCompletion, String> {
        let choice = &reply["choices"][0];
        let message = &choice["message"];
        if let Some(refusal) = message["refusal"].as_str() {
            return Err(format!("the model refuses to answer: {refusal}"));
        }
        match choice["finish_reason"].as_str() {
            Some("length") => return Err("the answer is too long and was cut off".to_owned()),
            Some("content_filter") => {
                return Err("a content filter has kept the answer back".to_owned());
            }
            _ => {}
        }
        if !message.is_object() {
            return Err(
                "the answer has no `choices[0].message`: are these chat completions?".to_owned(),
            );
        }
        Ok(RawCompletion {
            text: message["content"].as_str().unwrap_or_default().to_owned(),
            model: reply["model"].as_str().map(str::to_owned),
            tokens: tokens(&reply["usage"]),
        })
    }
}

fn tokens(usage: &Value) -> Option<Tokens> {
    Some(Tokens {
        input: usage["prompt_tokens"].as_u64()?,
        output: usage["completion_tokens"].as_u64()?,
    })
}
