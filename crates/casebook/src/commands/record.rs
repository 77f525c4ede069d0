//! `casebook record`: a run from its events, or from another tool's results.

mod interrupt;
mod session;

use std::fmt::Write as _;
use std::io::{BufReader, Read, Write as _};
use std::path::Path;

use casebook_record::import::{self, Source};
use casebook_record::{BadLine, DecodeError, EventLine, EventReader, Problems};

use crate::arguments::{Format, Record};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use session::{Session, is_stdin};

type Input = BufReader<Box<dyn Read + Send>>;

pub(super) fn run(record: &Record, context: &mut Context) -> Result<Exit, CommandError> {
    if record.ack && record.writes_nothing() {
        return Err(CommandError::NothingToAcknowledge);
    }
    let redactor = context.redactor(&record.redact)?;
    context.messages.redact(redactor.clone());
    let input = open(&record.input)?;
    let session = Session::begin(record, redactor, context);
    interrupt::end_in_order(&session, &context.messages);
    match read(input, record, &session, context) {
        Ok(problems) => Ok(session.end(&problems, &context.messages)),
        Err(error) => {
            // What came before the input broke off is worth as much as ever.
            if session.has_begun() {
                session.end(&Problems::default(), &context.messages);
            }
            Err(error)
        }
    }
}

fn read(
    input: Input,
    record: &Record,
    session: &Session,
    context: &mut Context,
) -> Result<Problems, CommandError> {
    let mut publish = |event| session.publish(event);
    let problems = match record.from {
        Format::Jsonl => return read_events(input, session, record.ack, context),
        Format::Tap => {
            import::tap(input, &source(record), &mut publish).map_err(unreadable(&record.input))?
        }
        Format::Junit => import::junit(input, &source(record), &mut publish).map_err(|source| {
            CommandError::Junit {
                path: record.input.clone(),
                source,
            }
        })?,
    };
    Ok(problems.into_iter().collect())
}

fn open(path: &Path) -> Result<Input, CommandError> {
    let input = if is_stdin(path) {
        Context::stdin()
    } else {
        casebook_record::open(path).map_err(unreadable(path))?
    };
    Ok(BufReader::with_capacity(1 << 16, input))
}

fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> CommandError {
    let path = path.to_owned();
    move |source| CommandError::Input { path, source }
}

fn source(record: &Record) -> Source<'_> {
    let stem = record.input.file_stem().and_then(|stem| stem.to_str());
    Source {
        name: stem.filter(|stem| *stem != "-").unwrap_or("standard input"),
        now: &Context::now,
    }
}

/// Records event lines as they come. Lines that have come together are synced, and acknowledged, together.
fn read_events(
    input: Input,
    session: &Session,
    ack: bool,
    context: &mut Context,
) -> Result<Problems, CommandError> {
    let mut reader = EventReader::new(input);
    let mut problems = Problems::default();
    let mut acknowledging = ack;
    let mut answers = String::new();
    while let Some(line) = reader.next().map_err(unreadable(session.input()))? {
        if acknowledging {
            answer(&line, &mut answers);
        }
        if let Some(event) = problems.sift(line) {
            session.publish(event);
        }
        if acknowledging && !reader.is_ready() {
            acknowledging = acknowledge(&mut answers, session, context);
        }
    }
    Ok(problems)
}

fn answer(line: &EventLine, answers: &mut String) {
    let verdict = match &line.event {
        Ok(_) => "",
        Err(BadLine::Undecodable(DecodeError::UnknownKind(_))) => " skipped",
        Err(_) => " rejected",
    };
    writeln!(answers, "{}{verdict}", line.number).expect("writing to a string succeeds");
}

/// Nothing is acknowledged that is not on the disk. False when no line will be any more: the record is broken, or
/// whoever waited for the answers has gone; recording goes on either way.
fn acknowledge(answers: &mut String, session: &Session, context: &mut Context) -> bool {
    if let Err(error) = session.sync() {
        context
            .messages
            .error(&format!("no line is acknowledged from here on: {error}"));
        return false;
    }
    let told = context
        .stdout
        .write_all(answers.as_bytes())
        .and_then(|()| context.stdout.flush());
    answers.clear();
    told.is_ok()
}
