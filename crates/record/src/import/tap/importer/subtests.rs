//! The way into subtests and out of them, in all the forms that tools write.
//!
//! Announced by `# Subtest: name` on the parent's level (TAP 14, node, `Test::More`) or inside (older `Test::More`),
//! opened by a brace behind the parent's point (Test2, older node-tap), or bare. All but the braced ones are closed by
//! the parent's point, whose level is one less.

use super::super::frame::Frame;
use super::super::pending_point::Role;
use super::{ANONYMOUS, Importer};

/// How deep subtests may nest. Deeper ones are not read, but their verdicts on this level are.
const MAX_DEPTH: usize = 64;

impl Importer<'_> {
    /// Comes to a level: opens the subtest that a deeper line begins, leaves those that a shallower one is not part
    /// of. False when the line cannot be TAP there. `bare` lines may begin a subtest that nothing has announced.
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
        if !braces && self.announced.is_none() && !bare {
            return false;
        }
        if self.depth() == MAX_DEPTH {
            self.note_depth();
            return false;
        }
        let verdict = self.held.take_if(|_| braces);
        self.flush();
        let name = match (&verdict, self.announced.take()) {
            (Some(verdict), _) => verdict.point.description.clone(),
            (None, Some(name)) => name,
            (None, None) => ANONYMOUS.into(),
        };
        self.examples.group_started(self.last, &name, None);
        let mut frame = Frame::named(&name, self.line);
        frame.verdict = verdict;
        self.frames.push(frame);
        true
    }

    fn note_depth(&mut self) {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("subtests deeper than {MAX_DEPTH} levels are not read");
            self.problem(self.line, message);
        }
    }

    /// Leaves the innermost subtest.
    pub(super) fn leave(&mut self) -> Frame {
        self.announced = None;
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

    /// Leaves a subtest that was not closed.
    fn break_off_subtest(&mut self) {
        let subtest = self.leave();
        let message = format!("subtest `{}` is not closed by a test point", subtest.name);
        self.problem(subtest.line, message);
        self.give_verdict(subtest);
        self.flush();
    }

    /// Holds the point that came before its subtest.
    fn give_verdict(&mut self, subtest: Frame) {
        if let Some(mut held) = subtest.verdict {
            held.point.opens = false;
            held.role = Role::Verdict {
                failed_inside: subtest.failed,
            };
            self.held = Some(held);
        }
    }

    /// Whether the held point may open a subtest by a brace.
    pub(super) fn opens_braces(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.point.opens)
    }

    pub(super) fn open_braces(&mut self, level: usize) {
        if let Some(held) = self.held.as_mut().filter(|held| held.level == level) {
            held.point.opens = true;
        }
    }

    pub(super) fn close_braces(&mut self, level: usize) {
        if level + 1 == self.depth() && self.frame().verdict.is_some() {
            self.flush();
            let subtest = self.leave();
            self.give_verdict(subtest);
        } else if let Some(held) = self.held.as_mut().filter(|held| held.level == level) {
            // A subtest without a test: its point is all there is.
            held.point.opens = false;
        }
    }
}
