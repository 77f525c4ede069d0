use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::{write_line, write_pretty};
use super::*;

fn line(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    write_line(&mut text, value).unwrap();
    String::from_utf8(text).unwrap()
}

fn pretty(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    write_pretty(&mut text, value).unwrap();
    String::from_utf8(text).unwrap()
}

fn same_as_serde_json(value: &impl Serialize) {
    assert_eq!(line(value), serde_json::to_string(value).unwrap());
    assert_eq!(pretty(value), serde_json::to_string_pretty(value).unwrap());
}

#[test]
fn every_character_is_written_as_serde_json_writes_it() {
    for character in (0..0x100).chain([0x2028, 0xfeff, 0x1_f600]) {
        let character = char::from_u32(character).unwrap();
        // At every place of a piece and of what is left after the last one.
        for before in 0..20 {
            let text = "x".repeat(before) + &character.to_string() + "and some more text";
            same_as_serde_json(&text);
            same_as_serde_json(&BTreeMap::from([(&text, 1)]));
        }
        same_as_serde_json(&character);
    }
}

#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(u8, &'static str),
    Struct { empty: Vec<u8>, list: Vec<Shape> },
    Nothing {},
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(f64);

#[derive(Serialize)]
struct Pair(Option<i64>, ());

#[test]
fn every_kind_of_data_is_written_as_serde_json_writes_it() {
    same_as_serde_json(&(
        Shape::Struct {
            empty: Vec::new(),
            list: vec![
                Shape::Unit,
                Shape::Newtype(7),
                Shape::Tuple(1, "\n"),
                Shape::Nothing {},
            ],
        },
        Unit,
        (Newtype(0.1), Newtype(-1e300), Newtype(f64::NAN), 1.5_f32),
        (Pair(Some(i64::MIN), ()), Pair(None, ())),
        (u64::MAX, i128::MIN, u128::MAX, -1_i8, 2_u16),
        (true, false, 'c'),
        BTreeMap::from([("\"", [1, 2])]),
        serde_json::from_str::<Value>("[123456789012345678901234567890, 1.10, -0]").unwrap(),
    ));
}

#[test]
fn a_key_that_is_no_text_is_refused() {
    let error = write_line(&mut Vec::new(), &BTreeMap::from([(1, 2)])).unwrap_err();
    assert_eq!(error.to_string(), "a key must be a text");
}

#[test]
fn what_is_long_goes_out_in_parts_and_a_sink_that_refuses_says_why() {
    struct Sink(usize, Vec<u8>);
    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
            self.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let long = json!({"list": vec!["0123456789"; 100_000], "after": {"a": 1}});
    let mut sink = Sink(100, Vec::new());
    write_pretty(&mut sink, &long).unwrap();
    assert!((60..85).contains(&sink.0), "{} parts", 100 - sink.0);
    assert_eq!(sink.1, serde_json::to_vec_pretty(&long).unwrap());
    let error = write_pretty(&mut Sink(2, Vec::new()), &long).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

fn values() -> impl Strategy<Value = Value> {
    let text = "[ -~\\x00-\\x1f\"\\\\é😀]{0,40}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((text, inner), 0..6)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_written_as_serde_json_writes_it(value in values()) {
        same_as_serde_json(&value);
    }
}
