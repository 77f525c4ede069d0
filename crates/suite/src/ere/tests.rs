use std::thread;

use proptest::prelude::*;

use super::*;

fn matches(pattern: &str, text: &str) -> bool {
    Ere::new(pattern).unwrap().is_match(text.as_bytes())
}

#[test]
fn searches_the_whole_text_as_one_line() {
    for (pattern, text, expected) in [
        ("b", "abc", true),
        ("^b", "a\nb", false),
        ("a$", "a\nb", false),
        ("a.b", "a\nb", true),
        ("a[^x]b", "a\nb", true),
        ("^$", "", true),
        ("", "x", true),
        ("(a|b)+c", "xabbac", true),
        ("a{2,3}", "a", false),
        ("[[:digit:]]+", "x12", true),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern:?} {text:?}");
    }
}

#[test]
fn finds_the_leftmost_longest_match() {
    let find = |pattern, text: &[u8]| Ere::new(pattern).unwrap().find(text);
    assert_eq!(find("a|ab|abc", b"xabcabc"), Some(1..4));
    assert_eq!(find("x*", b"aax"), Some(0..0));
    assert_eq!(find("y", b"aax"), None);
    assert_eq!(find("b", b"\xff\xc3b"), Some(2..3));
}

#[test]
fn a_text_ends_at_its_first_nul() {
    let ere = Ere::new("a$").unwrap();
    assert_eq!(ere.find(b"ba\0c"), Some(1..2));
    assert!(!Ere::new("c").unwrap().is_match(b"a\0c"));
    assert_eq!(Ere::new("a\0b").unwrap_err(), InvalidEre::Nul);
}

#[test]
fn moves_between_threads() {
    let ere = Ere::new("(b+)c").unwrap();
    assert!(ere.is_match(b"abc"));
    let (ere, found) = thread::spawn(move || {
        let found = ere.find(b"abbc");
        (ere, found)
    })
    .join()
    .unwrap();
    assert_eq!((found, ere.find(b"bc")), (Some(1..4), Some(0..2)));
    assert_eq!(
        (ere.pattern(), format!("{ere:?}")),
        ("(b+)c", "Ere(\"(b+)c\")".to_owned())
    );
}

#[test]
fn explains_invalid_patterns() {
    let patterns = [
        "a(b",
        "a[b",
        "a{2",
        "a{x}",
        "a{3,2}",
        "*a",
        "a|*",
        "a\\",
        "[z-a]",
        "[[:foo:]]",
        "[[.foo.]]",
        "(a)\\2",
        "a{40000}",
    ];
    let texts = patterns
        .each_ref()
        .map(|pattern| format!("{pattern:<10} {}", Ere::new(pattern).unwrap_err()))
        .join("\n");
    insta::assert_snapshot!(texts, @r"
    a(b        `(` without its `)`: for the character itself write `\(`
    a[b        `[` without its `]`: for the character itself write `\[`
    a{2        `{` without its `}`: for the character itself write `\{`
    a{x}       invalid repetition: write `{2}`, `{2,}` or `{2,5}`, or for the character itself `\{`
    a{3,2}     invalid repetition: write `{2}`, `{2,}` or `{2,5}`, or for the character itself `\{`
    *a         nothing to repeat before `*`, `+`, `?` or `{`: for the character itself put a backslash before it
    a|*        nothing to repeat before `*`, `+`, `?` or `{`: for the character itself put a backslash before it
    a\         a backslash at the end: for the character itself write `\\`
    [z-a]      invalid range in brackets: its first character must not come after its last, as in `[z-a]`; a literal `-` must be last, as in `[a-z-]`
    [[:foo:]]  unknown character class: `[[:alpha:]]`, `[[:digit:]]`, `[[:alnum:]]`, `[[:upper:]]`, `[[:lower:]]`, `[[:space:]]`, `[[:blank:]]`, `[[:punct:]]`, `[[:print:]]`, `[[:graph:]]`, `[[:cntrl:]]` and `[[:xdigit:]]` are known
    [[.foo.]]  unknown collating element: inside brackets, `[.` or `[=` names a character
    (a)\2      a back-reference to a group that does not exist
    a{40000}   with its repetitions expanded the pattern has more than 32768 characters: repeat less, or use `*`
    ");
}

#[test]
fn explains_exceeded_limits() {
    let patterns = [
        "x".repeat(40_000),
        "(".repeat(101),
        "x{32767}{32767}".to_owned(),
        "x{0,2001}".to_owned(),
        "^".repeat(17),
    ];
    let texts = patterns
        .each_ref()
        .map(|pattern| format!("{}", Ere::new(pattern).unwrap_err()))
        .join("\n");
    insta::assert_snapshot!(texts, @r"
    the pattern is 40000 bytes long; the limit is 32768
    the pattern's parentheses are nested more than 100 deep
    with its repetitions expanded the pattern has more than 32768 characters: repeat less, or use `*`
    with its repetitions expanded the pattern has more than 2000 choices (`|`, `?`, `*`, `{m,n}`): use fewer, or split the pattern
    the pattern has more anchors (`^`, `$`, `\b` and the like) and repetitions of parts that can be empty, such as `(a*)+`, than the C library can handle safely: use fewer, or put something required between them
    ");
}

/// Each of these crashes the GNU library or takes it very long, depending on the stack size of the thread.
#[test]
fn rejects_patterns_that_crash_the_library() {
    for pattern in [
        "(".repeat(10_000),
        format!("{}x{}", "(".repeat(5_000), ")".repeat(5_000)),
        "x{1,32767}{1,32767}".to_owned(),
        "((x{255}){255}){255}".to_owned(),
        "x{99999999999999999999999}{2}".to_owned(),
        format!("x{}", "+".repeat(40)),
        format!("{}x{}", "(".repeat(90), ")+".repeat(90)),
        "x?".repeat(16_000),
        "x|".repeat(16_000),
        "(^|x)*".repeat(20),
        "((^|$|\\<)?(^|$|\\<)?)*".to_owned(),
        "((\\b|\\B)(\\b|\\B))*".to_owned(),
        "\\b".repeat(100),
        "(^|-)**?".to_owned(),
        "(x?|y?z?)+".repeat(20),
        "(($)*){2,31}".to_owned(),
        "(x\\b)*(([ax]?)*){1,21}".to_owned(),
        "(([ax]?){0,11}){2,26}([ax]?)+".to_owned(),
        "((x|($(x)*|[ax]?))){2,24}($)*".to_owned(),
        "[".repeat(100_000),
        "\\".repeat(100_001),
    ] {
        let error = Ere::new(&pattern).unwrap_err();
        let beyond_a_limit = !matches!(error, InvalidEre::Syntax(_));
        assert!(
            beyond_a_limit,
            "{error}: {}",
            &pattern[..pattern.len().min(60)]
        );
    }
}

#[test]
fn accepts_realistic_patterns() {
    for pattern in [
        "^[0-9a-f]{64}  [^ ]+$".to_owned(),
        "^.{0,1000}$".to_owned(),
        "(^|[^[:alnum:]_])word([^[:alnum:]_]|$)".to_owned(),
        "(\\bfoo\\b ?)+".to_owned(),
        "((^|,)[a-z]*)+".to_owned(),
        "(^|\n)one(\n|$)(.*\n)*(^|\n)two(\n|$)".to_owned(),
        "^(([0-9]{1,3}\\.){3}[0-9]{1,3}(:[0-9]{1,5})?[ \n]*)*$".to_owned(),
        "( *(a *)*)*".to_owned(),
        "(a*b?)*c(d|e?)*".to_owned(),
        "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$".to_owned(),
        format!("^({})$", ["word"; 500].join("|")),
        "some long text, word by word. ".repeat(1_000),
        format!("{}x{}", "(".repeat(50), ")".repeat(50)),
    ] {
        let error = Ere::new(&pattern).err();
        assert_eq!(error, None, "{}", &pattern[..pattern.len().min(60)]);
    }
}

/// A pattern, the level of its finding, the text of the finding, and the replacement.
const LINTS: &[(&str, Level, &str, Option<&str>)] = {
    use Level::{Error, Warning};
    &[
        (r"a\d+", Error, r"\d", Some("[0-9]")),
        (r"\D", Error, r"\D", Some("[^0-9]")),
        (r"\h", Error, r"\h", Some("[[:blank:]]")),
        (r"\H", Error, r"\H", Some("[^[:blank:]]")),
        (r"\Aa", Error, r"\A", Some("^")),
        (r"a\z", Error, r"\z", Some("$")),
        (r"a\Z", Error, r"\Z", Some("$")),
        (r"a\nb", Error, r"\n", None),
        (r"a\tb", Error, r"\t", None),
        (r"a\r", Error, r"\r", None),
        (r"\e", Error, r"\e", None),
        (r"\0", Error, r"\0", None),
        (r"\x41b", Error, r"\x41", Some("A")),
        (r"\x2e", Error, r"\x2e", Some(r"\.")),
        (r"\x{e9}", Error, r"\x{e9}", Some("é")),
        (r"\x1b[0m]", Error, r"\x1b", None),
        (r"\u00e9", Error, r"\u00e9", Some("é")),
        (r"\pL", Error, r"\pL", Some("[[:alpha:]]")),
        (r"\P{Lu}x", Error, r"\P{Lu}", Some("[^[:upper:]]")),
        (r"\p{Greek}", Error, r"\p{Greek}", None),
        (r"\Qa", Error, r"\Q", None),
        (r"a\E", Error, r"\E", None),
        (r"a\Kb", Error, r"\K", None),
        (r"\k<name>", Error, r"\k<name>", None),
        (r"\\\d", Error, r"\d", Some("[0-9]")),
        (r"(a)\1", Warning, r"\1", None),
        (r"\w+", Warning, r"\w", Some("[[:alnum:]_]")),
        (r"\W", Warning, r"\W", Some("[^[:alnum:]_]")),
        (r"\s", Warning, r"\s", Some("[[:space:]]")),
        (r"\S", Warning, r"\S", Some("[^[:space:]]")),
        (r"\bx", Warning, r"\b", None),
        (r"\B", Warning, r"\B", None),
        (r"\<x", Warning, r"\<", Some("(^|[^[:alnum:]_])")),
        (r"x\>", Warning, r"\>", Some("([^[:alnum:]_]|$)")),
        (r"\`x", Warning, r"\`", Some("^")),
        (r"x\'", Warning, r"\'", Some("$")),
        (r"\y", Warning, r"\y", Some("y")),
        ("a(?=b)", Error, "(?=", None),
        ("a(?!b)", Error, "(?!", None),
        ("(?<=a)b", Error, "(?<=", None),
        ("(?<!a)b", Error, "(?<!", None),
        ("(?:a|b)", Error, "(?:", Some("(")),
        ("(?>a)", Error, "(?>", Some("(")),
        ("(?i)error", Error, "(?i)", None),
        ("(?i-s:error)", Error, "(?i-s:", None),
        ("(?P<year>a)", Error, "(?P<year>", Some("(")),
        ("(?<year>a)", Error, "(?<year>", Some("(")),
        ("(?'year'a)", Error, "(?'year'", Some("(")),
        ("(?#x)", Error, "(?#", None),
        ("a.*?b", Error, "*?", Some("*")),
        ("a+?", Error, "+?", Some("+")),
        ("a??", Error, "??", Some("?")),
        ("a{2,3}?", Error, "{2,3}?", Some("{2,3}")),
        ("a*+", Error, "*+", Some("*")),
        ("a++", Error, "++", Some("+")),
        ("a{2}+", Error, "{2}+", Some("{2}")),
        ("a**", Warning, "**", None),
        ("a{2}{3}", Warning, "{2}{3}", None),
        (r"[\d]", Error, r"[\d]", Some("[0-9]")),
        (r"[\d.]+", Error, r"[\d.]", Some("[0-9.]")),
        (r"[^\w-]", Error, r"[^\w-]", Some("[^[:alnum:]_-]")),
        (r"[\s,]", Error, r"[\s,]", Some("[[:space:],]")),
        (r"[\D]", Error, r"[\D]", Some("[^0-9]")),
        (r"[^\S]", Error, r"[^\S]", Some("[[:space:]]")),
        (r"[\s\S]*", Error, r"[\s\S]", Some(".")),
        (r"[\n]", Error, r"[\n]", None),
        (r"[a\]]", Error, r"[a\]]", Some("[]a]")),
        (r"[^\]]*", Error, r"[^\]]", Some("[^]]")),
        (r"[\[\]]", Error, r"[\[\]]", Some("[][]")),
        (r"[\-x]", Error, r"[\-x]", Some("[x-]")),
        (r"[a\-z]", Error, r"[a\-z]", Some("[az-]")),
        (r"[\.]", Warning, r"[\.]", Some("[.]")),
        (r"[a-z\-]", Warning, r"[a-z\-]", Some("[a-z-]")),
        (r"[\^]", Warning, r"[\^]", None),
        (r"[\^a]", Warning, r"[\^a]", Some("[a^]")),
        ("[:digit:]", Error, "[:digit:]", Some("[[:digit:]]")),
        ("[^:alpha:_]", Error, "[^:alpha:_]", Some("[^[:alpha:]_]")),
    ]
};

#[test]
fn finds_notation_with_another_meaning() {
    for (pattern, level, part, replacement) in LINTS {
        let findings = lint(pattern);
        let [finding] = findings.as_slice() else {
            panic!("{pattern}: {findings:?}");
        };
        let found = (
            finding.level,
            &pattern[finding.range.clone()],
            finding.replacement.as_deref(),
        );
        assert_eq!(found, (*level, *part, *replacement), "{pattern}");
    }
}

#[test]
fn replacements_are_valid_and_clean() {
    for (pattern, _, _, replacement) in LINTS {
        let Some(replacement) = replacement else {
            continue;
        };
        let mut fixed = (*pattern).to_owned();
        fixed.replace_range(lint(pattern)[0].range.clone(), replacement);
        assert_eq!(lint(&fixed), [], "{pattern} {fixed}");
        assert!(Ere::new(&fixed).is_ok(), "{pattern} {fixed}");
    }
}

#[test]
fn replacements_in_brackets_match_the_intended_characters() {
    for (pattern, yes, no) in [
        (r"^[\d.]$", "5.", "d\\"),
        (r"^[^\]]$", "a\\", "]"),
        (r"^[\[\]]$", "[]", "\\a"),
        (r"^[a\-z]$", "a-z", "b\\"),
        (r"^[\^a]$", "^a", "\\b"),
        (r"^[\w\-]$", "a_-", "\\."),
    ] {
        let finding = lint(pattern).remove(0);
        let mut fixed = pattern.to_owned();
        fixed.replace_range(finding.range, &finding.replacement.unwrap());
        for (characters, expected) in [(yes, true), (no, false)] {
            for character in characters.chars() {
                assert_eq!(
                    matches(&fixed, &character.to_string()),
                    expected,
                    "{fixed} {character}"
                );
            }
        }
    }
}

#[test]
fn accepts_valid_notation() {
    for pattern in [
        r"\\d",
        r"C:\\new\\table",
        r"\.\*\+\?\(\)\[\]\{\}\|\^\$\\",
        r"\/\-\:\@\ ",
        "[[:digit:]]+",
        "[^[:space:]]",
        "[]a]",
        "[^]]",
        "[a-z-]",
        r"[\]",
        r"[/\]",
        r"[/\][a-z]+",
        r"[\\]",
        r"[\\d]",
        "a{2,3}",
        "a+b?c*",
        "(a?)+",
        "(a+)?",
        r"\(?:",
        r"\*?",
        "[*?]",
        "[(?:]",
        "a|b",
        "^$",
        "[:x]",
        "[[.hyphen.]]",
        "é€",
        r"\é",
        "",
    ] {
        assert_eq!(lint(pattern), [], "{pattern}");
    }
}

#[test]
fn reports_everything_in_order() {
    let found: Vec<_> = lint(r"(?:\d+?|[\w])\b")
        .into_iter()
        .map(|finding| finding.range)
        .collect();
    assert_eq!(found, [0..3, 3..5, 5..7, 8..12, 13..15]);
}

#[test]
fn messages_contain_a_hint() {
    let patterns = [
        r"\d",
        r"\n",
        r"\w",
        r"\b",
        r"\x1b",
        r"\1",
        "(?=a)",
        "(?i)a",
        "(?:a)",
        "a*?",
        "a++",
        "a**",
        r"[\d]",
        r"[\.]",
        r"[^\]]",
        r"[\n]",
        "[:digit:]",
    ];
    let texts = patterns
        .each_ref()
        .map(|pattern| format!("{pattern:<10} {}", lint(pattern)[0].message))
        .join("\n");
    insta::assert_snapshot!(texts, @r"
    \d         in POSIX `\d` is just the letter `d`
    \n         in POSIX `\n` is just the letter `n`; for a newline write the character itself: in YAML, `\n` between double quotes (where every other backslash is doubled)
    \w         `\w` works with the GNU C library but not on macOS
    \b         `\b` works with the GNU C library but not on macOS: before a word write `(^|[^[:alnum:]_])`, after it `([^[:alnum:]_]|$)`
    \x1b       in POSIX `\x` is just the letter `x`; write the character itself: in YAML, `\x1b` or `\u00e9` between double quotes (where every other backslash is doubled)
    \1         the back-reference `\1` works with the GNU C library but not on macOS: write out the repeated text
    (?=a)      POSIX has no look-ahead or look-behind: write two assertions, one of them a `…NotMatches`
    (?i)a      POSIX has no flags in patterns: to ignore case write both letters, as in `[Ee]rror`
    (?:a)      POSIX has plain groups only
    a*?        POSIX has no lazy repetition such as `*?`; it would not change whether the pattern matches
    a++        POSIX has no possessive repetition such as `++`
    a**        POSIX does not define `**`: put parentheses around the inner repetition
    [\d]       in brackets a backslash is a literal character: `\d` matches a backslash or `d`
    [\.]       in brackets a backslash is a literal character: `\.` matches a backslash or `.`
    [^\]]      in brackets a backslash is a literal character, so `[^\]` ends there: put `]` first
    [\n]       in brackets a backslash is a literal character: `\n` matches a backslash or `n`; for a newline write the character itself: in YAML, `\n` between double quotes (where every other backslash is doubled)
    [:digit:]  `[:digit:]` matches one of the characters `:digit:`: a class needs a second pair of brackets
    ");
}

#[test]
fn recognizes_patterns_that_match_everything() {
    for pattern in [
        "",
        "x*",
        ".*",
        "x?",
        "(a|)",
        "a|",
        "^",
        "$",
        "^x*",
        "x*$",
        "(^|a)b*",
        "x{0,3}",
        "()",
        "(^a*|b)c?",
        "\\`",
        "(a*)+",
        "x{0}",
    ] {
        assert!(matches_everything(pattern), "{pattern}");
    }
    for pattern in [
        "x",
        "x+",
        "^$",
        "^x*$",
        "(^|a)x*($|b)",
        "\\B",
        "\\b",
        "(^$)",
        "\\`\\'",
        "^.*$",
        "(",
        "x{2,}",
        "[x]",
        "(^a*|b)c?$",
        "()(\\1)x",
    ] {
        assert!(!matches_everything(pattern), "{pattern}");
    }
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["a", "b", "^", "$", "()", "ab"]).prop_map(str::to_owned);
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, two)| one + &two),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}|{two})")),
            (
                inner,
                prop::sample::select(vec!["*", "+", "?", "{2}", "{0,2}", ""])
            )
                .prop_map(|(part, times)| format!("({part}){times}")),
        ]
    })
}

proptest! {
    /// The pattern contains no `c`, so it matches `ccc` only if it matches the empty string.
    #[test]
    fn matches_everything_agrees_with_unrelated_text(pattern in expression()) {
        if let Ok(ere) = Ere::new(&pattern) {
            prop_assert_eq!(matches_everything(&pattern), ere.is_match(b"ccc"));
        }
    }

    #[test]
    fn matches_everything_is_certain(pattern in r"[ab.^$|*?()\[\]\\bB'`-]{0,8}", text in prop::collection::vec(any::<u8>(), 0..9)) {
        if matches_everything(&pattern) {
            prop_assert!(Ere::new(&pattern).unwrap().is_match(&text), "{:?}", pattern);
        }
    }

    #[test]
    fn findings_are_in_order_and_in_bounds(pattern in r"[ab()\[\]{}\\*+?|^$dwnxp:<>=!,0-9é-]{0,16}") {
        let findings = lint(&pattern);
        let mut before = 0;
        for finding in findings {
            prop_assert!(before <= finding.range.start && finding.range.start < finding.range.end);
            prop_assert!(pattern.get(finding.range.clone()).is_some());
            before = finding.range.end;
        }
        let _ = Ere::new(&pattern);
    }
}
