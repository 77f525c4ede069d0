//! Interprets the lines of a TAP stream in their context.

mod diagnostics;
mod sections;
mod subtests;

use serde_json::Value;

use self::sections::Sections;
use super::super::example::{Attempt, Examples, Failure, ImportedOutcome};
use super::super::truncated::TruncatedText;
use super::super::{ImportSource, run_started};
use super::block::Block;
use super::frame::Frame;
use super::line::{self, Kind, Line, Plan, Point};
use super::pending_point::{IndentedText, PendingPoint, Role};
use crate::event::{Event, SuiteStopped};
use crate::lines::Problem;
use crate::metadata::Metadata;
use crate::time::Time;

/// The name of a subtest without a name.
const ANONYMOUS: &str = "(anonymous)";

/// Processes the lines of a stream and emits events.
pub(super) struct Importer<'a> {
    source: ImportSource<'a>,
    examples: Examples<'a>,
    problems: Vec<Problem>,
    /// The document and its open subtests.
    frames: Vec<Frame>,
    /// The name in a `# Subtest: name` line whose subtest or point has not been read yet.
    announced_name: Option<String>,
    sections: Sections,
    pending_point: Option<PendingPoint>,
    /// The YAML block of the pending point.
    block: Option<Block>,
    line: u64,
    /// When the last point was read.
    last: Time,
    stage: StreamPhase,
    /// Whether the stream contains a version line. bats does not write one when it appends times to descriptions.
    versioned: bool,
    too_deep: bool,
}

/// The progress of the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamPhase {
    /// No event has been emitted yet.
    Waiting,
    Running,
    BailedOut,
}

impl<'a> Importer<'a> {
    pub(super) fn new(source: &ImportSource<'a>, emit: &'a mut dyn FnMut(Event)) -> Importer<'a> {
        Importer {
            source: *source,
            examples: Examples::new(emit),
            problems: Vec::new(),
            frames: vec![Frame::named("", 1)],
            announced_name: None,
            sections: Sections::new(),
            pending_point: None,
            block: None,
            line: 0,
            last: (source.now)(),
            stage: StreamPhase::Waiting,
            versioned: false,
            too_deep: false,
        }
    }

    pub(super) fn problem(&mut self, line: u64, message: String) {
        self.problems.push(Problem { line, message });
    }

    pub(super) fn line(&mut self, number: u64, text: &str) {
        self.line = number;
        let marked = text.strip_prefix('\u{feff}').filter(|_| number == 1);
        let text = marked.unwrap_or(text);
        if self.has_bailed_out()
            || self.is_in_block(text)
            || self.opens_block(text)
            || self.is_indented_message(text)
        {
            return;
        }
        match line::parse(text) {
            Some(line) => self.take(line),
            None => self.other_line(text),
        }
    }

    /// Ends the run at the end of the input.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        if self.block.is_some() {
            self.break_off_block();
        }
        self.begin(0);
        if !self.has_bailed_out() {
            self.end_document();
        }
        self.close_section();
        self.examples.emit(SuiteStopped {
            time: (self.source.now)(),
        });
        self.problems
    }

    fn take(&mut self, Line { level, kind }: Line<'_>) {
        match kind {
            Kind::Comment(text) => self.comment(level, text),
            Kind::Version => self.version(level),
            Kind::Subtest(name) => self.subtest(level, name),
            Kind::Plan(plan) => self.plan(level, plan),
            Kind::Point(point) => self.point(level, point),
            Kind::BailOut(reason) => self.bail_out(reason),
            Kind::Open => self.open_braces(level),
            Kind::Close => self.close_braces(level),
        }
    }

    /// Emits the start of the run; called when it is known whether the plan precedes the tests.
    fn begin(&mut self, planned: u64) {
        if self.stage == StreamPhase::Waiting {
            self.stage = StreamPhase::Running;
            let started = run_started(self.last, planned, "tap", self.source.name);
            self.examples.emit(started);
        }
    }

    fn has_bailed_out(&self) -> bool {
        self.stage == StreamPhase::BailedOut
    }

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("the document's frame is replaced, never removed")
    }

    /// Whether all planned tests of the document have been read.
    fn is_complete(&self) -> bool {
        self.depth() == 0 && self.frames[0].is_complete()
    }

    fn comment(&mut self, level: usize, text: &str) {
        if line::is_total(text) {
            return;
        }
        if level == 0 && self.depth() == 0 {
            self.heading(text);
        }
        if let Some(pending) = self
            .pending_point
            .as_mut()
            .filter(|pending| pending.level == level)
        {
            pending.comment(text);
        }
    }

    /// A version line starts a document; in the middle of the stream, the next one.
    fn version(&mut self, level: usize) {
        if level > 0 {
            return;
        }
        self.versioned = true;
        if self.depth() > 0 || !self.frame().is_untouched() {
            self.next_document();
            self.reset_sections();
        }
    }

    fn subtest(&mut self, level: usize, name: String) {
        self.begin(0);
        let name = if name.is_empty() {
            ANONYMOUS.into()
        } else {
            name
        };
        let inside = level == self.depth() + 1;
        if inside && self.announced_name.is_none() && !self.opens_braces() {
            // Older versions of Test::More write the comment inside the subtest that it names.
            self.announced_name = Some(name);
            self.reach(level, false);
        } else if self.reach(level, false) {
            self.announced_name = Some(name);
        }
    }

    fn plan(&mut self, level: usize, plan: Plan) {
        self.begin(if level == 0 { plan.count } else { 0 });
        if !self.reach(level, true) {
            return;
        }
        if level == 0 && self.is_complete() {
            // The output of several files in one stream, as `prove -v` writes it.
            self.next_document();
        }
        if let Err(problem) = self.frame().plan(plan.count) {
            self.problem(self.line, problem);
        } else if let Some(reason) = plan.skip {
            self.all_skipped(&reason);
        }
    }

    fn all_skipped(&mut self, reason: &str) {
        let reason = (!reason.is_empty()).then(|| reason.to_owned());
        let attempt = self.instant(ImportedOutcome::Pending(reason));
        self.example("(all skipped)", None, attempt);
    }

    fn point(&mut self, level: usize, point: Point) {
        self.begin(0);
        if level == 0 && point.is_bare_ok() && self.is_complete() {
            // `prove -v` ends each file's output with an additional `ok`.
            return;
        }
        if level + 1 == self.depth() && self.closes(&point) {
            self.flush();
            let subtest = self.leave();
            let role = Role::SubtestResult {
                failed_inside: subtest.failed,
            };
            self.set_pending(point, role, &subtest.name);
        } else if self.reach(level, point.number.is_some()) {
            if level == 0 {
                self.enter_section(point.dash);
            }
            self.set_pending(point, Role::Example, "");
        }
    }

    /// Whether the point is the result of the innermost subtest. A point with another name is a separate test: an
    /// extra example is better than a failure mistaken for a group's result.
    fn closes(&mut self, point: &Point) -> bool {
        let frame = self.frame();
        let unnamed = point.description.is_empty() || frame.name == ANONYMOUS;
        let same = || {
            let words = |text| str::split_whitespace(text);
            words(&frame.name).eq(words(&point.description))
        };
        frame.parent_point.is_none() && (unnamed || same())
    }

    fn set_pending(&mut self, mut point: Point, role: Role, name: &str) {
        self.announced_name = None;
        let (line, level) = (self.line, self.depth());
        let (number, problem) = self.frame().count(point.number);
        if let Some(problem) = problem {
            self.problem(line, problem);
        }
        // bats writes neither a version nor a dash when it writes times.
        let may_be_bats = !self.versioned && !point.dash;
        let bats_time = may_be_bats.then(|| point.take_bats_time()).flatten();
        if point.description.is_empty() {
            point.description = match role {
                Role::SubtestResult { .. } => name.into(),
                Role::Example => format!("test {number}"),
            };
        }
        let now = (self.source.now)();
        self.pending_point = Some(PendingPoint {
            line,
            level,
            started: self.last,
            ended: now,
            duration: point.time.or(bats_time),
            diagnostics: TruncatedText::default(),
            text: IndentedText::Absent,
            yaml: Value::Null,
            role,
            point,
        });
        self.last = now;
    }

    /// Emits the pending point, whose diagnostics are complete.
    fn flush(&mut self) {
        let Some(mut pending) = self.pending_point.take() else {
            return;
        };
        self.frame().failed |= pending.fails();
        if pending.needs_example() {
            if pending.point.opens {
                // No subtest followed, so the brace is part of the description.
                pending.point.description.push_str(" {");
            }
            let name = pending.point.description.clone();
            let (attempt, location) = pending.into_attempt();
            self.example(&name, location, attempt);
        }
    }

    fn bail_out(&mut self, reason: &str) {
        self.begin(0);
        self.flush();
        while self.depth() > 0 {
            self.pop();
        }
        let message = if reason.is_empty() {
            "Bail out!"
        } else {
            reason
        };
        let failure = Failure::detected("TAP::BailOut", message.into());
        self.example(
            "(bail out)",
            None,
            self.instant(ImportedOutcome::Failed(failure)),
        );
        self.stage = StreamPhase::BailedOut;
    }

    fn next_document(&mut self) {
        self.begin(0);
        self.end_document();
        self.announced_name = None;
        self.frames = vec![Frame::named("", self.line)];
    }

    fn end_document(&mut self) {
        self.reach(0, false);
        self.end_tests_of_tape();
        let document = self.frame();
        let missed = document.missed_plan().or_else(|| {
            let no_tests = document.ran_nothing();
            document
                .has_no_plan()
                .then(|| no_plan_message(no_tests).to_owned())
        });
        if let Some(missed) = missed {
            self.bad_plan(missed);
        }
    }

    /// Emits a failed example for an unmet plan, because nothing else would show that tests are missing.
    fn bad_plan(&mut self, message: String) {
        self.problem(self.line, message.clone());
        self.frame().failed = true;
        let failure = Failure::detected("TAP::BadPlan", message);
        self.example(
            "(plan)",
            None,
            self.instant(ImportedOutcome::Failed(failure)),
        );
    }

    fn instant(&self, outcome: ImportedOutcome) -> Attempt {
        Attempt {
            started: self.last,
            ended: self.last,
            duration: 0.0,
            outcome,
            metadata: Metadata::new(),
        }
    }

    /// Emits an example in the innermost subtest.
    fn example(&mut self, name: &str, location: Option<String>, attempt: Attempt) {
        let section = self.sections.name().into_iter();
        let groups = self.frames[1..].iter().map(|frame| frame.name.as_str());
        let names: Vec<_> = section.chain(groups).chain([name]).collect();
        let example = self.examples.next(&names, location);
        self.examples.attempt(&example, attempt);
    }
}

fn no_plan_message(no_tests: bool) -> &'static str {
    if no_tests {
        "no TAP found: neither a plan (`1..N`) nor a test (`ok`, `not ok`)"
    } else {
        "no plan (`1..N`): the tests may have stopped early"
    }
}
