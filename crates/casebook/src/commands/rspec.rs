//! `casebook rspec`: RSpec in several processes, shown and recorded as one run.

mod list;
mod on_cluster;
mod request;
mod resume;
mod shared_files;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::sync::Arc;

use casebook_record::{Destination, Redactor, RunIdentity};
use casebook_run::StopToken;
use casebook_run::rspec::{self, ControllerInbox, Output, RspecOutcome, Stopper};
use signal_hook::consts::SIGPIPE;
use uuid::Uuid;

use crate::arguments::rspec::Rspec;
use crate::commands::shared::cluster::{ClusterSettings, recorded_run};
use crate::commands::shared::list::ListFormat;
use crate::commands::shared::output::{self, OutputSettings, Outputs, PipeState};
use crate::commands::shared::plural::plural;
use crate::commands::shared::recording::{Recorded, Recording};
use crate::commands::shared::signals::Signals;
use crate::commands::shared::upload::Upload;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::messages::Messages;
use on_cluster::SpecRun;
use resume::Resumed;

pub(super) fn run(arguments: &Rspec, context: &mut Context) -> Result<Exit, CommandError> {
    output::check_ui(arguments.output_args.ui, context)?;
    if arguments.json && !arguments.list {
        return Err(CommandError::JsonWithoutList);
    }
    require_specs(&arguments.specs, context)?;
    let redactor = context.redactor(&arguments.record_args.redact)?;
    context.messages.redact(redactor.clone());
    let before = resumed(arguments, context)?;
    let (request, command) = request::resolve(arguments, &before, redactor.clone(), context);
    if arguments.list {
        let format = ListFormat::of(&arguments.output_args.list_formats(arguments.json))?;
        return list::show(request, format, context);
    }
    let identity = identity(arguments, &before, context);
    let recording = recording(arguments, &before, &identity, redactor, context)?;
    let stop = Arc::new(StopToken::new()?);
    let show = OutputSettings::from_args(&arguments.output_args, arguments.record_args.dir());
    let inbox = ControllerInbox::new();
    let pipe = pipe(inbox.stopper(), &show);
    let outputs = Outputs::begin(&show, recording.recorder(), (&stop, &pipe), context)?;
    let signals = listen(inbox.stopper(), Arc::clone(&stop), context);
    let ran = match ClusterSettings::new(&arguments.cluster_args) {
        None => rspec::run(
            &request,
            &context.system(),
            inbox,
            &mut |event| recording.publish(event),
            &output(context.messages.clone()),
        )
        .map_err(CommandError::from),
        Some(cluster) => {
            let run = SpecRun {
                request: &request,
                command,
                identity,
                journal: before.run_id.as_ref().map(|_| before.journal.as_path()),
                redact: &arguments.record_args.redact,
                recording: &recording,
                stop: &stop,
            };
            run.run(&cluster, inbox, context)
        }
    };
    let mut record = recording.finish();
    let shown = outputs.end(&record.result, signals.first().is_some(), context);
    let outcome = ran?;
    warn_about_shared_files(&record, context);
    say_where(&record, arguments, context);
    record.upload(&context.messages);
    before.describe(outcome.planned, context);
    let left = Some(SIGPIPE).filter(|_| pipe.is_closed() && outcome.not_run > 0);
    let signal = signals.first().or(left);
    let tests = match conclude(&outcome, signal, record.can_resume(), context) {
        Ok(Exit::Passed) | Err(CommandError::NoExamples) if before.failed > 0 => Exit::Failed,
        Err(CommandError::NoExamples) if !before.finished.is_empty() => Exit::Passed,
        exit => exit?,
    };
    output::exit_after(shown, record.exit(tests), context)
}

/// Fails if a spec does not exist: RSpec would report that as an error while loading, below a failed run. What contains
/// `*`, `?` or `{` may be a pattern.
fn require_specs(specs: &[OsString], context: &Context) -> Result<(), CommandError> {
    for spec in specs.iter().filter_map(|spec| spec.to_str()) {
        let file = spec.split('[').next().unwrap_or(spec);
        let file = file.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit());
        let is_missing = |file: &str| !context.dir.join(file).exists();
        if !spec.contains(['*', '?', '{']) && is_missing(file) && is_missing(spec) {
            return Err(CommandError::Input {
                path: spec.into(),
                source: ErrorKind::NotFound.into(),
            });
        }
    }
    Ok(())
}

/// The run of `--resume`, or an earlier part of the cluster's run with this id.
fn resumed(arguments: &Rspec, context: &Context) -> Result<Resumed, CommandError> {
    let run_id = arguments.cluster_args.run_id.as_ref();
    let recorded = run_id.and_then(|id| recorded_run(id, &arguments.record_args, context));
    let recorded = recorded.map(|dir| dir.display().to_string());
    match arguments.resume.as_ref().or(recorded.as_ref()) {
        Some(name) => resume::find(name, context),
        None => Ok(Resumed::default()),
    }
}

fn identity(arguments: &Rspec, before: &Resumed, context: &Context) -> RunIdentity {
    let typed = arguments.cluster_args.run_id.as_ref();
    let run_id = before.run_id.as_ref().or(typed).cloned();
    let checkout = context.git_checkout().get();
    RunIdentity {
        run_id: run_id.unwrap_or_else(|| Uuid::new_v4().to_string()),
        git_commit: checkout.commit,
        git_branch: checkout.branch,
    }
}

/// Stops the run when standard output is closed, unless results are also written to files.
fn pipe(stopper: Stopper, show: &OutputSettings) -> PipeState {
    let writes_files = show.writes_files();
    PipeState::new(move || {
        if !writes_files {
            stopper.request();
        }
    })
}

/// Stops the run on signals.
fn listen(stopper: Stopper, stop: Arc<StopToken>, context: &Context) -> Signals {
    let messages = context.messages.clone();
    let on_signal = move |count| {
        // First, so that no example starts after the message.
        stop.request();
        stopper.request();
        if count == 0 {
            messages.info("stopping after the running examples; press Ctrl-C again to kill them");
        }
    };
    Signals::begin(on_signal, context)
}

fn conclude(
    outcome: &RspecOutcome,
    signal: Option<i32>,
    can_resume: bool,
    context: &Context,
) -> Result<Exit, CommandError> {
    if signal.is_some() && outcome.planned.is_none() {
        let message = "interrupted while the specs were loaded; no example was run";
        context.messages.info(message);
    }
    if outcome.not_run > 0 {
        let rest = if can_resume {
            "; to run the rest, use `casebook rspec --resume`"
        } else {
            ""
        };
        let not_run = outcome.not_run as u64;
        let examples = plural(not_run, "example");
        context
            .messages
            .info(&format!("{not_run} {examples} not run{rest}"));
    }
    match (signal, outcome.planned, &outcome.ended_early) {
        (Some(signal), ..) => Ok(Exit::Interrupted(signal)),
        _ if outcome.failed > 0 || outcome.not_run > 0 => Ok(Exit::Failed),
        (_, None, Some(how)) => Err(CommandError::RspecEndedEarly(how.clone())),
        (_, None | Some(0), _) => Err(CommandError::NoExamples),
        _ => Ok(Exit::Passed),
    }
}

/// Writes the output of the processes around the progress display, one complete line at a time.
fn output(messages: Messages) -> Arc<Output> {
    Arc::new(move |line: &[u8]| messages.write_raw(line))
}

/// The recording. A directory that cannot be used is an error before RSpec runs.
fn recording(
    arguments: &Rspec,
    before: &Resumed,
    identity: &RunIdentity,
    redactor: Redactor,
    context: &Context,
) -> Result<Recording, CommandError> {
    let options = &arguments.record_args;
    let destination = match before.run_id {
        Some(_) => Destination::After(before.journal.clone()),
        None => options.destination(&context.dir),
    };
    if options.is_requested() || before.run_id.is_some() {
        destination.check()?;
    }
    let identity = identity.clone();
    // The record is a result of this command, also in the default directory.
    let is_requested = !matches!(destination, Destination::Nowhere);
    let upload = Upload::requested(options, context)?;
    let recording = Recording::new(destination, is_requested, identity, redactor, context);
    Ok(recording.with_upload(upload))
}

/// Explains failures that several processes may have caused together.
fn warn_about_shared_files(recorded: &Recorded, context: &Context) {
    let shared = recorded
        .result
        .run
        .as_ref()
        .filter(|_| recorded.has_failures())
        .and_then(|run| shared_files::shared_dir(run, &context.dir));
    if let Some((dir, failures)) = shared {
        let dir = dir.display();
        context.messages.warn(&format!(
            "{failures} failed examples of several processes name files in {dir}; if they pass with -w 1, the processes overwrite each \
             other's files: use another directory in each, such as \"{dir}#{{ENV['TEST_ENV_NUMBER']}}\""
        ));
    }
}

fn say_where(recorded: &Recorded, arguments: &Rspec, context: &Context) {
    if recorded.has_failures() || arguments.output_args.verbose {
        recorded.say_where(&context.messages);
    } else {
        recorded.say_incomplete(&context.messages);
    }
}
