//! Redaction of secrets: environment values that must not reach a file or a screen.

mod truncated;

use std::iter;

use aho_corasick::{AhoCorasick, MatchKind};
use globset::{GlobBuilder, GlobSetBuilder};
use indexmap::IndexMap;
use serde_json::{Map, Number, Value};

use crate::event::{
    AgentResponse, EvaluationRecorded, Event, ExampleFailed, ExamplePassed, ExamplePending,
    ExampleStarted, GroupFinished, GroupStarted, SimulationEnded, SimulationStarted, SuiteStarted,
    SuiteStopped, SuiteSummary, ToolCall, ToolCallCompleted, TopicChanged, UserMessage,
};
use crate::extra::UnknownFields;
use crate::json::Json;
use crate::metadata::Metadata;
use crate::model::{
    ConversationData, EvaluationData, ExampleData, ExceptionData, MessageData, Role, RunData,
    ScenarioData, Status, ToolCallData, TurnData,
};
use crate::time::Time;

/// The replacement for a secret.
pub const REDACTED: &str = "[redacted]";

/// Name patterns of environment variables whose values are secret by default.
pub const DEFAULT_PATTERNS: [&str; 4] = ["*KEY*", "*TOKEN*", "*SECRET*", "*PASSWORD*"];

/// Shorter values are not redacted: they occur in too many texts that are not secret.
const MIN_SECRET_CHARS: usize = 6;

/// A name pattern that is not a valid glob.
#[derive(Debug, thiserror::Error)]
#[error("invalid name pattern `{pattern}` (expected a glob such as *TOKEN*): {reason}")]
pub struct InvalidPattern {
    pattern: String,
    reason: String,
}

/// Replaces secrets in text, events and run data.
///
/// ```
/// use casebook_record::{DEFAULT_PATTERNS, Redactor};
///
/// let environment = [("API_TOKEN", "s3cr3t-value"), ("HOME", "/home/me")];
/// let redactor = Redactor::new(DEFAULT_PATTERNS, environment)?;
/// assert_eq!(redactor.text("Bearer s3cr3t-value from /home/me"), "Bearer [redacted] from /home/me");
/// # Ok::<(), casebook_record::InvalidPattern>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    secrets: Option<AhoCorasick>,
    /// The secrets as text, to find parts of them where a text was truncated within one.
    texts: Vec<String>,
}

impl Redactor {
    /// Redacts the values of the environment variables whose names match one of the patterns (`*` and `?`,
    /// case-insensitive).
    pub fn new<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
        environment: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Redactor, InvalidPattern> {
        let mut names = GlobSetBuilder::new();
        for pattern in patterns {
            let invalid = |error: globset::Error| InvalidPattern {
                pattern: pattern.into(),
                reason: error.kind().to_string(),
            };
            names.add(
                GlobBuilder::new(pattern)
                    .case_insensitive(true)
                    .build()
                    .map_err(invalid)?,
            );
        }
        let names = names.build().map_err(|error| InvalidPattern {
            pattern: String::new(),
            reason: error.kind().to_string(),
        })?;
        let secrets = environment
            .into_iter()
            .filter(|(name, _)| names.is_match(name))
            .map(|(_, value)| value);
        Ok(Redactor::of(secrets))
    }

    /// Redacts these values, except those shorter than `MIN_SECRET_CHARS`.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Redactor {
        let secrets: Vec<_> = secrets
            .into_iter()
            .filter(|secret| secret.chars().count() >= MIN_SECRET_CHARS)
            .flat_map(forms)
            .collect();
        if secrets.is_empty() {
            return Redactor::default();
        }
        // Leftmost-longest: of two secrets with the same beginning, the longer one is replaced completely.
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&secrets)
            .expect("an environment is far smaller than the automaton's limit");
        Redactor {
            secrets: Some(automaton),
            texts: secrets,
        }
    }

    /// Whether there are no secrets to redact.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_none()
    }

    /// Returns the text with its secrets replaced.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.redact_in_place(&mut text);
        text
    }

    /// Replaces the secrets in all text values of an event or of run data.
    pub fn apply(&self, data: &mut impl Redact) {
        if !self.is_empty() {
            data.redact(self);
        }
    }

    /// Whether JSON text certainly contains no secret. With escapes or truncation marks this requires parsing, so the
    /// result is false.
    fn is_free_of_secrets(&self, json: &str) -> bool {
        self.secrets
            .as_ref()
            .is_none_or(|secrets| !needs_parsing(json) && !secrets.is_match(json))
    }

    fn redact_in_place(&self, text: &mut String) {
        let Some(secrets) = &self.secrets else { return };
        if secrets.is_match(text.as_str()) {
            let mut replaced = String::with_capacity(text.len());
            secrets.replace_all_with(text, &mut replaced, |_, _, into| {
                into.push_str(REDACTED);
                true
            });
            *text = replaced;
        }
        truncated::redact_truncated(text, &self.texts);
    }

    /// The redacted name of an entry; `None` if it needs no change. Names in lower case are fields of records and
    /// never change, so that a record stays readable whatever the secrets are.
    fn redacted_key(&self, key: &str) -> Option<String> {
        let is_field = key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let redacted = (!is_field).then(|| self.text(key))?;
        (redacted != key).then_some(redacted)
    }
}

/// Whether secrets can only be found in the parsed strings: the text has escapes or truncation marks.
fn needs_parsing(json: &str) -> bool {
    // Two single searches are much faster than one search for both.
    json.contains('\\') || json.contains(truncated::MARK)
}

/// The secret verbatim, as quoted in messages, and as escaped within JSON.
fn forms(secret: &str) -> [String; 3] {
    let unquoted = |quoted: String| quoted[1..quoted.len() - 1].to_owned();
    let json = serde_json::to_string(secret).expect("a string serializes to JSON");
    [
        secret.to_owned(),
        unquoted(format!("{secret:?}")),
        unquoted(json),
    ]
}

/// Data that contains texts.
pub trait Redact {
    /// Replaces the secrets in all text values.
    fn redact(&mut self, redactor: &Redactor);
}

impl Redact for String {
    fn redact(&mut self, redactor: &Redactor) {
        redactor.redact_in_place(self);
    }
}

impl Redact for Value {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Value::String(text) => redactor.redact_in_place(text),
            Value::Array(list) => list.redact(redactor),
            Value::Object(map) => map.redact(redactor),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl Redact for Map<String, Value> {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
        if !self.keys().any(|key| redactor.redacted_key(key).is_some()) {
            return;
        }
        for (key, value) in std::mem::take(self) {
            let name = redactor.redacted_key(&key).unwrap_or(key);
            // Different secrets have the same replacement; a number keeps both entries.
            let numbered = (2..).map(|number| format!("{name} {number}"));
            let free = iter::once(name.clone())
                .chain(numbered)
                .find(|name| !self.contains_key(name));
            self.insert(free.unwrap_or(name), value);
        }
    }
}

impl Redact for Json {
    fn redact(&mut self, redactor: &Redactor) {
        if !redactor.is_free_of_secrets(self.text()) {
            self.change(|value| value.redact(redactor));
        }
    }
}

impl Redact for Metadata {
    fn redact(&mut self, redactor: &Redactor) {
        self.change(
            |map| map.redact(redactor),
            |json| redactor.is_free_of_secrets(json),
        );
    }
}

impl Redact for UnknownFields {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.iter_mut().for_each(|value| value.redact(redactor));
    }
}

impl<T: Redact> Redact for Box<T> {
    fn redact(&mut self, redactor: &Redactor) {
        (**self).redact(redactor);
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.iter_mut().for_each(|value| value.redact(redactor));
    }
}

impl<T: Redact> Redact for IndexMap<String, T> {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
    }
}

macro_rules! without_text {
    ($($type:ty),+) => {
        $(impl Redact for $type {
            fn redact(&mut self, _: &Redactor) {}
        })+
    };
}

without_text!(bool, f64, i64, u64, Number, Role, Status, Time);

/// Lists every field in a pattern, so that a new field does not compile until it is added here.
macro_rules! field_by_field {
    ($($type:ident { $($field:ident),+ })+) => {
        $(impl Redact for $type {
            fn redact(&mut self, redactor: &Redactor) {
                let $type { $($field),+ } = self;
                $($field.redact(redactor);)+
            }
        })+

    };
}

macro_rules! events_field_by_field {
    ($($type:ident { $($field:ident),+ })+) => {
        field_by_field! { $($type { $($field),+ })+ }

        impl Redact for Event {
            fn redact(&mut self, redactor: &Redactor) {
                match self {
                    $(Event::$type(event) => event.redact(redactor)),+
                }
            }
        }
    };
}

events_field_by_field! {
    SuiteStarted { time, example_count, load_time, seed, run_id, git_commit, metadata }
    SuiteStopped { time }
    SuiteSummary { time, duration, example_count, failure_count, pending_count }
    GroupStarted { time, description, file_path, line_number }
    GroupFinished { time, description }
    ExampleStarted {
        time, example_id, stable_id, canonical_path, description, full_description, location, scenario, position,
        metadata
    }
    ExamplePassed { time, example_id, stable_id, description, full_description, duration, metadata }
    ExampleFailed {
        time, example_id, stable_id, description, full_description, location, duration, message, backtrace,
        exception_class, metadata
    }
    ExamplePending { time, example_id, stable_id, description, full_description, message }
    SimulationStarted { time, example_id, goal, max_turns }
    SimulationEnded { time, example_id, turn_count, termination_reason }
    UserMessage { time, example_id, turn_number, text, source, metadata }
    AgentResponse { time, example_id, turn_number, text, tool_calls, metadata }
    TopicChanged { time, example_id, turn_number, from_topic, to_topic, trigger }
    ToolCallCompleted { time, example_id, turn_number, tool_name, arguments, result, error, metadata }
    EvaluationRecorded {
        time, example_id, turn_number, mode, r#type, name, description, passed, reasoning, failure_message, metadata
    }
}

field_by_field! {
    ToolCall { name, arguments, result, error, metadata }
    RunData {
        schema_version, run_id, started_at, finished_at, seed, git_commit, metadata, scenarios, examples, extra
    }
    ScenarioData { id, name, goal, personality, context, verification, data, extra }
    ExampleData {
        id, stable_id, canonical_path, scenario_id, file, description, full_description, location, status, started_at,
        finished_at, duration_ms, exception, conversation, evaluations, metadata, extra
    }
    ExceptionData { class_name, message, backtrace, location, extra }
    ConversationData { started_at, ended_at, turns, final_topic, metadata, extra }
    TurnData { number, user_message, agent_response, tool_calls, topic, metadata, extra }
    MessageData { role, content, timestamp, source, metadata, extra }
    ToolCallData { name, arguments, result, error, timestamp, metadata, extra }
    EvaluationData {
        name, description, passed, reasoning, timestamp, mode, r#type, failure_message, turn_number, metadata, extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{decode, encode};

    #[test]
    fn names_select_values_and_short_values_are_not_redacted() {
        let environment = [
            ("API_KEY", "abcdef"),
            ("my_token", "lower-case-name"),
            ("SHORT_SECRET", "abc"),
            ("PLAIN", "plain-value"),
            ("EMPTY_PASSWORD", ""),
        ];
        let redactor = Redactor::new(DEFAULT_PATTERNS, environment).unwrap();
        assert_eq!(
            redactor.text("abcdef lower-case-name abc plain-value"),
            "[redacted] [redacted] abc plain-value"
        );
        assert_eq!(
            Redactor::new(["PL?IN"], environment)
                .unwrap()
                .text("plain-value"),
            REDACTED
        );
        assert!(Redactor::new(["[z-"], environment).is_err());
    }

    #[test]
    fn the_longest_matching_secret_is_redacted() {
        let redactor = Redactor::of(["secret", "secret-and-more"]);
        assert_eq!(
            redactor.text("secret-and-more, secret-and"),
            "[redacted], [redacted]-and"
        );
    }

    #[test]
    fn a_secret_truncated_in_the_middle_is_redacted() {
        let redactor = Redactor::of(["s3cr3t-value-1234"]);
        for (text, redacted) in [
            ("it is s3cr3t-val…", "it is [redacted]…"),
            ("it is s3cr3… (9 bytes)", "it is s3cr3… (9 bytes)"),
            ("…value-1234 was it", "…[redacted] was it"),
            (
                "a s3cr3t-\n[… 9 bytes left out …]\nlue-1234 b",
                "a [redacted]\n[… 9 bytes left out …]\n[redacted] b",
            ),
            ("wait… then s3cr3t-val", "wait… then s3cr3t-val"),
            ("…………s3cr3t-v…………e-1234…", "…………[redacted]…………[redacted]…"),
        ] {
            assert_eq!(redactor.text(text), redacted);
        }
    }

    #[test]
    fn a_secret_is_redacted_in_the_keys_of_a_tool_result() {
        let redactor = Redactor::of(["s3cr3t-value", "password"]);
        let mut value =
            serde_json::json!({"s3cr3t-value": [{"for s3cr3t-value": 1}], "password": 2});
        value.redact(&redactor);
        assert_eq!(
            value,
            serde_json::json!({"[redacted]": [{"for [redacted]": 1}], "password": 2})
        );
        let mut metadata = Metadata::from_iter([("s3cr3t-value", 1), ("S3CR3T-VALUE", 2)]);
        let redactor = Redactor::of(["s3cr3t-value", "S3CR3T-VALUE"]);
        metadata.redact(&redactor);
        let kept = Metadata::from_iter([("[redacted]", 1), ("[redacted] 2", 2)]);
        assert_eq!(metadata, kept);
    }

    #[test]
    fn every_text_of_an_event_is_redacted_and_the_json_structure_is_not() {
        // Secrets that look like JSON syntax or a field's name must not change the structure.
        let redactor = Redactor::of([r#"":{"x"#, "payload", "tool_calls", "hidden-value"]);
        let line = r#"{"event_type":"AgentResponse","payload":{"time":"2026-11-15T08:40:51.000+00:00",
            "example_id":"1","turn_number":1,"text":"say hidden-value","tool_calls":[{"name":"hidden-value",
            "arguments":{"payload":["hidden-value",{"deep":"a payload"}]},"result":"hidden-value","error":null,
            "metadata":{"k":"hidden-value"}}],"metadata":{"tracing":{"prompt":"hidden-value"}}}}"#;
        let mut event = decode(line).unwrap();
        redactor.apply(&mut event);
        let written = encode(&event);
        assert_eq!(decode(&written).unwrap(), event);
        assert!(!written.contains("hidden-value"), "{written}");
        assert_eq!(written.matches(REDACTED).count(), 7, "{written}");
    }
}
