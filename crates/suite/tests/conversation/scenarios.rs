//! Tests of scenarios: one test for each, and their problems.

use super::*;

#[test]
fn each_scenario_becomes_a_test() {
    let suite = suite(&with_base(
        "simulate: {goal: '{{scenario.goal}}', context: ['{{scenario.size}} people']}\n    scenarios: venues.json\n    trials: 3",
    ));
    let names: Vec<_> = suite.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(
        names,
        ["t [scenario=corporate event]", "t [scenario=wedding]"]
    );
    let conversations: Vec<_> = suite
        .tests
        .iter()
        .filter_map(|test| test.conversation())
        .collect();
    let scenario = conversations[0]
        .scenario
        .as_ref()
        .expect("the test must have a scenario");
    assert_eq!(scenario["goal"], "Find a venue 🏢");
    assert_eq!(scenario["likes"], json!(["wine", "jazz"]));
    assert_eq!(conversations[1].trials.count, 3);
    let User::Simulated(user) = &conversations[1].user else {
        panic!("the user must be simulated");
    };
    assert_eq!(
        (user.goal.as_str(), user.context.as_slice()),
        ("Marry", &["120 people".to_owned()][..])
    );
    assert_eq!(suite.files.len(), 1);
    assert_eq!(suite.files[0].0, "venues.json");
}

#[test]
fn fields_of_a_scenario_are_variables() {
    let texts = |scenarios: &str, user: &str| {
        let text = with_base(&format!(
            "conversation: [{{user: \"{user}\"}}]\n    scenarios: {scenarios}"
        ));
        match problems(&text).as_slice() {
            [] => conversation(&text),
            problems => panic!("{problems:?}"),
        }
    };
    for (scenarios, user, expected) in [
        (
            "venues.yaml",
            "{{scenario.size}}: {{scenario.goal}}",
            "1.10: Dance {{all}} night",
        ),
        (
            "[{name: n, goal: g, a: {b: [x, 2], c: true}}]",
            "{{scenario.a.b}} {{scenario.a.b.1}} {{scenario.a.c}}",
            "x, 2 2 true",
        ),
        (
            "[{name: n, goal: 'my {{scenario_name}}'}]",
            "{{scenario.goal}}",
            "my own",
        ),
    ] {
        let scenarios = scenarios.replace("{{scenario_name}}", "own");
        let User::Scripted(turns) = texts(&scenarios, user).user else {
            panic!("the user must be scripted");
        };
        assert_eq!(turns[0].text, expected);
    }
    let missing = problems_of_test(
        "conversation: [{user: '{{scenario.sise}} {{scenario.palce}}'}]\n    scenarios: venues.json",
    );
    assert_eq!(
        missing,
        [
            "10:28 undefined-variable: `{{scenario.sise}}` is not defined in the scenarios `corporate event` and `wedding` (did you mean `{{scenario.size}}`?)",
            "10:46 undefined-variable: `{{scenario.palce}}` is not defined in the scenarios `corporate event` and `wedding` (did you mean `{{scenario.place}}`?)",
        ]
    );
}

#[test]
fn a_value_that_is_only_a_name_keeps_its_type() {
    let patterns = |with: &str| {
        let text = with_base(&format!(
            "matrix: {{n: [3], flag: [true], text: ['3'], map: [{{a: 1}}]}}\n    \
             scenarios: [{{name: s, goal: g, size: 50, tags: [a, 1], place: {{city: Bonn, zip: 5}}, n: '{{{{n}}}}'}}]\n    \
             conversation: [{{user: Hi, expect: [{{called: {{tool: book, with: {{x: {with}}}}}}}]}}]"
        ));
        let problems = problems(&text);
        assert!(problems.is_empty(), "{problems:?}");
        let User::Scripted(turns) = conversation(&text).user else {
            panic!("the user must be scripted");
        };
        let ConversationCheck::Called(check) = &turns[0].expectations[0].check else {
            panic!("the check must be `called`");
        };
        let Some(Pattern::Has(mut with)) = check.call.with.clone() else {
            panic!("the check must have arguments");
        };
        with.remove(0).1
    };
    let is = Pattern::Is;
    let place = Pattern::Has(vec![
        ("city".into(), is(json!("Bonn"))),
        ("zip".into(), is(json!(5))),
    ]);
    for (with, expected) in [
        ("'{{n}}'", is(json!(3))),
        ("'{{flag}}'", is(json!(true))),
        ("'{{text}}'", is(json!("3"))),
        ("'{{scenario.size}}'", is(json!(50))),
        ("'{{ scenario.size }}'", is(json!(50))),
        ("'{{scenario.size}} people'", is(json!("50 people"))),
        ("'{{scenario.n}}'", is(json!(3))),
        (
            "'{{scenario.tags}}'",
            Pattern::List(vec![is(json!("a")), is(json!(1))]),
        ),
        ("'to {{scenario.tags}}'", is(json!("to a, 1"))),
        ("'{{scenario.place}}'", place),
        ("'{{scenario.place.zip}}'", is(json!(5))),
        (
            "{equals: '{{scenario.place}}'}",
            is(json!({"city": "Bonn", "zip": 5})),
        ),
        ("'{{map}}'", Pattern::Has(vec![("a".into(), is(json!(1)))])),
        ("'is {{map}}'", is(json!(r#"is {"a":1}"#))),
        (
            "{oneOf: ['{{n}}', '{{text}}']}",
            Pattern::OneOf(vec![json!(3), json!("3")]),
        ),
    ] {
        assert_eq!(patterns(with), expected, "{with}");
    }
}

#[test]
fn reports_problems_in_scenario_files_with_positions() {
    let of = |scenarios: &str| {
        problems_of_test(&format!(
            "conversation: [{{user: Hi}}]\n    scenarios: {scenarios}"
        ))
    };
    for (scenarios, expected) in [
        (
            "bad.json",
            &[
                "suites/bad.json:2:3 bad-scenario: the scenario `a` has no `goal`",
                "suites/bad.json:3:3 bad-scenario: the scenario has no `name`",
                "suites/bad.json:4:3 bad-scenario: a scenario must be a mapping, not a number",
            ][..],
        ),
        (
            "nowhere.json",
            &[
                "11:16 bad-scenario: cannot read the scenarios in `nowhere.json`: no such file or directory (the path is relative to the suite's directory)",
            ],
        ),
        (
            "map.yaml",
            &[
                "suites/map.yaml:1:1 bad-scenario: a scenario file must be a list of at least one mapping",
            ],
        ),
        (
            "empty.yaml",
            &[
                "suites/empty.yaml:1:1 bad-scenario: a scenario file must be a list of at least one mapping",
            ],
        ),
        (
            "[]",
            &["11:16 bad-scenario: `scenarios` must contain at least one scenario"],
        ),
        (
            "[{name: a}]",
            &["11:17 bad-scenario: the scenario `a` has no `goal`"],
        ),
        (
            "{name: a}",
            &[
                "11:16 wrong-value: `scenarios` must be the path of a file or a list of mappings, not a mapping",
            ],
        ),
    ] {
        assert_eq!(of(scenarios), expected, "{scenarios}");
    }
    assert_eq!(of("broken.json").len(), 1);
}

#[test]
fn scenarios_can_be_rows_of_a_file() {
    let scenarios = |file: &str| {
        let text = with_base(&format!(
            "conversation: [{{user: Hi}}]\n    scenarios: {file}"
        ));
        let suite = suite(&text);
        let tests = suite.tests.iter();
        let scenarios = tests.filter_map(|test| test.conversation()?.scenario.clone());
        json!(scenarios.collect::<Vec<_>>())
    };
    assert_eq!(
        scenarios("rows.jsonl"),
        json!([{"name": "a", "goal": "g", "n": 3}, {"name": "b", "goal": "h"}])
    );
    assert_eq!(
        scenarios("rows.csv"),
        json!([
            {"name": "Ada, née King", "goal": "Find\na table", "n": 2, "ok": true, "place": {"city": "Bonn"}, "zip": "01099"},
            {"name": "b", "goal": "h", "ok": false, "zip": "7"},
        ])
    );
}

#[test]
fn reports_problems_in_rows_with_their_lines() {
    let of = |file: &str| {
        problems_of_test(&format!(
            "conversation: [{{user: Hi}}]\n    scenarios: {file}"
        ))
    };
    let with_json = of("bad.jsonl");
    assert_eq!(
        with_json[..2],
        [
            "suites/bad.jsonl:1:1 bad-scenario: the scenario `a` has no `goal`",
            "suites/bad.jsonl:2:1 bad-scenario: a scenario must be a mapping: `{\"name\": …, \"goal\": …}`",
        ]
    );
    let start = "suites/bad.jsonl:3:1 bad-scenario: the line is not JSON (column 6): EOF";
    assert!(with_json[2].starts_with(start), "{with_json:?}");
    assert_eq!(
        of("bad.csv"),
        [
            "suites/bad.csv:2:1 bad-scenario: the scenario `a` has no `goal`",
            "suites/bad.csv:3:1 bad-scenario: `n` must be a number, got 'two'",
            "suites/bad.csv:4:1 bad-scenario: wrong number of fields: 2, but the header has 3",
            "suites/bad.csv:5:1 bad-scenario: wrong number of fields: 4, but the header has 3",
            "suites/bad.csv:6:1 bad-scenario: `n` must be a number, got 'three'",
        ]
    );
    for (file, problem) in [
        (
            "quote.csv",
            "4:1 bad-scenario: a quotation mark is not closed, so the rest of the file is one value (add the closing `\"`; inside of a value, write `\"\"`)",
        ),
        (
            "end.csv",
            "2:1 bad-scenario: a quotation mark is not closed, so the rest of the file is one value (add the closing `\"`; inside of a value, write `\"\"`)",
        ),
        (
            "semicolon.csv",
            "1:1 bad-scenario: the columns are separated by `;` instead of commas (save the file with commas)",
        ),
        (
            "tab.csv",
            "1:1 bad-scenario: the columns are separated by tabs instead of commas (save the file with commas)",
        ),
    ] {
        assert_eq!(of(file), [format!("suites/{file}:{problem}")]);
    }
    assert_eq!(
        of("type.csv"),
        [
            "suites/type.csv:1:1 bad-scenario: unknown type `numbr` of a column (did you mean `number`?)"
        ]
    );
}
