//! How results are shown: one listener or report per format, each to standard output or to a file.

mod pipe;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use casebook_record::{Bus, Recorded, RunData};
use casebook_report::{github, html, json, junit, live, tap};

use super::settings::Settings;
use crate::arguments::run::{FormatKind, OutputFormat};
use crate::commands::whole_file::{self, ORDINARY};
use crate::context::{Context, Progress};
use crate::error::CommandError;
use pipe::Pipe;

/// The formats that are made when the run is over.
pub(super) struct Outputs {
    at_end: Vec<OutputFormat>,
    /// The HTML page, with what it says of the record's place.
    page: Option<(PathBuf, html::Options)>,
}

const PRETTY: OutputFormat = OutputFormat {
    kind: FormatKind::Pretty,
    file: None,
};

impl Outputs {
    /// Lets the formats that show a run as it happens listen on the bus.
    pub(super) fn begin(
        settings: &Settings,
        bus: &Bus,
        context: &mut Context,
    ) -> Result<Outputs, CommandError> {
        let formats = match settings.formats.as_slice() {
            [] => &[PRETTY],
            formats => formats,
        };
        if formats
            .iter()
            .filter(|format| format.file.is_none())
            .count()
            > 1
        {
            return Err(CommandError::TwoOnStdout);
        }
        let mut at_end = Vec::new();
        for format in formats {
            match format.kind {
                FormatKind::Pretty => {
                    let live = pretty(format, settings, context)?;
                    if format.file.is_none() {
                        context.messages.go_through(Box::new(live.messages()));
                    }
                    bus.subscribe(live)?;
                }
                FormatKind::Tap => {
                    let options = tap::Options {
                        timing: settings.timing,
                        trace: settings.trace,
                    };
                    bus.subscribe(tap::Tap::new(options, writer(format, context)?))?;
                }
                FormatKind::Junit | FormatKind::Json | FormatKind::Github => {
                    // What cannot be written is better known before an hour of tests.
                    if format.file.is_some() {
                        writer(format, context)?;
                    }
                    at_end.push(format.clone());
                }
            }
        }
        Ok(Outputs {
            at_end,
            page: page(settings, context)?,
        })
    }

    /// Writes the formats that need all of the run.
    pub(super) fn end(
        self,
        recorded: &Recorded,
        context: &mut Context,
    ) -> Result<(), CommandError> {
        context.messages.go_through(Context::stderr());
        let Some(run) = &recorded.run else {
            return Ok(());
        };
        for format in &self.at_end {
            let mut out = writer(format, context)?;
            write(format.kind, run, &mut *out)
                .and_then(|()| out.flush())
                .map_err(|source| unwritable(format, source))?;
            if format.kind == FormatKind::Github {
                summarise_job(run, context)?;
            }
        }
        if let Some((path, options)) = self.page {
            whole_file::write(&context.folder.join(&path), ORDINARY, |out| {
                html::write(run, &options, out)
            })
            .map_err(|source| CommandError::Write { path, source })?;
        }
        Ok(())
    }
}

fn page(
    settings: &Settings,
    context: &Context,
) -> Result<Option<(PathBuf, html::Options)>, CommandError> {
    let Some(path) = settings.html.clone() else {
        return Ok(None);
    };
    let options = html::Options {
        threads: Context::cpus(),
        record: settings.record_folder(),
    };
    match whole_file::is_possible(&context.folder.join(&path)) {
        Ok(()) => Ok(Some((path, options))),
        Err(source) => Err(CommandError::Write { path, source }),
    }
}

fn write(kind: FormatKind, run: &RunData, out: &mut dyn Write) -> io::Result<()> {
    match kind {
        FormatKind::Junit => junit::write(run, out),
        FormatKind::Github => github::annotations(run, out),
        FormatKind::Json => {
            serde_json::to_writer_pretty(&mut *out, &json::summary(run, SLOWEST))?;
            writeln!(out)
        }
        FormatKind::Pretty | FormatKind::Tap => Ok(()),
    }
}

/// How many of the slowest tests a summary names.
const SLOWEST: usize = 5;

/// GitHub shows what is appended to this file on the page of the job.
fn summarise_job(run: &RunData, context: &Context) -> Result<(), CommandError> {
    let Some(path) = context
        .environment
        .get("GITHUB_STEP_SUMMARY")
        .filter(|path| !path.is_empty())
    else {
        return Ok(());
    };
    let path = Path::new(path);
    let append = || {
        let file = File::options().append(true).create(true).open(path)?;
        let mut out = BufWriter::new(file);
        github::job_summary(run, &mut out)?;
        out.flush()
    };
    append().map_err(|source| CommandError::Write {
        path: path.into(),
        source,
    })
}

fn pretty(
    format: &OutputFormat,
    settings: &Settings,
    context: &Context,
) -> Result<live::Live, CommandError> {
    let defaults = live::Options::default();
    let on_terminal = format.file.is_none();
    let options = live::Options {
        color: on_terminal && context.color,
        width: context.width.unwrap_or(defaults.width),
        height: context.height.unwrap_or(defaults.height),
        progress: on_terminal
            && context.progress == Progress::WithData
            && settings.verbosity > live::Verbosity::Quiet,
        verbosity: settings.verbosity,
        timing: settings.timing,
        trace: settings.trace,
        record: settings.record_folder(),
    };
    let out = writer(format, context)?;
    Ok(live::Live::new(
        options,
        Box::new(Context::now),
        out,
        Context::stderr(),
    )?)
}

fn writer(format: &OutputFormat, context: &Context) -> Result<Box<dyn Write + Send>, CommandError> {
    let Some(path) = &format.file else {
        return Ok(Box::new(Pipe::new(Context::stdout())));
    };
    match File::create(context.folder.join(path)) {
        Ok(file) => Ok(Box::new(BufWriter::new(file))),
        Err(source) => Err(unwritable(format, source)),
    }
}

fn unwritable(format: &OutputFormat, source: io::Error) -> CommandError {
    match &format.file {
        None => CommandError::Output(source),
        Some(path) => CommandError::Write {
            path: path.clone(),
            source,
        },
    }
}
