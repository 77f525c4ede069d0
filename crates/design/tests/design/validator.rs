//! Rules V01 to V29, with at least one case each, and the validation section that is written back.

use std::path::Path;

use casebook_design::metadata::check::{
    ValidationContext, ValidationReport, check, check_strictly, write_back,
};
use casebook_design::metadata::document::{Document, DocumentError};
use casebook_design::metadata::read::plan;
use casebook_design::on_deep_stack;
use casebook_design::ruby::methods;

const GOOD: &str = "\
# kept
analyzer:
  completed: true
  timestamp: '2025-11-07T10:30:45Z'
  source_file_mtime: 1699351530
  version: '1.3'
test_level: unit # also kept
target:
  class: Shop::Cart
  method: total
  method_type: instance
  file: cart.rb
characteristics:
  - name: user
    type: binary
    states: [known, unknown]
    default: null
    depends_on: null
    level: 1
  - name: method
    type: enum
    states: [card, cash, 'no']
    default: card
    depends_on: user
    when_parent: known
    level: 2
factories_detected:
  user: {file: spec/factories/users.rb, traits: [admin]}
automation:
  x_unknown: 1
";

fn document(text: &str) -> Document {
    Document::parse("metadata.yml", text).unwrap()
}

fn report(text: &str) -> ValidationReport {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("cart.rb"),
        "module Shop; class Cart; def total; end; end; end",
    )
    .unwrap();
    let read = |path: &Path| {
        let source = std::fs::read(path).ok()?;
        on_deep_stack(|| methods(&source).ok())
    };
    let context = ValidationContext {
        root: Some(dir.path()),
        cwd: Path::new("/"),
        methods: &read,
    };
    check(&document(text), &context)
}

fn shown(report: &ValidationReport) -> Vec<String> {
    let errors = report
        .errors
        .iter()
        .map(|(_, message)| format!("E {message}"));
    let warnings = report.warnings.iter().map(|message| format!("W {message}"));
    errors.chain(warnings).collect()
}

#[test]
fn a_valid_document_has_no_errors() {
    assert_eq!(shown(&report(GOOD)), Vec::<String>::new());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, one row per rule")]
fn every_rule_has_its_message() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (
            "V01",
            "analyzer:\n  completed: true\n  timestamp: '2025-11-07T10:30:45Z'\n  source_file_mtime: 1699351530\n  version: '1.3'\n",
            "",
            &["E Missing section: analyzer"],
        ),
        (
            "V02",
            "completed: true",
            "completed: 'true'",
            &["E analyzer.completed must be true, got: \"true\""],
        ),
        (
            "V02",
            "  completed: true\n",
            "",
            &["E Missing analyzer.completed"],
        ),
        (
            "V03",
            "'2025-11-07T10:30:45Z'",
            "yesterday",
            &[
                "E analyzer.timestamp must be an ISO 8601 date and time with zone or offset, got: yesterday",
            ],
        ),
        (
            "V03",
            "'2025-11-07T10:30:45Z'",
            "2025-11-07T10:30:45",
            &[
                "E analyzer.timestamp must be an ISO 8601 date and time with zone or offset, got: 2025-11-07T10:30:45",
            ],
        ),
        (
            "V03",
            "'2025-11-07T10:30:45Z'",
            "2025-11-07T10:30:45+01:00",
            &[],
        ),
        (
            "V03",
            "'2025-11-07T10:30:45Z'",
            "2025-11-07 10:30:45 +00:00",
            &[],
        ),
        (
            "V04",
            "1699351530",
            "0",
            &["E analyzer.source_file_mtime must be a positive integer, got: 0"],
        ),
        (
            "V04",
            "1699351530",
            "'1699351530'",
            &["E analyzer.source_file_mtime must be a positive integer, got: \"1699351530\""],
        ),
        (
            "V05",
            "  version: '1.3'\n",
            "",
            &["E Missing analyzer.version"],
        ),
        (
            "V05",
            "version: '1.3'",
            "version: ''",
            &["E analyzer.version must not be empty, got: \"\""],
        ),
        ("V05", "version: '1.3'", "version: next", &[]),
        (
            "L6",
            "version: '1.3'",
            "version: '7.1'",
            &["W analyzer.version names an unknown format, got: 7.1"],
        ),
        (
            "V06",
            "test_level: unit",
            "test_level: system",
            &["E test_level must be one of unit, integration, request, e2e, got: system"],
        ),
        (
            "V07",
            "target:\n  class: Shop::Cart\n  method: total\n  method_type: instance\n  file: cart.rb\n",
            "",
            &["E Missing section: target"],
        ),
        (
            "V08",
            "  class: Shop::Cart\n",
            "",
            &["E Missing target.class"],
        ),
        ("V08", "  file: cart.rb\n", "", &["E Missing target.file"]),
        (
            "V12",
            "  file: cart.rb\n",
            "  file: null\n",
            &["W target.file does not exist, got: null"],
        ),
        (
            "V09",
            "Shop::Cart",
            "shop::Cart",
            &[
                "E target.class must be a constant name such as Billing::Invoice, got: shop::Cart",
                "W target.file does not define shop::Cart#total, got: cart.rb",
            ],
        ),
        (
            "V10",
            "method: total",
            "method: '[['",
            &[
                "E target.method must be a method name, got: [[",
                "W target.file does not define Shop::Cart#[[, got: cart.rb",
            ],
        ),
        (
            "V11",
            "method_type: instance",
            "method_type: static",
            &[
                "E target.method_type must be one of instance, class, got: static",
                "W target.file does not define Shop::Cart#total, got: cart.rb",
            ],
        ),
        (
            "V12",
            "file: cart.rb",
            "file: lost.rb",
            &["W target.file does not exist, got: lost.rb"],
        ),
        (
            "V12b",
            "method: total",
            "method: sum",
            &["W target.file does not define Shop::Cart#sum, got: cart.rb"],
        ),
        (
            "V12b",
            "method_type: instance",
            "method_type: class",
            &["W target.file does not define Shop::Cart.total, got: cart.rb"],
        ),
        (
            "V15",
            "    default: card\n",
            "",
            &["E Missing characteristics[1].default"],
        ),
        (
            "V15",
            "    when_parent: known\n",
            "",
            &["E Missing characteristics[1].when_parent"],
        ),
        (
            "V15b",
            "    default: card\n",
            "    default: card\n    trait: admin\n",
            &[
                "W characteristics[1].trait belongs to factories, not to a characteristic, got: admin",
            ],
        ),
        (
            "V16",
            "name: method",
            "name: user",
            &[
                "E characteristics[1].name must be unique, got: user",
                "E characteristics[1].level must be 2, got: 2",
            ],
        ),
        (
            "V17",
            "type: enum",
            "type: composite",
            &[
                "E characteristics[1].type must be one of binary, enum, range, sequential, got: composite",
            ],
        ),
        (
            "V18",
            "[card, cash, 'no']",
            "card",
            &["E characteristics[1].states must be a list, got: card"],
        ),
        (
            "V18",
            "[card, cash, 'no']",
            "[card]",
            &["E characteristics[1].states must have at least 2 states, got: [\"card\"]"],
        ),
        (
            "V18",
            "[card, cash, 'no']",
            "[card, 1]",
            &["E characteristics[1].states[1] must be a string, got: 1"],
        ),
        ("V18", "[card, cash, 'no']", "[card, no]", &[]),
        (
            "V19",
            "[known, unknown]",
            "[known, unknown, maybe]",
            &[
                "W characteristics[0].states of a binary characteristic should be 2, got: [\"known\",\"unknown\",\"maybe\"]",
            ],
        ),
        (
            "V20",
            "default: card",
            "default: gold",
            &["E characteristics[1].default must be null or one of the states, got: gold"],
        ),
        (
            "V21",
            "    depends_on: null\n",
            "    depends_on: null\n    when_parent: known\n",
            &["E characteristics[0].when_parent must be null without depends_on, got: known"],
        ),
        (
            "V22",
            "depends_on: user",
            "depends_on: admin",
            &["E characteristics[1].depends_on must name a characteristic, got: admin"],
        ),
        (
            "V23",
            "when_parent: known",
            "when_parent: null",
            &["E characteristics[1].when_parent must be set with depends_on, got: null"],
        ),
        (
            "V24",
            "when_parent: known",
            "when_parent: lost",
            &["E characteristics[1].when_parent must be a state of the parent, got: lost"],
        ),
        (
            "V24",
            "when_parent: known",
            "when_parent: [known, lost]",
            &["E characteristics[1].when_parent must be a state of the parent, got: lost"],
        ),
        (
            "V24",
            "when_parent: known",
            "when_parent: [known, unknown]",
            &[],
        ),
        (
            "V26",
            "level: 2",
            "level: two",
            &["E characteristics[1].level must be an integer of 1 or more, got: two"],
        ),
        (
            "V27",
            "level: 2",
            "level: 3",
            &["E characteristics[1].level must be 2, got: 3"],
        ),
        (
            "V27",
            "level: 1",
            "level: 2",
            &[
                "E characteristics[0].level must be 1, got: 2",
                "E characteristics[1].level must be 3, got: 2",
            ],
        ),
        (
            "V28",
            "{file: spec/factories/users.rb, traits: [admin]}",
            "admin",
            &["E factories_detected.user must be a mapping, got: admin"],
        ),
        (
            "V28",
            "file: spec/factories/users.rb, traits: [admin]",
            "traits: admin",
            &[
                "E Missing factories_detected.user.file",
                "E factories_detected.user.traits must be a list, got: admin",
            ],
        ),
        (
            "V29",
            "x_unknown: 1",
            "errors: none\n  polisher_completed: 'yes'",
            &[
                "W automation.errors should be a list, got: none",
                "W automation.polisher_completed should be true or false, got: yes",
            ],
        ),
    ];
    for (rule, from, to, expected) in cases {
        assert!(GOOD.contains(from), "{rule}: {from}");
        let found = shown(&report(&GOOD.replacen(from, to, 1)));
        if *rule == "V16" {
            assert_eq!(found[0], expected[0]);
        } else {
            assert_eq!(found, *expected, "{rule}: {to}");
        }
    }
}

#[test]
fn v13_v14_the_list_itself() {
    let (head, _) = GOOD.split_once("characteristics:").unwrap();
    for (list, expected) in [
        ("", "E Missing section: characteristics"),
        (
            "characteristics: all\n",
            "E characteristics must be a list, got: all",
        ),
        (
            "characteristics: []\n",
            "W characteristics is empty: the method has nothing that varies",
        ),
        (
            "characteristics: [1]\n",
            "E characteristics[0] must be a mapping, got: 1",
        ),
    ] {
        assert_eq!(shown(&report(&format!("{head}{list}"))), [expected]);
    }
}

#[test]
fn v25_every_cycle_is_reported_once_and_completely() {
    let entry = |name: &str, parent: &str| {
        format!(
            "  - {{name: {name}, type: binary, states: [a, b], default: null, depends_on: {parent}, when_parent: a, level: 1}}\n"
        )
    };
    let (head, _) = GOOD.split_once("characteristics:").unwrap();
    let list = [
        entry("a", "b"),
        entry("b", "c"),
        entry("c", "a"),
        entry("d", "d"),
        entry("e", "a"),
    ];
    let found = report(&format!("{head}characteristics:\n{}", list.concat()));
    let cycles: Vec<_> = found
        .of(casebook_design::metadata::check::ErrorGroup::Cycle)
        .collect();
    assert_eq!(
        cycles,
        [
            "characteristics[0].depends_on must not be circular, got: a -> b -> c -> a",
            "characteristics[3].depends_on must not be circular, got: d -> d"
        ]
    );
    // A member of a cycle has no depth, so there is no message about its level.
    assert_eq!(found.errors.len(), cycles.len(), "{found:?}");
}

#[test]
fn v18_states_are_unique() {
    let twice = GOOD.replace("[card, cash, 'no']", "[card, cash, card, cash]");
    assert_eq!(
        shown(&report(&twice)),
        [
            "E characteristics[1].states[2] must be unique, got: card",
            "E characteristics[1].states[3] must be unique, got: cash",
        ]
    );
}

/// Rule V28: a Ruby program may write symbols.
#[test]
fn v28_symbols_are_names() {
    let user = "  user: {file: spec/factories/users.rb, traits: [admin]}\n";
    let symbols = "  :user:\n    :file: spec/factories/users.rb\n    :traits:\n    - :admin\n";
    let text = GOOD.replace(user, symbols);
    assert_eq!(shown(&report(&text)), Vec::<String>::new());
    let plan = plan(&document(&text), None).unwrap();
    assert_eq!(
        plan.factories,
        [("user".to_owned(), vec!["admin".to_owned()])]
    );
}

#[test]
fn v29_wrong_types_of_optional_values_are_warnings() {
    for (from, to, expected) in [
        (
            "x_unknown: 1",
            "errors: none",
            "automation.errors should be a list, got: none",
        ),
        (
            "x_unknown: 1",
            "polisher_completed: 'yes'",
            "automation.polisher_completed should be true or false, got: yes",
        ),
        (
            "x_unknown: 1",
            "skeleton_file: 1",
            "automation.skeleton_file should be a path, got: 1",
        ),
        (
            "automation:\n  x_unknown: 1",
            "automation: [1]",
            "automation should be a mapping, got: [1]",
        ),
        (
            "test_level: unit",
            "validation: done\ntest_level: unit",
            "validation should be a mapping, got: done",
        ),
        (
            "file: cart.rb",
            "file: cart.rb\n  uses_models: maybe",
            "target.uses_models should be true or false, got: maybe",
        ),
        (
            "[admin]",
            "[admin, 1]",
            "factories_detected.user.traits[1] should be a name, got: 1",
        ),
        (
            "file: spec/factories/users.rb",
            "file: [a]",
            "factories_detected.user.file should be a path, got: [\"a\"]",
        ),
    ] {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD, "{from}");
        assert_eq!(shown(&report(&text)), [format!("W {expected}")]);
    }
}

#[test]
fn other_methods_are_validated_with_their_path() {
    let (analyzer, rest) = GOOD.split_once("test_level").unwrap();
    let (sections, rest) = rest.split_once("factories_detected").unwrap();
    let entry = format!("{analyzer}test_level{sections}");
    let lines = entry.lines().skip(1).map(|line| format!("    {line}\n"));
    let entry = lines
        .collect::<String>()
        .replacen("    analyzer", "  - analyzer", 1);
    let text = |entry: &str| {
        format!("{analyzer}test_level{sections}factories_detected{rest}other_methods:\n{entry}")
    };
    assert_eq!(shown(&report(&text(&entry))), Vec::<String>::new());
    let broken = entry
        .replace("level: 2", "level: 5")
        .replace("      class: Shop::Cart\n", "");
    assert_eq!(
        shown(&report(&text(&broken))),
        [
            "E Missing other_methods[0].target.class",
            "E other_methods[0].characteristics[1].level must be 2, got: 5",
        ]
    );
    let (none, one) = (
        text("").replace("other_methods:", "other_methods: 1"),
        text("  - 1\n"),
    );
    assert_eq!(
        shown(&report(&none)),
        ["E other_methods must be a list, got: 1"]
    );
    assert_eq!(
        shown(&report(&one)),
        ["E other_methods[0] must be a mapping, got: 1"]
    );
}

#[test]
fn messages_are_in_the_order_of_the_rules() {
    let (head, _) = GOOD.split_once("characteristics:").unwrap();
    let list = "
  - {name: a, type: odd, states: [x], default: y, depends_on: null, when_parent: x, level: 0}
  - {name: b, type: even, states: all, default: y, depends_on: c, when_parent: null, level: 2}
  - {name: b, type: binary, states: [x, 1, 2], default: null, depends_on: a, when_parent: z}
";
    assert_eq!(
        shown(&report(&format!("{head}characteristics:{list}"))),
        [
            "E Missing characteristics[2].level",
            "E characteristics[2].name must be unique, got: b",
            "E characteristics[0].type must be one of binary, enum, range, sequential, got: odd",
            "E characteristics[1].type must be one of binary, enum, range, sequential, got: even",
            "E characteristics[0].states must have at least 2 states, got: [\"x\"]",
            "E characteristics[1].states must be a list, got: all",
            "E characteristics[2].states[1] must be a string, got: 1",
            "E characteristics[2].states[2] must be a string, got: 2",
            "E characteristics[0].default must be null or one of the states, got: y",
            "E characteristics[0].when_parent must be null without depends_on, got: x",
            "E characteristics[1].depends_on must name a characteristic, got: c",
            "E characteristics[1].when_parent must be set with depends_on, got: null",
            "E characteristics[2].when_parent must be a state of the parent, got: z",
            "E characteristics[0].level must be an integer of 1 or more, got: 0",
            "W characteristics[2].states of a binary characteristic should be 2, got: [\"x\",1,2]",
        ]
    );
}

/// Rule L2: what format 2.0 requires and format 1.3 does not.
#[test]
fn fields_of_format_2_0() {
    let (head, _) = GOOD.split_once("characteristics:").unwrap();
    let of = |fields: &str| {
        let entry = format!(
            "{head}characteristics:\n  - {{name: a, type: range, states: [x, y], default: null, depends_on: null, level: 1, {fields}}}\n"
        );
        shown(&report(&entry))
    };
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        (
            "setup: {type: factory, class: Shop::Cart, source: 'a.rb:3-5'}",
            &[],
        ),
        ("setup: {type: model, class: null}", &[]),
        (
            "setup: {type: magic}",
            &["E characteristics[0].setup.type must be one of factory, data, action, got: magic"],
        ),
        (
            "setup: {type: data, class: cart}",
            &["E characteristics[0].setup.class must be a constant name or null, got: cart"],
        ),
        (
            "setup: {type: data, source: 'a.rb'}",
            &["E characteristics[0].setup.source must be path:N or path:N-M, got: a.rb"],
        ),
        (
            "setup: {type: data, source: 'a.rb:5-5'}",
            &["E characteristics[0].setup.source must be path:N or path:N-M, got: a.rb:5-5"],
        ),
        (
            "source: 'a.rb:9-2'",
            &["E characteristics[0].source must be path:N or path:N-M, got: a.rb:9-2"],
        ),
        (
            "source: 7",
            &["E characteristics[0].source must be path:N or path:N-M, got: 7"],
        ),
        ("terminal_states: [y]", &[]),
        (
            "terminal_states: y",
            &["E characteristics[0].terminal_states must be a list, got: y"],
        ),
        (
            "terminal_states: [z]",
            &["E characteristics[0].terminal_states must be among the states, got: z"],
        ),
        ("threshold_value: 3, threshold_operator: '>='", &[]),
        ("threshold_value: null, threshold_operator: '>='", &[]),
        (
            "threshold_value: 2.5, threshold_operator: '<'",
            &[
                "W characteristics[0].threshold_value should be an integer: no value follows from a fraction, got: 2.5",
            ],
        ),
        (
            "threshold_value: many, threshold_operator: '<'",
            &["E characteristics[0].threshold_value must be a number or null, got: many"],
        ),
        (
            "threshold_value: 3",
            &[
                "W characteristics[0].threshold_value should be used together with threshold_operator, got: 3",
            ],
        ),
        (
            "threshold_operator: '>'",
            &[
                "W characteristics[0].threshold_operator should be used together with threshold_value, got: >",
            ],
        ),
        (
            "threshold_value: 3, threshold_operator: '=='",
            &["E characteristics[0].threshold_operator must be one of >= > <= <, got: =="],
        ),
    ];
    for (fields, expected) in cases {
        assert_eq!(of(fields), *expected, "{fields}");
    }
}

/// Rule L2: how characteristics of format 2.0 refer to one another.
#[test]
fn characteristics_of_format_2_0() {
    let (head, _) = GOOD.split_once("characteristics:").unwrap();
    let setup = "setup: {type: data, class: null, source: 'a.rb:3'}";
    let entry = |rest: &str| format!("  - {{name: {rest}}}\n");
    let two = |first: &str, second: &str| {
        let list = entry(first) + &entry(second);
        shown(&report(&format!("{head}characteristics:\n{list}")))
    };
    let root = "a, type: binary, states: [x, y], default: null, depends_on: null, level: 1";
    let free = "b, type: binary, states: [x, y], default: null, depends_on: null, level: 2";
    let child =
        "b, type: enum, states: [x, y], default: null, depends_on: a, when_parent: [y], level: 2";
    assert_eq!(
        two(&format!("{root}, {setup}"), child),
        ["E Missing characteristics[1].setup"]
    );
    assert_eq!(
        two(root, free),
        ["E characteristics[1].level must be 1, got: 2"]
    );
    assert_eq!(
        two(&format!("{root}, {setup}"), &format!("{free}, {setup}")),
        ["W characteristics: levels are numbered through and were read as depths, got: 1 and up"]
    );
    assert_eq!(
        two(&format!("{root}, terminal_states: [y]"), child),
        ["W characteristics[1].when_parent names a terminal state of its parent, got: y"]
    );
    assert_eq!(
        two(
            &format!("{root}, threshold_value: 3, threshold_operator: '>'"),
            child
        ),
        [
            "W characteristics[0].threshold_value belongs to a range, got: binary",
            "W characteristics[0].threshold_operator belongs to a range, got: binary"
        ]
    );
    let composite = "b, type: composite, states: [{name: x, conditions: [{a: 1}]}, y], default: x, depends_on: a, when_parent: [y], level: 2";
    assert_eq!(
        two(
            &format!("{root}, {setup}"),
            &format!("{composite}, {setup}")
        ),
        Vec::<String>::new()
    );
}

#[test]
fn recommendations_are_reported_only_strictly() {
    let context = ValidationContext {
        root: None,
        cwd: Path::new("/"),
        methods: &|_| None,
    };
    let strictly = |text: &str| {
        let lenient = check(&document(text), &context);
        let found = shown(&check_strictly(&document(text), &context));
        let lenient_lines = shown(&lenient);
        let new = found
            .into_iter()
            .filter(|line| !lenient_lines.contains(line));
        new.collect::<Vec<_>>()
    };
    let models = "W target.uses_models should say whether records are used, got: null";
    assert_eq!(strictly(GOOD), [models]);
    let odd = GOOD.replace("name: method", "name: payMethod");
    assert_eq!(
        strictly(&odd),
        [
            "W characteristics[1].name should be in snake_case, got: payMethod",
            models,
        ]
    );
    let setup = GOOD.replace("    level: ", "    setup: {type: data}\n    level: ");
    assert_eq!(
        strictly(&setup)[0],
        "E characteristics[1].when_parent must be a list, got: known"
    );
}

#[test]
fn an_empty_file_fails_every_section() {
    let found = shown(&report(""));
    assert_eq!(
        found,
        [
            "E Missing section: analyzer",
            "E Missing section: test_level",
            "E Missing section: target",
            "E Missing section: characteristics"
        ]
    );
}

#[test]
fn documents_that_are_not_mappings_are_rejected() {
    for (text, message) in [
        ("- a\n", "the top level is a list, not a mapping"),
        ("text\n", "the top level is a string, not a mapping"),
    ] {
        assert_eq!(Document::parse("a", text).unwrap_err().to_string(), message);
    }
    assert!(matches!(
        Document::parse("a", "a: [1\n").unwrap_err(),
        DocumentError::Yaml { .. }
    ));
}

#[test]
fn the_result_is_written_back_and_the_rest_kept() {
    let mut good = document(GOOD);
    write_back(&mut good, &report(GOOD));
    insta::assert_snapshot!(good.text());
    let again = good.clone();
    write_back(&mut good, &report(GOOD));
    assert_eq!(good, again);

    let bad = GOOD.replace("level: 2", "level: 3");
    let mut document = document(&format!("validation: old # gone\n{bad}"));
    write_back(&mut document, &report(&bad));
    insta::assert_snapshot!(document.text());
}

#[test]
fn comments_are_kept_in_a_file_without_entries() {
    let mut document = document("# to be analyzed\n");
    write_back(&mut document, &ValidationReport::default());
    assert_eq!(
        document.text(),
        "# to be analyzed\nvalidation:\n  completed: true\n  errors: []\n  warnings: []\n"
    );
}

#[test]
fn a_document_in_braces_keeps_its_form() {
    let mut document = document(
        "{analyzer: {completed: true}, automation: {a: 1}, validation: {completed: false}}\n",
    );
    let nothing = ValidationReport::default();
    write_back(&mut document, &nothing);
    assert_eq!(
        document.text(),
        "{analyzer: {completed: true}, automation: {a: 1, validation_passed: true}, validation: {completed: true, errors: [], warnings: []}}\n"
    );
}
