//! Compares the results of `Ere` with those of bash.
//!
//! One bash and one child process of this test match the same cases in the same environment, because the locale belongs to
//! a process. The child is this test binary, started to run only [`worker`].

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use casebook_suite::ere::{Ere, InvalidEre, adopt_locale};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The environment variable with the directory of the worker's cases and results.
const DIRECTORY: &str = "CASEBOOK_ERE_DIRECTORY";

/// Reads a pattern and a string per two lines, in `printf`'s notation; prints the status of `=~`, the matched text and
/// a NUL.
const SCRIPT: &str = r#"
while IFS= read -r pattern && IFS= read -r text; do
    printf -v pattern '%b' "$pattern"
    printf -v text '%b' "$text"
    [[ $text =~ $pattern ]] 2>/dev/null
    case $? in
        0) printf '0%s\0' "${BASH_REMATCH[0]}" ;;
        1) printf '1\0' ;;
        *) printf '2\0' ;;
    esac
done
"#;

/// The result as printed by [`SCRIPT`]: `0` and the matched text, `1` for no match, `2` for an invalid pattern.
type MatchResult = Vec<u8>;

#[derive(Debug, Clone)]
struct Case {
    pattern: String,
    text: Vec<u8>,
}

#[test]
fn agrees_with_bash_in_bytes_and_in_utf_8() {
    let mut cases = generated(10_000);
    cases.extend(regressions());
    let bytes = compare(&cases, &[("LC_ALL", "C")]);
    let characters = compare(&cases, &[("LC_ALL", "C.UTF-8")]);
    assert_ne!(bytes, characters, "the locale makes no difference");
}

#[test]
fn adopts_the_same_locale_as_bash() {
    let cases = generated(200);
    for environment in [
        &[][..],
        &[("LANG", "C.UTF-8")],
        &[("LC_CTYPE", "C.UTF-8")],
        &[("LC_ALL", ""), ("LANG", "C.UTF-8")],
        &[("LC_ALL", "bogus"), ("LANG", "C.UTF-8")],
        &[("LC_CTYPE", "C.UTF-8"), ("LC_MESSAGES", "bogus")],
        &[("LANG", "C.UTF-8"), ("LC_TIME", "bogus")],
        &[("LANG", "C.UTF-8"), ("LC_CTYPE", "bogus")],
        &[("LANG", "bogus"), ("LC_CTYPE", "C.UTF-8")],
        &[("LANG", "C"), ("LC_CTYPE", "C.UTF-8"), ("LC_TIME", "bogus")],
        &[("LANG", "C.UTF-8"), ("LC_CTYPE", "C"), ("LC_TIME", "bogus")],
    ] {
        compare(&cases, environment);
    }
}

#[test]
#[ignore = "started by the other tests in a modified environment"]
fn worker() {
    #[expect(clippy::disallowed_methods, reason = "set by the test that started it")]
    let directory = std::env::var_os(DIRECTORY).expect("the variable must be set");
    let directory = Path::new(&directory);
    adopt_locale();
    let cases = fs::read_to_string(directory.join("cases")).unwrap();
    let lines: Vec<Vec<u8>> = cases.lines().map(decoded).collect();
    let mut results = Vec::new();
    for pair in lines.chunks(2) {
        let pattern = String::from_utf8(pair[0].clone()).unwrap();
        results.extend(result(&pattern, &pair[1]));
        results.push(0);
    }
    fs::write(directory.join("results"), results).unwrap();
}

fn result(pattern: &str, text: &[u8]) -> MatchResult {
    let Ok(ere) = Ere::new(pattern) else {
        return b"2".to_vec();
    };
    match ere.find(text) {
        Some(range) => [b"0", &text[range]].concat(),
        None => b"1".to_vec(),
    }
}

fn compare(cases: &[Case], environment: &[(&str, &str)]) -> Vec<MatchResult> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("cases"), encoded(cases)).unwrap();
    let bash = bash_results(directory.path(), environment);
    let ours = ere_results(directory.path(), environment);
    assert_eq!((bash.len(), ours.len()), (cases.len(), cases.len()));
    let compared = cases.iter().zip(bash.iter().zip(&ours));
    let mut differing: Vec<_> = compared.filter(|(_, (bash, ours))| bash != ours).collect();
    differing.sort_by_key(|(case, _)| case.pattern.len() + case.text.len());
    let count = |first: u8| bash.iter().filter(|result| result[0] == first).count();
    let shown: String = differing
        .iter()
        .take(10)
        .map(|(case, results)| show(case, *results))
        .collect();
    assert!(
        differing.is_empty(),
        "{environment:?}: {} differ:\n{shown}",
        differing.len()
    );
    // The comparison is meaningful only with many cases of each kind.
    for kind in *b"012" {
        assert!(
            count(kind) * 20 > cases.len(),
            "{} of kind {kind}",
            count(kind)
        );
    }
    ours
}

fn show(case: &Case, (bash, ours): (&MatchResult, &MatchResult)) -> String {
    let (bash, ours) = (bash.escape_ascii(), ours.escape_ascii());
    format!(
        "{:?} on `{}`: bash {bash}, Ere {ours}\n",
        case.pattern,
        case.text.escape_ascii()
    )
}

fn bash_results(directory: &Path, environment: &[(&str, &str)]) -> Vec<MatchResult> {
    let mut command = Command::new("bash");
    command.args(["-c", SCRIPT]).stderr(Stdio::null());
    let cases = fs::File::open(directory.join("cases")).unwrap();
    let output = in_environment(command.stdin(cases), environment)
        .output()
        .unwrap();
    assert!(output.status.success(), "{:?}", output.status);
    split(&output.stdout)
}

fn ere_results(directory: &Path, environment: &[(&str, &str)]) -> Vec<MatchResult> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "worker"]);
    let output = in_environment(&mut command, environment)
        .env(DIRECTORY, directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    split(&fs::read(directory.join("results")).unwrap())
}

fn in_environment<'a>(command: &'a mut Command, environment: &[(&str, &str)]) -> &'a mut Command {
    for name in [
        "LC_ALL",
        "LANG",
        "LC_CTYPE",
        "LC_COLLATE",
        "LC_MESSAGES",
        "LC_TIME",
        "LC_NUMERIC",
        "BASH_ENV",
    ] {
        command.env_remove(name);
    }
    command.envs(environment.iter().copied())
}

fn split(results: &[u8]) -> Vec<MatchResult> {
    let results = results.strip_suffix(b"\0").unwrap();
    results
        .split(|byte| *byte == 0)
        .map(<[u8]>::to_vec)
        .collect()
}

fn encoded(cases: &[Case]) -> String {
    let mut lines = String::new();
    for bytes in cases
        .iter()
        .flat_map(|case| [case.pattern.as_bytes(), &case.text])
    {
        for byte in bytes {
            write!(lines, "\\x{byte:02x}").unwrap();
        }
        lines.push('\n');
    }
    lines
}

fn decoded(line: &str) -> Vec<u8> {
    let bytes = line.split("\\x").skip(1);
    bytes
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

/// Cases that differed when the positions of groups were not requested.
fn regressions() -> impl Iterator<Item = Case> {
    let cases = [
        ("($[^[:digit:]])", "A}ab\nd"),
        ("((){,2}|-)(\\2)", "cb"),
        ("($){,}\\1\\]", "b]\n"),
        ("[[.hyphen.]-]", "a-"),
        ("", ""),
    ];
    cases.into_iter().map(|(pattern, text)| Case {
        pattern: pattern.to_owned(),
        text: text.as_bytes().to_vec(),
    })
}

/// Random cases with a fixed seed, so that failures are reproducible.
fn generated(count: usize) -> Vec<Case> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = (pattern(), text());
    let case = |_| {
        let (pattern, text) = strategy.new_tree(&mut runner).unwrap().current();
        Case { pattern, text }
    };
    let cases: Vec<Case> = (0..count).map(case).filter(is_within_limits).collect();
    assert!(
        cases.len() * 100 > count * 98,
        "too many cases exceed the limits"
    );
    cases
}

/// Patterns rejected for their size can make bash run indefinitely, for example `(^|-)**?`.
fn is_within_limits(case: &Case) -> bool {
    matches!(Ere::new(&case.pattern), Ok(_) | Err(InvalidEre::Syntax(_)))
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![12 => expression(), 2 => noise(), 1 => (expression(), noise()).prop_map(|(one, two)| one + &two)]
}

/// Patterns that are nearly always invalid.
fn noise() -> impl Strategy<Value = String> {
    proptest::string::string_regex(r"[\[\](){}*+?|^$\\.,:=a1b2-]{0,8}").unwrap()
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![6 => literal(), 2 => bracket(), 2 => escape(), 1 => select(&["^", "$", ".", ".", "()"])];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => inner.clone().prop_map(|part| format!("({part})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("{one}|{two}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one}|{two})")),
            2 => (inner.clone(), repetition()).prop_map(|(part, times)| format!("({part}){times}")),
            2 => (inner, repetition()).prop_map(|(part, times)| part + &times),
        ]
    })
}

fn literal() -> impl Strategy<Value = String> {
    let common = select(&[
        "a", "b", "ab", "c", "1", " ", "_", "A", "é", "-", "]", "}", ")", ",",
    ]);
    let rare = select(&[
        "\n", "€", "É", "\t", "\u{1}", "\u{7f}", "/", "\"", "'", "{", "&", "😀", "\u{301}",
    ]);
    prop_oneof![4 => common, 1 => rare]
}

fn escape() -> impl Strategy<Value = String> {
    select(&[
        "\\.", "\\*", "\\(", "\\)", "\\[", "\\{", "\\}", "\\|", "\\\\", "\\^", "\\$", "\\?", "\\+",
        "\\]", "\\w", "\\W", "\\s", "\\S", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'", "\\d", "\\n",
        "\\1", "\\2", "\\a", "\\é", "\\/", "\\\n", "\\-",
    ])
}

fn bracket() -> impl Strategy<Value = String> {
    let member = select(&[
        "a",
        "b",
        "1",
        "é",
        "-",
        "^",
        "\\",
        "\n",
        " ",
        ".",
        "$",
        "[",
        "a-c",
        "0-9",
        "A-Z",
        "é-ü",
        "z-a",
        "[:alpha:]",
        "[:digit:]",
        "[:space:]",
        "[:upper:]",
        "[:punct:]",
        "[:alnum:]",
        "[:foo:]",
        "[.a.]",
        "[=e=]",
        "[.-.]",
        "[.hyphen.]",
        "\\]",
        "\u{1}",
        "\u{7f}",
        ":",
        "\\w",
        "*",
        "(",
        "|",
    ]);
    let open = select(&["[", "[", "[^", "[]", "[^]"]);
    (open, prop::collection::vec(member, 1..4))
        .prop_map(|(open, members)| format!("{open}{}]", members.concat()))
}

fn repetition() -> impl Strategy<Value = String> {
    select(&[
        "*", "*", "+", "?", "{2}", "{0}", "{1,}", "{0,2}", "{,2}", "{1,3}", "{2,1}", "{,}",
        "{1,2}{2}", "*?", "+?", "{a}", "{",
    ])
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let common = select(&[
        "a", "b", "ab", "aab", "c", "1", " ", "_", "A", "é", "-", "]", "}", ")", "n", "w", "\\",
        "\n", "d",
    ]);
    let rare = select(&[
        "€", "É", "\t", "\u{1}", "\u{7f}", "/", "\"", "'", "{", "(", "[", "^", "$", ".", "😀",
        "\u{301}", "hyphen",
    ]);
    let invalid = prop::sample::select(vec![
        &b"\xff"[..],
        b"\xc3",
        b"\xa9",
        b"\xe2\x82",
        b"\xc0\x80",
        b"\xed\xa0\x80",
    ]);
    let chunk = prop_oneof![
        8 => common.prop_map(String::into_bytes),
        2 => rare.prop_map(String::into_bytes),
        1 => invalid.prop_map(<[u8]>::to_vec),
    ];
    prop::collection::vec(chunk, 0..10).prop_map(|chunks| chunks.concat())
}

fn select(choices: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(choices).prop_map(str::to_owned)
}
