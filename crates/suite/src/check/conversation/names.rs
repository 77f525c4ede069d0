//! The names of criteria, topics and tools.

use casebook_source::{Code, Diagnostic, Span, closest_match};

use crate::codes::{
    CONFLICT, MISSING_FIELD, UNKNOWN_CRITERION, UNKNOWN_TOOL, UNKNOWN_TOPIC, VACUOUS,
};
use crate::model::conversation::{Criterion, CriterionRef, Scale, is_tool, tool_pattern};
use crate::reader::{Reader, Text};
use crate::run_time::shown;

/// The names that the checks of a test can use.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    /// With the scale of those that have a score.
    pub(super) criteria: Vec<(String, Option<Scale>)>,
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
        match self.criteria.iter().find(|(known, _)| known == name) {
            Some((_, None)) => return Some(CriterionRef::Criterion(name.clone())),
            Some((_, Some(scale))) => {
                let message = format!("`{name}` has a score, so `satisfies` requires a minimum");
                let help = format!(
                    "write `satisfies: {{criterion: {name}, min: {}}}`",
                    f64::midpoint(scale.min, scale.max)
                );
                reader
                    .note(MISSING_FIELD, text.span, message)
                    .help_last(&help);
                return None;
            }
            None => {}
        }
        if name.contains(char::is_whitespace) {
            return Some(CriterionRef::Text(name.clone()));
        }
        let message = format!("unknown criterion `{name}`");
        let default_help = "define it under `criteria:`, or write the criterion as a sentence";
        let names: Vec<_> = self.criteria.iter().map(|(name, _)| name.clone()).collect();
        unknown(
            UNKNOWN_CRITERION,
            text,
            message,
            &names,
            default_help,
            reader,
        );
        None
    }

    /// A criterion with a score of at least `min`.
    pub(super) fn scored(
        &self,
        text: &Text,
        min: (f64, Span),
        reader: &mut Reader<'_, '_>,
    ) -> Option<CriterionRef> {
        let (min, span) = min;
        let name = text.text.clone();
        let known = self.criteria.iter().find(|(known, _)| *known == name);
        let Some((_, scale)) = known else {
            return self.criterion(text, reader);
        };
        let problem = match scale {
            None => {
                let message = format!("`min` has no effect here: `{name}` has no score");
                reader
                    .note(CONFLICT, span, message)
                    .help_last("add `scale: {…}` or `score: true` to the criterion");
                return None;
            }
            Some(scale) if min > scale.max => {
                format!(
                    "this can never pass: the highest score of `{name}` is {}",
                    scale.max
                )
            }
            Some(scale) if min <= scale.min => {
                format!(
                    "this always passes: the lowest score of `{name}` is {}",
                    scale.min
                )
            }
            Some(_) => return Some(CriterionRef::Scored { name, min }),
        };
        reader.note(VACUOUS, span, problem);
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

    /// Whether the tool is declared, or, for a pattern, any declared tool matches it.
    pub(super) fn tool(&self, tool: &Text, reader: &mut Reader<'_, '_>) -> bool {
        if let Some(pattern) = tool_pattern(&tool.text) {
            return self.tool_pattern(pattern, tool.span, reader);
        }
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

impl KnownNames {
    fn tool_pattern(&self, pattern: &str, span: Span, reader: &mut Reader<'_, '_>) -> bool {
        let text = pattern.to_owned();
        if !reader.check_pattern("tool", &Text { text, span }) {
            return false;
        }
        let mut tools = self.tools.iter();
        let text = format!("/{pattern}/");
        if self.tools.is_empty() || tools.any(|tool| is_tool(&text, tool)) {
            return true;
        }
        let message = format!("no tool matches `/{pattern}/`");
        let help = format!("the tools are {}", self.tools.join(", "));
        reader.note(UNKNOWN_TOOL, span, message).help_last(&help);
        false
    }
}

/// A criterion as [`KnownNames`] keeps it.
pub(super) fn known_criterion(criterion: &Criterion) -> (String, Option<Scale>) {
    (criterion.name.clone(), criterion.scale.clone())
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
        .push(Diagnostic::error(code, text.span, shown(&message)).help(help));
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

impl JudgeQuery {
    /// The keys of scripted verdicts on it. Captured values are `{{name}}` in them.
    pub(super) fn keys(&self) -> [String; 2] {
        let text = shown(&self.text);
        let qualified = format!("{} {text}", self.check);
        [text, qualified]
    }
}
