//! Decodes the captured values of a step, and what captured values of steps and turns have in common.

use std::collections::HashSet;

use casebook_source::yaml::{Entry, Node};
use casebook_source::{Diagnostic, Severity, Span, closest_match};

use crate::assertion::Stream;
use crate::codes::{BAD_NAME, CONFLICT, MISSING_FIELD, UNUSED_CAPTURE, WRONG_VALUE};
use crate::expand::{RunTimeName, is_name, is_reserved};
use crate::fields::step::CAPTURE_SOURCE;
use crate::model::{Capture, CaptureSource};
use crate::reader::Reader;

/// The sources that are a single word.
const WORDS: [&str; 4] = ["output", "stdout", "stderr", "exitCode"];

/// The captured values of a step. Those with problems are left out.
pub(super) fn captures(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Capture> {
    let entries = reader.map("capture", node);
    entries
        .iter()
        .filter_map(|entry| capture(entry, reader))
        .collect()
}

fn capture(entry: &Entry, reader: &mut Reader<'_, '_>) -> Option<Capture> {
    check_name(entry, reader);
    let node = &entry.value;
    let (source, is_secret) = match node.as_map() {
        Some(_) => mapping(node, reader)?,
        None => (text(node, reader)?, false),
    };
    Some(Capture {
        name: entry.key.to_string(),
        span: entry.key_span.to(node.span),
        source,
        is_secret,
    })
}

/// Reports names that cannot be used, or that a variable has.
pub(super) fn check_name(entry: &Entry, reader: &mut Reader<'_, '_>) {
    let name = &entry.key;
    if !is_name(name) {
        let message = format!("`{name}` cannot be the name of a captured value");
        reader
            .note(BAD_NAME, entry.key_span, message)
            .help_last("a name is a letter or _, then letters, digits and _");
    } else if is_reserved(name) {
        let message = format!("`{name}`: names that begin with bashi_ or casebook_ are reserved");
        reader
            .note(BAD_NAME, entry.key_span, message)
            .help_last("give the captured value another name");
    }
    let definition = reader.variables.definition(name);
    if definition.is_none() && !reader.scope().has_value(name) {
        return;
    }
    let message = format!("a variable has the name `{name}` too");
    let problem = Diagnostic::error(CONFLICT, entry.key_span, message)
        .help("give the captured value another name");
    reader.problems.push(match definition {
        Some(span) => problem.label(span, "the variable"),
        None => problem,
    });
}

/// A JSON Pointer or a word.
fn text(node: &Node, reader: &mut Reader<'_, '_>) -> Option<CaptureSource> {
    let text = reader.text("capture", node)?;
    if let Some(stream) = stream(&text) {
        return Some(CaptureSource::Stream(stream));
    }
    if text == "exitCode" {
        return Some(CaptureSource::ExitCode);
    }
    if text.is_empty() || text.starts_with('/') {
        return Some(CaptureSource::Json(text));
    }
    let help = match closest_match(&text, WORDS.iter().copied()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!(
            "write a JSON Pointer (`/{text}`), {}, or a mapping with json, matches, line or file",
            WORDS.join(", ")
        ),
    };
    let message = format!("`{text}` is not the source of a value");
    reader
        .note(WRONG_VALUE, node.span, message)
        .help_last(&help);
    None
}

fn mapping(node: &Node, reader: &mut Reader<'_, '_>) -> Option<(CaptureSource, bool)> {
    let before = reader.problems.len();
    let entries = reader.object("a captured value", "capture", node, CAPTURE_SOURCE);
    let value = |name: &str| node.get(name);
    let secret = value("secret").and_then(|node| reader.bool("secret", node));
    let stream_field = value("stream");
    let stream = stream_field.and_then(|node| reader.choice("stream", node, &WORDS[..3]));
    let stream = stream.and_then(stream_of_word);
    let kinds = ["json", "matches", "line", "file"];
    let mut given = entries.iter().filter(|entry| kinds.contains(&&*entry.key));
    let source = match (given.next(), given.next()) {
        (Some(first), Some(second)) => {
            let message = format!(
                "a captured value has `{}` or `{}`, not both",
                first.key, second.key
            );
            reader
                .note(CONFLICT, second.key_span, message)
                .help_last("remove one of them");
            None
        }
        (Some(entry), None) => source(entry, stream, stream_field.is_some(), reader),
        (None, _) => stream.map(CaptureSource::Stream),
    };
    let mut found = reader.problems[before..].iter();
    if source.is_none() && !found.any(|problem| problem.severity == Severity::Error) {
        reader
            .note(MISSING_FIELD, node.span, "the captured value has no source")
            .help_last("add `json`, `matches`, `line`, `file` or `stream`");
    }
    Some((source?, secret.unwrap_or(false)))
}

fn source(
    entry: &Entry,
    stream: Option<Stream>,
    has_stream: bool,
    reader: &mut Reader<'_, '_>,
) -> Option<CaptureSource> {
    let node = &entry.value;
    let stream_or_output = stream.unwrap_or(Stream::Output);
    let is_of_stream = matches!(&*entry.key, "matches" | "line");
    if has_stream && !is_of_stream {
        let message = format!(
            "`stream` is for `matches` and `line`, not for `{}`",
            entry.key
        );
        reader
            .note(CONFLICT, entry.key_span, message)
            .help_last("remove `stream`");
    }
    match &*entry.key {
        "json" => reader.pointer("json", node).map(CaptureSource::Json),
        "matches" => {
            let pattern = reader.patterns("matches", node).pop()?;
            Some(CaptureSource::Matches(stream_or_output, pattern.text))
        }
        "line" => {
            let is_line = |text: &str| text.parse().ok().filter(|number: &i32| *number != 0);
            let expected = "the number of a line from 1, or from the end: -1";
            let number = reader.parsed("line", node, expected, is_line)?;
            Some(CaptureSource::Line(stream_or_output, number))
        }
        _ => reader.non_empty_text("file", node).map(CaptureSource::File),
    }
}

fn stream(word: &str) -> Option<Stream> {
    stream_of_word(WORDS[..3].iter().find(|known| **known == word)?)
}

fn stream_of_word(word: &str) -> Option<Stream> {
    match word {
        "output" => Some(Stream::Output),
        "stdout" => Some(Stream::Stdout),
        "stderr" => Some(Stream::Stderr),
        _ => None,
    }
}

/// A warning for each captured value that is not used. `part` is a part of the test: a step or a turn.
pub(super) fn unused<'c>(
    captures: impl Iterator<Item = (&'c String, Span)>,
    part: &str,
    used: &HashSet<String>,
) -> Vec<Diagnostic> {
    captures
        .filter(|(name, _)| !used.contains(*name))
        .map(|(name, span)| {
            let message = format!("the captured value `{name}` is never used");
            let help = format!("use it as `{{{{{name}}}}}` in a later {part}, or remove it");
            Diagnostic::warning(UNUSED_CAPTURE, span, message).help(help)
        })
        .collect()
}

/// The captured values of all parts of a test, as one of them sees them: those of the first `available` have a value. `when`
/// describes when the part with this number captures its values.
pub(super) fn names(
    captures: &[Vec<&str>],
    available: usize,
    when: impl Fn(usize) -> String,
) -> Vec<RunTimeName> {
    let parts = captures.iter().enumerate();
    let mut names: Vec<RunTimeName> = Vec::new();
    for (index, name) in
        parts.flat_map(|(index, names)| names.iter().map(move |name| (index, name)))
    {
        if names.iter().any(|known| known.name == **name) {
            continue;
        }
        names.push(RunTimeName {
            name: (*name).to_owned(),
            unavailable: (index >= available).then(|| when(index + 1)),
        });
    }
    names
}

/// The names of the values that a step or turn captures.
pub(super) fn captured_names<'n>(part: &'n Node<'n>) -> Vec<&'n str> {
    let captures = part.get("capture").and_then(Node::as_map);
    let captures = captures.unwrap_or_default().iter();
    captures.map(|entry| &*entry.key).collect()
}
