//! Stores reviews of judged turns. There is one for each test, turn and criterion; a newer review replaces the older one.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use casebook_report::reviews::{FILE, Review};
use parking_lot::Mutex;

/// A longer comment is refused.
const MAX_COMMENT: usize = 10_000;

/// Reviews are written one at a time.
static WRITING: Mutex<()> = Mutex::new(());

fn is_about_the_same(one: &Review, other: &Review) -> bool {
    (&one.example, one.turn, &one.criterion) == (&other.example, other.turn, &other.criterion)
}

/// Why a review cannot be stored.
pub(crate) fn problem(review: &Review) -> Option<&'static str> {
    let comment = review.comment.as_ref().map_or(0, String::len);
    let names = [&review.example, &review.criterion];
    if names
        .iter()
        .any(|name| name.is_empty() || name.len() > MAX_COMMENT)
    {
        return Some("a review needs an example and a criterion");
    }
    (comment > MAX_COMMENT).then_some("the comment is too long")
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
        serde_json::from_str(line).is_ok_and(|older: Review| is_about_the_same(&older, review))
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
    use casebook_record::Redactor;
    use casebook_report::calibration::Verdict;
    use casebook_report::reviews::read;

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
        let read = || read(dir.path(), &Redactor::default());
        assert_eq!(read(), []);
        fs::write(dir.path().join(FILE), "written by hand\n").unwrap();
        for (turn, verdict) in [
            (1, Verdict::Passed),
            (2, Verdict::Failed),
            (1, Verdict::Inconclusive),
        ] {
            add(dir.path(), &review(turn, verdict)).unwrap();
        }
        let expected = [review(2, Verdict::Failed), review(1, Verdict::Inconclusive)];
        assert_eq!(read(), expected);
        let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert!(text.starts_with("written by hand\n"));
    }
}
