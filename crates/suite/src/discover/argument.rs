//! What one argument means.

use std::fs;
use std::io;
use std::path::Path;

use super::{Reason, pattern, suggest};

pub(super) enum Argument<'a> {
    File(&'a Path),
    Line(&'a Path, usize),
    Folder(&'a Path),
    Pattern,
    Nothing(Reason),
}

impl<'a> Argument<'a> {
    /// What exists goes before what could be read into it: a file may be called `a[1].yaml` or `a.yaml:3`.
    pub(super) fn of(argument: &'a str, folder: &Path) -> Argument<'a> {
        let path = Path::new(argument);
        if argument.is_empty() {
            return Argument::Nothing(Reason::Empty);
        }
        match fs::metadata(folder.join(path)) {
            Ok(metadata) if metadata.is_file() => Argument::File(path),
            Ok(metadata) if metadata.is_dir() => Argument::Folder(path),
            Ok(_) => Argument::Nothing(Reason::NotAFile),
            Err(error) => Argument::of_no_path(argument, folder, error),
        }
    }

    fn of_no_path(argument: &'a str, folder: &Path, error: io::Error) -> Argument<'a> {
        if let Some((file, line)) = split_line(argument)
            && folder.join(file).is_file()
        {
            return Argument::Line(Path::new(file), line);
        }
        let reason = Reason::unreadable(&folder.join(argument), error);
        match reason {
            Reason::BrokenLink(_) => Argument::Nothing(reason),
            _ if pattern::is_pattern(argument) => Argument::Pattern,
            Reason::NoSuchFile { .. } => Argument::Nothing(Reason::NoSuchFile {
                did_you_mean: suggest::argument(argument, folder),
            }),
            reason => Argument::Nothing(reason),
        }
    }
}

/// `FILE:LINE` in its two parts.
pub(super) fn split_line(argument: &str) -> Option<(&str, usize)> {
    let (file, line) = argument.rsplit_once(':')?;
    // `parse` would take a sign as well.
    let digits = line.bytes().all(|byte| byte.is_ascii_digit());
    let line = line.parse().ok().filter(|_| digits)?;
    (!file.is_empty()).then_some((file, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_digits_behind_the_last_colon() {
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
