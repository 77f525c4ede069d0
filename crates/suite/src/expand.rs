//! Variables: `{{name}}` becomes its value. Pass 1 of the format.
//!
//! Substitution is textual and done once: what an environment variable brings in is never looked at again.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use casebook_source::{Diagnostic, SourceFile, Span, closest_match};

use crate::codes::{CYCLE, TOO_LARGE, UNDEFINED_VARIABLE};

/// The longest text that variables may make.
const MAX_TEXT: usize = 16 * 1024 * 1024;

/// What `{{…}}` can stand for in one suite.
pub(crate) struct Variables<'a> {
    file: &'a SourceFile,
    defined: HashMap<&'a str, (&'a str, Span)>,
    environment: &'a BTreeMap<String, String>,
    /// Values that were worked out before.
    known: RefCell<HashMap<&'a str, Result<String, Box<Diagnostic>>>>,
}

/// The values of one combination of a matrix; they come before the variables.
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
            known: RefCell::default(),
        }
    }

    /// The circles that variables go round in, used or not.
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

    /// The text with its variables substituted. `span` is where the text stands.
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
                    let place = self.place_of(written, span);
                    expanded.push_str(&self.value(name, place, combination, path)?);
                }
            }
            if expanded.len() > MAX_TEXT {
                let message = format!(
                    "with its variables substituted this text is longer than {} MiB",
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
        // A value that uses the matrix is another one for each combination.
        if combination.is_empty()
            && let Some(known) = self.known.borrow().get(name)
        {
            return known.clone();
        }
        if let Some(start) = path.iter().position(|visited| *visited == name) {
            return Err(cycle(&path[start..], name, definition).into());
        }
        path.push(name);
        let value = self.expand_within(text, definition, combination, path);
        path.pop();
        if combination.is_empty() {
            self.known.borrow_mut().insert(name, value.clone());
        }
        value
    }

    fn in_environment(&self, name: &str, span: Span) -> Result<String, Box<Diagnostic>> {
        self.environment.get(name).cloned().ok_or_else(|| {
            let message = format!("the environment has no variable `{name}`");
            let near = closest_match(name, self.environment.keys().map(String::as_str));
            let help = near.map_or_else(
                || format!("set it where Casebook is started: `{name}=… casebook run`"),
                |near| format!("did you mean `{{{{env.{near}}}}}`?"),
            );
            Box::new(Diagnostic::error(UNDEFINED_VARIABLE, span, message).help(help))
        })
    }

    fn undefined(&self, name: &str, span: Span, combination: &Combination) -> Diagnostic {
        if name.starts_with("scenario.") {
            return not_in_scenario(name, span, combination);
        }
        let known = self
            .defined
            .keys()
            .copied()
            .chain(combination.iter().map(|(key, _)| key.as_str()));
        let help = match closest_match(name, known) {
            Some(near) => {
                format!("did you mean `{{{{{near}}}}}`? (for literal braces write `\\{{{{`)")
            }
            None if self.environment.contains_key(name) => {
                format!("for the environment's value write `{{{{env.{name}}}}}`")
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

    /// Where in the file the braces stand: the text may be shorter than what was written, because of escapes.
    fn place_of(&self, written: &str, span: Span) -> Span {
        match self.file.slice(span).find(written) {
            Some(at) => Span::new(span.start + at, span.start + at + written.len()),
            None => span,
        }
    }
}

/// `a -> b -> a`, whole.
pub(crate) fn cycle(path: &[&str], again: &str, span: Span) -> Diagnostic {
    let mut round = path.to_vec();
    round.push(again);
    Diagnostic::error(
        CYCLE,
        span,
        format!(
            "these refer to each other in a circle: {}",
            round.join(" -> ")
        ),
    )
}

enum Piece<'t> {
    Text(&'t str),
    Variable { name: &'t str, written: &'t str },
}

/// Splits a text at its variables. Braces around anything but a name are left alone; a backslash before them makes
/// them plain text.
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

/// A name, or a name in the environment, or the way to a value of the scenario.
fn is_variable(text: &str) -> bool {
    if let Some(way) = text.strip_prefix("scenario.") {
        let is_step = |step: &str| is_name(&format!("_{}", step.replace('-', "_")));
        return !way.is_empty() && way.split('.').all(|step| !step.is_empty() && is_step(step));
    }
    is_name(text.strip_prefix("env.").unwrap_or(text))
}

fn not_in_scenario(name: &str, span: Span, combination: &Combination) -> Diagnostic {
    let fields = combination
        .iter()
        .filter_map(|(key, _)| key.strip_prefix("scenario."));
    let field = &name["scenario.".len()..];
    let scenario = combination.iter().find(|(key, _)| key == "scenario.name");
    let Some((_, scenario)) = scenario else {
        let message = format!("there is no scenario that `{{{{{name}}}}}` could be taken from");
        return Diagnostic::error(UNDEFINED_VARIABLE, span, message)
            .help("give the test `scenarios`: a file, or a list of mappings");
    };
    let near = closest_match(field, fields);
    let help = near.map(|near| format!("did you mean `{{{{scenario.{near}}}}}`?"));
    Diagnostic {
        scenarios: vec![scenario.clone()],
        ..Diagnostic::error(
            UNDEFINED_VARIABLE,
            span,
            format!("there is no text `{field}` in"),
        )
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
    fn names_are_substituted_and_other_braces_left_alone() {
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
    fn the_matrix_comes_first_also_within_variables() {
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
    fn what_is_undefined_or_circular_is_told_with_its_place() {
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
                "{{a}}",
                "0: these refer to each other in a circle: a -> b -> c -> a",
            ),
            (
                "{{self}}",
                "0: these refer to each other in a circle: self -> self",
            ),
        ] {
            assert_eq!(
                expand(text, &variables, &[]).unwrap_err(),
                message,
                "{text}"
            );
        }
    }

    #[test]
    fn a_text_that_doubles_again_and_again_is_refused() {
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
