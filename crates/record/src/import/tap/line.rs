//! The grammar of one line of TAP, versions 12 to 14.
//!
//! The meaning of a line depends on the lines around it; see [`super::importer`].

/// A line of TAP. Any other line is output of the program under test.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line<'a> {
    /// The subtest level: one for every four spaces.
    pub(super) level: usize,
    pub(super) kind: Kind<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'a> {
    Version,
    Plan(Plan),
    Point(Point),
    /// `# Subtest: name`
    Subtest(String),
    /// Any other comment, without the `#` and the space after it.
    Comment(&'a str),
    BailOut(&'a str),
    /// `{`, which opens the subtest of the preceding point.
    Open,
    /// `}`, which closes it.
    Close,
}

/// `1..5`, or `1..0 # SKIP reason`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) count: u64,
    /// The reason if no test is run.
    pub(super) skip: Option<String>,
}

/// `ok 1 - description # directive`
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Point {
    pub(super) ok: bool,
    pub(super) number: Option<u64>,
    pub(super) description: String,
    /// Whether ` - ` precedes the description.
    pub(super) dash: bool,
    pub(super) directive: Option<Directive>,
    /// Seconds, from node-tap's `# time=8.1ms`.
    pub(super) time: Option<f64>,
    /// Whether a `{` at its end may open a subtest.
    pub(super) opens: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Directive {
    Skip(String),
    Todo(String),
}

/// Parses a line; `None` if it is not TAP. YAML blocks are not recognized here.
pub(super) fn parse(text: &str) -> Option<Line<'_>> {
    let content = text.trim_start_matches(' ');
    let indent = text.len() - content.len();
    let kind = kind(content.trim_end())?;
    // Comments may have any indentation. Other lines with odd indentation are output that resembles TAP.
    let on_the_grid = indent.is_multiple_of(4) || matches!(kind, Kind::Comment(_));
    on_the_grid.then_some(Line {
        level: indent / 4,
        kind,
    })
}

fn kind(content: &str) -> Option<Kind<'_>> {
    match content {
        "{" => return Some(Kind::Open),
        "}" => return Some(Kind::Close),
        _ => {}
    }
    if let Some(comment) = content.strip_prefix('#') {
        return Some(self::comment(comment));
    }
    if let Some(reason) = strip_keyword(content, "Bail out!") {
        return Some(Kind::BailOut(reason.trim()));
    }
    if let Some(number) = strip_keyword(content, "TAP version ") {
        return number.trim().parse::<u64>().ok().map(|_| Kind::Version);
    }
    if let Some(rest) = content.strip_prefix("1..") {
        return plan(rest).map(Kind::Plan);
    }
    let (ok, rest) = match content.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, content.strip_prefix("ok")?),
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| Kind::Point(point(ok, rest)))
}

fn comment(comment: &str) -> Kind<'_> {
    let text = comment.strip_prefix(' ').unwrap_or(comment);
    match text.trim_start().strip_prefix("Subtest:") {
        Some(name) => Kind::Subtest(unescape(name.trim())),
        None => Kind::Comment(text),
    }
}

/// Whether a comment is one of the totals that tools write after the last test: `tests 5`, `Looks like you failed 1 test
/// of 5.`
pub(super) fn is_total(comment: &str) -> bool {
    let words = [
        "tests",
        "suites",
        "pass",
        "fail",
        "ok",
        "cancelled",
        "skip",
        "skipped",
        "todo",
        "duration_ms",
    ];
    let mut parts = comment.split_whitespace();
    let is_word = parts.next().is_some_and(|word| words.contains(&word));
    let is_count = parts
        .next()
        .is_some_and(|count| non_negative(count).is_some());
    (is_word && is_count && parts.next().is_none()) || comment.starts_with("Looks like you ")
}

fn plan(rest: &str) -> Option<Plan> {
    let (count, rest) = leading_number(rest)?;
    let comment = rest.trim_start();
    if !(rest.is_empty() || rest.len() > comment.len()) {
        return None;
    }
    let reason = comment.strip_prefix('#').map(|comment| {
        let comment = comment.trim();
        skip_reason(comment).unwrap_or(comment).to_owned()
    });
    Some(Plan {
        count,
        skip: reason.filter(|_| count == 0),
    })
}

fn point(ok: bool, rest: &str) -> Point {
    let rest = rest.trim_start();
    let (number, rest) = point_number(rest);
    let (dash, rest) = match rest.strip_prefix('-') {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t']) => (true, rest.trim_start()),
        _ => (false, rest),
    };
    let (rest, opens) = match rest.strip_suffix('{') {
        Some(rest) if rest.is_empty() || rest.ends_with(' ') => (rest.trim_end(), true),
        _ => (rest, false),
    };
    let mut point = Point {
        ok,
        number,
        dash,
        opens,
        ..Point::default()
    };
    point.description = unescape(point.take_directives(rest));
    point
}

/// The number of a test point, and the rest.
fn point_number(text: &str) -> (Option<u64>, &str) {
    match leading_number(text) {
        Some((number, rest)) if rest.is_empty() || rest.starts_with([' ', '\t', '-']) => {
            (Some(number), rest.trim_start())
        }
        _ => (None, text),
    }
}

impl Point {
    /// Parses and removes the directives; returns the description before them.
    fn take_directives<'a>(&mut self, text: &'a str) -> &'a str {
        let mut description = text;
        for (start, comment) in comments(text) {
            if let Some(directive) = directive(comment) {
                self.directive = Some(directive);
            } else if let Some(time) = time(comment) {
                self.time = Some(time);
            } else {
                continue;
            }
            description = &description[..start.min(description.len())];
            if self.directive.is_some() {
                break;
            }
        }
        description.trim_end()
    }

    /// `ok` and nothing else.
    pub(super) fn is_bare_ok(&self) -> bool {
        let bare = Point {
            ok: true,
            ..Point::default()
        };
        *self == bare
    }

    /// Removes the time that `bats --timing` appends to the description; returns it in seconds.
    pub(super) fn take_bats_time(&mut self) -> Option<f64> {
        let (before, unit) = self.description.rsplit_once(" in ")?;
        let (number, millis) = match unit.strip_suffix("ms") {
            Some(number) => (number, true),
            None => (unit.strip_suffix(" sec")?, false),
        };
        let time = non_negative(number)?;
        self.description = before.to_owned();
        Some(if millis { time / 1000.0 } else { time })
    }
}

/// Every `#` that is not escaped and is at the start or after a space, with the text after it.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('#')
        .filter(|(at, _)| *at == 0 || text[..*at].ends_with([' ', '\t']))
        .map(|(at, hash)| (at, text[at + hash.len()..].trim()))
}

fn directive(comment: &str) -> Option<Directive> {
    if let Some(reason) = skip_reason(comment) {
        return Some(Directive::Skip(without_time(reason)));
    }
    let reason = directive_reason(strip_keyword(comment, "todo")?)?;
    Some(Directive::Todo(without_time(reason)))
}

/// The reason after `skip`, `SKIP:`, `Skipped: `.
fn skip_reason(comment: &str) -> Option<&str> {
    let rest = strip_keyword(comment, "skip")?;
    directive_reason(strip_keyword(rest, "ped").unwrap_or(rest))
}

/// The keyword must be a complete word: `# todolist` is not a directive.
fn directive_reason(rest: &str) -> Option<&str> {
    let ends = rest.is_empty() || rest.starts_with([' ', '\t', ':']);
    ends.then(|| rest.strip_prefix(':').unwrap_or(rest).trim())
}

/// node-tap writes the time after the reason.
fn without_time(reason: &str) -> String {
    let timed = comments(reason).find(|(_, comment)| time(comment).is_some());
    let end = timed.map_or(reason.len(), |(start, _)| start);
    reason[..end].trim_end().to_owned()
}

fn time(comment: &str) -> Option<f64> {
    let (time, _) = comment.split_once(" #").unwrap_or((comment, ""));
    let number = time.strip_prefix("time=")?.trim_end().strip_suffix("ms")?;
    Some(non_negative(number)? / 1000.0)
}

pub(super) fn non_negative(number: &str) -> Option<f64> {
    let plain = number.starts_with(|c: char| c.is_ascii_digit());
    let number = number.parse::<f64>().ok().filter(|_| plain)?;
    number.is_finite().then_some(number)
}

fn leading_number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

fn strip_keyword<'a>(text: &'a str, keyword: &str) -> Option<&'a str> {
    let head = text.get(..keyword.len())?;
    head.eq_ignore_ascii_case(keyword)
        .then(|| &text[keyword.len()..])
}

/// `\#` is `#` and `\\` is `\`; any other backslash is literal.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = (character == '\\')
            .then(|| characters.next_if(|next| matches!(next, '#' | '\\')))
            .flatten();
        plain.push(escaped.unwrap_or(character));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point_of(text: &str) -> Point {
        match parse(text) {
            Some(Line {
                kind: Kind::Point(point),
                ..
            }) => point,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn skip(reason: &str) -> Directive {
        Directive::Skip(reason.into())
    }

    fn todo(reason: &str) -> Directive {
        Directive::Todo(reason.into())
    }

    #[test]
    fn points() {
        for (text, ok, number, description) in [
            ("ok", true, None, ""),
            ("not ok", false, None, ""),
            ("ok 1", true, Some(1), ""),
            ("ok 12 - adds up", true, Some(12), "adds up"),
            ("not ok 3 adds up", false, Some(3), "adds up"),
            ("ok - adds up", true, None, "adds up"),
            ("ok adds up", true, None, "adds up"),
            ("ok 1- x", true, Some(1), "x"),
            ("ok 3rd time", true, None, "3rd time"),
            ("ok 1 -x", true, Some(1), "-x"),
            ("ok 1 - - x", true, Some(1), "- x"),
            (r"ok 1 - a \# b \\ c \n", true, Some(1), r"a # b \ c \n"),
            ("ok 1 - a # b", true, Some(1), "a # b"),
            ("ok 1 - a#skip", true, Some(1), "a#skip"),
            (r"ok 1 - a \# skip", true, Some(1), "a # skip"),
            ("ok 1 - a # skipper", true, Some(1), "a # skipper"),
            ("ok 1 - a # todolist", true, Some(1), "a # todolist"),
            ("ok 1 - é  ", true, Some(1), "é"),
            (
                "ok 99999999999999999999 x",
                true,
                None,
                "99999999999999999999 x",
            ),
        ] {
            let point = point_of(text);
            assert_eq!(
                (point.ok, point.number, point.description.as_str()),
                (ok, number, description),
                "{text}"
            );
            assert_eq!(point.directive, None, "{text}");
        }
    }

    #[test]
    fn directives() {
        for (text, description, directive) in [
            ("ok 1 - a # SKIP no net", "a", skip("no net")),
            ("ok 1 a # skip", "a", skip("")),
            ("ok 1 a # skip: x", "a", skip("x")),
            ("ok 1 a # Skipped: x", "a", skip("x")),
            ("ok 1 a #skip x", "a", skip("x")),
            ("ok 6 # skip no network", "", skip("no network")),
            ("not ok 1 - a # TODO later", "a", todo("later")),
            ("not ok 1 - a # todo", "a", todo("")),
            ("ok 1 - a # b # SKIP c # d", "a # b", skip("c # d")),
            ("ok 1 - a # SKIP c # time=2ms", "a", skip("c")),
            ("ok 1 - a # time=2ms # SKIP c", "a", skip("c")),
        ] {
            let point = point_of(text);
            assert_eq!(
                (point.description.as_str(), point.directive),
                (description, Some(directive)),
                "{text}"
            );
        }
    }

    #[test]
    fn times() {
        let point = point_of("not ok 3 - filled # time=8.5ms");
        assert_eq!(
            (point.description.as_str(), point.time),
            ("filled", Some(0.0085))
        );
        assert_eq!(point_of("ok 1 - a # time=soon").time, None);
        for (text, description, time) in [
            ("ok 1 slow in 1113ms", "slow", Some(1.113)),
            ("ok 1 slow in 2 sec", "slow", Some(2.0)),
            ("ok 1 all in one in 0ms # skip x", "all in one", Some(0.0)),
            ("ok 1 put in 3 bags", "put in 3 bags", None),
            ("ok 1 put in -3ms", "put in -3ms", None),
            ("ok 1 put in infms", "put in infms", None),
        ] {
            let mut point = point_of(text);
            assert_eq!(point.take_bats_time(), time, "{text}");
            assert_eq!(point.description, description, "{text}");
        }
    }

    #[test]
    fn points_that_open_a_subtest() {
        for (text, description, opens) in [
            ("ok 1 - basket {", "basket", true),
            ("ok 1 - basket # time=5ms {", "basket", true),
            ("ok 1 {", "", true),
            ("ok 1 - basket{", "basket{", false),
        ] {
            let point = point_of(text);
            assert_eq!(
                (point.description.as_str(), point.opens),
                (description, opens),
                "{text}"
            );
        }
    }

    #[test]
    fn plans() {
        let plan = |count, skip: Option<&str>| {
            Some(Kind::Plan(Plan {
                count,
                skip: skip.map(str::to_owned),
            }))
        };
        for (text, kind) in [
            ("1..5", plan(5, None)),
            ("1..0", plan(0, None)),
            ("1..0 # SKIP not today", plan(0, Some("not today"))),
            ("1..0 # Skipped: why", plan(0, Some("why"))),
            ("1..0 # no tests", plan(0, Some("no tests"))),
            ("1..3 # SKIP x", plan(3, None)),
            ("1..3 todo 2", plan(3, None)),
            ("1..3x", None),
            ("1..", None),
            ("1..-3", None),
            ("2..3", None),
        ] {
            assert_eq!(parse(text).map(|line| line.kind), kind, "{text}");
        }
    }

    #[test]
    fn everything_else() {
        for (text, level, kind) in [
            ("TAP version 14", 0, Kind::Version),
            ("    TAP version 13", 1, Kind::Version),
            ("# why", 0, Kind::Comment("why")),
            ("#   why", 0, Kind::Comment("  why")),
            ("     # why", 1, Kind::Comment("why")),
            ("# Subtest: a b", 0, Kind::Subtest("a b".into())),
            (r"    # Subtest: a \# b", 1, Kind::Subtest("a # b".into())),
            ("# Subtest:", 0, Kind::Subtest(String::new())),
            ("Bail out!  gone", 0, Kind::BailOut("gone")),
            ("bail out!", 0, Kind::BailOut("")),
            ("{", 0, Kind::Open),
            ("        }", 2, Kind::Close),
        ] {
            assert_eq!(parse(text), Some(Line { level, kind }), "{text}");
        }
    }

    #[test]
    fn noise() {
        for text in [
            "",
            "hello",
            "okay",
            "ok, done",
            "OK 1",
            "not okay",
            "  ok 1",
            "\tok 1",
            "TAP version x",
            "pragma +strict",
            "Bail out",
            "...",
            "é",
            "notok",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
