//! Finds the location of a failure in the text of the reporting tool.

/// `file:line` from `file:line` or `file:line:column`; a drive letter is part of the file.
pub(super) fn file_and_line(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("file://").unwrap_or(text);
    let (rest, last) = numbered(text)?;
    match numbered(rest) {
        Some((file, line)) => Some(format!("{file}:{line}")),
        None => Some(format!("{rest}:{last}")),
    }
}

/// Splits off a number after the last colon.
fn numbered(text: &str) -> Option<(&str, u64)> {
    let (before, number) = text.rsplit_once(':')?;
    let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (plain && !before.trim().is_empty()).then_some(())?;
    Some((before, number.parse().ok()?))
}

/// The location in prose such as a diagnostic: bats writes `in test file x.bats, line 5`, Perl `at x.t line 3.`
pub(super) fn in_prose(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| after(line, "in test file ", ", line "))
        .or_else(|| text.lines().find_map(perl))
}

fn perl(line: &str) -> Option<String> {
    line.trim_start()
        .starts_with("at ")
        .then(|| after(line, "at ", " line "))?
}

fn after(line: &str, before_file: &str, before_line: &str) -> Option<String> {
    let (_, rest) = line.split_once(before_file)?;
    let (file, rest) = rest.rsplit_once(before_line)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && !file.is_empty()).then(|| format!("{file}:{}", &rest[..digits]))
}

/// The location of the first stack frame `at name (file:line)` or `at file:line` that belongs to `class`, or else of
/// the first frame outside of the runtime.
pub(super) fn in_stack(text: &str, class: &str) -> Option<String> {
    let frames = || text.lines().filter_map(frame);
    let is_own = |(what, _): &(&str, String)| {
        !class.is_empty()
            && what
                .strip_prefix(class)
                .is_some_and(|rest| rest.starts_with(['.', '$']))
    };
    let found = frames().find(is_own).or_else(|| frames().next());
    found.map(|(_, location)| location)
}

fn frame(line: &str) -> Option<(&str, String)> {
    let what = line.trim().strip_prefix("at ")?;
    let (what, location) = match what.rsplit_once('(') {
        Some((what, location)) => (what, location.split_once(')')?.0),
        None => (what, what),
    };
    (!location.starts_with("node:")).then_some(())?;
    Some((what, file_and_line(location)?))
}

/// The last line of the form `file:line: text`, as pytest and compilers write it: location and text.
pub(super) fn in_report(text: &str) -> Option<(String, &str)> {
    text.lines().rev().find_map(|line| {
        let (location, what) = line.split_once(": ")?;
        let looks_like_a_file = location.contains('.') && !location.contains(char::is_whitespace);
        looks_like_a_file.then_some(())?;
        Some((file_and_line(location)?, what.trim()))
    })
}

/// The location in the message of a Rust panic.
pub(super) fn in_panic(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("panicked at ")?;
    let location = rest.lines().next()?;
    file_and_line(location.strip_suffix(':').unwrap_or(location))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_lines() {
        for (text, location) in [
            ("a.rb:7", Some("a.rb:7")),
            ("a.js:7:33", Some("a.js:7")),
            ("C:/x.rb:7", Some("C:/x.rb:7")),
            (r"C:\x.js:7:33", Some(r"C:\x.js:7")),
            ("file:///a/b.js:1:2", Some("/a/b.js:1")),
            (" a b.rs:3 ", Some("a b.rs:3")),
            ("C:/x.rb", None),
            ("a.rb", None),
            ("a.rb:", None),
            ("a.rb:x", None),
            (":7", None),
            ("", None),
            ("a.rb:99999999999999999999999", None),
        ] {
            assert_eq!(file_and_line(text).as_deref(), location, "{text}");
        }
    }

    #[test]
    fn prose() {
        for (text, location) in [
            (
                "(in test file a.bats, line 9)\n  `false' failed",
                Some("a.bats:9"),
            ),
            (
                "(from function `help' in file lib.bash, line 4,\n in test file a b.bats, line 1)",
                Some("a b.bats:1"),
            ),
            ("  Failed test 'x'\n  at t/a.t line 3.", Some("t/a.t:3")),
            ("look at this line 3", None),
            ("nothing", None),
        ] {
            assert_eq!(in_prose(text).as_deref(), location, "{text}");
        }
    }

    #[test]
    fn stacks() {
        let java = "java.lang.AssertionError: no\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat shop.A$B.run(A.java:7)\n";
        assert_eq!(in_stack(java, "shop.A").as_deref(), Some("A.java:7"));
        assert_eq!(in_stack(java, "shop").as_deref(), Some("A.java:7"));
        assert_eq!(in_stack(java, "sho").as_deref(), Some("Assert.java:89"));
        let node = "Error\n    at new Promise (<anonymous>)\n    at run (node:a/b:1:2)\n  at T.<anonymous> (a.js:7:33) {\n";
        assert_eq!(in_stack(node, "").as_deref(), Some("a.js:7"));
        assert_eq!(in_stack("  at a.js:7:1", "").as_deref(), Some("a.js:7"));
        assert_eq!(in_stack("\tat a.B.c(Native Method)", "a.B"), None);
    }

    #[test]
    fn reports_and_panics() {
        assert_eq!(
            in_report("def f():\nE   a: b\n\na.py:15: AssertionError"),
            Some(("a.py:15".into(), "AssertionError"))
        );
        assert_eq!(in_report("at 12:30: lunch\nx: y"), None);
        assert_eq!(
            in_panic("thread 'a' panicked at src/lib.rs:18:13:\nno").as_deref(),
            Some("src/lib.rs:18")
        );
        assert_eq!(in_panic("calm"), None);
    }
}
