//! Methods that are operators, such as `==` and `[]`, and how they are called.

/// All operators that can be defined as methods.
#[rustfmt::skip]
const OPERATORS: [&str; 29] = [
    "[]", "[]=", "==", "!=", "===", "=~", "!~", "<=>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "**", "<<", ">>",
    "&", "|", "^", "~", "!", "+@", "-@", "~@", "!@",
];

/// Whether a method is an operator.
pub(crate) fn is_operator(method: &str) -> bool {
    OPERATORS.contains(&method)
}

/// A call of an operator with these arguments, as it is usually written: `a == b`, `a[b]`, `-a`. `None` if it cannot be
/// written so with them.
pub(crate) fn operator_call(receiver: &str, method: &str, arguments: &[&str]) -> Option<String> {
    if !is_operator(method) {
        return None;
    }
    let call = match (method, arguments) {
        ("[]", keys) => format!("{receiver}[{}]", keys.join(", ")),
        ("[]=", [keys @ .., value]) => format!("{receiver}[{}] = {value}", keys.join(", ")),
        ("+@" | "-@" | "~@" | "!@" | "~" | "!", []) => {
            format!("{}{receiver}", method.trim_end_matches('@'))
        }
        (method, [other]) if !method.ends_with('@') && !matches!(method, "[]=" | "~" | "!") => {
            format!("{receiver} {method} {other}")
        }
        _ => return None,
    };
    Some(call)
}

/// The arguments that an operator usually has.
pub(crate) fn usual_arguments(method: &str) -> &'static [&'static str] {
    match method {
        "[]" => &["key"],
        "[]=" => &["key", "value"],
        "+@" | "-@" | "~@" | "!@" | "~" | "!" => &[],
        _ => &["other"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_written_as_usual() {
        for (method, call) in [
            ("==", "a == other"),
            ("<=>", "a <=> other"),
            ("[]", "a[key]"),
            ("[]=", "a[key] = value"),
            ("+", "a + other"),
            ("-@", "-a"),
            ("!", "!a"),
        ] {
            let found = operator_call("a", method, usual_arguments(method));
            assert_eq!(found.as_deref(), Some(call));
        }
        assert_eq!(operator_call("a", "[]", &["1", "2"]).unwrap(), "a[1, 2]");
        for (method, arguments) in [("==", &["b", "c"][..]), ("[]=", &[]), ("call", &["b"])] {
            assert_eq!(operator_call("a", method, arguments), None, "{method}");
        }
    }
}
