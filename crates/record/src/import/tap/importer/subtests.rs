//! Opens and closes subtests, in all forms that tools write.
//!
//! A subtest is announced by `# Subtest: name` on the parent's level (TAP 14, node, `Test::More`) or inside of it
//! (older `Test::More`), opened by a brace after the parent's point (Test2, older node-tap), or not announced. All
//! except those with braces are closed by the parent's point, whose level is one less.

use super::super::frame::Frame;
use super::super::pending_point::Role;
use super::{ANONYMOUS, Importer};

/// The maximum nesting of subtests. Deeper ones are skipped, but their results on this level are read.
const MAX_DEPTH: usize = 64;

impl Importer<'_> {
    /// Moves to the level of a line: opens the subtest that a deeper line starts, or closes those that a shallower
    /// line is not part of. Returns false if the line cannot be TAP there. `bare` lines may start a subtest that was
    /// not announced.
    pub(super) fn reach(&mut self, level: usize, bare: bool) -> bool {
        if level > self.depth() {
            return level == self.depth() + 1 && self.enter(bare);
        }
        self.flush();
        while self.depth() > level {
            self.break_off_subtest();
        }
        true
    }

    fn enter(&mut self, bare: bool) -> bool {
        let braces = self.opens_braces();
        if !braces && self.announced_name.is_none() && !bare {
            return false;
        }
        if self.depth() == MAX_DEPTH {
            self.note_depth();
            return false;
        }
        let parent_point = self.pending_point.take_if(|_| braces);
        self.flush();
        let name = match (&parent_point, self.announced_name.take()) {
            (Some(parent_point), _) => parent_point.point.description.clone(),
            (None, Some(name)) => name,
            (None, None) => ANONYMOUS.into(),
        };
        self.examples.group_started(self.last, &name, None);
        let mut frame = Frame::named(&name, self.line);
        frame.parent_point = parent_point;
        self.frames.push(frame);
        true
    }

    fn note_depth(&mut self) {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("subtests nested deeper than {MAX_DEPTH} levels are skipped");
            self.problem(self.line, message);
        }
    }

    /// Closes the innermost subtest.
    pub(super) fn leave(&mut self) -> Frame {
        self.announced_name = None;
        if let Some(missed) = self.frame().missed_plan() {
            self.bad_plan(missed);
        }
        self.pop()
    }

    pub(super) fn pop(&mut self) -> Frame {
        let subtest = self.frames.pop().unwrap_or_default();
        self.examples.group_finished(self.last, &subtest.name);
        self.frame().failed |= subtest.failed;
        subtest
    }

    /// Closes a subtest without its closing point.
    fn break_off_subtest(&mut self) {
        let subtest = self.leave();
        let message = format!("subtest `{}` is not closed by a test point", subtest.name);
        self.problem(subtest.line, message);
        self.restore_parent_point(subtest);
        self.flush();
    }

    /// Makes the point that preceded the subtest the pending one.
    fn restore_parent_point(&mut self, subtest: Frame) {
        if let Some(mut pending) = subtest.parent_point {
            pending.point.opens = false;
            pending.role = Role::SubtestResult {
                failed_inside: subtest.failed,
            };
            self.pending_point = Some(pending);
        }
    }

    /// Whether the pending point may open a subtest with a brace.
    pub(super) fn opens_braces(&self) -> bool {
        self.pending_point
            .as_ref()
            .is_some_and(|pending| pending.point.opens)
    }

    pub(super) fn open_braces(&mut self, level: usize) {
        if let Some(pending) = self
            .pending_point
            .as_mut()
            .filter(|pending| pending.level == level)
        {
            pending.point.opens = true;
        }
    }

    pub(super) fn close_braces(&mut self, level: usize) {
        if level + 1 == self.depth() && self.frame().parent_point.is_some() {
            self.flush();
            let subtest = self.leave();
            self.restore_parent_point(subtest);
        } else if let Some(pending) = self
            .pending_point
            .as_mut()
            .filter(|pending| pending.level == level)
        {
            // A subtest without tests: the result is only in its point.
            pending.point.opens = false;
        }
    }
}
