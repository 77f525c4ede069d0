//! [`Outputs`]: shows a run in its formats, each on standard output or in a file.

mod buffered;
pub(crate) mod finished;
mod interactive;
mod keys;
mod pipe;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use casebook_record::{JournaledRun, Recorder, RecordingResult};
use casebook_report::dots::Dots;
use casebook_report::interactive::View;
use casebook_report::interleaved::Interleaved;
use casebook_report::{html, jsonl, live, tap, terminal};
use casebook_run::StopToken;

use crate::arguments::otlp_args::OtlpArgs;
use crate::arguments::output_args::OutputArgs;
use crate::arguments::run::{FormatKind, OutputFormat, Ui};
use crate::commands::shared::{atomic_file, otlp};
use crate::context::{Context, Progress};
use crate::error::CommandError;
use crate::exit::Exit;
use buffered::BufferedOutput;
use finished::{FinishedRun, check_stdout, unwritable};
pub(crate) use interactive::CloseReason;
use interactive::Interactive;
pub(crate) use pipe::PipeState;
use pipe::PipeWriter;

/// How a run is shown.
pub(crate) struct OutputSettings {
    pub(crate) formats: Vec<OutputFormat>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) otlp_args: OtlpArgs,
    pub(crate) ui: Option<Ui>,
    pub(crate) timing: bool,
    pub(crate) trace: bool,
    pub(crate) verbosity: live::Verbosity,
    /// The directory of the record, relative to the working directory.
    pub(crate) record: Option<String>,
    /// Whether the interactive view offers to run failed tests again.
    pub(crate) can_rerun: bool,
    /// The numbers of trials for pass@k and pass^k.
    pub(crate) k: Vec<u64>,
}

impl OutputSettings {
    /// The files to write.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let formats = self.formats.iter();
        formats
            .filter_map(|format| format.file.as_ref())
            .chain(&self.html)
    }

    /// Whether results are written to files.
    pub(crate) fn writes_files(&self) -> bool {
        self.files().next().is_some()
    }

    /// From the arguments.
    pub(crate) fn from_args(output_args: &OutputArgs, record: Option<String>) -> OutputSettings {
        OutputSettings {
            formats: output_args.format.clone(),
            html: output_args.html.clone(),
            otlp_args: output_args.otlp_args.clone(),
            ui: output_args.ui,
            timing: output_args.timing,
            trace: false,
            verbosity: match (output_args.quiet, output_args.verbose) {
                (true, _) => live::Verbosity::Quiet,
                (false, true) => live::Verbosity::Verbose,
                (false, false) => live::Verbosity::Normal,
            },
            record,
            can_rerun: false,
            k: Vec::new(),
        }
    }
}

/// Checks that the terminal supports this view, before a long run.
pub(crate) fn check_ui(ui: Option<Ui>, context: &Context) -> Result<(), CommandError> {
    match ui {
        Some(Ui::Interactive) if !context.has_interactive_terminal() => {
            Err(CommandError::NoTerminal)
        }
        _ => Ok(()),
    }
}

/// The formats of a running test run.
pub(crate) struct Outputs {
    at_end: Vec<OutputFormat>,
    /// The HTML page, with its options.
    page: Option<(PathBuf, html::Options)>,
    otlp_args: OtlpArgs,
    /// Output that is printed at the end, while another view shows the run.
    buffered: Option<BufferedOutput>,
    screen: Option<Interactive>,
    pipe: PipeState,
    /// The numbers of trials for pass@k and pass^k.
    k: Vec<u64>,
}

const PRETTY: OutputFormat = OutputFormat {
    kind: FormatKind::Pretty,
    file: None,
};

impl Outputs {
    /// Subscribes the formats that show a run as it happens.
    pub(crate) fn begin(
        show: &OutputSettings,
        recorder: &Recorder,
        (stop, pipe): (&Arc<StopToken>, &PipeState),
        context: &mut Context,
    ) -> Result<Outputs, CommandError> {
        let formats = formats(show)?;
        let mut outputs = Outputs {
            at_end: Vec::new(),
            page: page(show, context)?,
            otlp_args: show.otlp_args.clone(),
            buffered: None,
            screen: None,
            pipe: pipe.clone(),
            k: show.k.clone(),
        };
        for format in &formats {
            match (format.kind, show.ui) {
                (FormatKind::Pretty, Some(ui)) if format.file.is_none() => {
                    outputs.show(ui, show, recorder, stop, context)?;
                }
                (FormatKind::Pretty, _) => subscribe_pretty(format, show, recorder, pipe, context)?,
                (FormatKind::Tap, _) => {
                    let options = tap::Options {
                        timing: show.timing,
                        trace: show.trace,
                    };
                    let tap = tap::Tap::new(options, writer(format, pipe, context)?);
                    recorder.bus().subscribe(tap)?;
                }
                (FormatKind::Jsonl, _) => {
                    let jsonl = jsonl::Jsonl::new(writer(format, pipe, context)?);
                    recorder.bus().subscribe(jsonl)?;
                }
                _ => outputs.write_at_end(format, context)?,
            }
        }
        Ok(outputs)
    }

    fn write_at_end(
        &mut self,
        format: &OutputFormat,
        context: &Context,
    ) -> Result<(), CommandError> {
        // Fails before a long run, not after it.
        if let Some(path) = &format.file {
            let path = context.dir.join(path);
            match format.kind {
                FormatKind::Allure => std::fs::create_dir_all(&path),
                _ => atomic_file::check_writable(&path),
            }
            .map_err(|source| unwritable(format, source))?;
        }
        self.at_end.push(format.clone());
        Ok(())
    }

    /// Shows the run in this view, and the usual output at the end.
    fn show(
        &mut self,
        ui: Ui,
        show: &OutputSettings,
        recorder: &Recorder,
        stop: &Arc<StopToken>,
        context: &Context,
    ) -> Result<(), CommandError> {
        let buffered = BufferedOutput::default();
        let streams = (buffered.out(), buffered.err());
        let mut live = live_options(show, context);
        live.progress = false;
        if ui != Ui::Interactive {
            live.verbosity = live::Verbosity::Quiet;
        }
        let (bus, run) = (recorder.bus(), || recorder.run().clone());
        let live = live::Live::new(live, Box::new(Context::now), run(), streams.0, streams.1)?;
        let pipe = self.pipe.clone();
        let out = || writer(&PRETTY, &pipe, context);
        match ui {
            Ui::Interactive => {
                let view = View::new(context.color, show.record.clone(), run(), show.can_rerun);
                bus.subscribe(view.listener())?;
                context.messages.redirect(Box::new(live.messages()));
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
        self.buffered = Some(buffered);
        Ok(())
    }

    /// Writes the formats that need the finished run. Returns what the user chose in the interactive view.
    pub(crate) fn end(
        self,
        recorded: &RecordingResult,
        was_stopped: bool,
        context: &mut Context,
    ) -> Result<CloseReason, CommandError> {
        let had_screen = self.screen.is_some();
        let leaving = self
            .screen
            .map_or(CloseReason::Quit, |screen| screen.end(!was_stopped));
        context.messages.redirect(context.shared_stderr());
        if let Some(buffered) = self.buffered {
            let mut out = writer(&PRETTY, &self.pipe, context)?;
            // Without a full screen, earlier output is still visible.
            if !had_screen {
                buffered.write_separator(&mut *out)?;
            }
            buffered.release(&mut *out, &mut context.shared_stderr())?;
        }
        let Some(run) = &recorded.run else {
            return Ok(leaving);
        };
        let finished = FinishedRun {
            run,
            options: &terminal::Options {
                k: self.k,
                ..terminal::Options::default()
            },
            dir: &context.dir,
            environment: &context.environment,
        };
        for format in &self.at_end {
            let mut stdout = writer(&PRETTY, &self.pipe, context)?;
            finished.write(format, &mut *stdout)?;
        }
        if let Some((path, mut options)) = self.page {
            name_record(&mut options, recorded, context);
            finished.write_page(path, &options)?;
        }
        // A collector that is down does not make a run fail.
        if let Err(reason) = otlp::export(run, &self.otlp_args, context) {
            let warning = format!("cannot export the run: {reason}");
            context.messages.warn(&warning);
        }
        Ok(leaving)
    }
}

/// Names the directory of the record instead of `latest`, which soon is another run.
fn name_record(options: &mut html::Options, recorded: &RecordingResult, context: &Context) {
    let is_latest = |record: &String| record.ends_with("/latest");
    if let Some(dir) = &recorded.dir
        && options.record.as_ref().is_some_and(is_latest)
    {
        let shown = dir.strip_prefix(&context.dir).unwrap_or(dir);
        options.record = Some(shown.display().to_string());
    }
}

/// The formats to write. `--ui` shows results even if all formats go to files.
fn formats(show: &OutputSettings) -> Result<Vec<OutputFormat>, CommandError> {
    let mut formats = show.formats.clone();
    let is_seen = formats.iter().any(|format| format.file.is_none());
    if formats.is_empty() || show.ui.is_some() && !is_seen {
        formats.push(PRETTY);
    }
    check_stdout(&formats, None)?;
    let on_stdout = formats.iter().find(|format| format.file.is_none());
    if show.ui.is_some() && on_stdout.is_some_and(|one| one.kind != FormatKind::Pretty) {
        return Err(CommandError::UiAndFormat);
    }
    Ok(formats)
}

fn subscribe_pretty(
    format: &OutputFormat,
    show: &OutputSettings,
    recorder: &Recorder,
    pipe: &PipeState,
    context: &mut Context,
) -> Result<(), CommandError> {
    let out = writer(format, pipe, context)?;
    let run = recorder.run().clone();
    let live = pretty(format, show, run, context, (out, context.shared_stderr()))?;
    if format.file.is_none() {
        context.messages.redirect(Box::new(live.messages()));
    }
    recorder.bus().subscribe(live)?;
    Ok(())
}

/// The exit code of a run after its reports were written: an error of theirs does not hide failed tests.
pub(crate) fn exit_after<T>(
    shown: Result<T, CommandError>,
    tests: Exit,
    context: &Context,
) -> Result<Exit, CommandError> {
    match shown {
        Ok(_) => Ok(tests),
        Err(error) if tests == Exit::Failed => {
            context.messages.error(&error.to_string());
            Ok(tests)
        }
        Err(error) => Err(error),
    }
}

fn page(
    show: &OutputSettings,
    context: &Context,
) -> Result<Option<(PathBuf, html::Options)>, CommandError> {
    let Some(path) = show.html.clone() else {
        return Ok(None);
    };
    let options = html::Options {
        threads: Context::cpus(),
        record: show.record.clone(),
        ..html::Options::default()
    };
    match atomic_file::check_writable(&context.dir.join(&path)) {
        Ok(()) => Ok(Some((path, options))),
        Err(source) => Err(CommandError::Write { path, source }),
    }
}

fn pretty(
    format: &OutputFormat,
    show: &OutputSettings,
    run: JournaledRun,
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
fn live_options(show: &OutputSettings, context: &Context) -> live::Options {
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
        k: show.k.clone(),
    }
}

fn writer(
    format: &OutputFormat,
    pipe: &PipeState,
    context: &Context,
) -> Result<Box<dyn Write + Send>, CommandError> {
    let Some(path) = &format.file else {
        return Ok(Box::new(PipeWriter::new(
            context.shared_stdout(),
            pipe.clone(),
        )));
    };
    match File::create(context.dir.join(path)) {
        Ok(file) => Ok(Box::new(BufWriter::new(file))),
        Err(source) => Err(unwritable(format, source)),
    }
}
