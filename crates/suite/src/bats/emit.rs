//! The parts of the code, in order.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::quote::{quote, quote_bytes, quote_script};
use super::{Case, SuiteLocation, helpers, needs_jq, test, timeout};
use crate::model::{Script, Suite};

/// All of it.
pub(super) fn code(suite: &Suite, place: SuiteLocation<'_>, cases: &[Case<'_>]) -> String {
    let timeouts = timeout::has_any(cases);
    let mut parts = vec![
        header(suite, cases),
        names(suite, place),
        helpers::needed(cases, has_file_hooks(suite, cases), timeouts),
        "# ---- The suite ----\n".to_owned(),
    ];
    parts.extend(timeout::code(cases));
    parts.extend(hooks(suite));
    if has_file_hooks(suite, cases) {
        parts.push(around_suite(suite, cases));
    }
    parts.push(around_test(suite, cases));
    let from = |case: &Case<'_>| from(suite, case.test.span.start);
    parts.extend(
        cases
            .iter()
            .map(|case| from(case) + &test::code(case, &suite.file)),
    );
    parts.join("\n")
}

fn header(suite: &Suite, cases: &[Case<'_>]) -> String {
    let left_out = match suite.tests.len() - cases.len() {
        0 => String::new(),
        1 => "# 1 test is left out: others are marked `only`.\n".to_owned(),
        count => format!("# {count} tests are left out: others are marked `only`.\n"),
    };
    format!(
        "#!/usr/bin/env bats\n\
         # Made by Casebook from {}: change that file and compile it again.\n\
         # Needs Bats 1.8 or newer{}.\n\
         {left_out}\
         # shellcheck disable=SC2016 # texts stand in single quotes as they are; what expands them is another shell\n\
         # shellcheck disable=SC2030,SC2031 # texts are compared in subshells with a locale of their own\n\
         bats_require_minimum_version 1.8.0\n",
        on_one_line(suite.file.name()),
        if needs_jq(cases) { " and jq" } else { "" },
    )
}

fn names(suite: &Suite, place: SuiteLocation<'_>) -> String {
    let (SuiteLocation::At(path) | SuiteLocation::FromCode(path)) = place;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = match place {
        SuiteLocation::At(_) => quote_path(folder),
        SuiteLocation::FromCode(_) if folder == Path::new("") => "$BATS_TEST_DIRNAME".to_owned(),
        SuiteLocation::FromCode(_) => format!(
            "$(cd -- \"$BATS_TEST_DIRNAME\"/{} && pwd)",
            quote_path(folder)
        ),
    };
    format!(
        "# The suite: what people call it, its folder, its name there.\n\
         casebook_file={}\n\
         casebook_folder={folder}\n\
         casebook_name={}\n\
         # What this run began with: for Bats and the functions below, whatever a test changes.\n\
         casebook_path=$PATH\n\
         export CASEBOOK_LOCALE=${{CASEBOOK_LOCALE-${{LC_ALL:-${{LC_CTYPE:-${{LANG:-C}}}}}}}}\n\
         # Standard error of the run, which commands have as descriptor 3.\n\
         exec 7>&2\n",
        quote(suite.file.name()),
        quote_path(Path::new(path.file_name().unwrap_or_default())),
    )
}

fn quote_path(path: &Path) -> String {
    quote_bytes(path.as_os_str().as_bytes())
}

/// `# from FILE:LINE`.
fn from(suite: &Suite, offset: usize) -> String {
    let name = on_one_line(suite.file.name());
    format!("# from {name}:{}\n", line(suite, offset))
}

fn on_one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

fn line(suite: &Suite, offset: usize) -> usize {
    suite.file.position(offset).line
}

/// Whether there is something to do before the first test or after the last.
fn has_file_hooks(suite: &Suite, cases: &[Case<'_>]) -> bool {
    suite.hooks.setup_file.is_some()
        || suite.hooks.teardown_file.is_some()
        || !suite.env.is_empty()
        || !suite.parallel
        || needs_jq(cases)
}

/// Each hook as a function. Its text is evaluated, so that a mistake in it is the hook's and not the file's.
fn hooks(suite: &Suite) -> impl Iterator<Item = String> {
    let hooks = [
        ("casebook_setup_file", &suite.hooks.setup_file),
        ("casebook_teardown_file", &suite.hooks.teardown_file),
        ("casebook_setup", &suite.hooks.setup),
        ("casebook_teardown", &suite.hooks.teardown),
    ];
    let function = |name: &str, script: &Script| {
        let text = quote_script(&script.text);
        let from = from(suite, script.span.start);
        format!("{from}{name}() {{\n  eval {text}\n}}\n")
    };
    hooks
        .into_iter()
        .filter_map(move |(name, script)| Some(function(name, script.as_ref()?)))
}

/// What Bats calls before the first test and after the last.
fn around_suite(suite: &Suite, cases: &[Case<'_>]) -> String {
    let mut lines = vec![format!(
        "casebook_begin_suite {}",
        hook_line(suite, suite.hooks.setup_file.as_ref())
    )];
    if !suite.parallel {
        lines.push("export BATS_NO_PARALLELIZE_WITHIN_FILE=true".to_owned());
    }
    if needs_jq(cases) {
        lines.push("jq --version >/dev/null".to_owned());
    }
    lines.extend(exports(&suite.env));
    lines.extend(
        suite
            .hooks
            .setup_file
            .as_ref()
            .map(|_| "casebook_setup_file".to_owned()),
    );
    lines.push("casebook_phase '' 0".to_owned());
    lines.push("BATS_TEST_FILENAME=$casebook_bats_file".to_owned());
    let end = end(
        suite,
        "teardownFile",
        suite.hooks.teardown_file.as_ref(),
        "casebook_teardown_file",
    );
    function("setup_file", &lines)
        + "\n"
        + &function("teardown_file", &["casebook_name_suite".to_owned(), end])
}

/// What Bats calls before and after each test.
fn around_test(suite: &Suite, cases: &[Case<'_>]) -> String {
    let mut lines = Vec::new();
    let arms: Vec<_> = cases.iter().filter_map(arm).collect();
    if !arms.is_empty() {
        lines.push("case $BATS_TEST_DESCRIPTION in".to_owned());
        lines.extend(arms);
        lines.push("esac".to_owned());
    }
    if timeout::has_any(cases) {
        lines.push("casebook_clock=${BATS_killer_pid-}".to_owned());
    }
    lines.push(format!(
        "casebook_begin {}",
        hook_line(suite, suite.hooks.setup.as_ref())
    ));
    lines.extend(
        suite
            .hooks
            .setup
            .as_ref()
            .map(|_| "casebook_setup".to_owned()),
    );
    function("setup", &lines) + "\n" + &function("teardown", &after_test(suite, cases))
}

fn after_test(suite: &Suite, cases: &[Case<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    if cases.iter().any(|case| case.test.skip.is_some()) {
        lines.push("[[ -z ${BATS_TEST_SKIPPED-} ]] || return 0".to_owned());
    }
    if timeout::has_any(cases) {
        lines.push("casebook_stop_clock".to_owned());
    }
    lines.push(end(
        suite,
        "teardown",
        suite.hooks.teardown.as_ref(),
        "casebook_teardown",
    ));
    lines
}

/// What is special about a test and must be known before its hooks run.
fn arm(case: &Case<'_>) -> Option<String> {
    let mut commands = Vec::new();
    match case.test.skip.as_deref() {
        Some("") => commands.push("skip".to_owned()),
        Some(reason) => commands.push(format!("skip {}", quote(&on_one_line(reason)))),
        None => commands.extend(exports(&case.test.env)),
    }
    if case.test.retries > 0 {
        commands.push(format!("export BATS_TEST_RETRIES={}", case.test.retries));
    }
    if commands.is_empty() {
        return None;
    }
    let title = quote(&case.title.shown);
    Some(format!("{title})\n    {}\n    ;;", commands.join("\n    ")))
}

fn exports(env: &[(String, String)]) -> impl Iterator<Item = String> {
    env.iter()
        .map(|(name, value)| format!("export {name}={}", quote(value)))
}

fn end(suite: &Suite, phase: &str, hook: Option<&Script>, function: &str) -> String {
    let line = hook_line(suite, hook);
    match hook {
        Some(_) => format!("casebook_end {phase} {line} {function}"),
        None => format!("casebook_end {phase} {line}"),
    }
}

/// Where a hook stands; where there is none, nothing can fail there.
fn hook_line(suite: &Suite, hook: Option<&Script>) -> usize {
    hook.map_or(0, |hook| line(suite, hook.span.start))
}

fn function(name: &str, lines: &[String]) -> String {
    format!("{name}() {{\n  {}\n}}\n", lines.join("\n  "))
}
