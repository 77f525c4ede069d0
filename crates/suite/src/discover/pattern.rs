//! Glob patterns.

use std::path::{Path, PathBuf};

use globset::{ErrorKind, GlobBuilder, GlobSet};

use super::is_suite;

/// The maximum length of a pattern. No path is longer, and the compiled pattern grows with the length.
const MAX_BYTES: usize = 4096;

/// A pattern, split into the directory it begins with, which is used literally and may be `/` or `..`, and the rest.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// The directory that it begins with.
    pub(super) base: PathBuf,
    /// Whether it matches names that begin with a dot.
    pub(super) hidden: bool,
    rest: GlobSet,
    /// Whether it ends in `/`.
    directories_only: bool,
    /// The depth of all matches; `None` if it varies.
    depth: Option<usize>,
}

/// Whether an argument that is not a path is a pattern.
pub(super) fn is_pattern(argument: &str) -> bool {
    argument.contains(['*', '?', '[', '{'])
}

impl Pattern {
    pub(super) fn parse(argument: &str) -> Result<Pattern, String> {
        if argument.len() > MAX_BYTES {
            return Err(format!("longer than {MAX_BYTES} bytes"));
        }
        let special = argument.find(['*', '?', '[', '{', '\\']);
        let literal = &argument[..special.unwrap_or(argument.len())];
        let start = literal.rfind('/').map_or(0, |slash| slash + 1);
        let (base, relative) = argument.split_at(start);
        let rest = relative.trim_end_matches('/');
        Ok(Pattern {
            base: Path::new(base).components().collect(),
            hidden: names_hidden(rest),
            rest: compile(rest).map_err(|error| explain(error.kind()))?,
            directories_only: rest != relative,
            depth: depth(rest),
        })
    }

    /// Whether this path below the base is selected: it matches, or it is a suite below a matching directory.
    pub(super) fn matches_file(&self, path: &Path) -> bool {
        (!self.directories_only && self.rest.is_match(path))
            || (is_suite(path) && path.ancestors().skip(1).any(|above| self.is_match(above)))
    }

    /// Whether a file below this directory can be selected.
    pub(super) fn may_match_below(&self, path: &Path, depth: usize) -> bool {
        self.depth != Some(depth) || self.is_match(path)
    }

    fn is_match(&self, path: &Path) -> bool {
        !path.as_os_str().is_empty() && self.rest.is_match(path)
    }
}

/// Compiles the glob as a set of one: a `GlobMatcher` panics if the pattern is too large for the regex engine.
fn compile(rest: &str) -> Result<GlobSet, globset::Error> {
    let glob = GlobBuilder::new(rest)
        .literal_separator(true)
        .empty_alternates(true)
        .build()?;
    GlobSet::builder().add(glob).build()
}

fn explain(kind: &ErrorKind) -> String {
    let (what, character) = match kind {
        ErrorKind::UnclosedClass => ("`[` is never closed", '['),
        ErrorKind::UnclosedAlternates => ("`{` is never closed", '{'),
        ErrorKind::UnopenedAlternates => ("`}` has no matching `{`", '}'),
        _ => return kind.to_string(),
    };
    format!("{what}; to match the character itself, write `[{character}]`")
}

fn names_hidden(rest: &str) -> bool {
    rest.split('/')
        .any(|part| part.starts_with('.') || part.starts_with("{."))
}

fn depth(rest: &str) -> Option<usize> {
    let slashes = rest.matches('/').count();
    let certain = !rest.contains("**") && (slashes == 0 || !rest.contains('{'));
    certain.then_some(slashes + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches_file(pattern: &str, path: &str) -> bool {
        Pattern::parse(pattern)
            .unwrap()
            .matches_file(Path::new(path))
    }

    #[test]
    fn splits_off_the_literal_directory() {
        for (pattern, base) in [
            ("*.yaml", ""),
            ("a/b/*.yaml", "a/b/"),
            ("a/b*/c", "a/"),
            ("/*", "/"),
            ("../{a,b/c}/x", "../"),
            ("a\\*/b/*", ""),
        ] {
            assert_eq!(
                Pattern::parse(pattern).unwrap().base,
                Path::new(base),
                "{pattern}"
            );
        }
    }

    #[test]
    fn matches_wildcards_brackets_and_braces() {
        for (pattern, path, yes) in [
            ("*.yaml", "a.yaml", true),
            ("*.yaml", "a/b.yaml", false),
            ("**/*.yaml", "a.yaml", true),
            ("**/*.yaml", "a/b/c.yaml", true),
            ("a?.yaml", "ab.yaml", true),
            // The crate matches bytes.
            ("a?.yaml", "aé.yaml", false),
            ("a??.yaml", "aé.yaml", true),
            ("é*.yaml", "éa.yaml", true),
            ("a?.yaml", "a.yaml", false),
            ("a?b", "a/b", false),
            ("[ab].yaml", "b.yaml", true),
            ("[!ab].yaml", "b.yaml", false),
            ("{a,b*}.yaml", "bc.yaml", true),
            ("{a,b*}.yaml", "c.yaml", false),
            ("a{,.v2}.yaml", "a.yaml", true),
            ("*\\*", "a*", true),
            ("*\\*", "ab", false),
        ] {
            assert_eq!(matches_file(pattern, path), yes, "{pattern} {path}");
        }
    }

    #[test]
    fn a_matching_directory_selects_its_suites() {
        assert!(matches_file("a*", "ab/c/d.casebook.yaml"));
        assert!(!matches_file("a*", "ab/c/d.yaml"));
        assert!(!matches_file("a*", "b/c/d.casebook.yaml"));
        assert!(matches_file("a*/", "ab/d.casebook.yaml"));
        assert!(!matches_file("a*/", "ab.casebook.yaml"));
    }

    #[test]
    fn directories_that_cannot_match_are_skipped() {
        let enters = |pattern: &str, path: &str| {
            let path = Path::new(path);
            Pattern::parse(pattern)
                .unwrap()
                .may_match_below(path, path.components().count())
        };
        assert!(enters("*/x*", "a"));
        assert!(enters("*/x*", "a/xy"));
        assert!(!enters("*/x*", "a/b"));
        assert!(enters("**/x*", "a/b"));
        assert!(enters("{a/b,c}/x", "a/b"));
    }

    #[test]
    fn invalid_patterns_are_explained() {
        for (pattern, reason) in [
            ("[a", "`[` is never closed"),
            ("*{a", "`{` is never closed"),
            ("*a}", "`}` has no matching `{`"),
            ("[z-a]", "invalid range"),
        ] {
            let error = Pattern::parse(pattern).unwrap_err();
            assert!(error.starts_with(reason), "{pattern}: {error}");
        }
        let deep = format!("{}*{}", "{".repeat(2000), "}".repeat(2000));
        assert!(Pattern::parse(&deep).is_err());
        assert!(Pattern::parse(&"*".repeat(5000)).is_err());
    }
}
