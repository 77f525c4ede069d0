//! What a characteristic is called, in parts: of what something is asked, and what is asked.

/// Names that Ruby needs for itself, or RSpec, or a skeleton.
#[rustfmt::skip]
const RESERVED_NAMES: [&str; 50] = [
    "alias", "allow", "and", "begin", "break", "case", "class", "def", "defined", "described_class",
    "do", "else", "elsif", "end", "ensure", "example", "expect", "false", "for", "if", "in",
    "initialize", "it", "method", "module", "name", "next", "nil", "not", "object_id", "or",
    "receive", "redo", "rescue", "result", "retry", "return", "self", "send", "service", "subject",
    "super", "then", "true", "undef", "unless", "until", "when", "while", "yield",
];

/// Whether a name cannot be given to anything in a spec.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED_NAMES.contains(&name)
}

/// What a value of this name is called in a spec.
pub(crate) fn let_name(name: &str) -> String {
    if is_reserved(name) {
        format!("given_{name}")
    } else {
        name.to_owned()
    }
}

/// A name of which it is known how it came about, so that whoever writes it down can leave the receiver away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// With the receiver: `user_active`.
    pub full: String,
    /// What it is about: the receiver, or the value itself.
    pub of: Option<String>,
    /// What a receiver is asked: `active`. None where there is none.
    pub attribute: Option<String>,
}

impl Name {
    /// A name that is about nothing else.
    pub(crate) fn plain(name: impl Into<String>) -> Name {
        Name {
            full: name.into(),
            of: None,
            attribute: None,
        }
    }

    /// The name of a value that is asked about itself.
    pub(crate) fn value(name: impl Into<String>) -> Name {
        let full = name.into();
        Name {
            of: Some(full.clone()),
            full,
            attribute: None,
        }
    }

    /// What a receiver is asked. It is not repeated where the attribute already begins with it.
    pub(crate) fn with_receiver(receiver: &str, attribute: &str) -> Name {
        let repeats = attribute
            .strip_prefix(receiver)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
        let full = if repeats {
            attribute.to_owned()
        } else {
            format!("{receiver}_{attribute}")
        };
        Name {
            full,
            of: Some(receiver.to_owned()),
            attribute: Some(attribute.to_owned()),
        }
    }

    /// With another word behind it.
    pub(crate) fn and(mut self, word: &str) -> Name {
        let words = ["_", word];
        self.full.extend(words);
        if let Some(attribute) = &mut self.attribute {
            attribute.extend(words);
        }
        self
    }

    /// A part of it: of a value it is what that is asked, always with the value's name.
    pub(crate) fn at(self, part: &str) -> Name {
        let is_value = self.of.as_ref() == Some(&self.full) && self.attribute.is_none();
        let attribute = is_value.then(|| part.to_owned());
        let whole = self.and(part);
        Name {
            attribute: attribute.or(whole.attribute),
            ..whole
        }
    }

    /// Without the receiver, where it has one.
    pub fn short(&self) -> &str {
        self.attribute.as_deref().unwrap_or(&self.full)
    }
}
