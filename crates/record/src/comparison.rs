//! What an evaluation compared, as recorded in its metadata: `comparison` and `stream`, next to `expected` and
//! `actual`.
//!
//! Reports use these two to choose how to show a failure, never the name of a suite field or the text of a message.
//! Records of other tools and of earlier versions have neither; their expected and actual values are shown unchanged.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::metadata::Metadata;

/// How the expected value was compared with the actual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// The actual text must equal the expected one.
    Equals,
    /// The actual text must contain the expected one.
    Contains,
    /// The actual text must not contain the expected one.
    NotContains,
    /// The expected pattern must match in the actual text.
    Matches,
    /// The expected pattern must not match in the actual text.
    NotMatches,
    /// The JSON value at `pointer` must equal the expected one.
    Json,
    /// The JSON value at `pointer` must meet the expected conditions.
    JsonMatches,
    /// The command must exit with the expected code.
    ExitCode,
    /// The file at `path` must exist, or must not.
    Exists,
    /// The file at `path` must have the expected permissions.
    FileMode,
    /// The folder at `path` must have the expected entries.
    Folder,
    /// The output must equal the snapshot.
    Snapshot,
    /// The agent must have called the expected tools.
    ToolCalls,
    /// The conversation must be in, or have visited, the expected topics.
    Topic,
    /// A number, such as a length, a duration or a cost, must be within bounds.
    Number,
    /// A model judges the conversation.
    Judge,
    /// A command judges the conversation.
    Command,
    /// The conversation must have ended in one of the expected ways.
    End,
    /// Other checks are combined: one of them must pass, or one must not.
    Combined,
}

/// The stream of a command that an evaluation compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output and standard error, captured together.
    Output,
    /// Standard output, captured separately.
    Stdout,
    /// Standard error, captured separately.
    Stderr,
    /// What the terminal of the command shows.
    Screen,
}

impl Comparison {
    /// The comparison in an evaluation's metadata; `None` if it is missing or unknown to this version.
    pub fn of(metadata: &Metadata) -> Option<Comparison> {
        parse_known(metadata, "comparison")
    }
}

impl Stream {
    /// The stream in an evaluation's metadata; `None` if it is missing or unknown to this version.
    pub fn of(metadata: &Metadata) -> Option<Stream> {
        parse_known(metadata, "stream")
    }

    /// Its key in a command's metadata.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Output => "output",
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
            Stream::Screen => "screen",
        }
    }
}

fn parse_known<T: DeserializeOwned>(metadata: &Metadata, key: &str) -> Option<T> {
    T::deserialize(metadata.get(key)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_missing_facts_are_none() {
        let metadata: Metadata = [("comparison", "not_contains"), ("stream", "stderr")]
            .into_iter()
            .collect();
        assert_eq!(Comparison::of(&metadata), Some(Comparison::NotContains));
        assert_eq!(Stream::of(&metadata), Some(Stream::Stderr));
        for metadata in [
            [("comparison", 7.into()), ("stream", true.into())],
            [("comparison", "later".into()), ("stream", "fd5".into())],
            [("comparison", serde_json::Value::Null), ("a", 1.into())],
        ] {
            let metadata: Metadata = metadata.into_iter().collect();
            assert_eq!(Comparison::of(&metadata), None);
            assert_eq!(Stream::of(&metadata), None);
        }
    }
}
