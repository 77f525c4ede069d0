//! Top-level groups that are not subtests: the tests of tape and the files of `prove -v`.
//!
//! tape writes the name of a test as a comment before its points and indents nothing. prove writes the name of each
//! file before the file's output.

use super::super::super::example::{Failure, ImportedOutcome};
use super::super::frame::Frame;
use super::super::prove::{self, ProveLine};
use super::{Importer, StreamPhase};

/// How the stream is divided into sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// No point has been read.
    Unknown,
    Plain,
    Tape,
    Prove,
}

/// The open section and the name of the next one.
pub(super) struct Sections {
    layout: Layout,
    /// A comment that is the name of a test if tape wrote it.
    heading: Option<String>,
    open: Option<String>,
}

impl Sections {
    pub(super) fn new() -> Sections {
        Sections {
            layout: Layout::Unknown,
            heading: None,
            open: None,
        }
    }

    /// The name of the group around the document's tests.
    pub(super) fn name(&self) -> Option<&str> {
        self.open.as_deref()
    }
}

impl Importer<'_> {
    /// Keeps a comment that may be the heading of a test. tape writes the first one between the version and the first
    /// point. Its `t.comment` looks the same, so the first comment before a point applies.
    pub(super) fn heading(&mut self, text: &str) {
        let may_be_heading = match self.sections.layout {
            Layout::Unknown => self.versioned && self.frame().is_untouched(),
            Layout::Tape => true,
            Layout::Plain | Layout::Prove => false,
        };
        let text = text.trim();
        // A skipped test has no points.
        if may_be_heading && !text.is_empty() && !text.starts_with("SKIP ") {
            match text.strip_prefix("TODO ") {
                Some(name) => self.sections.heading = Some(name.to_owned()),
                None => drop(self.sections.heading.get_or_insert_with(|| text.to_owned())),
            }
        }
    }

    /// Opens the section of a point of the document. tape writes no dash after the number.
    pub(super) fn enter_section(&mut self, dash: bool) {
        let heading = self.sections.heading.take();
        if self.sections.layout == Layout::Unknown {
            let tape = heading.is_some() && !dash;
            self.sections.layout = if tape { Layout::Tape } else { Layout::Plain };
        }
        if let Some(name) = heading.filter(|_| self.sections.layout == Layout::Tape) {
            self.open_section(&name, None);
        }
    }

    /// Interprets a line that is not TAP.
    pub(super) fn other_line(&mut self, text: &str) {
        let is_prove = self.sections.layout == Layout::Prove;
        if !is_prove && self.stage != StreamPhase::Waiting {
            return;
        }
        match prove::parse(text) {
            Some(ProveLine::File(file)) => self.open_file(file),
            Some(ProveLine::Skipped { file, reason }) => {
                self.open_file(file);
                self.frame().skip();
                self.all_skipped(reason);
            }
            Some(ProveLine::ExitStatus(status)) if is_prove => self.exit_status(status),
            _ => {}
        }
    }

    fn open_file(&mut self, file: &str) {
        self.begin(0);
        if self.sections.layout == Layout::Prove {
            self.end_document();
        }
        self.frames = vec![Frame::named("", self.line)];
        self.announced_name = None;
        self.sections.layout = Layout::Prove;
        self.open_section(file, Some(file));
    }

    /// A file that fails although all its tests pass, for example because it dies at its end.
    fn exit_status(&mut self, status: &str) {
        self.reach(0, false);
        if !self.frame().failed && self.frame().is_complete() {
            self.frame().failed = true;
            let failure = Failure::detected("TAP::ExitStatus", status.to_owned());
            let attempt = self.instant(ImportedOutcome::Failed(failure));
            self.example("(exit status)", None, attempt);
        }
    }

    /// A new document may have another layout, unless prove runs it.
    pub(super) fn reset_sections(&mut self) {
        if self.sections.layout != Layout::Prove {
            self.sections.layout = Layout::Unknown;
            self.sections.heading = None;
        }
    }

    /// The plan of a document with tape's tests is not part of its last test.
    pub(super) fn end_tests_of_tape(&mut self) {
        if self.sections.layout == Layout::Tape {
            self.close_section();
        }
    }

    fn open_section(&mut self, name: &str, file: Option<&str>) {
        self.close_section();
        self.examples.group_started(self.last, name, file);
        self.sections.open = Some(name.to_owned());
    }

    pub(super) fn close_section(&mut self) {
        if let Some(name) = self.sections.open.take() {
            self.examples.group_finished(self.last, &name);
        }
    }
}
