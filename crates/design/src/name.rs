//! The name of a characteristic, kept in parts: the receiver and the attribute.

/// Ruby keywords, RSpec methods and names that skeletons use.
#[rustfmt::skip]
const RESERVED_NAMES: [&str; 50] = [
    "alias", "allow", "and", "begin", "break", "case", "class", "def", "defined", "described_class",
    "do", "else", "elsif", "end", "ensure", "example", "expect", "false", "for", "if", "in",
    "initialize", "it", "method", "module", "name", "next", "nil", "not", "object_id", "or",
    "receive", "redo", "rescue", "result", "retry", "return", "self", "send", "service", "subject",
    "super", "then", "true", "undef", "unless", "until", "when", "while", "yield",
];

/// Whether a `let` in a spec cannot have this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED_NAMES.contains(&name)
}

/// The name of the `let` for a value with this name.
pub(crate) fn let_name(name: &str) -> String {
    if is_reserved(name) {
        format!("given_{name}")
    } else {
        name.to_owned()
    }
}

/// A name with its parts, so that it can be written with or without its receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name with the receiver: `user_active`.
    pub full: String,
    /// The receiver, or for a bare value the value itself.
    pub subject: Option<String>,
    /// The attribute of the receiver: `active`. `None` without a receiver.
    pub attribute: Option<String>,
}

impl Name {
    /// A name without a receiver that does not refer to a value either.
    pub(crate) fn plain(name: impl Into<String>) -> Name {
        Name {
            full: name.into(),
            subject: None,
            attribute: None,
        }
    }

    /// The name of a bare value.
    pub(crate) fn value(name: impl Into<String>) -> Name {
        let full = name.into();
        Name {
            subject: Some(full.clone()),
            full,
            attribute: None,
        }
    }

    /// The name of a receiver's attribute. The receiver is not repeated when the attribute already starts with it.
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
            subject: Some(receiver.to_owned()),
            attribute: Some(attribute.to_owned()),
        }
    }

    /// Appends a word.
    pub(crate) fn with_suffix(mut self, word: &str) -> Name {
        for name in std::iter::once(&mut self.full).chain(&mut self.attribute) {
            name.reserve_exact(word.len() + 1);
            name.extend(["_", word]);
        }
        self
    }

    /// Adds the object that the receiver belongs to: `order_customer_vip`.
    pub(crate) fn with_owner(self, owner: &str) -> Name {
        let prefixed = |name: String| format!("{owner}_{name}");
        Name {
            full: prefixed(self.full),
            subject: self.subject.map(prefixed),
            attribute: self.attribute,
        }
    }

    /// Adds a detail: at the end, but before the state of a presence, as in `find_card_present`.
    pub(crate) fn with_detail(self, detail: &str) -> Name {
        const STATE: &str = "_present";
        let detailed = |name: &str| match name.strip_suffix(STATE) {
            Some(value) => format!("{value}_{detail}{STATE}"),
            None => format!("{name}_{detail}"),
        };
        Name {
            full: detailed(&self.full),
            attribute: self.attribute.as_deref().map(detailed),
            subject: self.subject,
        }
    }

    /// The name of a part of it, such as an element. A bare value becomes the receiver of the part.
    pub(crate) fn with_part(self, part: &str) -> Name {
        let is_value = self.subject.as_ref() == Some(&self.full) && self.attribute.is_none();
        let attribute = is_value.then(|| part.to_owned());
        let name = self.with_suffix(part);
        Name {
            attribute: attribute.or(name.attribute),
            ..name
        }
    }

    /// The name without its receiver, if it has one.
    pub fn short(&self) -> &str {
        self.attribute.as_deref().unwrap_or(&self.full)
    }
}
