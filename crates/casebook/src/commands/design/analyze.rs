//! `casebook design analyze`.

use std::path::{Path, PathBuf};

use casebook_design::NamingProfile;
use casebook_design::metadata::write::Format;
use casebook_design::ruby::TestLevel;
use casebook_design::steps::{
    AnalyzeOptions, Analyzed, BatchFile, BatchOptions, StepContext, StepError, Subject, analyze,
    analyze_all, ruby_files,
};

use super::{CommandOutput, FALLBACK};
use crate::arguments::design::{Analyze, FormatArg, LevelArg, NamingArg};

pub(super) fn run(
    arguments: &Analyze,
    world: &StepContext<'_>,
    cores: usize,
) -> Result<CommandOutput, StepError> {
    let path = world.cwd.join(&arguments.subject);
    if path.is_dir() || arguments.all || arguments.format == FormatArg::Plugin {
        return Ok(many(arguments, &path, world, cores));
    }
    let mut subject = Subject::parse(&arguments.subject);
    subject.method_query.options.skips_ternaries = arguments.skip_ternaries;
    let analyzed = analyze(&subject, options(arguments), world)?;
    if !analyzed.findings.is_valid() {
        let errors = analyzed.findings.errors.iter();
        let errors: Vec<_> = errors.map(|(_, error)| error.as_str()).collect();
        let errors = errors.join("; ");
        return Ok(CommandOutput::error(format!(
            "the metadata is not valid: {errors}"
        )));
    }
    let data = shown(&analyzed, arguments);
    let fallback = analyzed.is_fallback.then(|| FALLBACK.to_owned());
    Ok(CommandOutput::data(data)
        .warning(fallback)
        .warning(analyzed.warnings))
}

fn options(arguments: &Analyze) -> AnalyzeOptions {
    AnalyzeOptions {
        force: arguments.force,
        format: match arguments.format {
            FormatArg::V1_3 if arguments.strict => Format::Strict1_3,
            FormatArg::V1_3 => Format::V1_3,
            FormatArg::V2_0 | FormatArg::Json => Format::V2_0,
            FormatArg::Plugin => Format::Plugin,
        },
        level: arguments.level.map(level),
        names: arguments.names.map(names),
        strict_factories: arguments.strict,
    }
}

pub(super) fn level(name: LevelArg) -> TestLevel {
    match name {
        LevelArg::Unit => TestLevel::Unit,
        LevelArg::Integration => TestLevel::Integration,
        LevelArg::Request => TestLevel::Request,
        LevelArg::E2e => TestLevel::E2e,
    }
}

pub(super) fn names(name: NamingArg) -> NamingProfile {
    match name {
        NamingArg::Full => NamingProfile::Full,
        NamingArg::Domain => NamingProfile::Domain,
        NamingArg::Short => NamingProfile::Short,
    }
}

/// The document or its path.
fn shown(analyzed: &Analyzed, arguments: &Analyze) -> String {
    match arguments.format {
        FormatArg::Json => serde_json::to_string_pretty(analyzed.document.value())
            .expect("a map with strings as keys can be written"),
        _ if arguments.print => analyzed.document.text().to_owned(),
        _ => analyzed.path.display().to_string(),
    }
}

fn many(arguments: &Analyze, path: &Path, world: &StepContext<'_>, cores: usize) -> CommandOutput {
    let path = if path.exists() {
        path.to_owned()
    } else {
        world.cwd.join(Subject::parse(&arguments.subject).file)
    };
    if !path.exists() {
        return CommandOutput::error(format!("no such file or directory: {}", arguments.subject));
    }
    let files = ruby_files(&[path]);
    let options = BatchOptions {
        force: arguments.force,
        names: arguments.names.map(names),
        skips_ternaries: arguments.skip_ternaries,
        threads: cores,
    };
    let done = analyze_all(&files, options, world);
    let mut output = CommandOutput::default();
    for file in &done {
        take(file, arguments.print, &mut output);
    }
    let is_single = matches!(done.as_slice(), [only] if only.outcome.is_err());
    if is_single {
        return CommandOutput::error(output.warnings.join("; "));
    }
    if files.is_empty() {
        output
            .warnings
            .push(format!("no Ruby files found in {}", arguments.subject));
    }
    output
}

fn take(file: &BatchFile, print: bool, output: &mut CommandOutput) {
    match &file.outcome {
        Ok(Some(path)) if print => output.data += &read(path),
        Ok(Some(path)) => output.data.extend([&path.to_string_lossy(), "\n"]),
        Ok(None) => {}
        Err(error) => output.warnings.push(error.to_string()),
    }
    let shown = |warning: &String| format!("{}: {warning}", file.file.display());
    output.warnings.extend(file.warnings.iter().map(shown));
}

fn read(path: &PathBuf) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    format!("---\n{text}")
}
