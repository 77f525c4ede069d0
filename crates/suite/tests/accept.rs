//! Accepted values in suites that are written in many ways.

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_source::yaml;
use casebook_suite::accept::{NewValue, Refusal, SuiteEditor};
use casebook_suite::model::{Assertion, Check, TextCheck};
use casebook_suite::{CheckContext, Suite, check, deny_files};
use proptest::prelude::*;
use serde_json::{Value, json};

fn suite(text: &str) -> Suite {
    let environment = BTreeMap::new();
    let context = CheckContext {
        environment: &environment,
        stem: "a",
        read: &deny_files,
    };
    let checked = check(SourceFile::new("a.casebook.yaml", text), &context);
    let problems: Vec<_> = checked.diagnostics.iter().map(|one| &one.message).collect();
    checked
        .suite
        .unwrap_or_else(|| panic!("{problems:?} in\n{text}"))
}

/// The assertion of the first test with this field.
fn assertion(suite: &Suite, field: &str) -> Assertion {
    let mut assertions = suite.tests[0].assertions();
    let found = assertions.find(|assertion| assertion.field == field);
    found.expect("the test has the assertion").clone()
}

fn accept(text: &str, field: &str, value: &NewValue) -> Result<String, Refusal> {
    let span = assertion(&suite(text), field).span;
    let file = SourceFile::new("a.casebook.yaml", text);
    let editor = SuiteEditor::new(&file).expect("the suite is valid");
    let change = editor.change(span, value)?;
    editor.apply(&[&change]).map_err(|_| Refusal::NotInPlace)
}

/// The suite after `text` was accepted as `outputEquals`. It passes then.
fn output(yaml: &str, text: &str) -> String {
    let edited = accept(yaml, "outputEquals", &NewValue::Text(text.to_owned()))
        .unwrap_or_else(|refusal| panic!("{refusal}:\n{yaml}"));
    let Check::Text(_, TextCheck::Equals(expected)) =
        assertion(&suite(&edited), "outputEquals").check
    else {
        panic!("not a text in\n{edited}");
    };
    assert_eq!(expected.trim_end_matches('\n'), text, "{edited}");
    edited
}

fn with(value: &str) -> String {
    format!(
        "tests:\n  - name: x # first\n    command: echo\n    outputEquals: {value}\n    tags: [a]\n"
    )
}

#[test]
fn one_line_keeps_its_style() {
    for (old, new, expected) in [
        ("old", "new text", "new text"),
        ("old # why", "new", "new # why"),
        ("'old'", "it's", "'it''s'"),
        ("\"old\"", "a\"b", r#""a\"b""#),
        ("old", "- new", "\"- new\""),
        ("old", "a: b", "\"a: b\""),
        ("old", "", "\"\""),
        ("old", " new", "\" new\""),
        ("old", "12", "12"),
        ("old", "null", "\"null\""),
        ("old", "a\u{7}b", r#""a\x07b""#),
        ("'old'", "a\rb", r#""a\rb""#),
        ("&anchor old", "new", "&anchor new"),
        ("!!str old", "new", "!!str new"),
        ("old\n      text # why", "new", "new # why"),
        ("\n      old # why", "new", "\n      new # why"),
        ("|\n      old", "new", "|\n      new"),
        ("|-\n      old\n      text", "new", "|-\n      new"),
        (">\n      old\n      text", "new", ">\n      new"),
        ("|  # why\n      old", "", "\"\"  # why"),
        ("|\n      old\n", "a\u{7}", "\"a\\x07\"\n"),
        ("old", "{{name}}", "\\{{name}}"),
        ("'old'", "{{name}} \\{{x", "'\\{{name}} \\\\{{x'"),
        ("old", "a {{ b", "a {{ b"),
    ] {
        assert_eq!(output(&with(old), new), with(expected), "{old:?} {new:?}");
    }
}

#[test]
fn several_lines_become_a_literal_block() {
    for (old, new, expected) in [
        ("old", "a\nb", "|\n      a\n      b"),
        ("\"old\" # why", "a\n\nb", "| # why\n      a\n\n      b"),
        ("&anchor old", "a\nb", "&anchor |\n      a\n      b"),
        ("old", "  a\nb", "|2\n        a\n      b"),
        ("old", "\n  a\nb", "|2\n\n        a\n      b"),
        ("old", "a\n# b", "|\n      a\n      # b"),
        ("old", "a \n\tb", "|\n      a \n      \tb"),
        ("old", "a\nb\u{1b}[0m", r#""a\nb\e[0m""#),
        ("old", "a\r\nb", r#""a\r\nb""#),
        ("|\n        old", "a\nb", "|\n        a\n        b"),
        ("|-\n     old\n\n     x", "a\nb", "|-\n     a\n     b"),
        ("|2-\n        old\n      x", "a\nb", "|2-\n      a\n      b"),
        (
            "|+ # why\n      old\n\n",
            "a\nb",
            "| # why\n      a\n      b\n\n",
        ),
        (">-\n      old\n      x", "a\nb", "|-\n      a\n      b"),
        (
            "|\n      old\n    # note",
            "a\nb",
            "|\n      a\n      b\n    # note",
        ),
        ("|\n      old\n         \n", "a\nb", "|\n      a\n      b\n"),
        ("\n      old", "a\nb", "\n      |\n      a\n      b"),
    ] {
        assert_eq!(output(&with(old), new), with(expected), "{old:?} {new:?}");
    }
}

#[test]
fn the_end_of_the_file_and_its_line_endings_stay() {
    let text = "tests:\r\n  - name: x\r\n    command: echo\r\n    outputEquals: old # why\r\n    tags: [a]\r\n";
    assert_eq!(
        output(text, "a\nb"),
        text.replace("old # why", "| # why\r\n      a\r\n      b")
    );
    let text = "tests:\r\n- name: x\r\n  command: echo\r\n  outputEquals: |\r\n    old\r\n\r\n  tags: [a]\r\n";
    assert_eq!(output(text, "a\nb"), text.replace("old", "a\r\n    b"));
    let text = "tests:\n- name: x\n  command: echo\n  outputEquals: old";
    assert_eq!(output(text, "new"), text.replace("old", "new"));
    assert_eq!(
        output(text, "a\nb"),
        text.replace("old", "|\n    a\n    b\n")
    );
    let text = "\u{feff}tests:\n- {name: x, command: echo, outputEquals: old}";
    assert_eq!(output(text, "a\nb"), text.replace("old", r#""a\nb""#));
}

#[test]
fn values_in_brackets_stay_on_their_line() {
    let text = "tests: [{name: x, command: echo, outputEquals: old, tags: [a]}] # end\n";
    for (new, expected) in [
        ("new", "new"),
        ("a, b", "\"a, b\""),
        ("a\nb", r#""a\nb""#),
        ("{a}", "\"{a}\""),
    ] {
        assert_eq!(output(text, new), text.replace("old", expected));
    }
    let text = text.replace("old", "'old'");
    assert_eq!(output(&text, "a, b"), text.replace("old", "a, b"));
}

#[test]
fn shared_values_are_refused() {
    let refused = |text: &str| {
        let value = NewValue::Text("new".to_owned());
        accept(text, "outputEquals", &value).unwrap_err()
    };
    let variable =
        "variables: {v: old}\ntests:\n- {name: x, command: echo, outputEquals: 'a {{v}}'}\n";
    assert_eq!(refused(variable), Refusal::Variable("v".to_owned()));
    let fragment =
        "fragments:\n  f:\n    outputEquals: old\ntests:\n- {name: x, command: echo, $ref: f}\n";
    assert_eq!(refused(fragment), Refusal::Fragment("f".to_owned()));
    let alias = "tests:\n- name: x\n  command: echo\n  outputEquals: &a old\n- name: y\n  command: echo\n  outputEquals: *a\n";
    assert_eq!(refused(alias), Refusal::Alias(7));
    let definition = "x-common: &a old\ntests:\n- name: x\n  command: echo\n  outputEquals: *a\n";
    assert_eq!(refused(definition), Refusal::Alias(5));
    let merge = "x-common: &a {outputEquals: old}\ntests:\n- name: x\n  command: echo\n  <<: *a\n";
    assert_eq!(refused(merge), Refusal::Alias(5));
    let matrix =
        "tests:\n- name: x\n  matrix: {os: [a, b]}\n  command: echo\n  outputEquals: '{{os}}'\n";
    assert_eq!(refused(matrix), Refusal::Variable("os".to_owned()));
}

fn json_of(text: &str) -> Value {
    match assertion(&suite(text), "outputJson").check {
        Check::Json { expected, .. } => expected,
        other => panic!("{other:?}"),
    }
}

fn accepted_json(old: &str, new: &Value) -> String {
    let space = if old.is_empty() || old.starts_with('\n') {
        ""
    } else {
        " "
    };
    let text = format!(
        "tests:\n- name: x\n  command: echo\n  outputJson:\n    /a:{space}{old}\n    /b: 1\n"
    );
    let edited = accept(&text, "outputJson", &NewValue::Json(new.clone()))
        .unwrap_or_else(|refusal| panic!("{refusal}:\n{text}"));
    assert_eq!(json_of(&edited), *new, "{edited}");
    let (head, tail) = (
        "tests:\n- name: x\n  command: echo\n  outputJson:\n    /a:",
        "\n    /b: 1\n",
    );
    let value = edited
        .strip_prefix(head)
        .and_then(|rest| rest.strip_suffix(tail));
    value.expect("only the value changes").to_owned()
}

#[test]
fn json_values_change_only_where_they_differ() {
    for (old, new, expected) in [
        ("1", json!(2), " 2"),
        ("1 # why", json!(true), " true # why"),
        ("open", json!("closed"), " closed"),
        ("open", json!("1"), " \"1\""),
        ("\"1\"", json!(1), " 1"),
        ("open", json!(null), " null"),
        ("", json!(5), " 5"),
        ("~", json!(5), " 5"),
        ("open", json!("a\nb"), " |-\n      a\n      b"),
        ("open", json!("a\n"), " |\n      a"),
        ("open", json!("a\n\n"), " |+\n      a\n"),
        ("open", json!({"x": [1, "a: b"]}), " {x: [1, \"a: b\"]}"),
        ("[1, 2]", json!([1, 3]), " [1, 3]"),
        ("[1, 2]", json!([1]), " [1]"),
        ("[1, 2]", json!([]), " []"),
        (
            "\n      # first\n      - 1 # one\n      # second\n      - 2",
            json!([1, 3]),
            "\n      # first\n      - 1 # one\n      # second\n      - 3",
        ),
        (
            "\n      - 1\n      - 2",
            json!([1, {"k": [true, {}], "l": ""}]),
            "\n      - 1\n      - {k: [true, {}], l: \"\"}",
        ),
        (
            "\n      - 1",
            json!([1, {"k": [true, {}], "l": "<<"}, [[2]]]),
            "\n      - 1\n      - k:\n          - true\n          - {}\n        l: \"<<\"\n      - - - 2",
        ),
        (
            "\n      k: 1 # why\n      l: {m: x}",
            json!({"l": {"m": "y"}, "k": 2}),
            "\n      k: 2 # why\n      l: {m: y}",
        ),
        (
            "\n      k: 1",
            json!({"k": 1, "l: m": {}}),
            "\n      k: 1\n      \"l: m\": {}",
        ),
        ("{k: '{'}", json!({"k": "{{v}}"}), " {k: '\\{{v}}'}"),
    ] {
        assert_eq!(accepted_json(old, &new), expected, "{old:?} {new}");
    }
}

#[test]
fn a_key_that_yaml_cannot_express_is_refused() {
    let text = "tests:\n- name: x\n  command: echo\n  outputJson: {/a: 1}\n";
    let merge = NewValue::Json(json!({"<<": {"b": 1}}));
    assert_eq!(accept(text, "outputJson", &merge), Err(Refusal::NotInPlace));
}

#[test]
fn several_values_change_at_once() {
    let text = "tests:\n- name: x\n  command: echo\n  stdoutEquals: a\n  stderr: |\n    b\n  files:\n    f:\n      equals: c # why\n";
    let suite = suite(text);
    let file = SourceFile::new("a.casebook.yaml", text);
    let editor = SuiteEditor::new(&file).unwrap();
    let changes: Vec<_> = ["stdoutEquals", "stderr", "files"]
        .map(|field| {
            let value = NewValue::Text(format!("{field}\nnew"));
            editor
                .change(assertion(&suite, field).span, &value)
                .unwrap()
        })
        .into();
    let edited = editor.apply(&changes.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(
        edited,
        "tests:\n- name: x\n  command: echo\n  stdoutEquals: |\n    stdoutEquals\n    new\n  stderr: |\n    stderr\n    new\n  files:\n    f:\n      equals: | # why\n        files\n        new\n"
    );
}

/// A value in any style, in a suite with other values around it.
fn suites() -> impl Strategy<Value = (String, String, String)> {
    let value = prop_oneof![
        Just("old".to_owned()),
        Just("'old'".to_owned()),
        Just("\"old\"".to_owned()),
        Just("&anchor old".to_owned()),
        Just("|\n{i}old".to_owned()),
        Just("|-\n{i}old\n\n{i}  text".to_owned()),
        Just("|+\n{i}old\n\n".to_owned()),
        Just("|2\n{i}  old\n{i}text".to_owned()),
        Just(">-\n{i}old\n{i}text\n".to_owned()),
        Just("old\n{i}text".to_owned()),
    ];
    let after = prop_oneof![
        Just(""),
        Just("\n"),
        Just("\n\n"),
        Just(" # comment\n"),
        Just("\n{k}tags: [a]\n"),
        Just("\n\n{k}# note\n{k}stdin: |\n{i}text\n"),
        Just("\n- {name: y, command: ls}\n# end"),
    ];
    let column = 0..3_usize;
    let next_line = prop_oneof![Just(""), Just("\n{i}")];
    (value, after, column, next_line, any::<bool>()).prop_map(
        |(value, after, column, next_line, crlf)| {
            let column = 2 + column * 2;
            let (key, content) = (" ".repeat(column), " ".repeat(column + 2));
            let fill = |text: &str| {
                let text = text.replace("{k}", &key).replace("{i}", &content);
                if crlf {
                    text.replace('\n', "\r\n")
                } else {
                    text
                }
            };
            // A comment or another key follows only a value that ends its line.
            let head = format!(
                "# suite\ntests:\n-{}name: x\n{key}command: echo\n{key}outputEquals: {next_line}",
                " ".repeat(column - 1)
            );
            let after = if value.contains('\n') && after.starts_with(' ') {
                "\n"
            } else {
                after
            };
            (fill(&head), fill(&value), fill(after))
        },
    )
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\n]{0,40}",
        "[ \t\n#:{}'\"|>a-]{0,20}",
        "( {0,3}[a-c]{0,2} {0,2}\n){0,5}x?",
        proptest::collection::vec(Just("{{name}} \\{{ "), 0..3).prop_map(|parts| parts.concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// The file parses, the value is the new one, and all other bytes are equal.
    #[test]
    fn any_text_can_be_accepted_in_any_style((head, value, after) in suites(), text in texts()) {
        let text = text.trim_end_matches('\n');
        let before = format!("{head}{value}{after}");
        let edited = output(&before, text);
        prop_assert!(edited.starts_with(&head), "{}", edited);
        // A comment stays on the line of the value, or of the header of a block; the following lines stay below.
        let (comment, below) = after.split_at(after.find(['\r', '\n']).unwrap_or(after.len()));
        let line = edited[head.len()..].lines().next().unwrap_or_default();
        prop_assert!(line.ends_with(comment), "{:?}\n{:?}", before, edited);
        // A block at the end of a file without a final newline ends its last line.
        let ends_same = edited.ends_with(below) || below.is_empty();
        prop_assert!(ends_same, "{:?}\n{:?}", before, edited);
        let value = &edited[head.len()..edited.len() - below.len()];
        prop_assert!(!value.contains("tags:") && !value.contains("stdin:"), "{:?}", edited);
        let file = SourceFile::new("a", &*edited);
        prop_assert!(yaml::parse(&file).diagnostics.is_empty());
    }

    #[test]
    fn any_json_can_be_accepted(value in json_values(), old in old_json()) {
        accepted_json(&old, &value);
    }
}

fn json_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        texts().prop_map(Value::from),
        Just(json!("true")),
        Just(json!("1e3")),
        Just(json!(0.5)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((texts(), inner), 0..4)
                .prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn old_json() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("1"),
        Just("'x'"),
        Just(""),
        Just("[1, {a: 2}]"),
        Just("{a: 1, b: [x]}"),
        Just("\n      - 1\n      # note\n      - a: 2"),
        Just("\n      a: 1\n      b: |\n        x"),
        Just("|\n      text"),
    ]
    .prop_map(str::to_owned)
}
