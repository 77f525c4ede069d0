//! One document or subtest: its plan and its results.

use super::super::counted;
use super::pending_point::PendingPoint;

/// A document or subtest that is being read.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The name of the group; empty for a document.
    pub(super) name: String,
    /// The line where it starts.
    pub(super) line: u64,
    planned: Option<u64>,
    ran: u64,
    last_number: u64,
    /// Whether any test in it failed.
    pub(super) failed: bool,
    /// The parent's point, if it precedes the subtest: `ok 1 - name {`.
    pub(super) parent_point: Option<PendingPoint>,
}

impl Frame {
    pub(super) fn named(name: &str, line: u64) -> Frame {
        Frame {
            name: name.into(),
            line,
            ..Frame::default()
        }
    }

    /// Whether nothing has been read in it yet.
    pub(super) fn is_untouched(&self) -> bool {
        self.planned.is_none() && self.ran == 0
    }

    /// Whether all planned tests have been read.
    pub(super) fn is_complete(&self) -> bool {
        self.planned == Some(self.ran)
    }

    /// Stores the plan. Returns an error if there is already one, which remains in effect.
    pub(super) fn plan(&mut self, count: u64) -> Result<(), String> {
        if let Some(first) = self.planned {
            return Err(format!(
                "ignored a second plan (1..{count}); the first (1..{first}) applies"
            ));
        }
        self.planned = Some(count);
        Ok(())
    }

    /// Marks a document as skipped: it plans no tests.
    pub(super) fn skip(&mut self) {
        self.planned = Some(0);
    }

    /// Counts a test point; returns its number, and a message if the stated number is wrong.
    pub(super) fn count(&mut self, number: Option<u64>) -> (u64, Option<String>) {
        let expected = self.last_number.saturating_add(1);
        let number = number.unwrap_or(expected);
        self.ran += 1;
        self.last_number = number;
        let problem = (number != expected)
            .then(|| format!("expected test number {expected}, found {number}"));
        (number, problem)
    }

    /// Describes an unmet plan. A missing plan is not reported for a subtest, because its parent has a point with the
    /// result.
    pub(super) fn missed_plan(&self) -> Option<String> {
        match self.planned {
            Some(planned) if planned != self.ran => Some(format!(
                "planned {}, {} ran",
                counted(planned, "test"),
                self.ran
            )),
            _ => None,
        }
    }

    /// Whether it has no plan.
    pub(super) fn has_no_plan(&self) -> bool {
        self.planned.is_none()
    }

    pub(super) fn ran_nothing(&self) -> bool {
        self.ran == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_checked_against_the_one_before() {
        let mut frame = Frame::default();
        assert_eq!(frame.count(Some(1)), (1, None));
        assert_eq!(frame.count(None), (2, None));
        let (number, problem) = frame.count(Some(7));
        assert_eq!(number, 7);
        assert_eq!(problem.unwrap(), "expected test number 3, found 7");
        assert_eq!(frame.count(Some(8)), (8, None));
        assert!(frame.count(Some(8)).1.is_some());
        assert!(frame.count(Some(u64::MAX)).1.is_some());
        assert!(frame.count(None).1.is_none());
    }

    #[test]
    fn plans() {
        let mut frame = Frame::default();
        assert!(frame.has_no_plan() && frame.missed_plan().is_none());
        frame.plan(1).unwrap();
        assert_eq!(frame.missed_plan().unwrap(), "planned 1 test, 0 ran");
        frame.count(None);
        assert!(frame.is_complete());
        frame.count(None);
        assert_eq!(frame.missed_plan().unwrap(), "planned 1 test, 2 ran");
        assert!(frame.plan(2).unwrap_err().contains("1..2"));
        assert_eq!(frame.missed_plan().unwrap(), "planned 1 test, 2 ran");
    }
}
