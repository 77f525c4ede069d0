//! Selects tests by name and by tag.

use std::fmt;
use std::str::FromStr;

use casebook_suite::ere::Ere;

/// A name filter: text, or `/ERE/`.
#[derive(Debug)]
pub enum Filter {
    /// Names that contain this text.
    Text(String),
    /// Names that match this pattern.
    Pattern(Ere),
}

/// A filter that cannot be parsed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct InvalidFilter(String);

impl Filter {
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Filter::Text(text) => name.contains(text),
            Filter::Pattern(pattern) => pattern.is_match(name.as_bytes()),
        }
    }
}

impl FromStr for Filter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<Filter, InvalidFilter> {
        let pattern = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'))
            .filter(|pattern| !pattern.is_empty());
        match pattern {
            None => Ok(Filter::Text(text.to_owned())),
            Some(pattern) => Ere::new(pattern)
                .map(Filter::Pattern)
                .map_err(|error| InvalidFilter(error.to_string())),
        }
    }
}

/// Tags that a test must all have or, with a `!`, must not have: `slow,!net`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagFilter {
    required: Vec<String>,
    excluded: Vec<String>,
}

impl TagFilter {
    /// The tags that a test must have.
    pub fn required_tags(&self) -> &[String] {
        &self.required
    }

    pub(super) fn matches(&self, tags: &[String]) -> bool {
        self.required.iter().all(|tag| tags.contains(tag))
            && !self.excluded.iter().any(|tag| tags.contains(tag))
    }
}

impl FromStr for TagFilter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<TagFilter, InvalidFilter> {
        let mut filter = TagFilter {
            required: Vec::new(),
            excluded: Vec::new(),
        };
        for tag in text.split(',').map(str::trim) {
            match tag.strip_prefix('!') {
                Some("") => return Err(InvalidFilter("a tag is missing after `!`".into())),
                Some(tag) => filter.excluded.push(tag.to_owned()),
                None if tag.is_empty() => return Err(InvalidFilter("a tag is empty".into())),
                None => filter.required.push(tag.to_owned()),
            }
        }
        Ok(filter)
    }
}

impl fmt::Display for TagFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let excluded = self.excluded.iter().map(|tag| format!("!{tag}"));
        let all: Vec<_> = self.required.iter().cloned().chain(excluded).collect();
        f.write_str(&all.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_selected_by_text_or_pattern() {
        for (filter, name, expected) in [
            ("add", "it adds", true),
            ("Add", "it adds", false),
            ("/^it/", "it adds", true),
            ("/^adds/", "it adds", false),
            ("/", "a/b", true),
            ("//", "a//b", true),
        ] {
            let selected = filter.parse::<Filter>().unwrap().matches(name);
            assert_eq!(selected, expected, "{filter} on {name}");
        }
        assert!("/(/".parse::<Filter>().is_err());
    }

    #[test]
    fn tags_are_joined_by_and_and_negated() {
        let tags = ["slow".to_owned(), "net".to_owned()];
        for (filter, expected) in [
            ("slow", true),
            ("slow,net", true),
            ("slow,fast", false),
            ("!fast", true),
            ("slow,!net", false),
        ] {
            assert_eq!(
                filter.parse::<TagFilter>().unwrap().matches(&tags),
                expected,
                "{filter}"
            );
        }
        for bad in ["", "a,", "!", "a,!"] {
            assert!(bad.parse::<TagFilter>().is_err(), "{bad}");
        }
    }
}
