//! Choosing tests by name and by tag.

use std::fmt;
use std::str::FromStr;

use casebook_suite::ere::Ere;

/// A part of a name, or `/ERE/`.
#[derive(Debug)]
pub enum Filter {
    /// Names with this text in them.
    Text(String),
    /// Names in which this matches.
    Pattern(Ere),
}

/// A filter that is no pattern.
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

/// Tags that must all be there, and with a `!` must not: `slow,!net`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagFilter {
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

impl TagFilter {
    /// The tags that must be there.
    pub fn required_tags(&self) -> &[String] {
        &self.wanted
    }

    pub(super) fn matches(&self, tags: &[String]) -> bool {
        self.wanted.iter().all(|tag| tags.contains(tag))
            && !self.unwanted.iter().any(|tag| tags.contains(tag))
    }
}

impl FromStr for TagFilter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<TagFilter, InvalidFilter> {
        let mut filter = TagFilter {
            wanted: Vec::new(),
            unwanted: Vec::new(),
        };
        for tag in text.split(',').map(str::trim) {
            match tag.strip_prefix('!') {
                Some("") => return Err(InvalidFilter("there is no tag behind the `!`".into())),
                Some(tag) => filter.unwanted.push(tag.to_owned()),
                None if tag.is_empty() => return Err(InvalidFilter("a tag is empty".into())),
                None => filter.wanted.push(tag.to_owned()),
            }
        }
        Ok(filter)
    }
}

impl fmt::Display for TagFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unwanted = self.unwanted.iter().map(|tag| format!("!{tag}"));
        let all: Vec<_> = self.wanted.iter().cloned().chain(unwanted).collect();
        f.write_str(&all.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_chosen_by_text_or_pattern() {
        for (filter, name, wanted) in [
            ("add", "it adds", true),
            ("Add", "it adds", false),
            ("/^it/", "it adds", true),
            ("/^adds/", "it adds", false),
            ("/", "a/b", true),
            ("//", "a//b", true),
        ] {
            let chosen = filter.parse::<Filter>().unwrap().matches(name);
            assert_eq!(chosen, wanted, "{filter} on {name}");
        }
        assert!("/(/".parse::<Filter>().is_err());
    }

    #[test]
    fn tags_are_joined_by_and_and_negated() {
        let tags = ["slow".to_owned(), "net".to_owned()];
        for (filter, wanted) in [
            ("slow", true),
            ("slow,net", true),
            ("slow,fast", false),
            ("!fast", true),
            ("slow,!net", false),
        ] {
            assert_eq!(
                filter.parse::<TagFilter>().unwrap().matches(&tags),
                wanted,
                "{filter}"
            );
        }
        for bad in ["", "a,", "!", "a,!"] {
            assert!(bad.parse::<TagFilter>().is_err(), "{bad}");
        }
    }
}
