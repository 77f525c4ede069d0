//! Help for fields that do not exist.

use casebook_source::closest_match;

use crate::fields::conversation::CALL;
use crate::fields::{self, Field};

/// Up to this many fields are listed.
const MAX_LISTED: usize = 12;

/// Names that other tools use for fields of a suite or a test.
const SYNONYMS: [(&str, &str); 29] = [
    ("after", "teardown"),
    ("afterAll", "teardownFile"),
    ("afterEach", "teardown"),
    ("before", "setup"),
    ("beforeAll", "setupFile"),
    ("beforeEach", "setup"),
    ("cases", "tests"),
    ("cmd", "command"),
    ("code", "exitCode"),
    ("cwd", "workdir"),
    ("dir", "workdir"),
    ("directory", "workdir"),
    ("environment", "env"),
    ("exec", "command"),
    ("exit", "exitCode"),
    ("exitStatus", "exitCode"),
    ("expected", "outputEquals"),
    ("input", "stdin"),
    ("json", "outputJson"),
    ("parameters", "matrix"),
    ("ref", "$ref"),
    ("retry", "retries"),
    ("run", "command"),
    ("script", "command"),
    ("status", "exitCode"),
    ("title", "name"),
    ("vars", "variables"),
    ("workingDir", "workdir"),
    ("workingDirectory", "workdir"),
];

/// How to fix an unknown field, and the field that was probably meant.
pub(crate) fn help(name: &str, known: &[Field]) -> (String, Option<&'static str>) {
    let names = || known.iter().map(|field| field.name);
    let is_test = names().any(|name| name == "exitCode");
    let is_suite = names().any(|name| name == "tests");
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == name);
    let synonym = synonym.and_then(|(_, meant)| names().find(|name| name == meant));
    if is_test && let Some(help) = of_output(name) {
        return (help, None);
    }
    if let Some(meant) = synonym.filter(|_| is_test || is_suite) {
        return (format!("did you mean `{meant}`?"), Some(meant));
    }
    if let Some(help) = of_key(name, known) {
        return (help.to_owned(), None);
    }
    if let Some(help) = at_other_level(name, is_test, is_suite) {
        return (help, None);
    }
    let is_check = names().any(|name| name == "called");
    if is_check && CALL.iter().any(|field| field.name == name) {
        let help = format!("write it into `called`: `called: {{tool: NAME, {name}: …}}`");
        return (help, None);
    }
    match closest_match(name, names()) {
        Some(meant) => (format!("did you mean `{meant}`?"), Some(meant)),
        None if known.len() <= MAX_LISTED => (listed(known), None),
        None if is_suite => {
            let help =
                "remove it, or begin its name with `x-`; `casebook schema` prints all fields";
            (help.to_owned(), None)
        }
        None => ("`casebook schema` prints all fields".to_owned(), None),
    }
}

/// `output` and `stdout` do not say how to compare.
fn of_output(name: &str) -> Option<String> {
    matches!(name, "output" | "stdout").then(|| {
        format!(
            "write `{name}Equals` for the complete output, `{name}Contains` or `{name}Matches` for a part of it"
        )
    })
}

/// API keys do not belong into a suite.
fn of_key(name: &str, known: &[Field]) -> Option<&'static str> {
    let is_key = matches!(name, "key" | "apiKey" | "api_key" | "token");
    let has = |field: &str| known.iter().any(|known| known.name == field);
    match () {
        () if !is_key => None,
        () if has("keyEnv") => Some(
            "keys are read from the environment; `keyEnv` names the variable if it is not the provider's own",
        ),
        () if has("headers") => {
            Some("use a header: `headers: {Authorization: \"Bearer {{env.NAME}}\"}`")
        }
        () => None,
    }
}

/// A field of the suite in a test, or a field of a test in the suite.
fn at_other_level(name: &str, is_test: bool, is_suite: bool) -> Option<String> {
    let is_in = |fields: &[Field]| fields.iter().any(|field| field.name == name);
    if name == "capture" {
        return Some(
            "`capture` is a field of a step: write `steps` instead of `command`".to_owned(),
        );
    }
    if is_test && is_in(fields::TEST) {
        return Some(format!(
            "`{name}` is a field of a test: move it out of the step"
        ));
    }
    if is_test && is_in(fields::SUITE) {
        let note = match name {
            "setup" | "teardown" | "setupEach" | "teardownEach" => "; it runs for each test there",
            _ => "",
        };
        return Some(format!(
            "`{name}` is a field of the suite: move it to the top level{note}"
        ));
    }
    (is_suite && is_in(fields::TEST))
        .then(|| format!("`{name}` is a field of a test: move it into a test below `tests`"))
}

/// The names of the fields, as a sentence.
pub(super) fn listed(known: &[Field]) -> String {
    let names: Vec<_> = known
        .iter()
        .map(|field| format!("`{}`", field.name))
        .collect();
    match names.as_slice() {
        [] => "it has no fields".to_owned(),
        [only] => format!("its only field is {only}"),
        [first @ .., last] => format!("its fields are {} and {last}", first.join(", ")),
    }
}
