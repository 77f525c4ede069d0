//! Replaces the captured values in the checks of a conversation and in its simulated user.

use serde_json::Value;

use super::{
    CallCheck, CallPattern, ConversationCheck, CriterionRef, Expectation, Pattern, Simulation,
    UserRules,
};

/// Texts and values with captured values in them.
#[derive(Clone, Copy)]
pub struct Replace<'r> {
    /// The text with its values.
    pub text: &'r dyn Fn(&str) -> String,
    /// The value of a string: a text, or the captured value itself if the string is nothing else.
    pub value: &'r dyn Fn(&str) -> Value,
}

impl Expectation {
    /// The expectation with captured values.
    #[must_use]
    pub fn with_values(&self, replace: Replace<'_>) -> Expectation {
        Expectation {
            check: replace.check(&self.check),
            ..self.clone()
        }
    }
}

impl Simulation {
    /// The simulated user with captured values.
    #[must_use]
    pub fn with_values(&self, replace: Replace<'_>) -> Simulation {
        let during = self.during.iter();
        Simulation {
            goal: (replace.text)(&self.goal),
            role: self.role.as_deref().map(replace.text),
            personality: replace.texts(&self.personality),
            context: replace.texts(&self.context),
            rules: replace.rules(&self.rules),
            during: during
                .map(|(topic, rules)| (topic.clone(), replace.rules(rules)))
                .collect(),
            max_turns: self.max_turns,
            stop_when: self
                .stop_when
                .iter()
                .map(|one| one.with_values(replace))
                .collect(),
        }
    }
}

impl Replace<'_> {
    fn texts(self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| (self.text)(text)).collect()
    }

    fn rules(self, rules: &UserRules) -> UserRules {
        UserRules {
            should: self.texts(&rules.should),
            should_not: self.texts(&rules.should_not),
        }
    }

    fn check(self, check: &ConversationCheck) -> ConversationCheck {
        let text = |text: &str| (self.text)(text);
        match check {
            ConversationCheck::Text(check) => ConversationCheck::Text(check.map_texts(&text)),
            ConversationCheck::TextIgnoringCase(check) => {
                ConversationCheck::TextIgnoringCase(check.map_texts(&text))
            }
            ConversationCheck::Json { pointer, pattern } => ConversationCheck::Json {
                pointer: pointer.clone(),
                pattern: self.pattern(pattern),
            },
            ConversationCheck::Returned { tool, with } => ConversationCheck::Returned {
                tool: tool.clone(),
                with: self.pattern(with),
            },
            ConversationCheck::Called(check) => ConversationCheck::Called(self.call(check)),
            ConversationCheck::NotCalled(check) => ConversationCheck::NotCalled(self.call(check)),
            ConversationCheck::Satisfies(CriterionRef::Text(what)) => {
                ConversationCheck::Satisfies(CriterionRef::Text(text(what)))
            }
            ConversationCheck::Intent(what) => ConversationCheck::Intent(text(what)),
            ConversationCheck::Claims(what) => ConversationCheck::Claims(text(what)),
            ConversationCheck::NotClaims(what) => ConversationCheck::NotClaims(text(what)),
            ConversationCheck::Language(what) => ConversationCheck::Language(text(what)),
            ConversationCheck::Grounded { what, from } => ConversationCheck::Grounded {
                what: text(what),
                from: from.clone(),
            },
            ConversationCheck::Run(script) => ConversationCheck::Run(text(script)),
            ConversationCheck::AnyOf(checks) => ConversationCheck::AnyOf(self.checks(checks)),
            ConversationCheck::AllOf(checks) => ConversationCheck::AllOf(self.checks(checks)),
            ConversationCheck::Not(check) => ConversationCheck::Not(Box::new(self.check(check))),
            // Names and numbers.
            other => other.clone(),
        }
    }

    fn checks(self, checks: &[ConversationCheck]) -> Vec<ConversationCheck> {
        checks.iter().map(|check| self.check(check)).collect()
    }

    fn call(self, check: &CallCheck) -> Box<CallCheck> {
        Box::new(CallCheck {
            call: CallPattern {
                with: check.call.with.as_ref().map(|with| self.pattern(with)),
                ..check.call.clone()
            },
            ..check.clone()
        })
    }

    fn pattern(self, pattern: &Pattern) -> Pattern {
        let values = |values: &[Value]| values.iter().map(|value| self.json(value)).collect();
        let patterns = |parts: &[Pattern]| parts.iter().map(|part| self.pattern(part)).collect();
        match pattern {
            Pattern::Is(value) => Pattern::Is(self.json(value)),
            Pattern::Contains(value) => Pattern::Contains(self.json(value)),
            Pattern::OneOf(all) => Pattern::OneOf(values(all)),
            Pattern::Matches(ere) => Pattern::Matches((self.text)(ere)),
            Pattern::List(items) => Pattern::List(patterns(items)),
            Pattern::All(parts) => Pattern::All(patterns(parts)),
            Pattern::Has(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(key, part)| (key.clone(), self.pattern(part)));
                Pattern::Has(fields.collect())
            }
            Pattern::Within(_) | Pattern::Absent | Pattern::Type(_) | Pattern::Length(_) => {
                pattern.clone()
            }
        }
    }

    fn json(self, value: &Value) -> Value {
        match value {
            Value::String(text) => (self.value)(text),
            Value::Array(values) => values.iter().map(|value| self.json(value)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, value)| (key.clone(), self.json(value)))
                .collect(),
            other => other.clone(),
        }
    }
}
