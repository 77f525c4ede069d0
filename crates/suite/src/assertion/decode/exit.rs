//! Decodes how a command must end: `exitCode` and `signal`.

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Diagnostic, Span, closest_match};

use crate::assertion::{Check, ExitCodes};
use crate::check::find;
use crate::codes::{CONFLICT, VACUOUS, WRONG_VALUE};
use crate::reader::Reader;
use crate::signal::Signal;

/// The required exit code, 0 if none is given; `None` if a signal is required instead, or if the value is invalid.
pub(super) fn exit_code(
    node: &Node,
    fields: &[&Entry],
    reader: &mut Reader<'_, '_>,
) -> Option<(Span, Check)> {
    let signal = find(fields, "signal");
    let Some(entry) = find(fields, "exitCode") else {
        let success = || (node.span, Check::ExitCode(0.into()));
        return signal.is_none().then(success);
    };
    if let Some(signal) = signal {
        let message = "a test has `exitCode` or `signal`, not both";
        let problem = Diagnostic::error(CONFLICT, signal.key_span, message)
            .label(entry.key_span, "the other field")
            .help("a command killed by a signal does not exit; remove one of them");
        reader.problems.push(problem);
    }
    let codes = codes(&entry.value, reader)?;
    Some((entry.value.span, Check::ExitCode(codes)))
}

fn codes(node: &Node, reader: &mut Reader<'_, '_>) -> Option<ExitCodes> {
    let NodeKind::List(nodes) = &node.kind else {
        let expected = "a whole number from 0 to 255, a list of them, or nonzero";
        return reader.parsed("exitCode", node, expected, |text| match text {
            "nonzero" => Some(ExitCodes::Nonzero),
            code => code.parse::<u8>().ok().map(ExitCodes::from),
        });
    };
    if nodes.is_empty() {
        let message = "`exitCode` is an empty list and can never match";
        reader
            .note(VACUOUS, node.span, message)
            .help_last("add an exit code, or remove the field");
    }
    let codes: Vec<_> = nodes
        .iter()
        .map(|node| reader.number("exitCode", node, 255))
        .collect();
    let codes = codes.into_iter().map(|code| u8::try_from(code?).ok());
    codes.collect::<Option<_>>().map(ExitCodes::OneOf)
}

/// The signal that must end the command.
pub(super) fn signal(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Check> {
    let name = reader.non_empty_text("signal", node)?;
    let name = name.trim();
    let signal = Signal::from_name(name);
    if signal.is_none() {
        let upper = name.to_ascii_uppercase();
        let upper = upper.strip_prefix("SIG").unwrap_or(&upper);
        let known: Vec<_> = Signal::names().collect();
        let help = match closest_match(upper, known.iter().copied()) {
            Some(closest) => format!("did you mean `{closest}`?"),
            None => format!("use one of {}", known.join(", ")),
        };
        let message =
            format!("`signal` must be the name of a signal that ends a process, got '{name}'");
        let problem = Diagnostic::error(WRONG_VALUE, node.span, message).help(help);
        reader.problems.push(problem);
    }
    signal.map(Check::Signal)
}
