//! Decodes the terminal of a command and the dialogue with it.

use std::time::Duration;

use casebook_source::yaml::{Entry, Node, NodeKind};
use casebook_source::{Diagnostic, closest_match};

use super::find;
use crate::codes::{
    CONFLICT, MISSING_FIELD, NOT_IN_TERMINAL, TERMINAL_REQUIRED, VACUOUS, WRONG_VALUE,
};
use crate::fields::terminal::{DIALOGUE_ENTRY, MAX_SIZE, TERMINAL_SIZE};
use crate::model::key::{KEY_NAMES, Key};
use crate::model::{Assertion, Capture, DialogueEntry, ExpectedText, Terminal, TerminalSize};
use crate::reader::{Reader, Text, as_bool};

/// How long an entry waits for its text if it does not say so.
const WITHIN: Duration = Duration::from_secs(5);

/// The terminal of a command; `None` if it has none or it cannot be understood.
pub(super) fn terminal(fields: &[&Entry], reader: &mut Reader<'_, '_>) -> Option<Terminal> {
    let dialogue = find(fields, "dialogue").map(|entry| dialogue(&entry.value, reader));
    let tty = find(fields, "tty")?;
    let size = tty_size(&tty.value, reader)?;
    Some(Terminal {
        span: tty.key_span.to(tty.value.span),
        size,
        dialogue: dialogue.unwrap_or_default(),
    })
}

fn tty_size(node: &Node, reader: &mut Reader<'_, '_>) -> Option<TerminalSize> {
    if node.as_map().is_some() {
        return size("tty", node, TerminalSize::default(), reader);
    }
    if matches!(node.kind, NodeKind::List(_)) {
        let message = format!(
            "`tty` must be true, false or a size, not {}",
            node.describe()
        );
        reader
            .type_error(node, message)
            .help_last("write `tty: true` or `tty: {columns: 80, rows: 24}`");
        return None;
    }
    let text = node.as_text().filter(|_| !node.is_null());
    if let Some(is_wanted) = text.and_then(as_bool) {
        return is_wanted.then(TerminalSize::default);
    }
    let (problems, is_wanted) = (reader.problems.len(), reader.bool("tty", node));
    if let Some(problem) = reader.problems[problems..].last_mut() {
        let help = "write `true`, or a size: `tty: {columns: 80, rows: 24}`";
        problem.help.get_or_insert_with(|| help.to_owned());
    }
    is_wanted?.then(TerminalSize::default)
}

/// A size; what it does not contain is as in `default`.
fn size(
    field: &str,
    node: &Node,
    default: TerminalSize,
    reader: &mut Reader<'_, '_>,
) -> Option<TerminalSize> {
    reader.object("the size of a terminal", field, node, TERMINAL_SIZE);
    let mut number = |name, default| match node.get(name) {
        None => Some(default),
        Some(node) => {
            let number = reader.count(name, node, MAX_SIZE);
            number.and_then(|number| u16::try_from(number).ok())
        }
    };
    let (columns, rows) = (
        number("columns", default.columns),
        number("rows", default.rows),
    );
    Some(TerminalSize {
        columns: columns?,
        rows: rows?,
    })
}

fn dialogue(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<DialogueEntry> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!("`dialogue` must be a list, not {}", node.describe());
        reader
            .type_error(node, message)
            .help_last("write `- {expect: \"Name?\", sendLine: Ada}`");
        return Vec::new();
    };
    if nodes.is_empty() {
        let message = "`dialogue` is an empty list and does nothing";
        reader
            .note(VACUOUS, node.span, message)
            .help_last("add an entry, or remove the field");
    }
    nodes
        .iter()
        .filter_map(|node| dialogue_entry(node, reader))
        .collect()
}

fn dialogue_entry(node: &Node, reader: &mut Reader<'_, '_>) -> Option<DialogueEntry> {
    let Some(entries) = node.as_map() else {
        let message = format!(
            "an entry of `dialogue` must be a mapping, not {}",
            node.describe()
        );
        reader
            .type_error(node, message)
            .help_last("write `{expect: \"Name?\", sendLine: Ada}`");
        return None;
    };
    let unknown = reader.problems.len();
    reader.unknown_fields("an entry of `dialogue`", entries, DIALOGUE_ENTRY);
    let is_known = reader.problems.len() == unknown;
    let acts = ["expect", "resize", "send", "sendLine", "keys"];
    if is_known && !acts.iter().any(|act| node.get(act).is_some()) {
        reader
            .note(
                MISSING_FIELD,
                node.span,
                "this entry of `dialogue` does nothing",
            )
            .help_last("add `expect`, `send`, `sendLine`, `keys` or `resize`");
    }
    check_combination(entries, &acts, reader);
    let expect = node
        .get("expect")
        .and_then(|node| expected_text(node, reader));
    let within = node
        .get("within")
        .and_then(|node| reader.duration("within", node));
    let resize = node.get("resize").and_then(|node| new_size(node, reader));
    let send = node.get("send").and_then(|node| sent_text(node, reader));
    let line = node.get("sendLine");
    let enter = line.map(|_| Key::Enter);
    let line = line.and_then(|node| reader.text("sendLine", node));
    let keys = node.get("keys").map(|node| keys(node, reader));
    Some(DialogueEntry {
        span: node.span,
        expect,
        within: within.unwrap_or(WITHIN),
        resize,
        send: send.or(line),
        keys: enter.into_iter().chain(keys.unwrap_or_default()).collect(),
    })
}

/// The text to send. An empty one would do nothing.
fn sent_text(node: &Node, reader: &mut Reader<'_, '_>) -> Option<String> {
    let text = reader.text("send", node)?;
    if text.is_empty() {
        reader
            .note(VACUOUS, node.span, "`send` is empty and sends nothing")
            .help_last("to press Enter, write `keys: enter`");
    }
    Some(text)
}

fn check_combination(entries: &[Entry], acts: &[&str], reader: &mut Reader<'_, '_>) {
    let find = |name: &str| entries.iter().find(|entry| entry.key == name);
    let does_something = acts.iter().any(|act| find(act).is_some());
    if let (Some(send), Some(line)) = (find("send"), find("sendLine")) {
        let message = "an entry has `send` or `sendLine`, not both";
        let problem = Diagnostic::error(CONFLICT, line.key_span, message)
            .label(send.key_span, "the other field")
            .help("write the text in one of them; `sendLine` also presses Enter");
        reader.problems.push(problem);
    }
    if let (Some(within), None) = (find("within").filter(|_| does_something), find("expect")) {
        reader
            .note(
                CONFLICT,
                within.key_span,
                "`within` has no effect without `expect`",
            )
            .help_last("remove it, or add the text to wait for");
    }
}

/// A text, or a pattern between slashes. Newlines at the end, which YAML's `|` adds, are removed.
fn expected_text(node: &Node, reader: &mut Reader<'_, '_>) -> Option<ExpectedText> {
    let text = reader.non_empty_text("expect", node)?;
    let text = text.trim_end_matches('\n');
    let pattern = text
        .strip_prefix('/')
        .and_then(|text| text.strip_suffix('/'));
    let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) else {
        return Some(ExpectedText::Text(text.to_owned()));
    };
    let pattern = Text {
        text: pattern.to_owned(),
        span: node.span,
    };
    let is_valid = reader.check_pattern("expect", &pattern);
    is_valid.then_some(ExpectedText::Pattern(pattern.text))
}

fn new_size(node: &Node, reader: &mut Reader<'_, '_>) -> Option<TerminalSize> {
    let size = size("resize", node, TerminalSize::default(), reader);
    let has_both = node.get("columns").is_some() && node.get("rows").is_some();
    if node.as_map().is_some() && size.is_some() && !has_both {
        reader
            .note(
                MISSING_FIELD,
                node.span,
                "`resize` needs `columns` and `rows`",
            )
            .help_last("write `resize: {columns: 40, rows: 10}`");
        return None;
    }
    size
}

fn keys(node: &Node, reader: &mut Reader<'_, '_>) -> Vec<Key> {
    let names = reader.texts("keys", node);
    let keys = names.into_iter().filter_map(|name| {
        let key = Key::named(&name.text);
        if key.is_none() {
            let message = format!("`{}` is not the name of a key", name.text);
            let help = match closest_match(&name.text, KEY_NAMES.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!(
                    "the keys are {}, f1 to f12, and ctrl-a to ctrl-z; send other text with `send`",
                    KEY_NAMES[..14].join(", ")
                ),
            };
            reader
                .note(WRONG_VALUE, name.span, message)
                .help_last(&help);
        }
        key
    });
    keys.collect()
}

/// Reports what needs a terminal without one, and what a terminal cannot have.
pub(super) fn check_use(
    fields: &[&Entry],
    assertions: &[Assertion],
    captures: &[Capture],
    reader: &mut Reader<'_, '_>,
) {
    let tty = find(fields, "tty").filter(|entry| !is_false(&entry.value));
    if tty.is_some() {
        reject_separate_streams(fields, assertions, captures, reader);
    } else {
        require_terminal(fields, assertions, reader);
    }
}

fn is_false(node: &Node) -> bool {
    node.as_text().and_then(as_bool) == Some(false)
}

fn require_terminal(fields: &[&Entry], assertions: &[Assertion], reader: &mut Reader<'_, '_>) {
    let dialogue = find(fields, "dialogue").map(|entry| ("dialogue", entry.key_span));
    let screens = assertions
        .iter()
        .filter(|assertion| assertion.check.is_about_screen())
        .map(|assertion| (assertion.field, assertion.span));
    let needy: Vec<_> = dialogue.into_iter().chain(screens).collect();
    for (field, span) in needy {
        let message = format!("`{field}` needs a terminal");
        reader
            .note(TERMINAL_REQUIRED, span, message)
            .help_last("add `tty: true`");
    }
}

fn reject_separate_streams(
    fields: &[&Entry],
    assertions: &[Assertion],
    captures: &[Capture],
    reader: &mut Reader<'_, '_>,
) {
    if let Some(stdin) = find(fields, "stdin") {
        let message = "a command in a terminal reads from the terminal, not from `stdin`";
        reader
            .note(NOT_IN_TERMINAL, stdin.key_span, message)
            .help_last("send the text with `dialogue`");
    }
    let separate = assertions
        .iter()
        .filter(|assertion| assertion.check.separates_streams());
    for assertion in separate {
        let field = assertion.field;
        let message = format!("`{field}` is not possible in a terminal, which has one stream");
        let help = "check the received output with `output…`, or the final screen with `screen…`";
        reader
            .note(NOT_IN_TERMINAL, assertion.span, message)
            .help_last(help);
    }
    let captures = captures
        .iter()
        .filter(|capture| capture.source.separates_streams());
    for capture in captures {
        let name = &capture.name;
        let message = format!(
            "`{name}` cannot be captured from standard output or standard error: a terminal has one stream"
        );
        reader
            .note(NOT_IN_TERMINAL, capture.span, message)
            .help_last("capture it from `output`, for example with `matches`");
    }
}
