//! Classifies one argument.

use std::fs;
use std::io;
use std::path::Path;

use super::{LineRange, Reason, pattern, suggest};

pub(super) enum Argument<'a> {
    File(&'a Path),
    Lines(&'a Path, LineRange),
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
        if let Some((file, lines)) = split_lines(argument)
            && dir.join(file).is_file()
        {
            return Argument::Lines(Path::new(file), lines);
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

/// Splits `FILE:LINE` and `FILE:LINE-LINE`.
pub(super) fn split_lines(argument: &str) -> Option<(&str, LineRange)> {
    let (file, lines) = argument.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let lines = number(first)?..=number(last)?;
    (!file.is_empty() && !lines.is_empty()).then_some((file, lines))
}

/// `parse` alone would also accept a sign.
fn number(text: &str) -> Option<usize> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_digits_after_the_last_colon() {
        for (argument, parts) in [
            ("a.yaml:3", Some(("a.yaml", 3..=3))),
            ("a:1:22", Some(("a:1", 22..=22))),
            ("a.yaml:0", Some(("a.yaml", 0..=0))),
            ("a.yaml:3-17", Some(("a.yaml", 3..=17))),
            ("a.yaml:17-3", None),
            ("a.yaml:3-", None),
            ("a.yaml:1-2-3", None),
            ("a.yaml", None),
            ("a.yaml:", None),
            (":3", None),
            ("a.yaml:+3", None),
            ("a.yaml:-3", None),
            ("a.yaml:3x", None),
            ("a.yaml:99999999999999999999999", None),
        ] {
            assert_eq!(split_lines(argument), parts, "{argument}");
        }
    }
}
