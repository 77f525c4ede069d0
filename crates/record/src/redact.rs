//! Secrets: values of the environment that must not reach a file or a screen.

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

/// What a secret is replaced by.
pub const REDACTED: &str = "[redacted]";

/// The names of environment variables that hold secrets unless told otherwise.
pub const DEFAULT_PATTERNS: [&str; 4] = ["*KEY*", "*TOKEN*", "*SECRET*", "*PASSWORD*"];

/// Shorter values are left alone: they stand in too many texts that are no secret.
const MIN_SECRET_CHARS: usize = 6;

/// A name pattern that is no glob.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is not a name pattern such as *TOKEN*: {reason}")]
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
    /// The same, to be found where a text was cut in the middle of one.
    whole: Vec<String>,
}

impl Redactor {
    /// Hides the values of those environment variables whose names match one of the patterns (`*` and `?`, upper
    /// and lower case alike).
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

    /// Hides these values, but for those too short to be told from ordinary words.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Redactor {
        let secrets: Vec<_> = secrets
            .into_iter()
            .filter(|secret| secret.chars().count() >= MIN_SECRET_CHARS)
            .flat_map(forms)
            .collect();
        if secrets.is_empty() {
            return Redactor::default();
        }
        // Of two secrets that begin alike the longer one is hidden whole.
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&secrets)
            .expect("an environment is far smaller than what an automaton can hold");
        Redactor {
            secrets: Some(automaton),
            whole: secrets,
        }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.secrets.is_none()
    }

    /// The text with its secrets replaced.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.hide(&mut text);
        text
    }

    /// Replaces the secrets in every text value of an event or of run data.
    pub fn apply(&self, data: &mut impl Redact) {
        if !self.is_empty() {
            data.redact(self);
        }
    }

    /// Whether JSON text is certainly free of secrets. Where there are escapes, only its parsed strings can tell.
    fn finds_nothing_in_json(&self, json: &str) -> bool {
        self.secrets
            .as_ref()
            .is_none_or(|secrets| !needs_parsing(json) && !secrets.is_match(json))
    }

    fn hide(&self, text: &mut String) {
        let Some(secrets) = &self.secrets else { return };
        if secrets.is_match(text.as_str()) {
            let mut replaced = String::with_capacity(text.len());
            secrets.replace_all_with(text, &mut replaced, |_, _, into| {
                into.push_str(REDACTED);
                true
            });
            *text = replaced;
        }
        truncated::redact_truncated(text, &self.whole);
    }

    /// The name of an entry, if it holds a secret. Fields of records are lower-case words, which are left alone, so that
    /// a record keeps its form whatever the secrets are.
    fn hidden_key(&self, key: &str) -> Option<String> {
        let is_field = key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let hidden = (!is_field).then(|| self.text(key))?;
        (hidden != key).then_some(hidden)
    }
}

/// Whether only the strings of a JSON text tell what is in it: it has escapes, or marks of something cut.
fn needs_parsing(json: &str) -> bool {
    // Each for itself is found far faster than both at once.
    json.contains('\\') || json.contains(truncated::MARK)
}

/// As it stands, as messages quote it, and as JSON inside of a text does.
fn forms(secret: &str) -> [String; 3] {
    let unquoted = |quoted: String| quoted[1..quoted.len() - 1].to_owned();
    let json = serde_json::to_string(secret).expect("a text is JSON");
    [
        secret.to_owned(),
        unquoted(format!("{secret:?}")),
        unquoted(json),
    ]
}

/// Data with texts in it.
pub trait Redact {
    /// Replaces the secrets in every text value.
    fn redact(&mut self, redactor: &Redactor);
}

impl Redact for String {
    fn redact(&mut self, redactor: &Redactor) {
        redactor.hide(self);
    }
}

impl Redact for Value {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Value::String(text) => redactor.hide(text),
            Value::Array(list) => list.redact(redactor),
            Value::Object(map) => map.redact(redactor),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl Redact for Map<String, Value> {
    fn redact(&mut self, redactor: &Redactor) {
        self.values_mut().for_each(|value| value.redact(redactor));
        if !self.keys().any(|key| redactor.hidden_key(key).is_some()) {
            return;
        }
        for (key, value) in std::mem::take(self) {
            let name = redactor.hidden_key(&key).unwrap_or(key);
            // Two secrets look the same once they are hidden, and both entries stay.
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
        if !redactor.finds_nothing_in_json(self.text()) {
            self.change(|value| value.redact(redactor));
        }
    }
}

impl Redact for Metadata {
    fn redact(&mut self, redactor: &Redactor) {
        self.change(
            |map| map.redact(redactor),
            |json| redactor.finds_nothing_in_json(json),
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

/// Lists every field, so that a new one cannot be forgotten: the pattern would not compile.
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
    fn names_choose_and_short_values_stay() {
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
    fn the_longest_secret_wins() {
        let redactor = Redactor::of(["secret", "secret-and-more"]);
        assert_eq!(
            redactor.text("secret-and-more, secret-and"),
            "[redacted], [redacted]-and"
        );
    }

    #[test]
    fn a_secret_is_hidden_where_a_text_was_cut_in_it() {
        let redactor = Redactor::of(["s3cr3t-value-1234"]);
        for (text, hidden) in [
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
            assert_eq!(redactor.text(text), hidden);
        }
    }

    #[test]
    fn a_secret_is_hidden_in_the_names_of_what_a_tool_returns() {
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
    fn every_text_of_an_event_and_never_the_json_itself() {
        // A secret that looks like JSON syntax or a field's name leaves the structure alone.
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
