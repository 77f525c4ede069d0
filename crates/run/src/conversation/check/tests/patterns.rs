//! Patterns of arguments.

use super::*;

#[test]
fn nested_patterns_are_matched() {
    assert_matches([
        (has([]), json!({}), true),
        (has([]), json!({"a": 1}), true),
        (has([]), json!([]), false),
        (has([("a", is(json!(10)))]), json!({"a": 10.0}), true),
        (has([("a", is(json!(10)))]), json!({"a": "10"}), false),
        (has([("a", is(json!("10")))]), json!({"a": 10}), false),
        (has([("a", is(json!(false)))]), json!({"a": false}), true),
        (has([("a", is(json!(false)))]), json!({"a": null}), false),
        (has([("a", is(json!(false)))]), json!({}), false),
        (has([("a", is(Value::Null))]), json!({"a": null}), true),
        (has([("a", is(Value::Null))]), json!({}), false),
        (has([("a", is(json!(1)))]), json!({"a": 1, "b": 2}), true),
        (
            has([("a", has([("b", has([("c", is(json!(1)))]))]))]),
            json!({"a": {"b": {"c": 1, "d": 2}}}),
            true,
        ),
        (
            has([("a", has([("b", is(json!(1)))]))]),
            json!({"a": {"b": 2}}),
            false,
        ),
        (
            has([("a", has([("b", is(json!(1)))]))]),
            json!({"a": 1}),
            false,
        ),
        (
            has([(
                "a",
                Pattern::List(vec![is(json!(1)), has([("b", is(json!(2)))])]),
            )]),
            json!({"a": [1, {"b": 2, "c": 3}]}),
            true,
        ),
        (
            has([("a", Pattern::List(vec![is(json!(1))]))]),
            json!({"a": [1, 2]}),
            false,
        ),
        (has([("a", Pattern::List(vec![]))]), json!({"a": []}), true),
        (
            has([("a", Pattern::List(vec![]))]),
            json!({"a": [1]}),
            false,
        ),
        (has([("a", Pattern::List(vec![]))]), json!({"a": {}}), false),
    ]);
}

#[test]
fn matchers_are_applied() {
    let within = |min, max| Pattern::Within(bounds(min, max));
    assert_matches([
        (
            has([("a", Pattern::Matches("^Blue".into()))]),
            json!({"a": "Blue Room"}),
            true,
        ),
        (
            has([("a", Pattern::Matches("^Room".into()))]),
            json!({"a": "Blue Room"}),
            false,
        ),
        (
            has([("a", Pattern::Matches("1".into()))]),
            json!({"a": 1}),
            false,
        ),
        (
            has([("a", within(Some(10.0), None))]),
            json!({"a": 10}),
            true,
        ),
        (
            has([("a", within(Some(10.0), None))]),
            json!({"a": 9.5}),
            false,
        ),
        (
            has([("a", within(None, Some(10.0)))]),
            json!({"a": 11}),
            false,
        ),
        (
            has([("a", within(Some(1.0), Some(2.0)))]),
            json!({"a": 1.5}),
            true,
        ),
        (
            has([("a", within(Some(1.0), None))]),
            json!({"a": "5"}),
            false,
        ),
        (has([("a", within(Some(1.0), None))]), json!({}), false),
        (
            has([("a", Pattern::OneOf(vec![json!(1), json!({"b": [2]})]))]),
            json!({"a": {"b": [2.0]}}),
            true,
        ),
        (
            has([("a", Pattern::OneOf(vec![json!(1), json!("x")]))]),
            json!({"a": "y"}),
            false,
        ),
        (has([("a", Pattern::Absent)]), json!({"b": 1}), true),
        (has([("a", Pattern::Absent)]), json!({"a": null}), false),
        (
            has([("a", has([("b", Pattern::Absent)]))]),
            json!({"a": 1}),
            false,
        ),
        (
            has([("a", has([("b", Pattern::Absent)]))]),
            json!({"a": {}}),
            true,
        ),
        // A missing value has no fields.
        (has([("a", has([("b", Pattern::Absent)]))]), json!({}), true),
    ]);
}
