//! Which bash code must be checked by bash.
//!
//! Most commands are simple: words and quoted strings, pipes, `&&`, redirections. They cannot have a syntax error, so that no bash is
//! started for them. Code whose quotes and parentheses are closed can be checked together with other code, in one bash.

/// How the syntax of bash code can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellSyntax {
    /// Valid: only lists of simple commands.
    Simple,
    /// All quotes, parentheses and here-documents are closed: `( CODE )` is valid if and only if the code is.
    Closed,
    /// Neither of them for certain.
    Open,
}

/// Classifies bash code without starting bash.
pub fn shell_syntax(code: &str) -> ShellSyntax {
    let mut scanner = Scanner {
        code: code.as_bytes(),
        at: 0,
        is_simple: true,
        here_documents: Vec::new(),
        depth: 0,
        open_tests: 0,
    };
    match scanner.list(false).filter(|()| scanner.open_tests == 0) {
        Some(()) if scanner.is_simple => ShellSyntax::Simple,
        Some(()) => ShellSyntax::Closed,
        None => ShellSyntax::Open,
    }
}

/// Deeper nesting is left to bash.
const MAX_DEPTH: usize = 32;

/// Words that begin or end a compound command where a command may begin.
const RESERVED: [&[u8]; 22] = [
    b"!",
    b"[[",
    b"]]",
    b"case",
    b"coproc",
    b"do",
    b"done",
    b"elif",
    b"else",
    b"esac",
    b"fi",
    b"for",
    b"function",
    b"if",
    b"in",
    b"select",
    b"then",
    b"time",
    b"until",
    b"while",
    b"{",
    b"}",
];

/// Reads bash code. The functions return `None` if something is not closed, or if this scanner does not understand it.
struct Scanner<'c> {
    code: &'c [u8],
    at: usize,
    is_simple: bool,
    /// The delimiters of the here-documents that begin after this line, and whether tabs before them are ignored.
    here_documents: Vec<(&'c [u8], bool)>,
    depth: usize,
    /// The number of `[[` without `]]`, after which bash reads other syntax.
    open_tests: usize,
}

/// What came before in a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preceding {
    /// Nothing, or the end of a command.
    Nothing,
    /// A word or a redirection of a command.
    Word,
    /// `|`, `&&` or `||`, which need another command.
    Operator,
    /// `>` or another redirection, which needs a word.
    Redirection,
}

impl Scanner<'_> {
    fn byte(&self) -> Option<u8> {
        self.code.get(self.at).copied()
    }

    fn follows(&self, text: &[u8]) -> bool {
        self.code[self.at..].starts_with(text)
    }

    /// Skips the text if it follows.
    fn skip(&mut self, text: &[u8]) -> bool {
        let follows = self.follows(text);
        self.at += if follows { text.len() } else { 0 };
        follows
    }

    /// A list of commands, up to the closing parenthesis if it is in parentheses.
    fn list(&mut self, in_parentheses: bool) -> Option<()> {
        let mut before = Preceding::Nothing;
        loop {
            if self.skip(b" ") || self.skip(b"\t") || self.skip(b"\\\n") {
                continue;
            }
            let Some(byte) = self.byte() else {
                self.end_of_line(before);
                return (!in_parentheses && self.here_documents.is_empty()).then_some(());
            };
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.end_of_line(before);
                    self.skip_here_documents()?;
                    if before == Preceding::Word {
                        before = Preceding::Nothing;
                    }
                }
                b'#' => {
                    while self.byte().is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                b')' => {
                    self.at += 1;
                    self.end_of_line(before);
                    return in_parentheses.then_some(());
                }
                b'(' => {
                    self.is_simple = false;
                    self.at += 1;
                    self.parentheses()?;
                    before = Preceding::Word;
                }
                b';' | b'&' | b'|' if !self.follows(b"&>") => before = self.operator(before),
                b'<' | b'>' | b'&' => before = self.redirection(before)?,
                _ => before = self.command_word(before)?,
            }
        }
    }

    /// A line, or the whole code, must not end after an operator that needs more.
    fn end_of_line(&mut self, before: Preceding) {
        let at_end = self.at >= self.code.len() || self.code[self.at - 1] == b')';
        self.is_simple &= match before {
            Preceding::Nothing | Preceding::Word => true,
            Preceding::Operator => !at_end,
            Preceding::Redirection => false,
        };
    }

    /// The content of parentheses whose opening one is read.
    fn parentheses(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let outer = std::mem::take(&mut self.here_documents);
        self.list(true)?;
        let is_closed = self.here_documents.is_empty();
        self.here_documents = outer;
        self.depth -= 1;
        is_closed.then_some(())
    }

    fn operator(&mut self, before: Preceding) -> Preceding {
        self.is_simple &= before == Preceding::Word;
        if [&b"&&"[..], b"||", b"|&", b"|"]
            .iter()
            .any(|operator| self.skip(operator))
        {
            return Preceding::Operator;
        }
        self.at += 1;
        // `;;` ends a case, and is an error elsewhere.
        self.is_simple &= !matches!(self.byte(), Some(b';' | b'&'));
        Preceding::Nothing
    }

    fn redirection(&mut self, before: Preceding) -> Option<Preceding> {
        self.is_simple &= before != Preceding::Redirection;
        if self.follows(b"<(") || self.follows(b">(") {
            self.is_simple = false;
            self.at += 2;
            self.parentheses()?;
            return Some(Preceding::Word);
        }
        if self.follows(b"<<") && !self.follows(b"<<<") {
            self.here_document()?;
            return Some(Preceding::Word);
        }
        let operators: [&[u8]; 11] = [
            b"&>>", b"&>", b"<<<", b">>", b">|", b">&", b"<&", b"<>", b">", b"<", b"&",
        ];
        operators.iter().any(|operator| self.skip(operator));
        Some(Preceding::Redirection)
    }

    fn command_word(&mut self, before: Preceding) -> Option<Preceding> {
        let start = self.at;
        self.word()?;
        let word = &self.code[start..self.at];
        if matches!(self.byte(), Some(b'<' | b'>')) {
            // A number of a descriptor belongs to the redirection, and so may a name in braces.
            self.is_simple &= word[0] != b'{';
            if word.iter().all(u8::is_ascii_digit) {
                return Some(before);
            }
        }
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let name = word.iter().take_while(|byte| is_name(byte)).count();
        if name > 0 && word.get(name) == Some(&b'[') && !word.contains(&b']') {
            // The index of an array may continue after spaces.
            return None;
        }
        let begins_command = matches!(before, Preceding::Nothing | Preceding::Operator);
        self.is_simple &= !(begins_command && RESERVED.contains(&word));
        match word {
            b"[[" => self.open_tests += 1,
            b"]]" => self.open_tests = self.open_tests.saturating_sub(1),
            _ => {}
        }
        Some(Preceding::Word)
    }

    fn word(&mut self) -> Option<()> {
        while let Some(byte) = self.byte() {
            self.at += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => {
                    self.at -= 1;
                    break;
                }
                b'\\' => self.escaped()?,
                b'\'' => self.until(b'\'', false)?,
                b'"' => self.double_quotes()?,
                b'`' => self.until(b'`', true)?,
                b'$' if self.skip(b"'") => self.until(b'\'', true)?,
                b'$' => self.dollar()?,
                _ => {}
            }
        }
        Some(())
    }

    /// The character after a backslash.
    fn escaped(&mut self) -> Option<()> {
        self.byte()?;
        self.at += 1;
        Some(())
    }

    /// Everything up to a closing quote.
    fn until(&mut self, quote: u8, has_escapes: bool) -> Option<()> {
        loop {
            let byte = self.byte()?;
            self.at += 1;
            match byte {
                byte if byte == quote => return Some(()),
                b'\\' if has_escapes => self.escaped()?,
                _ => {}
            }
        }
    }

    fn double_quotes(&mut self) -> Option<()> {
        loop {
            let byte = self.byte()?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => self.escaped()?,
                b'`' => self.until(b'`', true)?,
                b'$' => self.dollar()?,
                _ => {}
            }
        }
    }

    /// What follows a dollar sign.
    fn dollar(&mut self) -> Option<()> {
        if self.follows(b"((") {
            return self.arithmetic();
        }
        if self.skip(b"(") {
            return self.parentheses();
        }
        if self.skip(b"{") {
            return self.parameter();
        }
        Some(())
    }

    /// `$((…))` without anything that could be nested.
    fn arithmetic(&mut self) -> Option<()> {
        let inner = &self.code[self.at + 2..];
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_ +-*/%$".contains(&byte);
        let length = inner.iter().take_while(|byte| is_plain(**byte)).count();
        self.at += 2 + length;
        self.skip(b"))").then_some(())
    }

    /// `${…}`. A single quote is literal or not, depending on where it is.
    fn parameter(&mut self) -> Option<()> {
        loop {
            let byte = self.byte()?;
            self.at += 1;
            match byte {
                b'}' => return Some(()),
                b'\'' | b'`' => return None,
                b'\\' => self.escaped()?,
                b'"' => self.double_quotes()?,
                b'$' => self.dollar()?,
                _ => {}
            }
        }
    }

    /// `<<WORD`, `<<-WORD`, with the word in quotes or not.
    fn here_document(&mut self) -> Option<()> {
        self.at += 2;
        let ignores_tabs = self.skip(b"-");
        while self.skip(b" ") {}
        let quote = [b'\'', b'"'].into_iter().find(|quote| self.skip(&[*quote]));
        if quote.is_none() {
            self.skip(b"\\");
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let start = self.at;
        while self.byte().is_some_and(is_plain) {
            self.at += 1;
        }
        let delimiter = &self.code[start..self.at];
        let is_closed = quote.is_none_or(|quote| self.skip(&[quote]));
        let ends = self
            .byte()
            .is_none_or(|byte| b" \t\n;&|)<>".contains(&byte));
        if delimiter.is_empty() || !is_closed || !ends {
            return None;
        }
        self.here_documents.push((delimiter, ignores_tabs));
        Some(())
    }

    /// Skips the here-documents that begin after this line.
    fn skip_here_documents(&mut self) -> Option<()> {
        for (delimiter, ignores_tabs) in std::mem::take(&mut self.here_documents) {
            loop {
                let rest = &self.code[self.at..];
                if rest.is_empty() {
                    return None;
                }
                let end = rest.iter().position(|byte| *byte == b'\n');
                let line = &rest[..end.unwrap_or(rest.len())];
                self.at += end.map_or(rest.len(), |end| end + 1);
                let tabs = line.iter().take_while(|byte| **byte == b'\t').count();
                if &line[if ignores_tabs { tabs } else { 0 }..] == delimiter {
                    break;
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_simple_commands_need_no_bash() {
        for (code, expected) in [
            ("", ShellSyntax::Simple),
            ("ls -l", ShellSyntax::Simple),
            (
                "echo 'it is' \"$HOME/${x}\" | grep a && b || c; d &",
                ShellSyntax::Simple,
            ),
            ("X=1 run 2>&1 >out.txt <in # don't", ShellSyntax::Simple),
            (
                "echo \"$(date +%s)\" `pwd` $((x + 1)) $'it\\'s'",
                ShellSyntax::Simple,
            ),
            ("a |\n  b\nc", ShellSyntax::Simple),
            ("cat >f <<EOF\nit's (\nEOF\nls", ShellSyntax::Simple),
            ("cat <<-'E'\n\tif\n\tE", ShellSyntax::Simple),
            ("if true; then ls; fi", ShellSyntax::Closed),
            ("if true; then echo", ShellSyntax::Closed),
            ("( ls )", ShellSyntax::Closed),
            ("f() { ls; }; f", ShellSyntax::Closed),
            ("echo a &&", ShellSyntax::Closed),
            ("; ls", ShellSyntax::Closed),
            ("ls >", ShellSyntax::Closed),
            ("ls | | cat", ShellSyntax::Closed),
            ("a=(1 2)", ShellSyntax::Closed),
            ("echo $(if true)", ShellSyntax::Closed),
            ("$(ls &&)", ShellSyntax::Closed),
            ("echo 'a", ShellSyntax::Open),
            ("echo \"a", ShellSyntax::Open),
            ("echo $(ls", ShellSyntax::Open),
            ("ls )", ShellSyntax::Open),
            ("cat <<EOF\na", ShellSyntax::Open),
            ("case x in a) ls;; esac", ShellSyntax::Open),
            ("ls \\", ShellSyntax::Open),
        ] {
            assert_eq!(shell_syntax(code), expected, "{code}");
        }
    }
}
