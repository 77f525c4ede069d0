//! The lines that `prove -v` writes around the TAP of each test file.

/// A line of prove.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProveLine<'a> {
    /// `t/a.t .. `: the output of this file follows.
    File(&'a str),
    /// `t/a.t .. skipped: reason`
    Skipped { file: &'a str, reason: &'a str },
    /// `Dubious, test returned 1 (wstat 256, 0x100)`: the file's exit status is not 0.
    ExitStatus(&'a str),
}

/// Parses a line that is not TAP. The space at the end of a file's line distinguishes it from output such as `wait ...`.
pub(super) fn parse(text: &str) -> Option<ProveLine<'_>> {
    if let Some(status) = text.strip_prefix("Dubious, ") {
        return Some(ProveLine::ExitStatus(status.trim_end()));
    }
    let (file, rest) = text.split_once(" ..")?;
    if file.is_empty() || file.contains(char::is_whitespace) {
        return None;
    }
    match rest.trim_start_matches('.') {
        " " => Some(ProveLine::File(file)),
        rest => {
            let reason = rest.strip_prefix(" skipped: ")?.trim_end();
            Some(ProveLine::Skipped { file, reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_prove() {
        for (text, line) in [
            ("t/a.t .. ", Some(ProveLine::File("t/a.t"))),
            ("t/green.t ........ ", Some(ProveLine::File("t/green.t"))),
            (
                "t/b.t .. skipped: only on Windows",
                Some(ProveLine::Skipped {
                    file: "t/b.t",
                    reason: "only on Windows",
                }),
            ),
            (
                "Dubious, test returned 1 (wstat 256, 0x100)",
                Some(ProveLine::ExitStatus("test returned 1 (wstat 256, 0x100)")),
            ),
            ("loading ...", None),
            ("please wait .. ", None),
            ("t/a.t .. ok", None),
            (" .. ", None),
        ] {
            assert_eq!(parse(text), line, "{text}");
        }
    }
}
