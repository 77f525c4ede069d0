//! How results are shown: one listener or report per format, each to standard output or to a file.

mod held;
mod interactive;
mod keys;
mod pipe;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casebook_record::{Recorded, Recorder, RunBuilder, RunData};
use casebook_report::dots::Dots;
use casebook_report::interactive::View;
use casebook_report::interleaved::Interleaved;
use casebook_report::{github, html, json, junit, live, tap};
use casebook_run::Stop;

use super::whole_file::{self, ORDINARY};
use crate::arguments::run::{FormatKind, OutputFormat, Ui};
use crate::arguments::showing::Showing;
use crate::context::{Context, Progress};
use crate::error::CommandError;
use held::Held;
use interactive::Interactive;
use pipe::Pipe;
pub(super) use pipe::Reader;

/// How a run is to be shown.
pub(super) struct Show {
    pub(super) formats: Vec<OutputFormat>,
    pub(super) html: Option<PathBuf>,
    pub(super) ui: Option<Ui>,
    pub(super) timing: bool,
    pub(super) trace: bool,
    pub(super) verbosity: live::Verbosity,
    /// The folder of the record as the user would type it.
    pub(super) record: Option<String>,
}

impl Show {
    /// The files it is written to.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let formats = self.formats.iter();
        formats
            .filter_map(|format| format.file.as_ref())
            .chain(&self.html)
    }

    /// Whether somebody will read it later, too.
    pub(super) fn is_for_later(&self) -> bool {
        self.files().next().is_some()
    }

    /// As it was typed.
    pub(super) fn typed(showing: &Showing, record: Option<String>) -> Show {
        Show {
            formats: showing.format.clone(),
            html: showing.html.clone(),
            ui: showing.ui,
            timing: showing.timing,
            trace: false,
            verbosity: match (showing.quiet, showing.verbose) {
                (true, _) => live::Verbosity::Quiet,
                (false, true) => live::Verbosity::Verbose,
                (false, false) => live::Verbosity::Normal,
            },
            record,
        }
    }
}

/// Whether it can be shown in this way. That is better known before an hour of tests.
pub(super) fn is_possible(ui: Option<Ui>, context: &Context) -> Result<(), CommandError> {
    match ui {
        Some(Ui::Interactive) if !context.has_screen() => Err(CommandError::NoScreen),
        _ => Ok(()),
    }
}

/// The formats that are made when the run is over.
pub(super) struct Outputs {
    at_end: Vec<OutputFormat>,
    /// The HTML page, with what it says of the record's place.
    page: Option<(PathBuf, html::Options)>,
    /// What is printed then, where the run itself is shown in another way.
    held: Option<Held>,
    screen: Option<Interactive>,
    reader: Reader,
}

const PRETTY: OutputFormat = OutputFormat {
    kind: FormatKind::Pretty,
    file: None,
};

impl Outputs {
    /// Lets the formats that show a run as it happens hear what is recorded.
    pub(super) fn begin(
        show: &Show,
        recorder: &Recorder,
        (stop, reader): (&Arc<Stop>, &Reader),
        context: &mut Context,
    ) -> Result<Outputs, CommandError> {
        let mut formats = show.formats.clone();
        // Whoever asks for a way to be shown something wants to see it, whatever goes to files.
        let is_seen = formats.iter().any(|format| format.file.is_none());
        if formats.is_empty() || show.ui.is_some() && !is_seen {
            formats.push(PRETTY);
        }
        if formats
            .iter()
            .filter(|format| format.file.is_none())
            .count()
            > 1
        {
            return Err(CommandError::TwoOnStdout);
        }
        let mut outputs = Outputs {
            at_end: Vec::new(),
            page: page(show, context)?,
            held: None,
            screen: None,
            reader: reader.clone(),
        };
        let on_stdout = formats.iter().find(|format| format.file.is_none());
        if show.ui.is_some() && on_stdout.is_some_and(|one| one.kind != FormatKind::Pretty) {
            return Err(CommandError::UiAndFormat);
        }
        for format in &formats {
            match (format.kind, show.ui) {
                (FormatKind::Pretty, Some(ui)) if format.file.is_none() => {
                    outputs.show(ui, show, recorder, stop, context)?;
                }
                (FormatKind::Pretty, _) => {
                    let out = writer(format, reader, context)?;
                    let run = recorder.run().clone();
                    let live = pretty(format, show, run, context, (out, Context::stderr()))?;
                    if format.file.is_none() {
                        context.messages.go_through(Box::new(live.messages()));
                    }
                    recorder.bus().subscribe(live)?;
                }
                (FormatKind::Tap, _) => {
                    let options = tap::Options {
                        timing: show.timing,
                        trace: show.trace,
                    };
                    let tap = tap::Tap::new(options, writer(format, reader, context)?);
                    recorder.bus().subscribe(tap)?;
                }
                (FormatKind::Junit | FormatKind::Json | FormatKind::Github, _) => {
                    // What cannot be written is better known before an hour of tests.
                    if let Some(path) = &format.file {
                        whole_file::is_possible(&context.folder.join(path))
                            .map_err(|source| unwritable(format, source))?;
                    }
                    outputs.at_end.push(format.clone());
                }
            }
        }
        Ok(outputs)
    }

    /// Shows the run in this way, and what is usually printed when it is over.
    fn show(
        &mut self,
        ui: Ui,
        show: &Show,
        recorder: &Recorder,
        stop: &Arc<Stop>,
        context: &Context,
    ) -> Result<(), CommandError> {
        let held = Held::default();
        let streams = (held.out(), held.err());
        let mut live = live_options(show, context);
        live.progress = false;
        if ui != Ui::Interactive {
            live.verbosity = live::Verbosity::Quiet;
        }
        let (bus, run) = (recorder.bus(), || recorder.run().clone());
        let live = live::Live::new(live, Box::new(Context::now), run(), streams.0, streams.1)?;
        let reader = self.reader.clone();
        let out = || writer(&PRETTY, &reader, context);
        match ui {
            Ui::Interactive => {
                let view = View::new(context.color, show.record.clone(), run());
                bus.subscribe(view.listener())?;
                context.messages.go_through(Box::new(live.messages()));
                let screen = Interactive::begin(view, Arc::clone(stop));
                self.screen = Some(screen.map_err(CommandError::Screen)?);
            }
            Ui::Interleaved => {
                let width = context.width.unwrap_or(live::Options::default().width);
                bus.subscribe(Interleaved::new(context.color, width, out()?))?;
            }
            Ui::Quiet => {
                bus.subscribe(Dots::new(context.color, out()?))?;
            }
        }
        bus.subscribe(live)?;
        self.held = Some(held);
        Ok(())
    }

    /// Writes the formats that need all of the run.
    pub(super) fn end(
        self,
        recorded: &Recorded,
        was_stopped: bool,
        context: &mut Context,
    ) -> Result<(), CommandError> {
        let had_screen = self.screen.is_some();
        if let Some(screen) = self.screen {
            screen.end(!was_stopped);
        }
        context.messages.go_through(Context::stderr());
        if let Some(held) = self.held {
            let mut out = writer(&PRETTY, &self.reader, context)?;
            // What was shown before is still there.
            if !had_screen {
                held.leave_a_gap(&mut *out)?;
            }
            held.release(&mut *out, &mut Context::stderr())?;
        }
        let Some(run) = &recorded.run else {
            return Ok(());
        };
        for format in &self.at_end {
            let contents = |out: &mut dyn Write| write(format.kind, run, out);
            let written = if let Some(path) = &format.file {
                whole_file::write(&context.folder.join(path), ORDINARY, contents)
            } else {
                let mut out = writer(format, &self.reader, context)?;
                contents(&mut *out).and_then(|()| out.flush())
            };
            written.map_err(|source| unwritable(format, source))?;
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

fn page(show: &Show, context: &Context) -> Result<Option<(PathBuf, html::Options)>, CommandError> {
    let Some(path) = show.html.clone() else {
        return Ok(None);
    };
    let options = html::Options {
        threads: Context::cpus(),
        record: show.record.clone(),
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
    show: &Show,
    run: RunBuilder,
    context: &Context,
    (out, err): (Box<dyn Write + Send>, Box<dyn Write + Send>),
) -> Result<live::Live, CommandError> {
    let on_terminal = format.file.is_none();
    let options = live_options(show, context);
    let options = live::Options {
        color: on_terminal && options.color,
        progress: on_terminal && options.progress,
        ..options
    };
    Ok(live::Live::new(
        options,
        Box::new(Context::now),
        run,
        out,
        err,
    )?)
}

/// How a run is shown on standard output.
fn live_options(show: &Show, context: &Context) -> live::Options {
    let defaults = live::Options::default();
    live::Options {
        color: context.color,
        width: context.width.unwrap_or(defaults.width),
        height: context.height.unwrap_or(defaults.height),
        progress: context.progress == Progress::WithData && show.verbosity > live::Verbosity::Quiet,
        verbosity: show.verbosity,
        timing: show.timing,
        trace: show.trace,
        record: show.record.clone(),
    }
}

fn writer(
    format: &OutputFormat,
    reader: &Reader,
    context: &Context,
) -> Result<Box<dyn Write + Send>, CommandError> {
    let Some(path) = &format.file else {
        return Ok(Box::new(Pipe::new(Context::stdout(), reader.clone())));
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
