//! What to do about YAML that cannot be read: the parser says what it has expected, and people want to know what they
//! have done.

use crate::file::SourceFile;

/// Advice for a problem that the parser has met there.
pub(super) fn hint(file: &SourceFile, offset: usize, problem: &str) -> Option<String> {
    let number = file.position(offset).line;
    let line = file.line(number);
    unquoted_braces(file, offset)
        .or_else(|| {
            let is_of_tabs = problem.contains("tabs ") || problem.ends_with("a tab");
            is_of_tabs.then(|| "indent with spaces: YAML takes no tabs there".to_owned())
        })
        .or_else(|| open_quote(file, number, problem))
        .or_else(|| open_bracket(file, number, problem))
        .or_else(|| needs_quotes(value(line)?, problem))
        .or_else(|| wrong_column(file, number, problem))
}

/// `command: {{x}} y` is the mistake that people make most.
pub(super) fn unquoted_braces(file: &SourceFile, offset: usize) -> Option<String> {
    let value = value(file.line(file.position(offset).line))?;
    value.starts_with("{{").then(|| {
        format!(
            "put quotes around a text that begins with braces: {}",
            quoted(value)
        )
    })
}

/// What stands behind the first key of a line, or behind the dash of an item without one.
fn value(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(": ").or_else(|| line.split_once("- "))?;
    // What is merged is an anchor's.
    (key.trim() != "<<").then_some(value.trim())
}

fn needs_quotes(value: &str, problem: &str) -> Option<String> {
    let first = value.chars().next()?;
    let why = match first {
        '`' => "begins with a backtick".to_owned(),
        '@' | '%' => format!("begins with `{first}`"),
        '*' | '&' if problem.contains("anchor") => format!("begins with `{first}`"),
        '!' if problem.contains(" tag") => format!("begins with `{first}`"),
        '"' | '\'' => return goes_on_behind_quote(value, first),
        _ if value.contains(": ") && problem.starts_with("mapping values") => {
            "has `: ` in it".to_owned()
        }
        _ => return None,
    };
    let quoted = quoted(value);
    Some(format!("put quotes around a text that {why}: {quoted}"))
}

/// `"a" or "b"` is a text in quotes and then something else, and so is `'it's'`.
fn goes_on_behind_quote(value: &str, quote: char) -> Option<String> {
    let (_, behind) = value[1..].split_once(quote)?;
    let is_more = !behind.trim().is_empty() && !behind.trim().starts_with('#');
    let within = value[1..].strip_suffix(quote);
    let meant = within.filter(|_| !behind.starts_with(' ')).unwrap_or(value);
    is_more.then(|| {
        format!(
            "a text in quotes ends at the next one: write {}",
            quoted(meant)
        )
    })
}

/// A quote that is never closed is noticed at the end of the file, or where the next one is opened.
fn open_quote(file: &SourceFile, noticed: usize, problem: &str) -> Option<String> {
    let is_of_quotes = problem.contains("quoted scalar") || problem.contains("unexpected eof");
    if !is_of_quotes {
        return None;
    }
    let opened = (1..=noticed).rev().find(|number| {
        let value = value(file.line(*number)).unwrap_or_default();
        let quote = value
            .chars()
            .next()
            .filter(|first| matches!(first, '"' | '\''));
        quote.is_some_and(|quote| !value[1..].contains(quote))
    })?;
    Some(format!(
        "the quote that is opened on line {opened} is not closed"
    ))
}

/// As is a bracket.
fn open_bracket(file: &SourceFile, noticed: usize, problem: &str) -> Option<String> {
    if !problem.contains(" flow ") && !problem.starts_with("illegal placement") {
        return None;
    }
    let count = |line: &str, brackets: [char; 2]| line.matches(brackets).count();
    let opened = (1..=noticed).rev().find(|number| {
        let line = file.line(*number);
        count(line, ['{', '[']) > count(line, ['}', ']'])
    })?;
    Some(format!(
        "a bracket that is opened on line {opened} is not closed"
    ))
}

/// What belongs together begins in the same column.
fn wrong_column(file: &SourceFile, number: usize, problem: &str) -> Option<String> {
    let is_of_columns = [
        "expected '-' indicator",
        "expected key",
        "indentation",
        "not allowed in this context",
    ]
    .iter()
    .any(|words| problem.contains(words));
    if !is_of_columns {
        return None;
    }
    let line = file.line(number);
    let column = if item(line).is_some() { item } else { words };
    let mut above = (1..number).rev();
    let (above, there) = above.find_map(|number| Some((number, column(file.line(number))?)))?;
    let here = column(line)?;
    Some(match here.abs_diff(there) {
        1 | 2 => format!(
            "what belongs together begins in the same column: line {number} in column {here}, line {above} in column {there}"
        ),
        _ => "what belongs together begins in the same column, and what belongs to it further to the right".to_owned(),
    })
}

/// The column, from 1 on, where an item begins with its dash.
fn item(line: &str) -> Option<usize> {
    let item = line.trim_start();
    item.starts_with("- ")
        .then_some(line.len() - item.len() + 1)
}

/// The column where the words of a line begin, behind the dashes of items.
fn words(line: &str) -> Option<usize> {
    let words = line.trim_start_matches([' ', '-']);
    (!words.trim().is_empty()).then_some(line.len() - words.len() + 1)
}

fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}

#[cfg(test)]
mod tests {
    use crate::file::SourceFile;
    use crate::yaml::parse;

    fn advice(text: &str) -> String {
        let file = SourceFile::new("a.yaml", text);
        let parsed = parse(&file);
        let problem = parsed.diagnostics.first();
        let problem = problem.unwrap_or_else(|| panic!("nothing is wrong with {text}"));
        problem.help.clone().unwrap_or_default()
    }

    #[test]
    fn slips_are_told_how_to_be_mended() {
        for (text, expected) in [
            (
                "tests:\n  - name: x\n    command: {{program}} --hello\n",
                "put quotes around a text that begins with braces: \"{{program}} --hello\"",
            ),
            (
                "tests:\n\t- name: x\n",
                "indent with spaces: YAML takes no tabs there",
            ),
            (
                "- user: He said: hello\n",
                "put quotes around a text that has `: ` in it: \"He said: hello\"",
            ),
            (
                "- user: @home \"now\"\n",
                "put quotes around a text that begins with `@`: '@home \"now\"'",
            ),
            (
                "command: `ls`\n",
                "put quotes around a text that begins with a backtick: \"`ls`\"",
            ),
            (
                "outputContains: %d\n",
                "put quotes around a text that begins with `%`: \"%d\"",
            ),
            (
                "outputContains: *.txt\n",
                "put quotes around a text that begins with `*`: \"*.txt\"",
            ),
            (
                "outputContains: \"a\" or 'b'\n",
                "a text in quotes ends at the next one: write '\"a\" or ''b'''",
            ),
            (
                "outputContains: 'it's'\n",
                "a text in quotes ends at the next one: write \"it's\"",
            ),
            (
                "outputContains: \"say \"hi\"\"\n",
                "a text in quotes ends at the next one: write 'say \"hi\"'",
            ),
            (
                "tests: [{name: x, command: ls}\nname: y\n",
                "a bracket that is opened on line 1 is not closed",
            ),
            ("a: 1\n<<: *missing\n", ""),
            (
                "tests:\n  - name: \"it's\n    command: x\n",
                "the quote that is opened on line 2 is not closed",
            ),
            (
                "- user: Hi\n expect:\n    - contains: room\n",
                "what belongs together begins in the same column: line 2 in column 2, line 1 in column 3",
            ),
            (
                "- name: Hi\n  command: ls\n   exitCode: 1\n",
                "what belongs together begins in the same column: line 3 in column 4, line 2 in column 3",
            ),
            (
                "tests:\n  - name: x\n    command: ls\n - name: y\n",
                "what belongs together begins in the same column: line 4 in column 2, line 2 in column 3",
            ),
            (
                "tests:\n      - name: x\n        command: ls\n  exitCode: 1\n",
                "what belongs together begins in the same column, and what belongs to it further to the right",
            ),
        ] {
            assert_eq!(advice(text), expected, "{text}");
        }
    }
}
