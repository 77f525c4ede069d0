//! `casebook report`: shows a recorded run.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use casebook_record::Run;
use casebook_report::html::{self, Neighbors};
use casebook_report::{reviews, terminal};

use super::shared::documents::{terminal_options, write_page};
use super::shared::load_record::{self, Record};
use super::shared::otlp;
use super::shared::output::finished::{FinishedRun, check_stdout};
use super::shared::upload::Upload;
use crate::arguments::run::{FormatKind, OutputFormat};
use crate::arguments::{Report, Transcripts};
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) fn run(report: &Report, context: &mut Context) -> Result<Exit, CommandError> {
    let formats = formats(report);
    check_stdout(&formats, report.html.as_deref())?;
    let upload = report.upload.as_ref();
    let upload = upload.map(|location| Upload::to(location, context));
    let upload = upload.transpose()?;
    let Record { run, path, shown } = load_record::open(report.run.as_deref(), context)?;
    let options = terminal::Options {
        record: dir(&path, &shown),
        ..options(report, context)
    };
    if let Some(file) = &report.html {
        let options = html::Options {
            threads: Context::cpus(),
            record: options.record.clone(),
            neighbors: Neighbors {
                previous: report.previous.clone(),
                next: report.next.clone(),
            },
            reviews: reviews::read(path.parent().unwrap_or(&path), &context.redactor(&[])?),
        };
        write_page(file, context, |out| html::write(&run, &options, out))?;
    }
    let finished = FinishedRun {
        run: &run,
        options: &options,
        dir: &context.dir,
        environment: &context.environment,
    };
    for format in &formats {
        finished.write(format, &mut context.stdout)?;
    }
    context.stdout.flush()?;
    otlp::export(&run, &report.otlp_args, context).map_err(CommandError::CannotExport)?;
    if let Some(upload) = upload {
        send(&upload, &run, &path, &shown, context)?;
    }
    Ok(Exit::Passed)
}

fn send(
    upload: &Upload,
    run: &Run,
    path: &Path,
    shown: &Path,
    context: &Context,
) -> Result<(), CommandError> {
    if path.to_string_lossy().contains(".jsonl") {
        let dir = shown.parent().unwrap_or(Path::new("."));
        return Err(CommandError::NotUploadable(dir.into()));
    }
    let address = upload.send(run, path)?;
    context.messages.info(&format!("uploaded to {address}"));
    Ok(())
}

/// The formats of `--format` or its shorthands `--junit` and `--json`; without any, and without a page or an export, `pretty`.
fn formats(report: &Report) -> Vec<OutputFormat> {
    let is_stdout = |file: &PathBuf| file == Path::new("-");
    if let Some(file) = &report.junit {
        return vec![OutputFormat {
            kind: FormatKind::Junit,
            file: Some(file.clone()).filter(|file| !is_stdout(file)),
        }];
    }
    let is_sent =
        report.html.is_some() || report.otlp_args.otlp.is_some() || report.upload.is_some();
    let default = match (report.json, is_sent) {
        (true, _) => Some(FormatKind::Json),
        (false, false) => Some(FormatKind::Pretty),
        (false, true) => None,
    };
    if report.format.is_empty() {
        let format = default.map(|kind| OutputFormat { kind, file: None });
        return format.into_iter().collect();
    }
    report.format.clone()
}

fn options(report: &Report, context: &Context) -> terminal::Options {
    terminal::Options {
        transcripts: match report.transcripts {
            Transcripts::Auto => terminal::Transcripts::Auto,
            Transcripts::All => terminal::Transcripts::All,
            Transcripts::Failed => terminal::Transcripts::Failed,
            Transcripts::None => terminal::Transcripts::None,
        },
        slowest: report.slowest,
        k: report.k.clone(),
        ..terminal_options(context)
    }
}

/// The directory of the record at that path, relative to the working directory.
fn dir(path: &Path, shown: &Path) -> Option<String> {
    let dir = if path.is_dir() {
        shown
    } else {
        shown.parent()?
    };
    let named = !dir.as_os_str().is_empty();
    Some(
        if named { dir } else { Path::new(".") }
            .display()
            .to_string(),
    )
}
