//! What can be named in a conversation: criteria, topics, tools.

use casebook_source::{Code, Diagnostic, Span, closest_match};

use crate::codes::{UNKNOWN_CRITERION, UNKNOWN_TOOL, UNKNOWN_TOPIC};
use crate::model::conversation::CriterionRef;
use crate::reader::{Reader, Text};

/// The names that a test can use.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    pub(super) criteria: Vec<String>,
    pub(super) topics: Vec<String>,
    /// None declared means that any name may be one.
    pub(super) tools: Vec<String>,
}

impl KnownNames {
    /// A criterion's name, or one in words: a single word is a name.
    pub(super) fn criterion(
        &self,
        text: &Text,
        reader: &mut Reader<'_, '_>,
    ) -> Option<CriterionRef> {
        let name = &text.text;
        if self.criteria.contains(name) {
            return Some(CriterionRef::Criterion(name.clone()));
        }
        if name.contains(char::is_whitespace) {
            return Some(CriterionRef::Text(name.clone()));
        }
        let message = format!("there is no criterion `{name}`");
        let otherwise = "define it under `criteria:`, or say what is meant in more than one word";
        unknown(
            UNKNOWN_CRITERION,
            text,
            message,
            &self.criteria,
            otherwise,
            reader,
        );
        None
    }

    pub(super) fn topic(&self, topic: &Text, reader: &mut Reader<'_, '_>) -> bool {
        if self.topics.contains(&topic.text) {
            return true;
        }
        let message = format!("there is no topic `{}`", topic.text);
        let otherwise = "define it under `topics:`";
        unknown(
            UNKNOWN_TOPIC,
            topic,
            message,
            &self.topics,
            otherwise,
            reader,
        );
        false
    }

    pub(super) fn tool(&self, tool: &Text, reader: &mut Reader<'_, '_>) -> bool {
        if self.tools.is_empty() || self.tools.contains(&tool.text) {
            return true;
        }
        let message = format!("the agent has no tool `{}`", tool.text);
        let otherwise = "declare it under `tools:`";
        unknown(UNKNOWN_TOOL, tool, message, &self.tools, otherwise, reader);
        false
    }
}

fn unknown(
    code: Code,
    text: &Text,
    message: String,
    known: &[String],
    otherwise: &str,
    reader: &mut Reader<'_, '_>,
) {
    let near = closest_match(&text.text, known.iter().map(String::as_str));
    let help = near.map_or_else(
        || otherwise.to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    reader
        .problems
        .push(Diagnostic::error(code, text.span, message).help(help));
}

/// Something that a judge is asked.
#[derive(Debug, Clone)]
pub(crate) struct JudgeQuery {
    pub(super) span: Span,
    /// The check that asks.
    pub(super) check: &'static str,
    /// The criterion's name, or what it is about.
    pub(super) text: String,
}
