//! The problems of names that a suite does not define.

use std::collections::HashSet;

use casebook_source::{Diagnostic, Span, closest_match};

use super::pieces::{Piece, pieces};
use super::{Combination, Scope, Variables};
use crate::codes::UNDEFINED_VARIABLE;

impl Variables<'_> {
    /// The error for a variable that is not defined; `within` is the variable whose value uses it.
    pub(super) fn undefined(
        &self,
        name: &str,
        span: Span,
        scope: Scope<'_>,
        within: Option<&str>,
    ) -> Diagnostic {
        if name.starts_with("scenario.") {
            return unknown_scenario_field(name, span, scope.values);
        }
        let help = match self.suggestion(name, scope, within) {
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

    /// The closest name whose value does not use `within`, which would be a cycle.
    fn suggestion<'s>(
        &'s self,
        name: &str,
        scope: Scope<'s>,
        within: Option<&str>,
    ) -> Option<&'s str> {
        let mut known: Vec<&str> = self.defined.keys().copied().collect();
        known.extend(scope.values.iter().map(|(key, _)| key.as_str()));
        let available = scope
            .run_time
            .iter()
            .filter(|one| one.unavailable.is_none());
        known.extend(available.map(|one| one.name.as_str()));
        known.sort_unstable();
        loop {
            let closest = closest_match(name, known.iter().copied())?;
            if !within.is_some_and(|within| self.uses(closest, within)) {
                return Some(closest);
            }
            known.retain(|other| *other != closest);
        }
    }

    /// Whether a variable is another one, or its value uses it directly or indirectly.
    fn uses(&self, name: &str, other: &str) -> bool {
        let (mut open, mut seen) = (vec![name], HashSet::new());
        while let Some(name) = open.pop() {
            if name == other {
                return true;
            }
            let definition = self.defined.get(name).filter(|_| seen.insert(name));
            open.extend(definition.into_iter().flat_map(|(text, _)| {
                pieces(text).into_iter().filter_map(|piece| match piece {
                    Piece::Variable { name, .. } => Some(name),
                    Piece::Text(_) | Piece::NameAndMore { .. } => None,
                })
            }));
        }
        false
    }
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
    let help = suggestion.map_or_else(
        || format!("add `{field}` to each scenario"),
        |name| format!("did you mean `{{{{scenario.{name}}}}}`?"),
    );
    Diagnostic {
        scenarios: vec![scenario.text.clone()],
        ..Diagnostic::error(
            UNDEFINED_VARIABLE,
            span,
            format!("`{{{{{name}}}}}` is not defined in"),
        )
        .help(help)
    }
}
