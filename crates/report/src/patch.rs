//! A change of a file as a patch that `git apply` and `patch -p1` accept.

use std::fmt::Write as _;

use similar::TextDiff;

/// The change of a file from `old`, or from no file, to `new`. Empty if there is no change.
pub fn patch(name: &str, old: Option<&str>, new: &str) -> String {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (old_lines, new_lines) = (lines(old.unwrap_or_default()), lines(new));
    let diff = TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&old_lines, &new_lines);
    let before = match old {
        Some(_) => file_name("a/", name),
        None => "/dev/null".to_owned(),
    };
    let after = file_name("b/", name);
    let mut unified = diff.unified_diff();
    unified.header(&before, &after).to_string()
}

/// The name of a file in a header, as git writes it.
fn file_name(prefix: &str, name: &str) -> String {
    let needs_quotes = |c: char| c.is_control() || matches!(c, '"' | '\\');
    if name.contains(needs_quotes) {
        return format!("\"{prefix}{}\"", quoted(name));
    }
    // Without a tab, a name would end at its first space.
    let end = if name.contains(' ') { "\t" } else { "" };
    format!("{prefix}{name}{end}")
}

fn quoted(name: &str) -> String {
    let mut quoted = String::new();
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            // Writing to a string cannot fail.
            byte => drop(write!(quoted, "\\{byte:03o}")),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_and_new_files() {
        assert_eq!(
            patch("dir/a b.yaml", Some("1\r\n2\r\n3"), "1\r\nx\r\n3"),
            "--- a/dir/a b.yaml\t\n+++ b/dir/a b.yaml\t\n@@ -1,3 +1,3 @@\n 1\r\n-2\r\n+x\r\n 3\n\\ No newline at end of file\n"
        );
        assert_eq!(
            patch("new", None, "1\n"),
            "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+1\n"
        );
        assert_eq!(patch("same", Some("1\n"), "1\n"), "");
        assert_eq!(file_name("a/", "ä\"\n"), "\"a/\\303\\244\\\"\\012\"");
    }
}
