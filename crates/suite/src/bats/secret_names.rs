//! Which variables are secret, for the snapshots that compiled code writes.

use super::quote::quote;

/// The function that decides by the name of a variable; `patterns` are those of the suite, in addition to the default ones.
pub(super) fn code(patterns: &[String]) -> String {
    let own: Vec<_> = patterns
        .iter()
        .map(|pattern| case_pattern(pattern))
        .collect();
    let own = match own.join(" | ") {
        own if own.is_empty() => own,
        own => format!("  {own}) ;;\n"),
    };
    format!(
        "# casebook_is_secret NAME: whether the value of the variable must not be in a snapshot.\n\
         casebook_is_secret() {{\n  case $1 in\n{own}\
         \x20 *_PATH | *_FILE | *_DIR) false ;;\n\
         \x20 *KEY* | *TOKEN* | *SECRET* | *PASS* | *CREDENTIAL* | *_PAT) ;;\n\
         \x20 *) false ;;\n  esac\n}}\n"
    )
}

/// A name pattern for `case`. Only `*` and `?` are special.
fn case_pattern(pattern: &str) -> String {
    let part = |c: char| match c {
        '*' | '?' | '_' => c.to_string(),
        c if c.is_ascii_alphanumeric() => c.to_string(),
        c => quote(&c.to_string()),
    };
    pattern.chars().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_for_case() {
        assert_eq!(case_pattern("*LICENSE_?"), "*LICENSE_?");
        assert_eq!(case_pattern("A) $(x"), "A')'' ''$''('x");
    }
}
