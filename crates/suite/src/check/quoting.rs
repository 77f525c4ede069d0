//! Captured values in bash code: `{{id}}` becomes part of the code, and so does `{{id|sh}}` within quotes.

use std::mem;

use casebook_source::Diagnostic;

use crate::codes::UNQUOTED_VALUE;
use crate::model::Script;
use crate::reader::Reader;
use crate::run_time::{Part, parts};

/// Warns of captured values that become part of the command's code.
pub(super) fn warn_of_unquoted_values(command: &Script, reader: &mut Reader<'_, '_>) {
    let mut code = OpenQuotes::default();
    for part in parts(&command.text) {
        let value = match part {
            Part::Literal(text) => {
                code.read(text);
                continue;
            }
            Part::Value(value) if value.name.contains('.') => continue,
            Part::Value(value) => value,
        };
        let name = value.name;
        let (message, help) = if !value.is_shell_quoted {
            (
                format!(
                    "the captured value `{name}` becomes part of the code and can change the command"
                ),
                format!(
                    "write `{{{{{name}|sh}}}}` without quotes around it: it quotes the value as one word"
                ),
            )
        } else if code.is_in_string() {
            (
                format!(
                    "`{{{{{name}|sh}}}}` is within quotes, so the quotes that it adds become text and the value can change the command"
                ),
                "end the string before it: `\"a \"{{name|sh}}\" b\"`".replace("name", name),
            )
        } else {
            continue;
        };
        let problem = Diagnostic::warning(UNQUOTED_VALUE, command.span, message);
        reader.problems.push(problem.help(help));
    }
}

/// The quotes and parentheses that are open at the end of bash code.
#[derive(Default)]
struct OpenQuotes {
    /// `'`, `"`, `` ` `` and `(` as they are, `$` for `$'`, `#` for a comment.
    open: Vec<u8>,
    is_escaped: bool,
    previous: u8,
    has_here_document: bool,
}

impl OpenQuotes {
    fn read(&mut self, code: &str) {
        for byte in code.bytes() {
            if !mem::take(&mut self.is_escaped) {
                self.byte(byte);
            }
            self.previous = byte;
        }
    }

    fn byte(&mut self, byte: u8) {
        let begins_word = matches!(self.previous, 0 | b' ' | b'\t' | b'\n' | b';');
        match (self.open.last(), byte) {
            (Some(b'\'' | b'$'), b'\'')
            | (Some(b'"'), b'"')
            | (Some(b'`'), b'`')
            | (Some(b'('), b')')
            | (Some(b'#'), b'\n') => {
                self.open.pop();
            }
            (Some(b'\'' | b'#'), _) => {}
            (_, b'\\') => self.is_escaped = true,
            (Some(b'$'), _) => {}
            (_, b'`') => self.open.push(b'`'),
            (Some(b'"'), b'(') if self.previous == b'$' => self.open.push(b'('),
            (Some(b'"'), _) => {}
            (_, b'\'') if self.previous == b'$' => self.open.push(b'$'),
            (_, b'\'' | b'"' | b'(') => self.open.push(byte),
            (_, b'#') if begins_word => self.open.push(b'#'),
            (_, b'<') => self.has_here_document |= self.previous == b'<',
            _ => {}
        }
    }

    /// Whether a string has begun and not ended. Here-documents are not read, so after one the answer is no.
    fn is_in_string(&self) -> bool {
        !self.has_here_document && matches!(self.open.last(), Some(b'\'' | b'"' | b'$'))
    }
}

#[cfg(test)]
mod tests {
    use super::OpenQuotes;

    #[test]
    fn strings_are_open_until_their_quote() {
        for (code, expected) in [
            ("echo ", false),
            ("echo \"a ", true),
            ("echo 'it ", true),
            ("echo $'it\\' ", true),
            ("echo \"a\" 'b' $'c\\'' ", false),
            ("echo \\\" ", false),
            ("echo \"\\\" ", true),
            ("echo \"$(show ", false),
            ("echo \"$(show 'a') ", true),
            ("echo \"`show ", false),
            ("echo \"a (b ", true),
            ("echo # don't\nshow ", false),
            ("echo a#'b ", true),
            ("cat <<END\nisn't ", false),
        ] {
            let mut quotes = OpenQuotes::default();
            quotes.read(code);
            assert_eq!(quotes.is_in_string(), expected, "{code}");
        }
    }
}
