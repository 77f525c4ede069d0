//! The names of criteria, topics and tools.

use casebook_source::{Code, Diagnostic, Span, closest_match};

use crate::codes::{UNKNOWN_CRITERION, UNKNOWN_TOOL, UNKNOWN_TOPIC};
use crate::model::conversation::CriterionRef;
use crate::reader::{Reader, Text};

/// The names that the checks of a test can use.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    pub(super) criteria: Vec<String>,
    pub(super) topics: Vec<String>,
    /// Empty if no tools are declared; then any name is accepted.
    pub(super) tools: Vec<String>,
}

impl KnownNames {
    /// A known criterion, or free text. A single word that is not known is reported, because it is most likely a typo.
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
        let message = format!("unknown criterion `{name}`");
        let default_help = "define it under `criteria:`, or write the criterion as a sentence";
        unknown(
            UNKNOWN_CRITERION,
            text,
            message,
            &self.criteria,
            default_help,
            reader,
        );
        None
    }

    pub(super) fn topic(&self, topic: &Text, reader: &mut Reader<'_, '_>) -> bool {
        if self.topics.contains(&topic.text) {
            return true;
        }
        let message = format!("unknown topic `{}`", topic.text);
        let default_help = "define it under `topics:`";
        unknown(
            UNKNOWN_TOPIC,
            topic,
            message,
            &self.topics,
            default_help,
            reader,
        );
        false
    }

    pub(super) fn tool(&self, tool: &Text, reader: &mut Reader<'_, '_>) -> bool {
        if self.tools.is_empty() || self.tools.contains(&tool.text) {
            return true;
        }
        let message = format!("unknown tool `{}`", tool.text);
        let default_help = "declare it under `tools:`";
        unknown(
            UNKNOWN_TOOL,
            tool,
            message,
            &self.tools,
            default_help,
            reader,
        );
        false
    }
}

fn unknown(
    code: Code,
    text: &Text,
    message: String,
    known: &[String],
    default_help: &str,
    reader: &mut Reader<'_, '_>,
) {
    let suggestion = closest_match(&text.text, known.iter().map(String::as_str));
    let help = suggestion.map_or_else(
        || default_help.to_owned(),
        |name| format!("did you mean `{name}`?"),
    );
    reader
        .problems
        .push(Diagnostic::error(code, text.span, message).help(help));
}

/// A decision that a judge must make.
#[derive(Debug, Clone)]
pub(crate) struct JudgeQuery {
    pub(super) span: Span,
    /// The name of the check.
    pub(super) check: &'static str,
    /// The criterion's name, or the text of the check.
    pub(super) text: String,
}
