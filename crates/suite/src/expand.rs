//! Substitutes variables: `{{name}}` becomes its value.
//!
//! Substitution is textual. Braces in the value of an environment variable are not substituted again.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use casebook_source::{Diagnostic, SourceFile, Span, closest_match};

use crate::codes::{CYCLE, TOO_LARGE, UNDEFINED_VARIABLE};

/// The maximum size of a string with its variables substituted, in bytes.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// The variables and the environment of a suite.
pub(crate) struct Variables<'a> {
    file: &'a SourceFile,
    defined: HashMap<&'a str, (&'a str, Span)>,
    environment: &'a BTreeMap<String, String>,
    /// Values that are already expanded, for strings outside of a matrix.
    cache: RefCell<HashMap<&'a str, Result<String, Box<Diagnostic>>>>,
}

/// The values of one combination of a matrix; they override variables of the same name.
pub(crate) type Combination = [(String, String)];

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
            cache: RefCell::default(),
        }
    }

    /// The cycles among all variables, used or not.
    pub(crate) fn cycles(&self) -> Vec<Diagnostic> {
        let mut names: Vec<_> = self.defined.iter().collect();
        names.sort_by_key(|(_, (_, definition))| definition.start);
        let values = names
            .into_iter()
            .map(|(name, (_, definition))| self.value(name, *definition, &[], &mut Vec::new()));
        let problems = values.filter_map(|value| value.err().map(|problem| *problem));
        problems
            .filter(|problem| problem.code.name == CYCLE.name)
            .collect()
    }

    /// The text with its variables substituted. `span` is the location of the text, for messages.
    pub(crate) fn expand(
        &self,
        text: &str,
        span: Span,
        combination: &Combination,
    ) -> Result<String, Box<Diagnostic>> {
        self.expand_within(text, span, combination, &mut Vec::new())
    }

    fn expand_within(
        &self,
        text: &str,
        span: Span,
        combination: &Combination,
        path: &mut Vec<&'a str>,
    ) -> Result<String, Box<Diagnostic>> {
        if !text.contains("{{") {
            return Ok(text.to_owned());
        }
        let mut expanded = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => expanded.push_str(text),
                Piece::Variable { name, written } => {
                    let location = self.locate(written, span);
                    expanded.push_str(&self.value(name, location, combination, path)?);
                }
            }
            if expanded.len() > MAX_TEXT {
                let message = format!(
                    "with its variables substituted this string is longer than {} MiB",
                    MAX_TEXT >> 20
                );
                return Err(Diagnostic::error(TOO_LARGE, span, message).into());
            }
        }
        Ok(expanded)
    }

    fn value(
        &self,
        name: &str,
        span: Span,
        combination: &Combination,
        path: &mut Vec<&'a str>,
    ) -> Result<String, Box<Diagnostic>> {
        if let Some((_, value)) = combination.iter().find(|(key, _)| key == name) {
            return Ok(value.clone());
        }
        if let Some(name) = name.strip_prefix("env.") {
            return self.in_environment(name, span);
        }
        let Some((&name, &(text, definition))) = self.defined.get_key_value(name) else {
            return Err(self.undefined(name, span, combination).into());
        };
        // Not cached with a matrix: a value that uses it differs between combinations.
        if combination.is_empty()
            && let Some(value) = self.cache.borrow().get(name)
        {
            return value.clone();
        }
        if let Some(start) = path.iter().position(|visited| *visited == name) {
            return Err(cycle(&path[start..], name, definition).into());
        }
        path.push(name);
        let value = self.expand_within(text, definition, combination, path);
        path.pop();
        if combination.is_empty() {
            self.cache.borrow_mut().insert(name, value.clone());
        }
        value
    }

    fn in_environment(&self, name: &str, span: Span) -> Result<String, Box<Diagnostic>> {
        self.environment.get(name).cloned().ok_or_else(|| {
            let message = format!("the environment has no variable `{name}`");
            let suggestion = closest_match(name, self.environment.keys().map(String::as_str));
            let help = suggestion.map_or_else(
                || format!("set it in the environment: `{name}=… casebook run`"),
                |name| format!("did you mean `{{{{env.{name}}}}}`?"),
            );
            Box::new(Diagnostic::error(UNDEFINED_VARIABLE, span, message).help(help))
        })
    }

    fn undefined(&self, name: &str, span: Span, combination: &Combination) -> Diagnostic {
        if name.starts_with("scenario.") {
            return unknown_scenario_field(name, span, combination);
        }
        let known = self
            .defined
            .keys()
            .copied()
            .chain(combination.iter().map(|(key, _)| key.as_str()));
        let help = match closest_match(name, known) {
            Some(suggestion) => {
                format!("did you mean `{{{{{suggestion}}}}}`? (for literal braces write `\\{{{{`)")
            }
            None if self.environment.contains_key(name) => {
                format!("to use the environment variable, write `{{{{env.{name}}}}}`")
            }
            None => "define it under `variables:`, or for literal braces write `\\{{`".to_owned(),
        };
        Diagnostic::error(
            UNDEFINED_VARIABLE,
            span,
            format!("variable `{name}` is not defined"),
        )
        .help(help)
    }

    /// The location of the braces in the file; that of the whole text if escapes make them hard to find.
    fn locate(&self, written: &str, span: Span) -> Span {
        match self.file.slice(span).find(written) {
            Some(at) => Span::new(span.start + at, span.start + at + written.len()),
            None => span,
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

enum Piece<'t> {
    Text(&'t str),
    Variable { name: &'t str, written: &'t str },
}

/// Splits a string at its variables. Braces around anything but a name are kept; a backslash before braces makes them
/// plain text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        if rest[..at].ends_with('\\') {
            pieces.push(Piece::Text(&rest[..at - 1]));
            pieces.push(Piece::Text("{{"));
            rest = &rest[at + 2..];
            continue;
        }
        let inside = &rest[at + 2..];
        let variable = inside
            .find("}}")
            .filter(|end| is_variable(inside[..*end].trim()));
        if let Some(end) = variable {
            pieces.push(Piece::Text(&rest[..at]));
            pieces.push(Piece::Variable {
                name: inside[..end].trim(),
                written: &rest[at..at + end + 4],
            });
            rest = &inside[end + 2..];
        } else {
            pieces.push(Piece::Text(&rest[..=at]));
            rest = &rest[at + 1..];
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Whether it is a name, `env.NAME` or `scenario.` with the path of a value.
fn is_variable(text: &str) -> bool {
    if let Some(path) = text.strip_prefix("scenario.") {
        let is_step = |step: &str| is_name(&format!("_{}", step.replace('-', "_")));
        return !path.is_empty()
            && path
                .split('.')
                .all(|step| !step.is_empty() && is_step(step));
    }
    is_name(text.strip_prefix("env.").unwrap_or(text))
}

fn unknown_scenario_field(name: &str, span: Span, combination: &Combination) -> Diagnostic {
    let fields = combination
        .iter()
        .filter_map(|(key, _)| key.strip_prefix("scenario."));
    let field = &name["scenario.".len()..];
    let scenario = combination.iter().find(|(key, _)| key == "scenario.name");
    let Some((_, scenario)) = scenario else {
        let message = format!("`{{{{{name}}}}}` requires a scenario");
        return Diagnostic::error(UNDEFINED_VARIABLE, span, message)
            .help("add `scenarios` to the test: a file, or a list of mappings");
    };
    let suggestion = closest_match(field, fields);
    let help = suggestion.map(|name| format!("did you mean `{{{{scenario.{name}}}}}`?"));
    Diagnostic {
        scenarios: vec![scenario.clone()],
        ..Diagnostic::error(UNDEFINED_VARIABLE, span, format!("no text `{field}` in"))
            .maybe_help(help)
    }
}

/// A letter or `_`, then letters, digits and `_`.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

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
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let variables = Variables::new(&file, defined, &environment);
        let expanded = variables.expand(text, Span::new(0, text.len()), &matrix);
        expanded.map_err(|error| format!("{}: {}", error.span.start, error.message))
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
            ("{{a}}", "0: cyclic reference: a -> b -> c -> a"),
            ("{{self}}", "0: cyclic reference: self -> self"),
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
        let names: Vec<String> = (0..40).map(|number| format!("v{number}")).collect();
        let values: Vec<String> = (0..40)
            .map(|n| {
                if n == 0 {
                    "xx".into()
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
        assert!(
            expand("{{v39}}", &variables, &[])
                .unwrap_err()
                .contains("longer than 16 MiB")
        );
    }
}
