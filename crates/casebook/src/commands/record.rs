//! `casebook record`: records the tests that a command runs, or a run from events or another tool's results.

pub(super) mod command;
mod interrupt;
mod session;

use std::fmt::Write as _;
use std::io::{self, BufReader, Read, Write as _};
use std::path::Path;

use casebook_record::import::{self, ImportSource};
use casebook_record::{DecodeError, EventLine, EventReader, InvalidLine, Problem, io_reason};

use crate::arguments::{Format, Record};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use session::{EventOrigin, RecordingSession, SessionResult, is_stdin};

type Input = BufReader<Box<dyn Read + Send>>;

pub(super) fn run(record: &Record, context: &mut Context) -> Result<Exit, CommandError> {
    if let [program, arguments @ ..] = record.command.as_slice() {
        return command::run(program, arguments, record, context);
    }
    match (record.from, &record.input) {
        (Some(format), _) => read_input(format, record, context),
        (None, None) => Err(CommandError::NothingToRecord),
        (None, Some(input)) => Err(CommandError::CommandOrInput {
            name: input.display().to_string(),
        }),
    }
}

fn read_input(
    format: Format,
    record: &Record,
    context: &mut Context,
) -> Result<Exit, CommandError> {
    if record.ack && record.options.is_disabled() {
        return Err(CommandError::NothingToAcknowledge);
    }
    if record.ack && format != Format::Jsonl {
        return Err(CommandError::NoLinesToAcknowledge);
    }
    let redactor = context.redactor(&record.options.redact)?;
    context.messages.redact(redactor.clone());
    let path = record.input.as_deref().unwrap_or(Path::new("-"));
    let input = open(path)?;
    let session =
        RecordingSession::begin(EventOrigin::Input(path.into()), record, redactor, context)?;
    interrupt::finish_on_signal(&session);
    let work = Reading {
        format,
        path,
        ack: record.ack,
    };
    work.read(input, &session, context)?;
    Ok(exit_of(&session.end(None), format, context))
}

/// Damaged event lines may hide results, so that neither success nor failure is certain. Importers of other formats
/// report such defects as failed tests.
fn exit_of(ended: &SessionResult, format: Format, context: &Context) -> Exit {
    let recorded = &ended.recorded;
    if recorded.result.run.is_none() {
        return Exit::CouldNotTest;
    }
    if recorded.has_failures() {
        if !(ended.is_damaged && format == Format::Jsonl) {
            return Exit::Failed;
        }
        context
            .messages
            .error("tests failed, and results may be missing: the input has damaged lines");
        return Exit::CouldNotTest;
    }
    if ended.is_damaged || ended.is_cut_short() {
        return Exit::CouldNotTest;
    }
    recorded.exit(Exit::Passed)
}

fn open(path: &Path) -> Result<Input, CommandError> {
    let input = if is_stdin(path) {
        Context::stdin()
    } else {
        let unreadable = |source| CommandError::Input {
            path: path.into(),
            source,
        };
        casebook_record::open(path).map_err(unreadable)?
    };
    Ok(BufReader::with_capacity(1 << 16, input))
}

/// An input to read.
struct Reading<'r> {
    format: Format,
    path: &'r Path,
    ack: bool,
}

impl Reading<'_> {
    /// Reads to the end. If the input breaks off, everything before is kept.
    fn read(
        &self,
        input: Input,
        session: &RecordingSession,
        context: &mut Context,
    ) -> Result<(), CommandError> {
        let mut publish = |event| session.publish(event);
        match self.format {
            Format::Jsonl => read_events(input, session, self.ack, context),
            Format::Tap => match import::tap(input, &self.source(), &mut publish) {
                Ok(problems) => problems
                    .into_iter()
                    .for_each(|problem| session.add(problem)),
                Err(error) => session.add(cut_short(0, &error)),
            },
            Format::Junit => {
                let wrong = |source| CommandError::Junit {
                    path: session.name().into(),
                    source,
                };
                let problems = import::junit(input, &self.source(), &mut publish).map_err(wrong)?;
                problems
                    .into_iter()
                    .for_each(|problem| session.add(problem));
            }
        }
        Ok(())
    }

    fn source(&self) -> ImportSource<'_> {
        let stem = self.path.file_stem().and_then(|stem| stem.to_str());
        ImportSource {
            name: stem.filter(|stem| *stem != "-").unwrap_or("standard input"),
            now: &Context::now,
        }
    }
}

/// Records event lines as they arrive. Lines that arrive together are synced and acknowledged together.
fn read_events(input: Input, session: &RecordingSession, mut ack: bool, context: &mut Context) {
    let mut reader = EventReader::new(input);
    let mut answers = String::new();
    let mut last_line = 0;
    loop {
        let line = match reader.next() {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => return session.add(cut_short(last_line + 1, &error)),
        };
        last_line = line.number;
        if ack {
            answer(&line, &mut answers);
        }
        session.take(line);
        if ack && !reader.is_ready() {
            ack = acknowledge(&mut answers, session, context);
        }
    }
}

fn cut_short(line: u64, error: &io::Error) -> Problem {
    Problem {
        line,
        message: format!("cannot read further: {}", io_reason(error)),
    }
}

fn answer(line: &EventLine, answers: &mut String) {
    let verdict = match &line.event {
        Ok(_) => "",
        Err(InvalidLine::Undecodable(DecodeError::UnknownKind(_))) => " skipped",
        Err(_) => " rejected",
    };
    writeln!(answers, "{}{verdict}", line.number).expect("writing to a string succeeds");
}

/// Syncs the record, then acknowledges the lines. Returns false if no further line can be acknowledged, because the record is
/// broken or standard output was closed; recording continues.
fn acknowledge(answers: &mut String, session: &RecordingSession, context: &mut Context) -> bool {
    let answers = std::mem::take(answers);
    if let Err(error) = session.sync() {
        context
            .messages
            .error(&format!("cannot acknowledge further lines: {error}"));
        return false;
    }
    let stdout = &mut context.stdout;
    let heard = stdout
        .write_all(answers.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(error) = &heard {
        context
            .messages
            .warn(&format!("cannot acknowledge further lines: {error}"));
    }
    heard.is_ok()
}
