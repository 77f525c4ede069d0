//! [`Normalizers`]: replace what differs from run to run before complete texts are compared.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use casebook_suite::ere::Ere;
use casebook_suite::normalizer::{BUILT_IN, BuiltIn, Directory, Normalizer};
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::pattern::{Groups, MatchError, within_limit};

/// The normalizers of a test.
#[derive(Debug, Clone)]
pub(crate) struct Normalizers(Vec<Substitution>);

/// Replaces what a pattern matches.
#[derive(Debug, Clone)]
struct Substitution {
    pattern: Pattern,
    replacement: String,
}

#[derive(Debug, Clone)]
enum Pattern {
    /// Of Casebook.
    Known(Regex),
    /// A POSIX ERE of the suite.
    Ere(String),
}

/// The paths of the directories of a test, with and without symbolic links.
#[derive(Debug, Clone, Default)]
pub(crate) struct Directories {
    pub(crate) home: Vec<String>,
    pub(crate) temporary: Vec<String>,
    pub(crate) working: Vec<String>,
}

/// The path, and the one without symbolic links if it is another. The longer one is first, because it may contain the other.
pub(crate) fn paths(dir: &Path) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut paths = vec![text(dir)];
    paths.extend(fs::canonicalize(dir).ok().map(|real| text(&real)));
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    paths.dedup();
    paths
}

impl Normalizers {
    /// No normalizers.
    pub(crate) const fn none() -> Normalizers {
        Normalizers(Vec::new())
    }

    /// Prepares normalizers. The directories are asked for only if there are any.
    pub(crate) fn new(
        normalizers: &[Normalizer],
        directories: impl FnOnce() -> Directories,
    ) -> Normalizers {
        if normalizers.is_empty() {
            return Normalizers::none();
        }
        let directories = directories();
        let all = normalizers.iter();
        Normalizers(
            all.flat_map(|normalizer| substitutions(normalizer, &directories))
                .collect(),
        )
    }

    /// The text as all normalizers change it, line by line.
    pub(crate) fn apply<'t>(&self, text: &'t [u8]) -> Result<Cow<'t, [u8]>, MatchError> {
        if self.0.is_empty() {
            return Ok(text.into());
        }
        let has_own = |one: &Substitution| matches!(one.pattern, Pattern::Ere(_));
        if !self.0.iter().any(has_own) {
            return self.apply_now(text).map(Cow::Owned);
        }
        let normalizers = self.clone();
        let normalized = within_limit(text, move |text| normalizers.apply_now(text));
        normalized.map(Cow::Owned)
    }

    fn apply_now(&self, text: &[u8]) -> Result<Vec<u8>, MatchError> {
        let mut text = text.to_vec();
        for substitution in &self.0 {
            text = substitution.apply(&text)?;
        }
        Ok(text)
    }
}

fn substitutions(normalizer: &Normalizer, directories: &Directories) -> Vec<Substitution> {
    match normalizer {
        Normalizer::BuiltIn(built_in) => vec![Substitution {
            pattern: Pattern::Known(regex_of(built_in).clone()),
            replacement: built_in.replacement.to_owned(),
        }],
        Normalizer::Own {
            pattern,
            replacement,
        } => vec![Substitution {
            pattern: Pattern::Ere(pattern.clone()),
            replacement: replacement.clone(),
        }],
        Normalizer::Directory(directory) => {
            let paths = match directory {
                Directory::Home => &directories.home,
                Directory::Temporary => &directories.temporary,
                Directory::Working => &directories.working,
            };
            // The root directory is in every path.
            let paths = paths.iter().filter(|path| *path != "/" && !path.is_empty());
            paths.map(|path| of_directory(*directory, path)).collect()
        }
    }
}

fn of_directory(directory: Directory, path: &str) -> Substitution {
    let (pattern, replacement) = directory.pattern(path);
    Substitution {
        pattern: Pattern::Known(compiled(&pattern)),
        replacement,
    }
}

/// The compiled pattern, which is compiled once.
fn regex_of(built_in: &BuiltIn) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; BUILT_IN.len()] =
        [const { OnceLock::new() }; BUILT_IN.len()];
    let index = BUILT_IN.iter().position(|known| known == built_in);
    COMPILED[index.unwrap_or_default()].get_or_init(|| compiled(built_in.pattern))
}

fn compiled(pattern: &str) -> Regex {
    // As `sed` in the C locale does it.
    let mut builder = RegexBuilder::new(pattern);
    builder
        .unicode(false)
        .build()
        .expect("the pattern is valid")
}

impl Substitution {
    fn apply(&self, text: &[u8]) -> Result<Vec<u8>, MatchError> {
        let mut result = Vec::with_capacity(text.len());
        match &self.pattern {
            Pattern::Known(regex) => self.replace_in_lines(text, &mut result, |line, start| {
                let captures = regex.captures_at(line, start);
                captures.map(|captures| groups(&captures))
            }),
            Pattern::Ere(pattern) => {
                let ere = Ere::new(pattern).map_err(|error| MatchError::Bad(error.to_string()))?;
                self.replace_in_lines(text, &mut result, |line, start| {
                    ere.groups_from(line, start)
                });
            }
        }
        Ok(result)
    }

    fn replace_in_lines(
        &self,
        text: &[u8],
        result: &mut Vec<u8>,
        find: impl Fn(&[u8], usize) -> Option<Groups>,
    ) {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let (content, newline) = match line {
                [content @ .., b'\n'] => (content, &b"\n"[..]),
                content => (content, &b""[..]),
            };
            self.replace_all(content, result, &find);
            result.extend_from_slice(newline);
        }
    }

    /// Replaces every match in a line as `sed` does: an empty match right after another one is none.
    fn replace_all(
        &self,
        line: &[u8],
        result: &mut Vec<u8>,
        find: impl Fn(&[u8], usize) -> Option<Groups>,
    ) {
        let (mut copied, mut start) = (0, 0);
        let mut last_end = None;
        while let Some(groups) = (start <= line.len()).then(|| find(line, start)).flatten() {
            let Some(found) = groups.first().cloned().flatten() else {
                break;
            };
            let is_empty = found.is_empty();
            if !is_empty || last_end != Some(found.start) {
                result.extend_from_slice(&line[copied..found.start]);
                self.expand(line, &groups, result);
                copied = found.end;
            }
            last_end = Some(found.end);
            start = found.end + usize::from(is_empty);
        }
        result.extend_from_slice(&line[copied..]);
    }

    /// Adds the replacement with the groups it refers to.
    fn expand(&self, line: &[u8], groups: &Groups, result: &mut Vec<u8>) {
        let mut rest = self.replacement.as_bytes();
        while let [first, after @ ..] = rest {
            rest = after;
            match (first, after) {
                (b'\\', [digit @ b'1'..=b'9', after @ ..]) => {
                    let group = groups.get(usize::from(digit - b'0')).cloned().flatten();
                    result.extend_from_slice(group.map_or(&[][..], |group| &line[group]));
                    rest = after;
                }
                _ => result.push(*first),
            }
        }
    }
}

fn groups(captures: &Captures<'_>) -> Groups {
    let groups = captures.iter();
    groups
        .map(|group| group.map(|group| group.range()))
        .collect()
}

#[cfg(test)]
mod tests;
