//! What a line of TAP means where it stands.

mod subtests;
mod yaml_block;

use serde_json::Value;

use super::super::example::{Attempt, Examples, Failure, ImportedOutcome};
use super::super::truncated::TruncatedText;
use super::super::{ImportSource, run_started};
use super::block::Block;
use super::frame::Frame;
use super::line::{self, Kind, Line, Plan, Point};
use super::pending_point::{PendingPoint, Role};
use crate::event::{Event, SuiteStopped};
use crate::lines::Problem;
use crate::metadata::Metadata;
use crate::time::Time;

/// What a subtest is called that nothing has named.
const ANONYMOUS: &str = "(anonymous)";

/// Takes the lines of a stream one by one and emits what they tell.
pub(super) struct Importer<'a> {
    source: ImportSource<'a>,
    examples: Examples<'a>,
    problems: Vec<Problem>,
    /// The document, and the subtests that are open in it.
    frames: Vec<Frame>,
    /// `# Subtest: name` of which neither the subtest nor its point has come.
    announced: Option<String>,
    held: Option<PendingPoint>,
    /// The YAML block of the held point.
    block: Option<Block>,
    line: u64,
    /// When the last point came.
    last: Time,
    stage: StreamPhase,
    /// Whether the stream names its version, which bats does not where it writes times behind descriptions.
    versioned: bool,
    too_deep: bool,
}

/// How far the run has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamPhase {
    /// Nothing has been emitted yet.
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
            announced: None,
            held: None,
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
        if self.has_bailed_out() || self.is_in_block(text) || self.opens_block(text) {
            return;
        }
        if let Some(line) = line::parse(text) {
            self.take(line);
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

    /// Emits the start of the run, once it is known whether the plan comes first.
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
            .expect("the document is never left, only replaced")
    }

    /// Whether the document has run all it planned.
    fn is_complete(&self) -> bool {
        self.depth() == 0 && self.frames[0].is_complete()
    }

    fn comment(&mut self, level: usize, text: &str) {
        if let Some(held) = self.held.as_mut().filter(|held| held.level == level) {
            held.comment(text);
        }
    }

    /// A version begins a document; in the middle of the stream, the next one.
    fn version(&mut self, level: usize) {
        if level > 0 {
            return;
        }
        self.versioned = true;
        if self.depth() > 0 || !self.frame().is_untouched() {
            self.next_document();
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
        if inside && self.announced.is_none() && !self.opens_braces() {
            // Older Test::More puts the comment inside the subtest that it names.
            self.announced = Some(name);
            self.reach(level, false);
        } else if self.reach(level, false) {
            self.announced = Some(name);
        }
    }

    fn plan(&mut self, level: usize, plan: Plan) {
        self.begin(if level == 0 { plan.count } else { 0 });
        if !self.reach(level, true) {
            return;
        }
        if level == 0 && self.is_complete() {
            // Several files' output in one stream, as `prove -v` has it.
            self.next_document();
        }
        if let Err(problem) = self.frame().plan(plan.count) {
            self.problem(self.line, problem);
        } else if let Some(reason) = plan.skip {
            let reason = Some(reason).filter(|reason| !reason.is_empty());
            self.example(
                "(all skipped)",
                None,
                self.instant(ImportedOutcome::Pending(reason)),
            );
        }
    }

    fn point(&mut self, level: usize, point: Point) {
        self.begin(0);
        if level == 0 && point.is_bare_ok() && self.is_complete() {
            // `prove -v` closes each file's output with an `ok` of its own.
            return;
        }
        if level + 1 == self.depth() && self.closes(&point) {
            self.flush();
            let subtest = self.leave();
            let role = Role::Verdict {
                failed_inside: subtest.failed,
            };
            self.hold(point, role, &subtest.name);
        } else if self.reach(level, point.number.is_some()) {
            self.hold(point, Role::Example, "");
        }
    }

    /// Whether the point is the verdict on the innermost subtest. One of another name is a test of its own: better
    /// one example too many than a failure that passes for a group's.
    fn closes(&mut self, point: &Point) -> bool {
        let frame = self.frame();
        let unnamed = point.description.is_empty() || frame.name == ANONYMOUS;
        let same = || {
            let words = |text| str::split_whitespace(text);
            words(&frame.name).eq(words(&point.description))
        };
        frame.verdict.is_none() && (unnamed || same())
    }

    fn hold(&mut self, mut point: Point, role: Role, name: &str) {
        self.announced = None;
        let (line, level) = (self.line, self.depth());
        let (number, problem) = self.frame().count(point.number);
        if let Some(problem) = problem {
            self.problem(line, problem);
        }
        // bats has neither a version nor a dash where it has times.
        let may_be_bats = !self.versioned && !point.dash;
        let bats_time = may_be_bats.then(|| point.take_bats_time()).flatten();
        if point.description.is_empty() {
            point.description = match role {
                Role::Verdict { .. } => name.into(),
                Role::Example => format!("test {number}"),
            };
        }
        let now = (self.source.now)();
        self.held = Some(PendingPoint {
            level,
            started: self.last,
            ended: now,
            duration: point.time.or(bats_time),
            diagnostics: TruncatedText::default(),
            yaml: Value::Null,
            role,
            point,
        });
        self.last = now;
    }

    /// Emits the held point: nothing more will be said about it.
    fn flush(&mut self) {
        let Some(mut held) = self.held.take() else {
            return;
        };
        self.frame().failed |= held.fails();
        if held.needs_example() {
            if held.point.opens {
                // No subtest came, so the brace was only the end of the description.
                held.point.description.push_str(" {");
            }
            let name = held.point.description.clone();
            let (attempt, location) = held.into_attempt();
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
        let failure = Failure::found("TAP::BailOut", message.into());
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
        self.announced = None;
        self.frames = vec![Frame::named("", self.line)];
    }

    fn end_document(&mut self) {
        self.reach(0, false);
        let document = self.frame();
        let missed = document.missed_plan().or_else(|| {
            let nothing = document.ran_nothing();
            document.has_no_plan().then(|| no_plan(nothing).to_owned())
        });
        if let Some(missed) = missed {
            self.bad_plan(missed);
        }
    }

    /// A plan that was not kept fails the run: tests are missing, and nothing else would tell.
    fn bad_plan(&mut self, message: String) {
        self.problem(self.line, message.clone());
        self.frame().failed = true;
        let failure = Failure::found("TAP::BadPlan", message);
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

    /// Emits an example of the innermost subtest.
    fn example(&mut self, name: &str, location: Option<String>, attempt: Attempt) {
        let groups = self.frames[1..].iter().map(|frame| frame.name.as_str());
        let names: Vec<_> = groups.chain([name]).collect();
        let example = self.examples.next(&names, location);
        self.examples.attempt(&example, attempt);
    }
}

fn no_plan(nothing: bool) -> &'static str {
    if nothing {
        "no plan and no tests in the input"
    } else {
        "no plan: the tests may have stopped early"
    }
}
