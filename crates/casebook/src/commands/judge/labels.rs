//! The labels of `--calibrate`, compared with the verdicts of a judge.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use casebook_record::RunData;
use casebook_report::calibration::{Calibration, InvalidLabel, Label, read_labels};
use casebook_report::terminal;

use crate::arguments::judge::Judge;
use crate::commands::shared::documents::terminal_options;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;

/// The labels of a file.
pub(super) struct Labels {
    file: PathBuf,
    all: Vec<Label>,
    min_kappa: Option<f64>,
}

impl Labels {
    /// Reads the labels; with `--criterion`, those of that criterion.
    pub(super) fn read(
        file: &Path,
        arguments: &Judge,
        context: &Context,
    ) -> Result<Labels, CommandError> {
        let text = fs::read_to_string(context.dir.join(file));
        let text = text.map_err(|source| CommandError::Input {
            path: file.to_owned(),
            source,
        })?;
        let mut labels = read_labels(&text).map_err(|invalid| report(file, &invalid, context))?;
        let mut of = String::new();
        if let Some(criterion) = &arguments.criterion {
            labels.retain(|label| label.criterion == *criterion);
            of = format!(" of the criterion `{criterion}`");
        }
        if labels.is_empty() {
            let path = file.to_owned();
            return Err(CommandError::NoLabels { path, of });
        }
        Ok(Labels {
            file: file.to_owned(),
            all: labels,
            min_kappa: arguments.min_kappa,
        })
    }

    /// Compares them with the recorded verdicts and shows the result.
    pub(super) fn compare(
        &self,
        run: &RunData,
        context: &mut Context,
    ) -> Result<Exit, CommandError> {
        let calibration = Calibration::of(run, &self.all)
            .map_err(|invalid| report(&self.file, &invalid, context))?;
        let options = terminal_options(context);
        terminal::calibration(&calibration, &options, &mut context.stdout)?;
        context.stdout.flush()?;
        let Some(min) = self.min_kappa else {
            return Ok(Exit::Passed);
        };
        let kappa = calibration.kappa();
        let kappa = kappa.map_err(|why| CommandError::NoKappa { why })?.value;
        if kappa >= min {
            return Ok(Exit::Passed);
        }
        context
            .messages
            .error(&format!("kappa {kappa:.3} is below --min-kappa {min}"));
        Ok(Exit::Failed)
    }
}

/// Prints the invalid labels.
fn report(file: &Path, invalid: &[InvalidLabel], context: &Context) -> CommandError {
    for InvalidLabel { line, problem } in invalid {
        let place = format!("{}:{line}", file.display());
        context.messages.error(&format!("{place}: {problem}"));
    }
    CommandError::InvalidLabels {
        path: file.to_owned(),
        count: invalid.len() as u64,
    }
}
