//! The description of an example whose result the code does not show (rule W2).

/// What a method does, as far as its name shows it. For many methods this is only their name.
pub(crate) fn unknown_behavior(method: &str) -> String {
    phrase(method).map_or_else(|| of_name(method), ToOwned::to_owned)
}

/// What every method of this name does.
pub(crate) fn phrase(method: &str) -> Option<&'static str> {
    Some(match method {
        "new" => "creates an instance",
        "call" | "run" | "perform" | "execute" => "completes the call",
        "[]" => "returns the element",
        "[]=" => "sets the element",
        "<<" => "adds the element",
        "==" | "===" | "!=" | "eql?" | "equal?" => "compares both objects",
        "<" | "<=" | ">" | ">=" | "<=>" => "compares both values",
        "=~" | "!~" => "matches the pattern",
        "+" | "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "~" | ">>" | "+@" | "-@" | "!" => {
            "returns the result of the operator"
        }
        _ => return None,
    })
}

fn of_name(method: &str) -> String {
    let name = method.trim_end_matches(['?', '!', '=']).replace('_', " ");
    let verb = match method.chars().last() {
        Some('?') => "answers",
        Some('=') => "sets",
        _ => "completes",
    };
    format!("{verb} {}", name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions() {
        for (method, description) in [
            ("new", "creates an instance"),
            ("[]", "returns the element"),
            ("==", "compares both objects"),
            ("-@", "returns the result of the operator"),
            ("name=", "sets name"),
            ("open?", "answers open"),
            ("open_door!", "completes open door"),
        ] {
            assert_eq!(unknown_behavior(method), description);
        }
    }
}
