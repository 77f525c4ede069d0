//! The lines of a project that changed since a commit.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// Prints only changed lines, in a format that does not depend on the user's settings.
const DIFF: [&str; 7] = [
    "diff",
    "--unified=0",
    "--no-color",
    "--no-ext-diff",
    "--relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Ranges of changed lines by file, with paths from the root.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedLines {
    by_file: HashMap<String, Vec<(usize, usize)>>,
}

impl ChangedLines {
    /// Asks git. New files that are not tracked have not changed since any commit; add them first.
    pub(crate) fn since(commit: &str, root: &Path) -> Result<ChangedLines, String> {
        let output = Command::new("git")
            .args(DIFF)
            .args(["--end-of-options", commit, "--"])
            .current_dir(root)
            .output()
            .map_err(|error| format!("cannot start git: {error}"))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let reason = message.lines().next().unwrap_or("git diff failed");
            return Err(format!("cannot compare with `{commit}`: {reason}"));
        }
        Ok(ChangedLines::parse(&String::from_utf8_lossy(
            &output.stdout,
        )))
    }

    fn parse(diff: &str) -> ChangedLines {
        let mut changed = ChangedLines::default();
        let mut file = String::new();
        for line in diff.lines() {
            if let Some(path) = line.strip_prefix("+++ b/") {
                path.clone_into(&mut file);
            } else if let Some(range) = line.strip_prefix("@@ ").and_then(new_range) {
                changed.by_file.entry(file.clone()).or_default().push(range);
            }
        }
        changed
    }

    /// Whether one of these lines changed.
    pub(crate) fn touch(&self, file: &str, (first, last): (usize, usize)) -> bool {
        let ranges = self.by_file.get(file).into_iter().flatten();
        ranges
            .into_iter()
            .any(|(start, end)| *start <= last && first <= *end)
    }
}

/// The lines of `-3,2 +4,5 @@`. If lines were only deleted, those around them.
fn new_range(hunk: &str) -> Option<(usize, usize)> {
    let new = hunk.split(' ').find_map(|part| part.strip_prefix('+'))?;
    let (start, count) = new.split_once(',').unwrap_or((new, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    Some(match count {
        0 => (start, start + 1),
        count => (start, start + count - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_diff() {
        let changed = ChangedLines::parse(
            "diff --git a/lib/a.rb b/lib/a.rb\n--- a/lib/a.rb\n+++ b/lib/a.rb\n@@ -3,2 +4,3 @@ class A\n-x\n+y\n@@ -9 +12,0 @@\n-x\n",
        );
        for (lines, is_touched) in [
            ((1, 3), false),
            ((1, 4), true),
            ((6, 8), true),
            ((7, 11), false),
            ((10, 12), true),
            ((13, 14), true),
            ((14, 15), false),
        ] {
            assert_eq!(changed.touch("lib/a.rb", lines), is_touched, "{lines:?}");
        }
        assert!(!changed.touch("lib/b.rb", (1, 99)));
    }
}
