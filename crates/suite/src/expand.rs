//! Substitutes variables: `{{name}}` becomes its value.
//!
//! Substitution is textual. Braces in the value of an environment variable are not substituted again.

mod more_than_a_name;
mod pieces;
mod scope;
mod undefined;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use casebook_source::{Diagnostic, SourceFile, Span, closest_match};

use crate::codes::{CYCLE, TOO_LARGE, UNDEFINED_VARIABLE, UNKNOWN_SERVICE};
use crate::run_time::{mark, shell_quoted_with_marks};
use more_than_a_name::not_a_variable;
pub use pieces::is_name;
use pieces::{Piece, pieces};
pub(crate) use pieces::{escaped, is_reserved, literals, variable_in};
pub(crate) use scope::{Combination, RunTimeName, Scope};

/// The maximum size of a string with its variables substituted, in bytes.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// The variables and the environment of a suite.
pub(crate) struct Variables<'a> {
    file: &'a SourceFile,
    defined: HashMap<&'a str, (&'a str, Span)>,
    environment: &'a BTreeMap<String, String>,
    /// The names of the suite's services.
    services: Vec<String>,
    /// Values that are already expanded, for strings outside of a matrix. The key contains whether the string is in a definition.
    cache: RefCell<HashMap<(bool, &'a str), Expanded>>,
}

/// A string with its variables substituted, or all its problems. There are none if they are already reported, or if the string has
/// variables that only a test defines.
type Expanded = Result<String, Vec<Diagnostic>>;

/// The state of expanding one string.
#[derive(Default)]
struct Expansion<'a> {
    /// The variables whose values are being expanded.
    path: Vec<&'a str>,
    /// Variables whose problems are already reported, so that nested ones are not expanded again and again.
    failed: HashSet<&'a str>,
}

impl<'a> Variables<'a> {
    pub(crate) fn new(
        file: &'a SourceFile,
        defined: HashMap<&'a str, (&'a str, Span)>,
        environment: &'a BTreeMap<String, String>,
    ) -> Variables<'a> {
        Variables {
            file,
            defined,
            environment,
            services: Vec::new(),
            cache: RefCell::default(),
        }
    }

    /// The same variables with the ports of these services.
    pub(crate) fn with_services(self, services: Vec<String>) -> Variables<'a> {
        Variables { services, ..self }
    }

    /// The names of the suite's services.
    pub(crate) fn services(&self) -> &[String] {
        &self.services
    }

    /// The problems of all variables, used or not.
    pub(crate) fn problems(&self, deferred: &HashSet<String>) -> Vec<Diagnostic> {
        let mut names: Vec<_> = self.defined.iter().collect();
        names.sort_by_key(|(_, (_, definition))| definition.start);
        let scope = Scope::definition(deferred);
        let values = names.into_iter().map(|(name, (_, definition))| {
            self.value(name, *definition, scope, &mut Expansion::default())
        });
        let problems = values.filter_map(Result::err).flatten();
        problems
            .filter(|problem| !self.may_be_defined(problem))
            .collect()
    }

    /// The text with its variables substituted. `span` is the location of the text, for messages.
    pub(crate) fn expand(&self, text: &str, span: Span, scope: Scope<'_>) -> Expanded {
        self.expand_within(text, span, scope, &mut Expansion::default())
    }

    fn expand_within(
        &self,
        text: &str,
        span: Span,
        scope: Scope<'_>,
        expansion: &mut Expansion<'a>,
    ) -> Expanded {
        if !text.contains("{{") {
            return Ok(text.to_owned());
        }
        let mut problems: Option<Vec<Diagnostic>> = None;
        let mut expanded = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => expanded.push_str(text),
                Piece::Variable {
                    name,
                    is_shell_quoted,
                    written,
                } => {
                    let location = self.locate(written, span);
                    match self.value(name, location, scope, expansion) {
                        Ok(value) if is_shell_quoted => {
                            expanded.push_str(&shell_quoted_with_marks(&value));
                        }
                        Ok(value) => expanded.push_str(&value),
                        Err(more) => add(problems.get_or_insert_default(), more),
                    }
                }
                Piece::NameAndMore {
                    name,
                    more,
                    written,
                } => match self.probably_meant(name, more, scope) {
                    Some(meant) => {
                        let problem = not_a_variable(written, &meant, self.locate(written, span));
                        add(problems.get_or_insert_default(), vec![problem]);
                    }
                    None => expanded.push_str(written),
                },
            }
            if expanded.len() > MAX_TEXT {
                let message = format!(
                    "with its variables substituted this string is longer than {} MiB",
                    MAX_TEXT >> 20
                );
                return Err(vec![Diagnostic::error(TOO_LARGE, span, message)]);
            }
        }
        problems.map_or(Ok(expanded), Err)
    }

    fn value(
        &self,
        name: &str,
        span: Span,
        scope: Scope<'_>,
        expansion: &mut Expansion<'a>,
    ) -> Expanded {
        if scope.defers(name) {
            return Err(Vec::new());
        }
        if let Some((_, value)) = scope.values.iter().find(|(key, _)| key == name) {
            return Ok(value.text.clone());
        }
        // Not in the value of a variable, which is expanded once for all tests.
        if expansion.path.is_empty()
            && let Some(known) = scope.run_time.iter().find(|known| known.name == name)
        {
            return available(known, span);
        }
        if let Some(name) = name.strip_prefix("env.") {
            return self.in_environment(name, span);
        }
        if let Some(path) = name.strip_prefix("services.") {
            return self.port(name, path, span);
        }
        let Some((&name, &(text, definition))) = self.defined.get_key_value(name) else {
            let within = expansion.path.last().copied();
            return Err(vec![self.undefined(name, span, scope, within)]);
        };
        // Not cached with a matrix: a value that uses it differs between combinations.
        let is_cached = scope.values.is_empty();
        let key = (scope.deferred.is_some(), name);
        if is_cached && let Some(value) = self.cache.borrow().get(&key) {
            return value.clone();
        }
        if !is_cached && expansion.failed.contains(name) {
            return Err(Vec::new());
        }
        if let Some(start) = expansion.path.iter().position(|visited| *visited == name) {
            return Err(vec![cycle(&expansion.path[start..], name, definition)]);
        }
        expansion.path.push(name);
        let value = self.expand_within(text, definition, scope, expansion);
        expansion.path.pop();
        if is_cached {
            self.cache.borrow_mut().insert(key, value.clone());
        } else if value.is_err() {
            expansion.failed.insert(name);
        }
        value
    }

    /// The mark of a service's port: `services.NAME.port`.
    fn port(&self, name: &str, path: &str, span: Span) -> Expanded {
        let service = path.strip_suffix(".port");
        if service.is_some_and(|service| self.services.iter().any(|known| known == service)) {
            return Ok(mark(name));
        }
        let known = || self.services.iter().map(String::as_str);
        let given = path.split('.').next().unwrap_or(path);
        let (message, closest) = if known().any(|name| name == given) {
            let message = format!("`{{{{{name}}}}}`: a service has only a `port`");
            (message, Some(given))
        } else {
            let message = format!("unknown service `{given}`");
            (message, closest_match(given, known()))
        };
        let help = match closest {
            Some(service) => format!("did you mean `{{{{services.{service}.port}}}}`?"),
            None => "define it under `services:`".to_owned(),
        };
        let problem = Diagnostic::error(UNKNOWN_SERVICE, span, message);
        Err(vec![problem.help(help)])
    }

    fn in_environment(&self, name: &str, span: Span) -> Expanded {
        self.environment.get(name).cloned().ok_or_else(|| {
            let message = format!("the environment has no variable `{name}`");
            let suggestion = closest_match(name, self.environment.keys().map(String::as_str));
            let help = suggestion.map_or_else(
                || format!("set it in the environment: `{name}=… casebook run`"),
                |name| format!("did you mean `{{{{env.{name}}}}}`?"),
            );
            vec![Diagnostic::error(UNDEFINED_VARIABLE, span, message).help(help)]
        })
    }

    /// Where a variable is defined.
    pub(crate) fn definition(&self, name: &str) -> Option<Span> {
        self.defined.get(name).map(|(_, span)| *span)
    }

    /// Whether a definition in an included file uses a variable that this suite does not have. Other suites may define it; if this one
    /// uses the definition, the problem is reported there.
    pub(crate) fn may_be_defined(&self, problem: &Diagnostic) -> bool {
        problem.code == UNDEFINED_VARIABLE && self.is_included(problem.span)
    }

    /// Whether a span is in an included file.
    pub(crate) fn is_included(&self, span: Span) -> bool {
        self.file.is_included(span)
    }

    /// A path of an included file, relative to the directory of the suite.
    pub(crate) fn relative_to_suite(&self, path: String, span: Span) -> String {
        let (file, _) = self.file.locate(span);
        if std::ptr::eq(file, self.file) {
            return path;
        }
        let dir = |file: &'a SourceFile| Path::new(file.name()).parent().unwrap_or(Path::new(""));
        let included = dir(file);
        let included = included.strip_prefix(dir(self.file)).unwrap_or(included);
        included.join(path).display().to_string()
    }

    /// The line of the suite's file in which a span begins.
    pub(crate) fn line(&self, span: Span) -> usize {
        self.file.position(span.start).line
    }

    /// The text of a span of the suite's file.
    pub(crate) fn source(&self, span: Span) -> &str {
        self.file.slice(span)
    }

    /// The location of the braces in the file; that of the whole text if escapes make them hard to find.
    fn locate(&self, written: &str, span: Span) -> Span {
        match self.file.slice(span).find(written) {
            Some(at) => Span::new(span.start + at, span.start + at + written.len()),
            None => span,
        }
    }
}

/// Adds problems that are not already there: a variable may be used several times.
fn add(problems: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) {
    for problem in more {
        let mut known = problems.iter();
        if !known.any(|known| known.span == problem.span && known.message == problem.message) {
            problems.push(problem);
        }
    }
}

/// The error for a cycle, with its complete path: `a -> b -> a`.
pub(crate) fn cycle(path: &[&str], repeated: &str, span: Span) -> Diagnostic {
    let mut names = path.to_vec();
    names.push(repeated);
    Diagnostic::error(
        CYCLE,
        span,
        format!("cyclic reference: {}", names.join(" -> ")),
    )
}

/// The mark of a value that is known only while the test runs.
fn available(value: &RunTimeName, span: Span) -> Expanded {
    match &value.unavailable {
        None => Ok(mark(&value.name)),
        Some(reason) => {
            let message = format!("`{}` has no value here: {reason}", value.name);
            let problem = Diagnostic::error(UNDEFINED_VARIABLE, span, message);
            Err(vec![
                problem.help("use it after that, or capture it earlier"),
            ])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed_value::TypedValue;

    fn expand(
        text: &str,
        variables: &[(&str, &str)],
        matrix: &[(&str, &str)],
    ) -> Result<String, String> {
        let file = SourceFile::new("a.yaml", text);
        let defined = variables
            .iter()
            .map(|(name, value)| (*name, (*value, Span::default())))
            .collect();
        let environment = BTreeMap::from([("HOME".to_owned(), "/home/{{x}}".to_owned())]);
        let matrix: Vec<_> = matrix
            .iter()
            .filter_map(|(key, value)| Some(((*key).to_owned(), TypedValue::of(&(*value).into())?)))
            .collect();
        let variables = Variables::new(&file, defined, &environment);
        let expanded = variables.expand(text, Span::new(0, text.len()), Scope::of(&matrix));
        expanded.map_err(|errors| {
            let errors: Vec<_> = errors
                .iter()
                .map(|error| format!("{}: {}", error.span.start, error.message))
                .collect();
            errors.join(", ")
        })
    }

    #[test]
    fn substitutes_names_and_keeps_other_braces() {
        let variables = [
            ("x", "1"),
            ("y", "<{{x}}>"),
            ("empty", ""),
            ("home", "{{env.HOME}}"),
        ];
        for (text, expanded) in [
            ("{{x}}", "1"),
            ("a{{ x }}b{{y}}c", "a1b<1>c"),
            ("{{empty}}|", "|"),
            ("{{home}}", "/home/{{x}}"),
            (r"\{{x}}", "{{x}}"),
            ("{{x|sh}} {{ home | sh }}", "'1' '/home/{{x}}'"),
            ("{{other|json}} {{other.id}}", "{{other|json}} {{other.id}}"),
            (r"\{{ {{x}}", "{{ 1"),
            (
                "{{.Names}} {{ range .Items }}",
                "{{.Names}} {{ range .Items }}",
            ),
            ("{{{x}}}", "{1}"),
            ("{{", "{{"),
            ("{{x", "{{x"),
            ("{{}} {{ }}", "{{}} {{ }}"),
            ("{{x-y}}", "{{x-y}}"),
            // Names of two or three letters are similar to many words.
            ("{{y1.id}} {{env.NO.x}}", "{{y1.id}} {{env.NO.x}}"),
            (
                "{{matrix.os}} {{item|upper}}",
                "{{matrix.os}} {{item|upper}}",
            ),
        ] {
            assert_eq!(
                expand(text, &variables, &[]).as_deref(),
                Ok(expanded),
                "{text}"
            );
        }
    }

    #[test]
    fn matrix_values_override_variables() {
        assert_eq!(
            expand(
                "{{x}} {{y}}",
                &[("x", "1"), ("y", "<{{x}}>")],
                &[("x", "m")]
            )
            .as_deref(),
            Ok("m <m>")
        );
    }

    #[test]
    fn reports_undefined_and_cyclic_variables_with_positions() {
        let variables = [
            ("a", "{{b}}"),
            ("b", "{{c}}"),
            ("c", "{{a}}"),
            ("self", "{{self}}"),
        ];
        for (text, message) in [
            ("ab {{ missing }}", "3: variable `missing` is not defined"),
            ("{{end}}", "0: variable `end` is not defined"),
            (
                "{{env.NO_SUCH}}",
                "0: the environment has no variable `NO_SUCH`",
            ),
            (
                "{{one}} {{two}} {{one}}",
                "0: variable `one` is not defined, 8: variable `two` is not defined",
            ),
            ("a {{self|json}}", "2: `{{self|json}}` is not a variable"),
            ("{{ self.id }}", "0: `{{ self.id }}` is not a variable"),
            ("{{a}}", "0: cyclic reference: a -> b -> c -> a"),
            ("{{self}}", "0: cyclic reference: self -> self"),
            ("{{sefl.id}}", "0: `{{sefl.id}}` is not a variable"),
            ("{{slef|json}}", "0: `{{slef|json}}` is not a variable"),
            (
                "{{env.HOME|upper}}",
                "0: `{{env.HOME|upper}}` is not a variable",
            ),
            ("{{Env.HOME}}", "0: `{{Env.HOME}}` is not a variable"),
        ] {
            assert_eq!(
                expand(text, &variables, &[]).unwrap_err(),
                message,
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_texts_that_grow_exponentially() {
        for (first, matrix, message) in [
            ("xx", &[][..], "longer than 16 MiB"),
            ("{{zzz}}", &[], "0: variable `zzz` is not defined"),
            ("{{zzz}}", &[("m", "1")], "0: variable `zzz` is not defined"),
        ] {
            assert!(doubled(first, matrix).contains(message), "{message}");
        }
    }

    /// The error of 40 variables, each with the value of the one before it twice.
    fn doubled(first: &str, matrix: &[(&str, &str)]) -> String {
        let names: Vec<String> = (0..40).map(|number| format!("v{number}")).collect();
        let values: Vec<String> = (0..40)
            .map(|n| {
                if n == 0 {
                    first.to_owned()
                } else {
                    "{{v".to_owned() + &format!("{}}}}}{{{{v{}}}}}", n - 1, n - 1)
                }
            })
            .collect();
        let variables: Vec<_> = names
            .iter()
            .map(String::as_str)
            .zip(values.iter().map(String::as_str))
            .collect();
        expand("{{v39}}", &variables, matrix).unwrap_err()
    }
}
