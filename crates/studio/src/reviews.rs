//! Reviews of judged turns: `reviews.jsonl` next to the record.
//!
//! Each line is a label as `casebook judge --calibrate` reads it. There is one for each test, turn and criterion; a newer
//! review replaces the older one. The recorded results do not change.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// The file's name.
pub(crate) const FILE: &str = "reviews.jsonl";
/// A longer comment is refused.
const MAX_COMMENT: usize = 10_000;

/// Reviews are written one at a time.
static WRITING: Mutex<()> = Mutex::new(());

/// A person's verdict about one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Review {
    example: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    criterion: String,
    verdict: Verdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Passed,
    Failed,
    Inconclusive,
}

impl Review {
    fn is_about_the_same(&self, other: &Review) -> bool {
        (&self.example, self.turn, &self.criterion)
            == (&other.example, other.turn, &other.criterion)
    }

    /// Whether it can be stored.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let comment = self.comment.as_ref().map_or(0, String::len);
        let names = [&self.example, &self.criterion];
        if names
            .iter()
            .any(|name| name.is_empty() || name.len() > MAX_COMMENT)
        {
            return Some("a review needs an example and a criterion");
        }
        (comment > MAX_COMMENT).then_some("the comment is too long")
    }
}

/// The reviews of the run in this directory. A line that is not a review is left out.
pub(crate) fn read(dir: &Path) -> Vec<Review> {
    let text = fs::read_to_string(dir.join(FILE)).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Adds a review, and replaces an older one of the same criterion. Lines that are not reviews stay.
pub(crate) fn add(dir: &Path, review: &Review) -> io::Result<()> {
    let _one_at_a_time = WRITING.lock();
    let path = dir.join(FILE);
    let before = match fs::read_to_string(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        text => text.unwrap_or_default(),
    };
    let is_replaced = |line: &&str| {
        serde_json::from_str(line).is_ok_and(|older: Review| older.is_about_the_same(review))
    };
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    for line in before.lines().filter(|line| !is_replaced(line)) {
        writeln!(file, "{line}")?;
    }
    writeln!(file, "{}", serde_json::to_string(review)?)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(turn: u64, verdict: Verdict) -> Review {
        Review {
            example: "example:1".into(),
            turn: Some(turn),
            criterion: "is polite".into(),
            verdict,
            by: None,
            comment: Some("as agreed\nwith the team".into()),
        }
    }

    #[test]
    fn a_newer_review_replaces_the_older_one() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()), []);
        fs::write(dir.path().join(FILE), "written by hand\n").unwrap();
        for (turn, verdict) in [
            (1, Verdict::Passed),
            (2, Verdict::Failed),
            (1, Verdict::Inconclusive),
        ] {
            add(dir.path(), &review(turn, verdict)).unwrap();
        }
        let expected = [review(2, Verdict::Failed), review(1, Verdict::Inconclusive)];
        assert_eq!(read(dir.path()), expected);
        let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert!(text.starts_with("written by hand\n"));
    }
}
