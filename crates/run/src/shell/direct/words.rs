//! Splits commands that need no shell into words.

/// Splits the command into words; `None` if any character may have a meaning for the shell.
pub(super) fn words(script: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = script.trim_end_matches(['\n', ' ', '\t']).chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut rest, '\'', word.get_or_insert_default())?,
            '"' => quoted(&mut rest, '"', word.get_or_insert_default())?,
            _ if is_plain(c) => word.get_or_insert_default().push(c),
            _ => return None,
        }
    }
    words.extend(word);
    Some(words)
}

/// Reads up to the closing quote. `None` if double quotes contain an expansion.
fn quoted(rest: &mut std::str::Chars<'_>, quote: char, word: &mut String) -> Option<()> {
    loop {
        match rest.next()? {
            c if c == quote => return Some(()),
            '$' | '`' | '\\' | '!' if quote == '"' => return None,
            '\0' => return None,
            c => word.push(c),
        }
    }
}

/// Characters without a meaning for bash in any position. All others are left to bash.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-./,:+@%=".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_and_quotes_need_no_shell() {
        for (script, expected) in [
            ("true", vec!["true"]),
            (
                " grep  -c 'a b' \"c d\"e\n",
                vec!["grep", "-c", "a b", "c de"],
            ),
            ("dd if=x of=/tmp/y", vec!["dd", "if=x", "of=/tmp/y"]),
            ("x ''", vec!["x", ""]),
            ("", vec![]),
        ] {
            assert_eq!(words(script).unwrap(), expected, "{script}");
        }
    }

    #[test]
    fn possible_syntax_is_left_to_bash() {
        for script in [
            "a; b", "a | b", "a > f", "a $x", "a `b`", "a *", "a ?", "a [b]", "a ~", "a {b,c}",
            "a \\b", "a &", "(a)", "a # b", "a\nb", "a \"$x\"", "a 'b", "a \"b", "a !b", "é",
        ] {
            assert_eq!(words(script), None, "{script}");
        }
    }
}
