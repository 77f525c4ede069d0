//! `casebook design analyze`.

use std::path::{Path, PathBuf};

use casebook_design::Names;
use casebook_design::metadata::write::Format;
use casebook_design::ruby::TestLevel;
use casebook_design::steps::{
    AnalyzeOptions, BatchFile, BatchOptions, StepError, Subject, World, analyze, analyze_all,
    ruby_files,
};

use super::{FALLBACK, Said};
use crate::arguments::design::{Analyze, FormatName, LevelName, NamesName};

pub(super) fn run(arguments: &Analyze, world: &World<'_>, cores: usize) -> Result<Said, StepError> {
    let path = world.cwd.join(&arguments.subject);
    if path.is_dir() || arguments.all || arguments.format == FormatName::Plugin {
        return Ok(many(arguments, &path, world, cores));
    }
    let mut subject = Subject::parse(&arguments.subject);
    subject.wanted.reading.skips_ternaries = arguments.skip_ternaries;
    let analyzed = analyze(&subject, options(arguments), world)?;
    if !analyzed.findings.is_valid() {
        let errors: Vec<_> = analyzed
            .findings
            .errors
            .iter()
            .map(|(_, error)| error.as_str())
            .collect();
        return Ok(Said::error(format!(
            "the metadata is not valid: {}",
            errors.join("; ")
        )));
    }
    let data = if arguments.print {
        analyzed.document.text().to_owned()
    } else {
        analyzed.path.display().to_string()
    };
    let fallback = analyzed.is_fallback.then(|| FALLBACK.to_owned());
    Ok(Said::data(data)
        .warning(fallback)
        .warning(analyzed.warnings))
}

fn options(arguments: &Analyze) -> AnalyzeOptions {
    AnalyzeOptions {
        force: arguments.force,
        format: match arguments.format {
            FormatName::V1_3 if arguments.strict => Format::Strict1_3,
            FormatName::V1_3 => Format::V1_3,
            FormatName::V2_0 => Format::V2_0,
            FormatName::Plugin => Format::Plugin,
        },
        level: arguments.level.map(level),
        names: arguments.names.map(names),
        strict_factories: arguments.strict,
    }
}

pub(super) fn level(name: LevelName) -> TestLevel {
    match name {
        LevelName::Unit => TestLevel::Unit,
        LevelName::Integration => TestLevel::Integration,
        LevelName::Request => TestLevel::Request,
        LevelName::E2e => TestLevel::E2e,
    }
}

pub(super) fn names(name: NamesName) -> Names {
    match name {
        NamesName::Full => Names::Full,
        NamesName::Domain => Names::Domain,
        NamesName::Short => Names::Short,
    }
}

fn many(arguments: &Analyze, path: &Path, world: &World<'_>, cores: usize) -> Said {
    let path = if path.exists() {
        path.to_owned()
    } else {
        world.cwd.join(Subject::parse(&arguments.subject).file)
    };
    if !path.exists() {
        return Said::error(format!("there is no file or folder {}", arguments.subject));
    }
    let files = ruby_files(&[path]);
    let options = BatchOptions {
        force: arguments.force,
        names: arguments.names.map(names),
        skips_ternaries: arguments.skip_ternaries,
        threads: cores,
    };
    let done = analyze_all(&files, options, world);
    let mut said = Said::default();
    for file in &done {
        take(file, arguments.print, &mut said);
    }
    let is_single = matches!(done.as_slice(), [only] if only.outcome.is_err());
    if is_single {
        return Said::error(said.warnings.join("; "));
    }
    if files.is_empty() {
        said.warnings
            .push(format!("there are no Ruby files in {}", arguments.subject));
    }
    said
}

fn take(file: &BatchFile, print: bool, said: &mut Said) {
    match &file.outcome {
        Ok(Some(path)) if print => said.data += &read(path),
        Ok(Some(path)) => said.data.extend([&path.to_string_lossy(), "\n"]),
        Ok(None) => {}
        Err(error) => said.warnings.push(error.to_string()),
    }
    let shown = |warning: &String| format!("{}: {warning}", file.file.display());
    said.warnings.extend(file.warnings.iter().map(shown));
}

fn read(path: &PathBuf) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    format!("---\n{text}")
}
