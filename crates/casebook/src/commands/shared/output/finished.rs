//! Writes a finished run in one of the formats, for `run` at its end and for `report`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use casebook_record::Run;
use casebook_report::{allure, csv, ctrf, github, html, json, jsonl, junit, tap, terminal};

use crate::arguments::run::{FormatKind, OutputFormat};
use crate::commands::shared::atomic_file::{self, ORDINARY};
use crate::commands::shared::database;
use crate::error::CommandError;

/// A finished run, and what its formats need.
pub(crate) struct FinishedRun<'a> {
    pub(crate) run: &'a Run,
    /// For `pretty`, as it is on standard output; `json` uses the number of slowest tests.
    pub(crate) options: &'a terminal::Options,
    /// Paths of files are relative to this directory.
    pub(crate) dir: &'a Path,
    pub(crate) environment: &'a BTreeMap<String, String>,
}

impl FinishedRun<'_> {
    /// Writes one format to its file, or to `stdout` if it has none.
    pub(crate) fn write(
        &self,
        format: &OutputFormat,
        stdout: &mut dyn Write,
    ) -> Result<(), CommandError> {
        let written = match (&format.file, format.kind) {
            (Some(path), FormatKind::Allure) => allure::write(self.run, &self.dir.join(path)),
            (Some(path), FormatKind::Sqlite) => database::write(&self.dir.join(path), |database| {
                database.add(self.run).map(drop)
            }),
            (Some(path), _) => atomic_file::write(&self.dir.join(path), ORDINARY, |out| {
                self.write_to(format, out)
            }),
            (None, _) => self.write_to(format, stdout).and_then(|()| stdout.flush()),
        };
        written.map_err(|source| unwritable(format, source))?;
        if format.kind == FormatKind::Github {
            self.append_job_summary()?;
        }
        Ok(())
    }

    /// Writes the HTML page to a file.
    pub(crate) fn write_page(
        &self,
        path: PathBuf,
        options: &html::Options,
    ) -> Result<(), CommandError> {
        atomic_file::write(&self.dir.join(&path), ORDINARY, |out| {
            html::write(self.run, options, out)
        })
        .map_err(|error| {
            CommandError::of_report(error, |source| CommandError::Write { path, source })
        })
    }

    fn write_to(&self, format: &OutputFormat, out: &mut dyn Write) -> io::Result<()> {
        match format.kind {
            FormatKind::Pretty => {
                let mut options = self.options.clone();
                options.color &= format.file.is_none();
                terminal::report(self.run, &options, out)
            }
            FormatKind::Tap => tap::write(self.run, tap::Options::default(), out),
            FormatKind::Junit => junit::write(self.run, out),
            FormatKind::Jsonl => jsonl::write(self.run, out),
            FormatKind::Github => github::annotations(self.run, out),
            FormatKind::Ctrf => ctrf::write(self.run, out),
            FormatKind::Csv => csv::write(self.run, out),
            FormatKind::Allure | FormatKind::Sqlite => {
                unreachable!("parsing the option requires a path for these")
            }
            FormatKind::Json => {
                let summary = json::summary(self.run, self.options.slowest, &self.options.k)?;
                serde_json::to_writer_pretty(&mut *out, &summary)?;
                writeln!(out)
            }
        }
    }

    /// Appends to the file that GitHub shows on the page of the job.
    fn append_job_summary(&self) -> Result<(), CommandError> {
        let path = self.environment.get("GITHUB_STEP_SUMMARY");
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return Ok(());
        };
        let append = || {
            let file = File::options().append(true).create(true).open(path)?;
            let mut out = BufWriter::new(file);
            github::job_summary(self.run, &mut out)?;
            out.flush()
        };
        append().map_err(|source| CommandError::Write {
            path: path.into(),
            source,
        })
    }
}

/// The error of a format whose file, or standard output, cannot be written.
pub(crate) fn unwritable(format: &OutputFormat, source: io::Error) -> CommandError {
    CommandError::of_report(source, |source| match &format.file {
        None => CommandError::Output(source),
        Some(path) => CommandError::Write {
            path: path.clone(),
            source,
        },
    })
}

/// At most one format, or the page, may write to standard output.
pub(crate) fn check_stdout(
    formats: &[OutputFormat],
    page: Option<&Path>,
) -> Result<(), CommandError> {
    let formats = formats.iter().filter(|format| format.file.is_none());
    let pages = usize::from(page == Some(Path::new("-")));
    match formats.count() + pages {
        0 | 1 => Ok(()),
        _ => Err(CommandError::TwoOnStdout),
    }
}
