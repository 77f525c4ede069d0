//! The plugin layout: documents, validators of the stages, and skeletons with markers (rules L7 to L14, S12 and S13).

use std::path::Path;

use casebook_design::metadata::check::{Stage, ValidationContext, ValidationReport, check_stage};
use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::{Layout, plans};
use casebook_design::metadata::write::{DocumentHeader, plugin};
use casebook_design::ruby::analyze_all;
use casebook_design::skeleton::{Existing, Merge, Style, merge, method_block, skeleton};
use casebook_design::{NamingProfile, on_deep_stack};

const ORDERS: &str = "\
class Orders
  def self.place(order, user)
    return :unknown if user.nil?
    raise Blocked if Fraud.suspicious?(user)

    OrderMailer.placed(order).deliver_later
    order.express? ? :fast : :slow
  end

  def level(n)
    if n > 50
      1
    elsif n > 40
      2
    elsif n > 30
      2
    elsif n > 20
      2
    else
      3
    end
  end

  def name
    'orders'
  end
end
";

fn document() -> Document {
    of(ORDERS)
}

fn of(ruby: &str) -> Document {
    let stamp = DocumentHeader {
        timestamp: "2026-01-02T03:04:05Z".to_owned(),
        source_mtime: 7,
        file: "app/services/orders.rb".to_owned(),
        spec_path: "spec/services/orders_spec.rb".to_owned(),
        factories: serde_json::Map::default(),
        is_library: false,
        models: vec!["order".to_owned()],
        names: NamingProfile::Short,
    };
    let found = on_deep_stack(|| {
        analyze_all(
            ruby.as_bytes(),
            &stamp.file,
            Layout::Plugin.analysis_options(),
        )
    })
    .unwrap();
    let methods = found.into_iter().map(Result::unwrap).collect();
    Document::new(plugin(methods, &stamp, 27))
}

#[test]
fn a_document_of_three_methods() {
    insta::assert_snapshot!(document().text());
}

#[test]
fn behaviors_have_unique_ids_and_descriptions() {
    let ruby = "class Sign\n  def of(n)\n    return -1 if n.low?\n    return :a if n.odd?\n    return 'a' if n.even?\n    CanSendClient.new.push(n)\n    1\n  end\n\n  def one(n) = n.low? ? -1 : 1\nend\n";
    let document = of(ruby);
    let behaviors: Vec<String> = document.value()["behaviors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["id"], one["description"], one["used_by"]))
        .collect();
    insta::assert_snapshot!(behaviors.join("\n"), @r#"
    "returns_1_terminal" "returns -1" ["Sign#of"]
    "completes_of_success" "completes of" ["Sign#of"]
    "returns_a_terminal" "returns :a" ["Sign#of"]
    "returns_a_terminal_2" "returns 'a'" ["Sign#of"]
    "calls_send_client_side_effect" "calls … send client" ["Sign#of"]
    "returns_1_success" "returns -1" ["Sign#one"]
    "returns_1_success_2" "returns 1" ["Sign#one"]
    "#);
    assert_eq!(
        report(document.text(), Stage::CodeAnalyzer),
        ValidationReport::default()
    );
}

#[test]
fn skeletons_with_markers_and_templates() {
    let plans = plans(&document(), None).unwrap();
    insta::assert_snapshot!(skeleton(&plans, Style::Bare));
}

#[test]
fn a_block_with_markers_around_it_gets_them_inside() {
    let plan = &plans(&document(), None).unwrap()[0];
    let block = method_block(plan, Style::Comments);
    let [describe, begin, content @ .., end, close] = block.as_slice() else {
        panic!("{block:?}")
    };
    assert!(begin.contains("method_begin") && end.contains("method_end"));
    let content = content.join("\n");
    let in_class = |block: String| format!("RSpec.describe Orders do\n{block}\n\nit {{}}\nend\n");
    // As earlier versions wrote it.
    let (begin, end) = (begin.trim(), end.trim());
    let around = in_class(format!("{begin}\n{describe}\n{content}\n{close}\n{end}"));
    let expected = Existing::Merged(in_class(block.join("\n")));
    for how in [Merge::Replace, Merge::Upsert] {
        let merged = on_deep_stack(|| merge(&around, plan, &block, how)).unwrap();
        assert_eq!(merged, expected);
    }
    let kept = on_deep_stack(|| merge(&around, plan, &block, Merge::Missing)).unwrap();
    assert_eq!(kept, Existing::Merged(around));
}

fn report(text: &str, stage: Stage) -> ValidationReport {
    let dir = tempfile::tempdir().unwrap();
    let spec = dir.path().join("spec/services/orders_spec.rb");
    std::fs::create_dir_all(spec.parent().unwrap()).unwrap();
    std::fs::write(&spec, "RSpec.describe Orders do\nend\n").unwrap();
    let context = ValidationContext {
        root: Some(dir.path()),
        cwd: Path::new("/"),
        methods: &|_| None,
    };
    check_stage(&Document::parse("a.yml", text).unwrap(), stage, &context)
}

#[test]
fn written_documents_pass_every_stage() {
    for stage in [Stage::Discovery, Stage::CodeAnalyzer, Stage::SpecWriter] {
        assert_eq!(
            report(document().text(), stage),
            ValidationReport::default(),
            "{stage:?}"
        );
    }
}

/// A change to a valid document, and the error that its stage then reports.
const BROKEN: [(Stage, &str, &str, &str); 17] = [
    (
        Stage::Discovery,
        "  discovery_agent_completed: true\n",
        "",
        "Missing automation.discovery_agent_completed",
    ),
    (
        Stage::Discovery,
        "source_file: app/services/orders.rb\n",
        "",
        "Missing source_file",
    ),
    (
        Stage::Discovery,
        "zone: green",
        "zone: blue",
        "complexity.zone must be one of green, yellow, red, got: blue",
    ),
    (
        Stage::Discovery,
        "method_mode: new\n    line_range: [2, 8]",
        "method_mode: old\n    line_range: [2, 8]",
        "methods_to_analyze[0].method_mode must be one of new, modified, unchanged, got: old",
    ),
    (
        Stage::Discovery,
        "line_range: [2, 8]",
        "line_range: [8, 2]",
        "methods_to_analyze[0].line_range must be two lines, the first before the last, got: [8,2]",
    ),
    (
        Stage::Discovery,
        "selected: true",
        "selected: perhaps",
        "methods_to_analyze[0].selected must be true or false, got: perhaps",
    ),
    (
        Stage::Discovery,
        "zone: green",
        "zone: red",
        "complexity.zone is red and every method is new: split the class first",
    ),
    (
        Stage::CodeAnalyzer,
        "slug: app_services_orders\n",
        "",
        "Missing slug",
    ),
    (
        Stage::CodeAnalyzer,
        "source_mtime: 7",
        "source_mtime: seven",
        "source_mtime must be an integer, got: seven",
    ),
    (
        Stage::CodeAnalyzer,
        "description: raises Blocked",
        "description: should raise Blocked",
        "behaviors[2].description must state what happens, without a leading it, not, should, can, must or will, got: should raise Blocked",
    ),
    (
        Stage::CodeAnalyzer,
        "subtype: email",
        "subtype: letter",
        "behaviors[5].subtype must be one of webhook, email, cache, event, external_api, got: letter",
    ),
    (
        Stage::CodeAnalyzer,
        "- id: raises_blocked_terminal",
        "- id: Raises",
        "behaviors[2].id must be in snake_case, got: Raises",
    ),
    (
        Stage::CodeAnalyzer,
        "selected: true",
        "selected: false",
        "methods[0] must be a selected method, got: place",
    ),
    (
        Stage::CodeAnalyzer,
        "            description: express\n",
        "            description: is express\n",
        "methods[0].characteristics[2].values[0].description must not contain a verb below the first level, got: is express",
    ),
    (
        Stage::CodeAnalyzer,
        "            description: express\n",
        "            description: with express\n",
        "methods[0].characteristics[2].values[0].description must not begin with a context word, got: with express",
    ),
    (
        Stage::SpecWriter,
        "db: real",
        "db: fake",
        "methods[0].test_config.isolation.db must be one of real, stubbed, none, got: fake",
    ),
    (
        Stage::SpecWriter,
        "confidence: high",
        "confidence: total",
        "methods[0].test_config.confidence must be one of high, medium, low, got: total",
    ),
];

#[test]
fn every_stage_reports_errors() {
    let good = document().text().to_owned();
    for (stage, from, to, expected) in BROKEN {
        let text = good.replacen(from, to, 1);
        assert!(text != good, "{from}");
        let found = report(&text, stage);
        let messages: Vec<_> = found.errors.iter().map(|(_, message)| message).collect();
        assert!(
            messages.iter().any(|message| *message == expected),
            "{expected}\n{messages:#?}\n{good}"
        );
    }
    let legacy = good.replacen(
        "spec_path: spec/services/orders_spec.rb",
        "spec_path: spec/controllers/orders_spec.rb",
        1,
    );
    assert_eq!(
        report(&legacy, Stage::Discovery).warnings,
        ["spec_path is a controller spec: request specs are the way to go"]
    );
    let missing = report(&legacy, Stage::SpecWriter);
    assert!(
        missing.errors[0].1.starts_with("Missing spec: "),
        "{missing:?}"
    );
}
