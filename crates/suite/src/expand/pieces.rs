//! [`pieces`]: a string split at its variables.

use std::borrow::Cow;

/// The filter that quotes a value as a word of the shell: `{{name|sh}}`.
pub(super) const SHELL_FILTER: &str = "sh";

/// A part of a string.
pub(super) enum Piece<'t> {
    Text(&'t str),
    Variable {
        name: &'t str,
        /// `{{name|sh}}`
        is_shell_quoted: bool,
        written: &'t str,
    },
    /// Braces around a name and more, such as `{{name.field}}` or `{{name|filter}}`: a mistake if the suite defines the name or
    /// a similar one, otherwise text for another program's templates.
    NameAndMore {
        name: &'t str,
        /// What follows the name, from the `.` or `|`.
        more: &'t str,
        written: &'t str,
    },
}

/// Splits a string at its variables. Braces around anything but a name are kept; a backslash before braces makes them
/// plain text.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
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
        let variable = inside.find("}}").and_then(|end| {
            let text = inside[..end].trim();
            let filtered = text.split_once('|');
            let filtered = filtered.filter(|(_, filter)| filter.trim() == SHELL_FILTER);
            let name = filtered.map_or(text, |(name, _)| name.trim_end());
            is_variable(name).then_some((end, name, filtered.is_some()))
        });
        if let Some((end, name, is_shell_quoted)) = variable {
            pieces.push(Piece::Text(&rest[..at]));
            pieces.push(Piece::Variable {
                name,
                is_shell_quoted,
                written: &rest[at..at + end + 4],
            });
            rest = &inside[end + 2..];
        } else if let Some((end, name, more)) = name_and_more(inside) {
            let written = &rest[at..at + end + 4];
            pieces.push(Piece::Text(&rest[..at]));
            pieces.push(Piece::NameAndMore {
                name,
                more,
                written,
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

/// The length of the text before `}}`, the name at its start if a `.` or `|` follows it, and the rest. A path of a variable is a
/// name if a `|` follows it.
fn name_and_more(inside: &str) -> Option<(usize, &str, &str)> {
    let end = inside.find("}}")?;
    let text = &inside[..end];
    let filter = text.find('|');
    let path = filter.filter(|at| is_variable(text[..*at].trim()));
    let at = path.or_else(|| text.find(['.', '|']))?;
    let (name, more) = text.split_at(at);
    let name = name.trim();
    let is_path = path.is_some();
    (is_path || is_name(&name.replace('-', "_"))).then_some((end, name, more))
}

/// The texts before, between and after the variables of a string; only one if there are no variables.
pub(crate) fn literals(text: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut literal = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) | Piece::NameAndMore { written: text, .. } => literal.push_str(text),
            Piece::Variable { .. } => literals.push(std::mem::take(&mut literal)),
        }
    }
    literals.push(literal);
    literals
}

/// The first variable in a string.
pub(crate) fn variable_in(text: &str) -> Option<&str> {
    pieces(text).into_iter().find_map(|piece| match piece {
        Piece::Variable { name, .. } => Some(name),
        Piece::Text(_) | Piece::NameAndMore { .. } => None,
    })
}

/// The string from which substitution makes this text: with a backslash before braces that would be a variable, or that
/// would lose a backslash.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    let has_name = |text| {
        let mut pieces = pieces(text).into_iter();
        pieces.any(|piece| !matches!(piece, Piece::Text(_)))
    };
    if text.contains("\\{{") || has_name(text) {
        text.replace("{{", "\\{{").into()
    } else {
        text.into()
    }
}

/// Whether it is a name, `env.NAME`, or `scenario.`, `services.` or `conversation.` with the path of a value.
fn is_variable(text: &str) -> bool {
    let prefixes = ["scenario.", "services.", "conversation."];
    let path = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    if let Some(path) = path {
        let is_step = |step: &str| is_name(&format!("_{}", step.replace('-', "_")));
        return !path.is_empty()
            && path
                .split('.')
                .all(|step| !step.is_empty() && is_step(step));
    }
    is_name(text.strip_prefix("env.").unwrap_or(text))
}

/// Whether no variable or captured value can have this name.
pub(crate) fn is_reserved(name: &str) -> bool {
    ["bashi_", "casebook_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// A letter or `_`, then letters, digits and `_`.
pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
