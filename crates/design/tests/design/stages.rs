//! The stages of the plugin layout on a document from its own agents, without the additions of Casebook (rules L7 to L11).

#![expect(clippy::too_many_lines, reason = "tables")]

use std::fmt::Write as _;
use std::path::Path;

use casebook_design::metadata::check::{Stage, ValidationContext, ValidationReport, check_stage};
use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::plans;
use casebook_design::skeleton::{Style, skeleton};

const FOREIGN: &str = "\
slug: app_services_checkout
source_file: app/services/checkout.rb
source_mtime: 1700000000
class_name: Checkout
spec_path: spec/services/checkout_spec.rb
complexity: {zone: green, loc: 40, methods: 1}
dependencies: [Gateway]
methods_to_analyze:
  - {name: pay, method_mode: new, line_range: [3, 20], selected: true, skip_reason: null}
  - {name: void, method_mode: unchanged, line_range: [22, 30], selected: false, skip_reason: unchanged}
behaviors:
  - {id: refuses, description: raises Refused, type: terminal, enabled: true, used_by: [pay]}
  - {id: pays, description: returns a receipt, type: success, enabled: true, used_by: [pay]}
  - {id: asks, description: asks for cash, type: success, enabled: true, used_by: [pay]}
  - {id: mails, description: sends the receipt, type: side_effect, subtype: email, enabled: true, used_by: [pay]}
methods:
  - name: pay
    type: instance
    method_mode: new
    analyzed: true
    characteristics:
      - name: user_verified
        description: whether the user is verified
        type: boolean
        source: {kind: internal, class: null, method: null}
        values:
          - {value: true, description: user is verified, terminal: false}
          - {value: false, description: user is NOT verified, terminal: true, behavior_id: refuses}
        source_line: 4
        setup: {type: model, class: User}
        level: 1
        depends_on: null
        when_parent: null
      - name: method
        description: how it is paid
        type: enum
        source: {kind: external, class: Gateway, method: method}
        values:
          - {value: ':card', description: method is card, terminal: false}
          - {value: cash on hand, description: method is cash, terminal: false, behavior_id: asks}
        source_line: 6
        setup: {type: data, class: null}
        level: 2
        depends_on: user_verified
        when_parent: [true]
      - name: limit
        description: the limit of the card
        type: presence
        source: {kind: internal, class: null, method: null}
        values:
          - {value: present, description: limit set, terminal: false, behavior_id: pays}
          - {value: nil, description: no limit, terminal: false, behavior_id: pays}
        source_line: 7
        setup: {type: data, class: null}
        level: 3
        depends_on: method
        when_parent: [':card']
    side_effects:
      - {type: email, behavior_id: mails}
    dependencies: [Gateway]
    test_config: {level: unit, isolation: {db: stubbed, http: none, queue: stubbed}, confidence: high, decision_trace: []}
target: {kind: service}
automation: {discovery_agent_completed: true, code_analyzer_completed: true}
";

fn at(text: &str, stage: Stage, spec: &str) -> ValidationReport {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec/services/checkout_spec.rb");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, spec).unwrap();
    let context = ValidationContext {
        root: Some(dir.path()),
        cwd: Path::new("/"),
        methods: &|_| None,
    };
    check_stage(&Document::parse("a.yml", text).unwrap(), stage, &context)
}

const SPEC: &str = "RSpec.describe Checkout do\nend\n";

#[test]
fn a_foreign_document_passes() {
    for stage in [Stage::Discovery, Stage::CodeAnalyzer, Stage::SpecWriter] {
        assert_eq!(
            at(FOREIGN, stage, SPEC),
            ValidationReport::default(),
            "{stage:?}"
        );
    }
}

/// Checks the messages after a change to the document: an error, or a warning with `? ` before it.
#[track_caller]
fn changed(stage: Stage, rows: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for (from, to, expected) in rows {
        let text = FOREIGN.replacen(from, to, 1);
        assert!(text != FOREIGN, "nothing to change: {from}");
        let found = at(&text, stage, SPEC);
        let errors = found.errors.into_iter().map(|(_, message)| message);
        let warnings = found
            .warnings
            .into_iter()
            .map(|message| format!("? {message}"));
        let messages = errors.chain(warnings).collect::<Vec<_>>().join("; ");
        if messages != *expected {
            let _ = writeln!(
                wrong,
                "{from} -> {to}\n  found    {messages}\n  expected {expected}"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn discovery() {
    changed(
        Stage::Discovery,
        &[
            (
                "discovery_agent_completed: true",
                "discovery_agent_completed: 'true'",
                "Missing automation.discovery_agent_completed",
            ),
            (
                "class_name: Checkout",
                "class_name: null",
                "Missing class_name",
            ),
            (
                "class_name: Checkout",
                "class_name: 5",
                "class_name must be a string, got: 5",
            ),
            (
                "spec_path: spec/services/checkout_spec.rb\n",
                "",
                "Missing spec_path",
            ),
            (
                "zone: green, ",
                "",
                "complexity.zone must be one of green, yellow, red, got: null",
            ),
            ("zone: green", "zone: red", ""),
            (
                "selected: true, ",
                "",
                "methods_to_analyze[0].selected must be true or false, got: null",
            ),
            (
                "line_range: [3, 20]",
                "line_range: [3]",
                "methods_to_analyze[0].line_range must be two lines, the first before the last, got: [3]",
            ),
            ("line_range: [3, 20]", "line_range: [3, 3]", ""),
            (
                "line_range: [3, 20]",
                "line_range: [0, 3]",
                "methods_to_analyze[0].line_range must be two lines, the first before the last, got: [0,3]",
            ),
            (
                "method_mode: new, ",
                "",
                "methods_to_analyze[0].method_mode must be one of new, modified, unchanged, got: null",
            ),
            (
                "spec/services/checkout",
                "spec/controllers/checkout",
                "? spec_path is a controller spec: request specs are the way to go",
            ),
        ],
    );
}

#[test]
fn cycles_and_repeated_values_have_one_message() {
    changed(
        Stage::CodeAnalyzer,
        &[
            (
                "level: 1\n        depends_on: null\n        when_parent: null",
                "level: 1\n        depends_on: method\n        when_parent: [':card']",
                "user_verified -> method -> user_verified",
            ),
            (
                "{value: nil, description: no limit, ",
                "{value: present, description: no limit, ",
                "methods[0].characteristics[2].values[1].value must be unique, got: present",
            ),
        ],
    );
}

#[test]
fn behaviors() {
    changed(
        Stage::CodeAnalyzer,
        &[
            (
                "id: asks, ",
                "id: asks_it_2, ",
                "methods[0].characteristics[1].values[1].behavior_id must name a behavior, got: asks",
            ),
            (
                "id: asks, ",
                "id: pays, ",
                "behaviors[2].id must be unique, got: pays; methods[0].characteristics[1].values[1].behavior_id must name a behavior, got: asks",
            ),
            (
                "description: raises Refused, ",
                "",
                "Missing behaviors[0].description",
            ),
            (
                "raises Refused",
                "it raises Refused",
                "behaviors[0].description must state what happens, without a leading it, not, should, can, must or will, got: it raises Refused",
            ),
            (
                "raises Refused",
                "Must raise",
                "behaviors[0].description must state what happens, without a leading it, not, should, can, must or will, got: Must raise",
            ),
            (
                "raises Refused",
                "can't go on",
                "behaviors[0].description must state what happens, without a leading it, not, should, can, must or will, got: can't go on",
            ),
            (
                "raises Refused",
                "does not pay",
                "behaviors[0].description must state what happens, without a leading it, not, should, can, must or will, got: does not pay",
            ),
            (
                "raises Refused",
                "does NOT pay, item by item, in the canteen",
                "",
            ),
            (
                "type: terminal",
                "type: failure",
                "behaviors[0].type must be one of terminal, success, side_effect, got: failure; methods[0].characteristics[0].values[1].behavior_id must name a behavior of type terminal, got: refuses",
            ),
            (
                "subtype: email, ",
                "",
                "behaviors[3].subtype must be one of webhook, email, cache, event, external_api, got: null",
            ),
            (
                "enabled: true",
                "enabled: maybe",
                "behaviors[0].enabled must be true or false, got: maybe",
            ),
            ("enabled: true", "enabled: false", ""),
        ],
    );
}

#[test]
fn methods_and_characteristics() {
    changed(
        Stage::CodeAnalyzer,
        &[
            (
                "source_mtime: 1700000000",
                "source_mtime: 1.5",
                "source_mtime must be an integer, got: 1.5",
            ),
            (
                "selected: false",
                "selected: true",
                "Missing methods: void is selected",
            ),
            (
                "    type: instance\n",
                "    type: module\n",
                "methods[0].type must be one of instance, class, got: module",
            ),
            (
                "    method_mode: new\n",
                "    method_mode: old\n",
                "methods[0].method_mode must be one of new, modified, unchanged, got: old",
            ),
            (
                "    analyzed: true\n",
                "    analyzed: false\n",
                "methods[0].analyzed must be true, got: false",
            ),
            (
                "{type: email, behavior_id: mails}",
                "{type: fax, behavior_id: mails}",
                "methods[0].side_effects[0].type must be one of webhook, email, cache, event, external_api, got: fax",
            ),
            (
                "{type: email, behavior_id: mails}",
                "{type: email, behavior_id: pays}",
                "methods[0].side_effects[0].behavior_id must name a behavior of type side_effect, got: pays",
            ),
            (
                "{type: email, behavior_id: mails}",
                "{type: email}",
                "Missing methods[0].side_effects[0].behavior_id",
            ),
            (
                "        description: how it is paid\n",
                "",
                "Missing methods[0].characteristics[1].description",
            ),
            (
                "        type: enum\n",
                "        type: binary\n",
                "methods[0].characteristics[1].type must be one of boolean, presence, enum, range, sequential, got: binary",
            ),
            (
                "kind: external",
                "kind: foreign",
                "methods[0].characteristics[1].source.kind must be one of internal, external, got: foreign",
            ),
            (
                "class: Gateway, method",
                "class: null, method",
                "Missing methods[0].characteristics[1].source.class",
            ),
            (
                "        source_line: 6\n",
                "",
                "methods[0].characteristics[1].source_line must be an integer of 1 or more, got: null",
            ),
            ("setup: {type: model", "setup: {type: factory", ""),
            (
                "setup: {type: model",
                "setup: {type: record",
                "methods[0].characteristics[0].setup.type must be one of model, data, action, got: record",
            ),
            (
                "class: User",
                "class: user",
                "methods[0].characteristics[0].setup.class must be a constant name or null, got: user",
            ),
            (
                "        level: 1\n",
                "        level: 0\n",
                "methods[0].characteristics[0].level must be an integer of 1 or more, got: 0",
            ),
            (
                "depends_on: method",
                "depends_on: nothing",
                "Missing methods[0].characteristics[1].values[0].behavior_id; methods[0].characteristics[2].depends_on must name a characteristic, got: nothing",
            ),
            (
                "when_parent: [':card']",
                "when_parent: ':card'",
                "Missing methods[0].characteristics[1].values[0].behavior_id; methods[0].characteristics[2].when_parent must be a list of the parent's values, got: :card",
            ),
            (
                "when_parent: [true]",
                "when_parent: [perhaps]",
                "Missing methods[0].characteristics[0].values[0].behavior_id; methods[0].characteristics[1].when_parent must be a value of the parent, got: perhaps",
            ),
            (
                "        when_parent: null\n",
                "        when_parent: [x]\n",
                "methods[0].characteristics[0].when_parent must be null without depends_on, got: [\"x\"]",
            ),
            (
                "name: limit",
                "name: method",
                "methods[0].characteristics[2].name must be unique, got: method; method -> method",
            ),
        ],
    );
}

#[test]
fn values_and_leaves() {
    changed(
        Stage::CodeAnalyzer,
        &[
            (
                "description: user is verified",
                "description: when verified",
                "methods[0].characteristics[0].values[0].description must not begin with a context word, got: when verified",
            ),
            (
                "description: user is verified",
                "description: Without doubt",
                "methods[0].characteristics[0].values[0].description must not begin with a context word, got: Without doubt",
            ),
            ("description: user is verified", "description: whenever", ""),
            (
                "description: user is verified, ",
                "",
                "Missing methods[0].characteristics[0].values[0].description",
            ),
            // Only types with two values come after `with` and `but`. An enum with two values comes after `and`.
            (
                "description: limit set",
                "description: limit is set",
                "methods[0].characteristics[2].values[0].description must not contain a verb below the first level, got: limit is set",
            ),
            ("description: limit set", "description: this limit", ""),
            (
                "terminal: true",
                "terminal: sure",
                "methods[0].characteristics[0].values[1].terminal must be true or false, got: sure; methods[0].characteristics[0].values[1].behavior_id must name a behavior of type success, got: refuses",
            ),
            (
                ", behavior_id: asks",
                "",
                "Missing methods[0].characteristics[1].values[1].behavior_id",
            ),
            (
                "behavior_id: asks",
                "behavior_id: refuses",
                "methods[0].characteristics[1].values[1].behavior_id must name a behavior of type success, got: refuses",
            ),
            (
                "behavior_id: asks",
                "behavior_id: mails",
                "methods[0].characteristics[1].values[1].behavior_id must name a behavior of type success, got: mails",
            ),
            (
                "is verified, terminal: false",
                "is verified, terminal: false, behavior_id: pays",
                "methods[0].characteristics[0].values[0].behavior_id must be null because characteristics depend on the value, got: pays",
            ),
            (
                "is verified, terminal: false",
                "is verified, terminal: true",
                "? methods[0].characteristics[0].values[0] is terminal, but characteristics depend on it",
            ),
        ],
    );
}

#[test]
fn sizes_at_their_limits() {
    let sized = |roots: usize, values: usize, effects: usize, terminal: usize| {
        let value = |at: usize| {
            let (terminal, id) = if at < terminal {
                (true, "refuses")
            } else {
                (false, "pays")
            };
            format!("{{value: v{at}, description: v{at}, terminal: {terminal}, behavior_id: {id}}}")
        };
        let values: Vec<String> = (0..values).map(value).collect();
        let one = |at: usize| {
            format!(
                "{{name: c{at}, description: c, type: enum, source: {{kind: internal}}, values: [{}], source_line: 1, setup: {{type: data}}, level: 1}}",
                values.join(", ")
            )
        };
        let all: Vec<String> = (0..roots).map(one).collect();
        let effect = "{type: email, behavior_id: mails}";
        let head = &FOREIGN[..FOREIGN.find("    characteristics:").unwrap()];
        let text = format!(
            "{head}    characteristics: [{}]\n    side_effects: [{}]\n",
            all.join(", "),
            vec![effect; effects].join(", ")
        );
        at(&text, Stage::CodeAnalyzer, SPEC)
    };
    for (size, expected) in [
        ((4, 2, 0, 0), None),
        (
            (5, 2, 0, 0),
            Some("methods[0] has 5 characteristics: consider splitting it"),
        ),
        ((1, 24, 0, 0), None),
        (
            (1, 25, 0, 0),
            Some("methods[0] has 25 leaves and 25 examples: consider splitting it"),
        ),
        ((1, 24, 1, 0), None),
        (
            (1, 24, 2, 0),
            Some("methods[0] has 24 leaves and 72 examples: consider splitting it"),
        ),
        ((1, 17, 2, 1), None),
        (
            (1, 17, 2, 0),
            Some("methods[0] has 17 leaves and 51 examples: consider splitting it"),
        ),
    ] {
        let (roots, values, effects, terminal) = size;
        let found = sized(roots, values, effects, terminal);
        assert_eq!(found.errors, [], "{size:?}");
        let expected: Vec<&str> = expected.into_iter().collect();
        assert_eq!(found.warnings, expected, "{size:?}");
    }
}

#[test]
fn the_finished_spec() {
    changed(
        Stage::SpecWriter,
        &[
            (
                "level: unit, isolation",
                "level: slow, isolation",
                "methods[0].test_config.test_level must be one of unit, integration, request, e2e, got: slow",
            ),
            (
                "http: none",
                "http: fake",
                "methods[0].test_config.isolation.external_http must be one of real, stubbed, none, got: fake",
            ),
            (
                "queue: stubbed",
                "queue: fake",
                "methods[0].test_config.isolation.queue must be one of real, stubbed, none, got: fake",
            ),
            (
                "confidence: high",
                "confidence: none",
                "methods[0].test_config.confidence must be one of high, medium, low, got: none",
            ),
        ],
    );
    for (spec, expected) in [
        (SPEC, ""),
        (
            "describe A do\n  {COMMON_SETUP}\nend\n",
            "spec/services/checkout_spec.rb:2 must be finished, got: {COMMON_SETUP}",
        ),
        (
            "describe A do\n  # rspec-testing:method_end x=\"1\"\nend\n",
            "spec/services/checkout_spec.rb:2 must be finished, got: # rspec-testing:method_end x=\"1\"",
        ),
        ("describe A do\n  x(\"#{KEY}\")\nend\n", ""),
    ] {
        let found = at(FOREIGN, Stage::SpecWriter, spec);
        let messages: Vec<String> = found
            .errors
            .into_iter()
            .map(|(_, message)| message)
            .collect();
        assert_eq!(messages.join("; "), expected);
    }
}

#[test]
fn a_foreign_document_becomes_a_skeleton() {
    let document = Document::parse("a.yml", FOREIGN).unwrap();
    let plans = plans(&document, None).unwrap();
    insta::assert_snapshot!(skeleton(&plans, Style::Bare), @r##"
    # frozen_string_literal: true

    RSpec.describe Checkout do
      describe '#pay' do
        # rspec-testing:method_begin method="#pay" method_id="Checkout#pay"
        subject(:result) { service.pay }  # TODO: Add parameters

        let(:service) { described_class.new }

        {COMMON_SETUP}

        shared_examples '__rspec_testing__Checkout#pay__mails__side_effect' do
          it 'sends the receipt' do
            {EXPECTATION}
            # rspec-testing:example behavior_id="mails" kind="side_effect" path="" template="true"
          end
        end

        context 'when user is verified' do
          let(:user_verified) { true }
          {SETUP_CODE}

          context 'and method is card' do
            let(:given_method) { :card }
            {SETUP_CODE}

            context 'with limit set' do
              let(:limit) { true }
              {SETUP_CODE}

              # rspec-testing:example behavior_id="mails" kind="side_effect" path="1:user_verified=true,2:method=:card,3:limit=:present"
              it_behaves_like '__rspec_testing__Checkout#pay__mails__side_effect'

              it 'returns a receipt' do
                {EXPECTATION}
                # rspec-testing:example behavior_id="pays" kind="success" path="1:user_verified=true,2:method=:card,3:limit=:present"
              end
            end

            context 'but no limit' do
              let(:limit) { false }
              {SETUP_CODE}

              # rspec-testing:example behavior_id="mails" kind="side_effect" path="1:user_verified=true,2:method=:card,3:limit=nil"
              it_behaves_like '__rspec_testing__Checkout#pay__mails__side_effect'

              it 'returns a receipt' do
                {EXPECTATION}
                # rspec-testing:example behavior_id="pays" kind="success" path="1:user_verified=true,2:method=:card,3:limit=nil"
              end
            end
          end

          context 'and method is cash' do
            let(:given_method) { "cash on hand" }
            {SETUP_CODE}

            # rspec-testing:example behavior_id="mails" kind="side_effect" path="1:user_verified=true,2:method=\"cash on hand\""
            it_behaves_like '__rspec_testing__Checkout#pay__mails__side_effect'

            it 'asks for cash' do
              {EXPECTATION}
              # rspec-testing:example behavior_id="asks" kind="success" path="1:user_verified=true,2:method=\"cash on hand\""
            end
          end
        end

        context 'when user is NOT verified' do
          let(:user_verified) { false }
          {SETUP_CODE}

          it 'raises Refused' do
            {EXPECTATION}
            # rspec-testing:example behavior_id="refuses" kind="terminal" path="1:user_verified=false"
          end
        end
        # rspec-testing:method_end method="#pay" method_id="Checkout#pay"
      end
    end
    "##);
}
