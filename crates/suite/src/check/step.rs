//! Decodes the steps of a test.

use std::collections::HashSet;
use std::time::Duration;

use casebook_source::Span;
use casebook_source::yaml::{Entry, Node, NodeKind};

use super::quoting::warn_of_unquoted_values;
use super::{capture, directory, effects, suite, terminal};
use crate::assertion::decode::assertions;
use crate::codes::{MISSING_FIELD, VACUOUS};
use crate::fields::step::{EVENTUALLY_FIELDS, STEP};
use crate::model::{Eventually, LocatedPath, Script, Step, Terminal};
use crate::reader::Reader;

/// The pause between attempts if `eventually` sets none.
const EVERY: Duration = Duration::from_millis(200);

/// The steps of a test; `None` if one of them cannot be understood. `used_later` has the captured values that `teardown` uses.
pub(super) fn steps(
    node: &Node,
    used_later: &HashSet<String>,
    outer: &mut Reader<'_, '_>,
) -> Option<Vec<Step>> {
    let NodeKind::List(nodes) = &node.kind else {
        let message = format!("`steps` must be a list, not {}", node.describe());
        outer
            .type_error(node, message)
            .help_last("begin each step with a dash: `- command: …`");
        return None;
    };
    if nodes.is_empty() {
        let message = "`steps` must contain at least one step";
        outer
            .note(MISSING_FIELD, node.span, message)
            .help_last("write `- command: …`");
        return None;
    }
    let captures: Vec<_> = nodes.iter().map(capture::captured_names).collect();
    let mut used = used_later.clone();
    let mut steps = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let when = |step| format!("step {step} captures it, after its command");
        let before = capture::names(&captures, index, when);
        let after = capture::names(&captures, index + 1, when);
        let mut reader = Reader::new(outer.variables, outer.scope().with_run_time(&before));
        let action = command(node, &mut reader);
        let mut reader_after = Reader::new(outer.variables, outer.scope().with_run_time(&after));
        let step = action.and_then(|action| step(node, action, &mut reader_after));
        used.extend(reader.used.drain().chain(reader_after.used.drain()));
        outer.absorb(reader);
        outer.absorb(reader_after);
        steps.push(step);
    }
    let steps = steps.into_iter().collect::<Option<Vec<_>>>()?;
    let all = steps.iter().flat_map(|step| &step.captures);
    let all = all.map(|capture| (&capture.name, capture.span));
    let unused = capture::unused(all, "step", &used);
    outer.problems.extend(unused);
    Some(steps)
}

/// What a step needs before its command ends.
struct StepCommand {
    name: Option<String>,
    command: Script,
    stdin: Option<String>,
    env: Vec<(String, String)>,
    workdir: Option<LocatedPath>,
    timeout: Option<Duration>,
    terminal: Option<Terminal>,
}

fn command(node: &Node, reader: &mut Reader<'_, '_>) -> Option<StepCommand> {
    let Some(entries) = node.as_map() else {
        let message = format!(
            "a step must be a mapping with `command`, not {}",
            node.describe()
        );
        reader
            .type_error(node, message)
            .help_last("write `- command: …`");
        return None;
    };
    reader.unknown_fields("a step", entries, STEP);
    suite::check_aliases(&entries.iter().collect::<Vec<_>>(), &["stderr"], reader);
    let field = |name: &str| node.get(name);
    let name = field("name").and_then(|node| reader.non_empty_text("name", node));
    let Some(written) = field("command") else {
        let start = Span::new(node.span.start, node.span.start + 1);
        reader
            .note(MISSING_FIELD, start, "the step has no `command`")
            .help_last("add `command: …`; each step runs one command");
        return None;
    };
    let script = reader.non_empty_script("command", written);
    if let Some(script) = &script {
        warn_of_unquoted_values(script, reader);
    }
    let stdin = field("stdin").and_then(|node| reader.text("stdin", node));
    let env = field("env").map(|node| reader.env(node));
    let workdir = field("workdir").and_then(|node| directory::of_step(node, reader));
    let timeout = field("timeout").and_then(|node| reader.duration("timeout", node));
    let entries: Vec<&Entry> = entries.iter().collect();
    let terminal = terminal::terminal(&entries, reader);
    Some(StepCommand {
        name,
        command: script?,
        stdin,
        env: env.unwrap_or_default(),
        workdir,
        timeout,
        terminal,
    })
}

/// The step with its assertions and captured values, which can use what it captures.
fn step(node: &Node, command: StepCommand, reader: &mut Reader<'_, '_>) -> Option<Step> {
    let entries: Vec<&Entry> = node.as_map()?.iter().collect();
    let assertions = assertions(node, &entries, reader);
    effects::check_ignore_case(node, &entries, &assertions, reader);
    let captures = node
        .get("capture")
        .map(|node| capture::captures(node, reader));
    let eventually = node
        .get("eventually")
        .and_then(|node| eventually(node, reader));
    let captures = captures.unwrap_or_default();
    terminal::check_use(&entries, &assertions, &captures, reader);
    Some(Step {
        name: command.name,
        span: node.span,
        command: command.command,
        stdin: command.stdin,
        env: command.env,
        workdir: command.workdir,
        timeout: command.timeout,
        captures,
        eventually,
        terminal: command.terminal,
        assertions,
    })
}

/// How a command is repeated.
pub(super) fn eventually(node: &Node, reader: &mut Reader<'_, '_>) -> Option<Eventually> {
    reader.object("`eventually`", "eventually", node, EVENTUALLY_FIELDS);
    node.as_map()?;
    let Some(within) = node.get("within") else {
        reader
            .note(MISSING_FIELD, node.span, "`eventually` has no `within`")
            .help_last("write the time for all attempts: `eventually: {within: 5s}`");
        return None;
    };
    let within = reader.duration("within", within);
    let every = node.get("every").map(|node| reader.duration("every", node));
    if let (Some(within), Some(Some(every))) = (within, every)
        && every >= within
    {
        let message = "`every` is not shorter than `within`, so the command would run once";
        reader
            .note(VACUOUS, node.span, message)
            .help_last("write a longer `within` or a shorter `every`");
    }
    Some(Eventually {
        within: within?,
        every: every.unwrap_or(Some(EVERY))?,
    })
}
