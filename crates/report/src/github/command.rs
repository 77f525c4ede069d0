//! One workflow command: `::name property=value,…::message`.

use std::io;

/// Longer messages are truncated.
const MAX_MESSAGE: usize = 4_000;

/// A workflow command, which GitHub reads from the log of a job.
pub struct Command {
    name: &'static str,
    properties: Vec<(&'static str, String)>,
}

impl Command {
    /// A command without properties: `error`, `warning`, `group`.
    pub fn new(name: &'static str) -> Command {
        Command {
            name,
            properties: Vec::new(),
        }
    }

    /// Adds a property unless its value is empty.
    #[must_use]
    pub fn property(mut self, name: &'static str, value: &str) -> Command {
        if !value.is_empty() {
            let value = data(value).replace(':', "%3A").replace(',', "%2C");
            self.properties.push((name, value));
        }
        self
    }

    /// Writes the command as one line.
    pub fn write(&self, message: &str, out: &mut dyn io::Write) -> io::Result<()> {
        let properties: Vec<_> = self
            .properties
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let space = if properties.is_empty() { "" } else { " " };
        let message = crate::terminal::text::elide_to(message, MAX_MESSAGE);
        writeln!(
            out,
            "::{}{space}{}::{}",
            self.name,
            properties.join(","),
            data(&message)
        )
    }
}

/// Escapes the text for one line; control characters are made visible first.
fn data(text: &str) -> String {
    crate::terminal::text::clean(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        let mut out = Vec::new();
        Command::new("error")
            .property("file", "a:b,c%.yml")
            .property("line", "")
            .property("title", "50% done\nnext")
            .write("a, b: 100%\r\n::set-output name=x::y\u{1b}[0m", &mut out)
            .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "::error file=a%3Ab%2Cc%25.yml,title=50%25 done%0Anext::a, b: 100%25%0A::set-output name=x::y␛[0m\n"
        );
    }
}
