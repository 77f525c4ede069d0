//! Unusual input has a clear result.

use casebook_design::metadata::document::Document;
use casebook_design::metadata::to_yaml;
use casebook_design::on_deep_stack;
use casebook_design::outline::outline;
use casebook_design::ruby::{AnalysisOptions, RubyError, analyze_all};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn count(source: &[u8]) -> Result<usize, RubyError> {
    on_deep_stack(|| {
        analyze_all(source, "a.rb", AnalysisOptions::default()).map(|found| found.len())
    })
}

fn many(numbers: std::ops::Range<usize>, text: impl Fn(usize) -> String) -> String {
    numbers.map(text).collect::<Vec<_>>().concat()
}

#[test]
fn unusual_files_have_a_clear_result() {
    assert_eq!(count(b""), Ok(0));
    assert_eq!(count(b"\xef\xbb\xbfdef a; end"), Ok(1));
    assert_eq!(count(b"def a; end\n__END__\ndef b("), Ok(1));
    assert_eq!(
        count(b"# encoding: iso-8859-1\ndef a; x if b == '\xe9'; end"),
        Ok(1)
    );
    assert!(matches!(
        count(b"def a\n  if x\nend"),
        Err(RubyError::Syntax { .. })
    ));
    assert!(matches!(
        count(b"class A; def b; \xff\xfe; end; end"),
        Err(RubyError::Syntax { .. })
    ));
    assert!(count(b"\0\0\0").is_err() || count(b"\0\0\0") == Ok(0));
}

#[test]
fn deep_code_is_refused_and_large_code_is_not() {
    let deep = |depth: usize| format!("def a\n{}x{}\nend", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(count(deep(500).as_bytes()), Ok(1));
    assert!(count(deep(100_000).as_bytes()).is_err());
    let chain = format!("def a\n  x if b{}\nend", ".c".repeat(1_000_000));
    assert_eq!(count(chain.as_bytes()), Err(RubyError::TooDeep));
    let sum = format!("def a\n  {}1\nend", "1 + ".repeat(200_000));
    assert_eq!(count(sum.as_bytes()), Err(RubyError::TooDeep));
    let wide = many(0..40_000, |n| {
        format!("def m{n}(a)\n  return {n} if a.b{n}?\n  x\nend\n")
    });
    assert!(wide.len() > 1_500_000);
    assert_eq!(count(wide.as_bytes()), Ok(40_000));
    let many_arms = many(0..5_000, |n| format!("when :s{n} then {n}\n"));
    assert_eq!(
        count(format!("def a(b)\ncase b\n{many_arms}end\nend").as_bytes()),
        Ok(1)
    );
    let conditions = many(0..30_000, |n| format!("x if a.b{n}?\n"));
    let only = on_deep_stack(|| {
        analyze_all(
            format!("def a(a)\n{conditions}end").as_bytes(),
            "a.rb",
            AnalysisOptions::default(),
        )
    });
    assert!(matches!(
        only.unwrap()[0],
        Err(RubyError::TooMany { count: 30_000, .. })
    ));
    let elsifs = many(0..1_500, |n| format!("elsif a.b{n}.c{n}?\n  {n}\n"));
    assert!(count(format!("def a(a)\nif a.x.y?\n 1\n{elsifs}end\nend").as_bytes()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_panics_the_readers(text in "[a-z?!&|()\\[\\]{}:.,;=<>'\"#@\n 0-9]{0,200}") {
        let ruby = format!("def a(b)\n{text}\nend");
        let _ = count(ruby.as_bytes());
        let _ = on_deep_stack(|| outline(text.as_bytes(), "a"));
        let _ = Document::parse("a", text);
    }

    #[test]
    fn written_documents_can_be_read(value in documents()) {
        let text = to_yaml(&value);
        let read = Document::parse("a", text.clone()).unwrap();
        prop_assert_eq!(read.value(), &value, "{}", text);
    }

    #[test]
    fn an_edit_changes_nothing_else(value in documents(), key in "[a-z]{1,4}", new in texts()) {
        let mut document = Document::new(value.clone());
        document.set(&key, &json!(new));
        let mut expected = value;
        expected.insert(key.clone(), json!(new));
        let read = Document::parse("a", document.text().to_owned()).unwrap();
        let sorted = |map: &Map<String, Value>| { let mut all: Vec<_> = map.clone().into_iter().collect(); all.sort_by(|a, b| a.0.cmp(&b.0)); all };
        prop_assert_eq!(sorted(read.value()), sorted(&expected));
        document.set_in(&key, "inner", &json!([new]));
        let read = Document::parse("a", document.text().to_owned()).unwrap();
        prop_assert_eq!(&read.value()[&key]["inner"], &json!([new]));
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{0,8}",
        "[ -~]{0,12}",
        "\\PC{0,8}",
        prop::sample::select(vec![
            "no",
            "on",
            "1",
            "null",
            "~",
            "1.5",
            "2026-11-15",
            ":a",
            "- a",
            "a: b",
            "#x",
            "|",
            "'",
            "\n",
            "\t"
        ])
        .prop_map(ToOwned::to_owned),
    ]
}

fn documents() -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,6}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    });
    prop::collection::vec(("[a-z]{1,8}", value), 1..5)
        .prop_map(|entries| entries.into_iter().collect())
}
