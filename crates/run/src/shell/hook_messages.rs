//! Names hooks in the messages of bash.

/// How bash begins a message about a function that is in no file.
const PREFIXES: [&[u8]; 2] = [b"environment: line ", b"environment: eval: line "];

/// Replaces the beginning of such messages with the name of the hook: `setup: line 2: nosuch: command not found`.
pub(super) fn name_hook(output: &[u8], hook: &str) -> Vec<u8> {
    let mut named = Vec::with_capacity(output.len());
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        match PREFIXES
            .iter()
            .find_map(|prefix| line.strip_prefix(*prefix))
        {
            Some(rest) => {
                named.extend_from_slice(hook.as_bytes());
                named.extend_from_slice(b": line ");
                named.extend_from_slice(rest);
            }
            None => named.extend_from_slice(line),
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_line_is_replaced() {
        for (output, expected) in [
            ("environment: line 2: x", "setup: line 2: x"),
            (
                "a\nenvironment: eval: line 4: `}'\n",
                "a\nsetup: line 4: `}'\n",
            ),
            ("see environment: line 2\n", "see environment: line 2\n"),
            ("environment: test\n", "environment: test\n"),
        ] {
            let named = name_hook(output.as_bytes(), "setup");
            assert_eq!(String::from_utf8_lossy(&named), expected);
        }
    }
}
