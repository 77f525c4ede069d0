//! One document or one subtest: the plan it made and what became of it.

use super::super::counted;
use super::pending_point::PendingPoint;

/// A document or subtest that is being read.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// What the group is called; empty for a document.
    pub(super) name: String,
    /// The line it began at.
    pub(super) line: u64,
    planned: Option<u64>,
    ran: u64,
    last_number: u64,
    /// Whether anything in it has failed.
    pub(super) failed: bool,
    /// The parent's point, where that came first: `ok 1 - name {`.
    pub(super) verdict: Option<PendingPoint>,
}

impl Frame {
    pub(super) fn named(name: &str, line: u64) -> Frame {
        Frame {
            name: name.into(),
            line,
            ..Frame::default()
        }
    }

    /// Whether nothing has been said in it yet.
    pub(super) fn is_untouched(&self) -> bool {
        self.planned.is_none() && self.ran == 0
    }

    /// Whether everything that was planned has been run.
    pub(super) fn is_complete(&self) -> bool {
        self.planned == Some(self.ran)
    }

    /// Notes a plan; says so when there was one already, which stands.
    pub(super) fn plan(&mut self, count: u64) -> Result<(), String> {
        if let Some(first) = self.planned {
            return Err(format!(
                "a second plan (1..{count}) is ignored, the first (1..{first}) stands"
            ));
        }
        self.planned = Some(count);
        Ok(())
    }

    /// Counts a test point; returns its number and what is wrong with the one it has.
    pub(super) fn count(&mut self, number: Option<u64>) -> (u64, Option<String>) {
        let expected = self.last_number.saturating_add(1);
        let number = number.unwrap_or(expected);
        self.ran += 1;
        self.last_number = number;
        let problem = (number != expected)
            .then(|| format!("test number {number} where {expected} was expected"));
        (number, problem)
    }

    /// How the plan was missed; a missing plan is none of a subtest's, whose parent has the verdict.
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

    /// Whether it never said how many tests there would be.
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
        assert_eq!(problem.unwrap(), "test number 7 where 3 was expected");
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
