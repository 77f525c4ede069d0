//! Hints for fixing malformed YAML. The parser reports only what it expected; the hint names the likely mistake.

use crate::file::SourceFile;

pub(super) const NO_TABS: &str = "indent with spaces: YAML does not allow tabs here";

/// Whether the parser's error `problem` is a tab.
pub(super) fn is_about_tabs(problem: &str) -> bool {
    problem.contains("tabs ") || problem.ends_with("a tab")
}

/// The first tab in the indentation of a line, from the line of `offset` on: the parser names the token before it.
pub(super) fn tab_in_indentation(text: &str, offset: usize) -> Option<usize> {
    let mut start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    text[start..].split_inclusive('\n').find_map(|line| {
        let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
        let tab = line[..indentation].find('\t').map(|tab| start + tab);
        start += line.len();
        tab
    })
}

/// A hint for the parser's error `problem` at `offset`.
pub(super) fn hint(file: &SourceFile, offset: usize, problem: &str) -> Option<String> {
    let number = file.position(offset).line;
    let line = file.line(number);
    unquoted_braces(file, offset)
        .or_else(|| is_about_tabs(problem).then(|| NO_TABS.to_owned()))
        .or_else(|| unknown_escape(line, problem))
        .or_else(|| open_quote(file, number, problem))
        .or_else(|| text_after_bracket(file, number, problem))
        .or_else(|| open_bracket(file, number, problem))
        .or_else(|| needs_quotes(value(line)?, problem))
        .or_else(|| unknown_merge(line, problem))
        .or_else(|| text_too_far_left(file, number, problem))
        .or_else(|| missing_character(file, number, problem))
        .or_else(|| wrong_column(file, number, problem))
}

/// A hint for `command: {{x}} y`, the most frequent mistake.
pub(super) fn unquoted_braces(file: &SourceFile, offset: usize) -> Option<String> {
    let value = value(file.line(file.position(offset).line))?;
    value.starts_with("{{").then(|| {
        format!(
            "put quotes around a string that begins with braces: {}",
            quoted(value)
        )
    })
}

/// The value after the first key of a line, or after the dash of an item without a key.
fn value(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(": ").or_else(|| line.split_once("- "))?;
    // A merge key's value is an alias, not a string that needs quotes.
    (key.trim() != "<<").then_some(value.trim())
}

fn needs_quotes(value: &str, problem: &str) -> Option<String> {
    let first = value.chars().next()?;
    let why = match first {
        '`' => "begins with a backtick".to_owned(),
        '@' | '%' => format!("begins with `{first}`"),
        '*' if problem.contains("anchor") => {
            let name = value[1..].trim();
            let is_name = !name.is_empty() && name.chars().all(char::is_alphanumeric);
            let quotes = format!(
                "put quotes around a string that begins with `*`: {}",
                quoted(value)
            );
            return Some(if is_name {
                format!("{quotes}; if it is an alias, define `&{name}` above it")
            } else {
                quotes
            });
        }
        '&' if problem.contains("anchor") => "begins with `&`".to_owned(),
        '!' if problem.contains(" tag") => format!("begins with `{first}`"),
        '"' | '\'' if !problem.contains("bracket") => return text_after_quote(value, first),
        _ if value.contains(": ") && problem.starts_with("mapping values") => {
            "contains `: `".to_owned()
        }
        _ => return None,
    };
    let quoted = quoted(value);
    Some(format!("put quotes around a string that {why}: {quoted}"))
}

/// A hint for `[a-z]+`, which begins like a list. The parser may notice it on the next line.
fn text_after_bracket(file: &SourceFile, noticed: usize, problem: &str) -> Option<String> {
    if !problem.contains("expected key") && !problem.contains("not allowed in this context") {
        return None;
    }
    let first = noticed.saturating_sub(1).max(1);
    let value = (first..=noticed).rev().find_map(|number| {
        let value = value(file.line(number))?;
        let close = match value.chars().next()? {
            '[' => ']',
            '{' => '}',
            _ => return None,
        };
        let (_, rest) = value.split_once(close)?;
        (!rest.trim().is_empty() && !rest.trim().starts_with('#')).then_some(value)
    })?;
    Some(format!(
        "put quotes around a string that begins with `{}`: {}",
        &value[..1],
        quoted(value)
    ))
}

/// A hint for `<<: *name`, whose anchor is missing.
fn unknown_merge(line: &str, problem: &str) -> Option<String> {
    let (_, name) = line.split_once("<<: *")?;
    problem.contains("anchor").then(|| {
        let name = name.trim_end_matches([' ', '}', ',']);
        format!("no anchor `&{name}` is defined above")
    })
}

/// A hint for the text of a block of which a line is not indented.
fn text_too_far_left(file: &SourceFile, number: usize, problem: &str) -> Option<String> {
    if !problem.contains("expected ':'") {
        return None;
    }
    let begins_block = |line: &str| {
        let line = line.trim_end().trim_end_matches(['+', '-']);
        line.ends_with(": |") || line.ends_with(": >")
    };
    let begin = (1..number)
        .rev()
        .find(|number| begins_block(file.line(*number)))?;
    (begin + 1 < number).then(|| {
        format!(
            "the text that begins on line {0} ends before this line: indent it like line {0}",
            begin + 1
        )
    })
}

/// A hint for a missing colon, a missing space, or a list that begins on the line of its key.
fn missing_character(file: &SourceFile, number: usize, problem: &str) -> Option<String> {
    if !problem.contains("not allowed in this context") && !problem.contains("expected key") {
        return None;
    }
    if let Some((_, first)) = file.line(number).split_once(": - ") {
        let first = first.trim();
        return Some(format!(
            "begin the list on the next line, or write `[{first}]`"
        ));
    }
    let mut above = (1..=number)
        .rev()
        .filter(|above| !file.line(*above).trim().is_empty());
    above.by_ref().take(2).find_map(|number| {
        let line = file.line(number).trim();
        let item = line.strip_prefix('-')?;
        if item.starts_with(char::is_alphabetic) {
            return Some(format!(
                "put a space after the dash in line {number}: `- {item}`"
            ));
        }
        let (name, value) = item.trim().split_once(' ')?;
        let is_name = name.chars().all(char::is_alphabetic);
        let has_colon = item.contains(": ") || item.ends_with(':');
        (is_name && !has_colon)
            .then(|| format!("line {number} has no `:` after `{name}`: write `- {name}: {value}`"))
    })
}

/// A hint for a quoted text followed by more text, such as `"a" or "b"` and `'it's'`.
fn text_after_quote(value: &str, quote: char) -> Option<String> {
    let (_, rest) = value[1..].split_once(quote)?;
    let has_more = !rest.trim().is_empty() && !rest.trim().starts_with('#');
    let inner = value[1..].strip_suffix(quote);
    let intended = inner.filter(|_| !rest.starts_with(' ')).unwrap_or(value);
    has_more.then(|| {
        format!(
            "a quoted string ends at the next quote: write {}",
            quoted(intended)
        )
    })
}

/// A hint for a backslash in double quotes that YAML does not know, such as the `\d` of a pattern.
fn unknown_escape(line: &str, problem: &str) -> Option<String> {
    if !problem.contains("unknown escape") {
        return None;
    }
    let escaped = first_unknown(line)?;
    let value = value(line).unwrap_or_default();
    let inner = value
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'))
        .filter(|inner| !inner.contains('"'));
    let instead = match inner {
        Some(inner) => format!("write '{}'", inner.replace('\'', "''")),
        None => format!("use single quotes, or write `\\\\{escaped}`"),
    };
    Some(format!(
        "`\\{escaped}` is not an escape in double quotes, and single quotes keep backslashes: {instead}"
    ))
}

/// The character after the first backslash that does not begin an escape.
fn first_unknown(line: &str) -> Option<char> {
    const KNOWN: &str = "0abtnvfre \"/\\N_LPxuU\t";
    let mut rest = line;
    loop {
        let (_, after) = rest.split_once('\\')?;
        let escaped = after.chars().next()?;
        if !KNOWN.contains(escaped) {
            return Some(escaped);
        }
        rest = &after[escaped.len_utf8()..];
    }
}

/// A hint for an unclosed quote. The parser notices it only at the next quote or at the end of the file, so the hint
/// names the line where it was opened.
fn open_quote(file: &SourceFile, noticed: usize, problem: &str) -> Option<String> {
    let is_about_quotes = problem.contains("quoted scalar") || problem.contains("unexpected eof");
    if !is_about_quotes {
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
    Some(format!("the quote opened on line {opened} is not closed"))
}

/// A hint for an unclosed bracket, which the parser also notices later.
fn open_bracket(file: &SourceFile, noticed: usize, problem: &str) -> Option<String> {
    if !problem.contains(" flow ") && !problem.starts_with("illegal placement") {
        return None;
    }
    let count = |line: &str, brackets: [char; 2]| line.matches(brackets).count();
    let opened = (1..=noticed).rev().find(|number| {
        let line = file.line(*number);
        count(line, ['{', '[']) > count(line, ['}', ']'])
    })?;
    Some(format!("a bracket opened on line {opened} is not closed"))
}

/// A hint for wrong indentation: compares the line with the closest one above that has the same kind of content.
fn wrong_column(file: &SourceFile, number: usize, problem: &str) -> Option<String> {
    let is_about_columns = [
        "expected '-' indicator",
        "expected key",
        "indentation",
        "not allowed in this context",
    ]
    .iter()
    .any(|words| problem.contains(words));
    if !is_about_columns {
        return None;
    }
    let line = file.line(number);
    let column = if item(line).is_some() { item } else { content };
    let mut above = (1..number).rev();
    let (above, there) = above.find_map(|number| Some((number, column(file.line(number))?)))?;
    let here = column(line)?;
    Some(match here.abs_diff(there) {
        1 | 2 => format!(
            "fields and items of one level must start in the same column: line {number} in column {here}, line {above} in column {there}"
        ),
        _ => "fields and items of one level must start in the same column, and their contents further to the right".to_owned(),
    })
}

/// The column of the dash of a list item, counted from 1.
fn item(line: &str) -> Option<usize> {
    let item = line.trim_start();
    item.starts_with("- ")
        .then_some(line.len() - item.len() + 1)
}

/// The column where the text of a line starts after any dashes, counted from 1.
fn content(line: &str) -> Option<usize> {
    let content = line.trim_start_matches([' ', '-']);
    (!content.trim().is_empty()).then_some(line.len() - content.len() + 1)
}

/// The text in quotes, as a YAML string on one line.
pub fn quoted(text: &str) -> String {
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

    fn hint(text: &str) -> String {
        let file = SourceFile::new("a.yaml", text);
        let parsed = parse(&file);
        let problem = parsed.diagnostics.first();
        let problem = problem.unwrap_or_else(|| panic!("no problem found in {text}"));
        problem.help.clone().unwrap_or_default()
    }

    #[test]
    fn hints_name_the_likely_mistake() {
        for (text, expected) in [
            (
                "tests:\n  - name: x\n    command: {{program}} --hello\n",
                "put quotes around a string that begins with braces: \"{{program}} --hello\"",
            ),
            (
                "tests:\n\t- name: x\n",
                "indent with spaces: YAML does not allow tabs here",
            ),
            (
                "- user: He said: hello\n",
                "put quotes around a string that contains `: `: \"He said: hello\"",
            ),
            (
                "- user: @home \"now\"\n",
                "put quotes around a string that begins with `@`: '@home \"now\"'",
            ),
            (
                "command: `ls`\n",
                "put quotes around a string that begins with a backtick: \"`ls`\"",
            ),
            (
                "outputContains: %d\n",
                "put quotes around a string that begins with `%`: \"%d\"",
            ),
            (
                "outputContains: *.txt\n",
                "put quotes around a string that begins with `*`: \"*.txt\"",
            ),
            (
                "command: *b\n",
                "put quotes around a string that begins with `*`: \"*b\"; if it is an alias, define `&b` above it",
            ),
            (
                "outputContains: \"a\" or 'b'\n",
                "a quoted string ends at the next quote: write '\"a\" or ''b'''",
            ),
            (
                "outputContains: 'it's'\n",
                "a quoted string ends at the next quote: write \"it's\"",
            ),
            (
                "outputContains: \"say \"hi\"\"\n",
                "a quoted string ends at the next quote: write 'say \"hi\"'",
            ),
            (
                "tests: [{name: x, command: ls}\nname: y\n",
                "a bracket opened on line 1 is not closed",
            ),
            (
                "outputMatches: \"\\d+ files\"\n",
                "`\\d` is not an escape in double quotes, and single quotes keep backslashes: write '\\d+ files'",
            ),
            (
                "outputMatches: [\"\\n\", \"\\w+\"]\n",
                "`\\w` is not an escape in double quotes, and single quotes keep backslashes: use single quotes, or write `\\\\w`",
            ),
        ] {
            assert_eq!(hint(text), expected, "{text}");
        }
    }

    #[test]
    fn hints_show_what_is_missing() {
        for (text, expected) in [
            (
                "a: 1\n<<: *missing\n",
                "no anchor `&missing` is defined above",
            ),
            (
                "env: {<<: *missing}\n",
                "no anchor `&missing` is defined above",
            ),
            (
                "- name: x\n  outputMatches: [a-z]+\n  command: x\n",
                "put quotes around a string that begins with `[`: \"[a-z]+\"",
            ),
            (
                "tests:\n  - name: x\n    outputEquals: |\n      a\n    command: [ -f x ] && echo\n",
                "put quotes around a string that begins with `[`: \"[ -f x ] && echo\"",
            ),
            (
                "tests:\n  - name a\n    command: x\n",
                "line 2 has no `:` after `name`: write `- name: a`",
            ),
            (
                "tests:\n  -name: a\n   command: x\n",
                "put a space after the dash in line 2: `- name: a`",
            ),
            (
                "- name: x\n  outputContains: - a\n",
                "begin the list on the next line, or write `[a]`",
            ),
            (
                "- name: x\n  outputEquals: |\n    a\n  b\n  command: x\n",
                "the text that begins on line 3 ends before this line: indent it like line 3",
            ),
            ("[{\"name\": \"a\", \"goal\": 3}, 4\n", ""),
            (
                "tests:\n  - name: \"it's\n    command: x\n",
                "the quote opened on line 2 is not closed",
            ),
            (
                "- user: Hi\n expect:\n    - contains: room\n",
                "fields and items of one level must start in the same column: line 2 in column 2, line 1 in column 3",
            ),
            (
                "- name: Hi\n  command: ls\n   exitCode: 1\n",
                "fields and items of one level must start in the same column: line 3 in column 4, line 2 in column 3",
            ),
            (
                "tests:\n  - name: x\n    command: ls\n - name: y\n",
                "fields and items of one level must start in the same column: line 4 in column 2, line 2 in column 3",
            ),
            (
                "tests:\n      - name: x\n        command: ls\n  exitCode: 1\n",
                "fields and items of one level must start in the same column, and their contents further to the right",
            ),
        ] {
            assert_eq!(hint(text), expected, "{text}");
        }
    }
}
