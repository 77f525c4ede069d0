//! Tests of the Bats code: snapshots of small suites, and a syntax check by bash of generated ones.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use casebook_source::SourceFile;
use casebook_suite::bats::{Compiled, SuiteLocation, compile};
use casebook_suite::{CheckContext, check, deny_files};
use proptest::prelude::*;

fn compiled(text: &str) -> Compiled {
    let context = CheckContext {
        environment: &BTreeMap::new(),
        stem: "shop",
        read: &deny_files,
    };
    let checked = check(SourceFile::new("shop.casebook.yaml", text), &context);
    let problems = checked.diagnostics;
    let suite = checked.suite.unwrap_or_else(|| panic!("{problems:?}"));
    compile(
        &suite,
        SuiteLocation::FromCode(Path::new("../shop.casebook.yaml")),
    )
}

/// The code of the suite, after the helpers.
fn suite_code(text: &str) -> String {
    let code = compiled(text).code;
    let (_, suite) = code.split_once("# ---- The suite ----\n").unwrap();
    suite.to_owned()
}

#[test]
fn compiles_a_small_suite() {
    insta::assert_snapshot!(suite_code("\
tests:
  - name: greets
    command: echo \"hello $USER\"
    outputContains: hello
  - name: refuses
    command: |
      cat <<'EOF'
      it's $HOME
      EOF
      exit 2
    exitCode: 2
    stdoutEquals: |
      it's $HOME
    stderr: ''
"), @r#"
    setup() {
      casebook_begin 0
    }

    teardown() {
      casebook_end teardown 0
    }

    # from shop.casebook.yaml:2
    @test "greets" {
      casebook_run 3 'echo "hello $USER"'
      casebook_expect 2 exitCode 0
      casebook_expect 4 outputContains 'hello'
      casebook_finish
    }

    # from shop.casebook.yaml:5
    @test "refuses" {
      casebook_run --separate 7 'cat <<'\''EOF'\''
    it'\''s $HOME
    EOF
    exit 2'
      casebook_expect 11 exitCode 2
      casebook_expect 12 stdoutEquals 'it'\''s $HOME'
      casebook_expect 14 stderr ''
      casebook_finish
    }
    "#);
}

const EVERYTHING: &str = "\
env: {LEVEL: high}
timeout: 30
parallel: false
setupFile: export SERVER=1
teardownFile: echo bye
setup: |
  cd \"$TEST_TEMP_DIR\"
  mkdir x
teardown: rm -r x
tags: [slow, 'no tag']
tests:
  - name: later
    command: 'false'
    skip: until 2.0
  - name: 'costs $5 # skip'
    command: cat
    stdin: \"one\\ntwo\"
    workdir: data
    env: {LEVEL: low}
    retries: 2
    timeout: 1500ms
    outputJson: {/a~1b/0: [1, x]}
    files: {out.txt: {exists: true, matches: '^x'}, gone: {exists: false}}
    snapshot: true
  - name: later
    command: \"printf 'a\\\\r'\"
    outputEquals: \"a\\r\"
";

#[test]
fn compiles_all_fields() {
    insta::assert_snapshot!(suite_code(EVERYTHING), @r#"
    # The timeout of each test in seconds: Bats reads it before it calls any function.
    # shellcheck disable=SC2034 # Bats reads it
    case ${BATS_TEST_NAME-} in
    'test_costs_-5c-245_-5c-23_skip') BATS_TEST_TIMEOUT=2 ;;
    *) BATS_TEST_TIMEOUT=30 ;;
    esac

    # casebook_is_secret NAME: whether the value of the variable must not be in a snapshot.
    casebook_is_secret() {
      case $1 in
      *_PATH | *_FILE | *_DIR) false ;;
      *KEY* | *TOKEN* | *SECRET* | *PASS* | *CREDENTIAL* | *_PAT) ;;
      *) false ;;
      esac
    }

    # from shop.casebook.yaml:4
    casebook_setup_file() {
      eval 'export SERVER=1'
    }

    # from shop.casebook.yaml:5
    casebook_teardown_file() {
      eval 'echo bye'
    }

    # from shop.casebook.yaml:7
    casebook_setup() {
      eval 'cd "$TEST_TEMP_DIR"
    mkdir x'
    }

    # from shop.casebook.yaml:9
    casebook_teardown() {
      eval 'rm -r x'
    }

    setup_file() {
      casebook_begin_suite 4
      export BATS_NO_PARALLELIZE_WITHIN_FILE=true
      jq --version >/dev/null
      export LEVEL='high'
      casebook_setup_file 198<"$BATS_FILE_TMPDIR"
      casebook_phase '' 0
      BATS_TEST_FILENAME=$casebook_bats_file
    }

    teardown_file() {
      casebook_export_names
      casebook_end teardownFile 5 casebook_teardown_file
    }

    setup() {
      case $BATS_TEST_DESCRIPTION in
      'later')
        skip 'until 2.0'
        ;;
      'costs $5 \# skip')
        export LEVEL='low'
        export BATS_TEST_RETRIES=2
        ;;
      esac
      casebook_clock=${BATS_killer_pid-}
      casebook_begin 7
      casebook_setup 198<"$BATS_TEST_TMPDIR"
    }

    teardown() {
      [[ -z ${BATS_TEST_SKIPPED-} ]] || return 0
      casebook_stop_clock
      casebook_end teardown 9 casebook_teardown
    }

    # from shop.casebook.yaml:12
    # bats test_tags=slow
    @test "later" {
      casebook_run 13 'false'
      casebook_expect 12 exitCode 0
      casebook_finish
    }

    # from shop.casebook.yaml:15
    # bats test_tags=slow
    @test "costs \$5 \# skip" {
      casebook_run --separate --workdir 'data' --stdin 'one
    two' 16 'cat'
      casebook_expect 15 exitCode 0
      casebook_expect_json 22 '/a~1b/0' '["a/b","0"]' '[1,"x"]'
      casebook_expect_file 23 'out.txt' exists
      casebook_expect_file 23 'out.txt' Matches '^x'
      casebook_expect_file 23 'gone' absent
      casebook_expect_snapshot 24 '__snapshots__/shop/costs-5-skip.snap'
      casebook_finish
    }

    # from shop.casebook.yaml:25
    # bats test_tags=slow
    @test "later (2)" {
      casebook_run 26 'printf '\''a\r'\'''
      casebook_expect 25 exitCode 0
      casebook_expect 27 outputEquals $'a\r'
      casebook_finish
    }
    "#);
}

#[test]
fn the_header_names_the_source_and_the_requirements() {
    let code = compiled("tests: [{name: a, command: b}]").code;
    let head: Vec<_> = code.lines().take(19).collect();
    insta::assert_snapshot!(head.join("\n"), @r#"
    #!/usr/bin/env bats
    # Generated by Casebook from shop.casebook.yaml: edit that file and compile it again.
    # Requires Bats 1.8 or newer.
    # shellcheck disable=SC2016 # single quotes are intended: another shell expands the text
    # shellcheck disable=SC2030,SC2031 # texts are compared in subshells to set the locale
    bats_require_minimum_version 1.8.0

    # The suite: its name in messages, its directory, its file name.
    casebook_file='shop.casebook.yaml'
    casebook_dir=$(cd -- "$BATS_TEST_DIRNAME"/'..' && pwd)
    casebook_name='shop.casebook.yaml'
    # The initial PATH, without the directory that Bats adds, and the initial locale: tests may change them.
    PATH=${PATH#"${BATS_LIBEXEC:-/}":}
    casebook_path=$PATH
    export CASEBOOK_LOCALE=${CASEBOOK_LOCALE-${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}}
    # Standard error of the run; commands get it as descriptor 3.
    exec 7>&2

    # casebook_phase NAME LINE: records the current phase. After a test it is the phase that failed; empty if the test passed.
    "#);
}

#[test]
fn unused_helpers_are_omitted() {
    let small = compiled("tests: [{name: a, command: b}]");
    let large = compiled("tests: [{name: a, command: b, outputJson: {'': 1}, snapshot: true}]");
    for helper in [
        "casebook_expect_json() {",
        "casebook_expect_snapshot() {",
        "setup_file() {",
    ] {
        assert!(!small.code.contains(helper), "{helper}");
        assert!(large.code.contains(helper), "{helper}");
    }
    assert!(large.needs_jq && !small.needs_jq);
}

#[test]
fn only_marked_tests_are_compiled_and_keep_their_index() {
    let compiled = compiled("tests: [{name: a, command: b}, {name: c, command: d, only: true}]");
    assert_eq!(compiled.tests.len(), 1);
    assert_eq!(
        (compiled.tests[0].index, compiled.tests[0].title.as_str()),
        (1, "c")
    );
    assert!(
        compiled
            .code
            .contains("# 1 test is skipped: others are marked `only`.\n")
    );
}

/// Checks the syntax with bash after translating Bats' syntax as Bats does.
fn check_syntax(code: &str) -> Result<(), String> {
    let plain: Vec<_> = code
        .lines()
        .map(|line| match line.strip_prefix("@test ") {
            Some(title) => format!(
                "bats_test() {{ bats_test_begin {}",
                title.trim_end_matches('{')
            ),
            None => line.replace('\r', ""),
        })
        .collect();
    let mut bash = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    bash.stdin
        .take()
        .unwrap()
        .write_all(plain.join("\n").as_bytes())
        .unwrap();
    let output = bash.wait_with_output().unwrap();
    if output.status.success() && output.stderr.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{}\n{code}",
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// Strings that could break out of their quotes.
fn hostile_text() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "'",
        "\"",
        "$",
        "`",
        "\\",
        "\n",
        "\r",
        "\t",
        "}",
        "{ ",
        "(",
        ")",
        ";",
        "&",
        "|",
        "<<EOF",
        "EOF",
        "#",
        "@test \"x\" {",
        "f() { # @test",
        "# bats test_tags=!",
        "$(",
        "${",
        "\u{1}",
        "\u{7f}",
        "é",
        "‘",
        "-",
        " ",
        "a",
        "%s",
        "!",
        "*",
        "~",
    ];
    prop::collection::vec(prop::sample::select(PARTS), 1..12)
        .prop_map(|parts| format!("x{}", parts.concat()))
}

/// A string as a quoted YAML scalar.
fn yaml(text: &str) -> String {
    serde_json::to_string(text)
        .unwrap()
        .replace('\u{7f}', "\\x7f")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn generated_code_has_valid_syntax(
        name in hostile_text(), command in hostile_text(), text in hostile_text(), hook in hostile_text(), value in hostile_text(), path in hostile_text(),
        skip in prop::bool::ANY,
    ) {
        let [name, command, text, hook, value, path] =
            [&name, &command, &text, &hook, &value, &path].map(|text| yaml(text));
        let skip = if skip { format!("skip: {value}, ") } else { String::new() };
        let suite = format!("\
setupFile: {hook}
teardownFile: {hook}
setup: {hook}
teardown: {hook}
env: {{A: {value}}}
timeout: 3
tests:
  - {{name: {name}, command: {command}, outputEquals: {text}, outputContains: {text}, stdin: {text}, {skip}env: {{B: {value}}}}}
  - {{name: {name}, command: {command}, stderr: {text}, timeout: 1, retries: 1, workdir: {path}, files: {{{path}: {{equals: {text}}}}}}}
  - {{name: {name}, command: {command}, outputJson: {{'': {text}}}, snapshot: true}}
");
        prop_assert_eq!(check_syntax(&compiled(&suite).code), Ok(()));
    }
}
