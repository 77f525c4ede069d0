//! Classifies one argument.

use std::fs;
use std::io;
use std::path::Path;

use super::{Reason, pattern, suggest};

pub(super) enum Argument<'a> {
    File(&'a Path),
    Line(&'a Path, usize),
    Directory(&'a Path),
    Pattern,
    Invalid(Reason),
}

impl<'a> Argument<'a> {
    /// An existing path takes precedence: a file may be named `a[1].yaml` or `a.yaml:3`.
    pub(super) fn classify(argument: &'a str, dir: &Path) -> Argument<'a> {
        let path = Path::new(argument);
        if argument.is_empty() {
            return Argument::Invalid(Reason::Empty);
        }
        match fs::metadata(dir.join(path)) {
            Ok(metadata) if metadata.is_file() => Argument::File(path),
            Ok(metadata) if metadata.is_dir() => Argument::Directory(path),
            Ok(_) => Argument::Invalid(Reason::NotAFile),
            Err(error) => Argument::classify_missing(argument, dir, error),
        }
    }

    fn classify_missing(argument: &'a str, dir: &Path, error: io::Error) -> Argument<'a> {
        if let Some((file, line)) = split_line(argument)
            && dir.join(file).is_file()
        {
            return Argument::Line(Path::new(file), line);
        }
        let reason = Reason::unreadable(&dir.join(argument), error);
        match reason {
            Reason::BrokenLink(_) => Argument::Invalid(reason),
            _ if pattern::is_pattern(argument) => Argument::Pattern,
            Reason::NoSuchFile { .. } => Argument::Invalid(Reason::NoSuchFile {
                did_you_mean: suggest::argument(argument, dir),
            }),
            reason => Argument::Invalid(reason),
        }
    }
}

/// Splits `FILE:LINE`.
pub(super) fn split_line(argument: &str) -> Option<(&str, usize)> {
    let (file, line) = argument.rsplit_once(':')?;
    // `parse` would also accept a sign.
    let digits = line.bytes().all(|byte| byte.is_ascii_digit());
    let line = line.parse().ok().filter(|_| digits)?;
    (!file.is_empty()).then_some((file, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_digits_after_the_last_colon() {
        for (argument, parts) in [
            ("a.yaml:3", Some(("a.yaml", 3))),
            ("a:1:22", Some(("a:1", 22))),
            ("a.yaml:0", Some(("a.yaml", 0))),
            ("a.yaml", None),
            ("a.yaml:", None),
            (":3", None),
            ("a.yaml:+3", None),
            ("a.yaml:-3", None),
            ("a.yaml:3x", None),
            ("a.yaml:99999999999999999999999", None),
        ] {
            assert_eq!(split_line(argument), parts, "{argument}");
        }
    }
}
