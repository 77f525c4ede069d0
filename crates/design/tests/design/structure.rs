//! The outline of a spec: rules O1 to O3.

use casebook_design::on_deep_stack;
use casebook_design::outline::{Outline, outline};
use serde_json::json;

fn read(ruby: &str) -> Outline {
    on_deep_stack(|| outline(ruby.as_bytes(), "a_spec.rb")).unwrap()
}

const SPEC: &str = "\
RSpec.describe A::B do
  subject(:result) { 1 }
  let(:x) { 1 }
  before { go }

  describe '#m' do
    let!(:y) { 2 }
    subject { 3 }
    after { stop }
    context 'when x' do
      let(:z) { 1 }
      it 'works' do
        expect(1).to eq 1
      end
      specify { }
    end
    context \"with #{name}\" do
      it { is_expected.to be }
    end
  end
end
";

#[test]
fn nodes_setup_and_stats() {
    let value = read(SPEC).to_json();
    let top = &value["describe_blocks"][0];
    assert_eq!(top["description"], "A::B");
    assert_eq!(
        top["setup"],
        json!({"subject": ["result"], "let": ["x"], "let!": [], "before": ["hook"], "after": []})
    );
    let method = &top["children"][0];
    assert_eq!(
        method["setup"],
        json!({"subject": ["subject"], "let": [], "let!": ["y"], "before": [], "after": ["hook"]})
    );
    let when = &method["children"][0];
    assert_eq!(
        when["children"],
        json!([
            {"type": "it", "description": "works", "line": 12, "depth": 3},
            {"type": "specify", "description": "unknown", "line": 15, "depth": 3},
        ])
    );
    assert_eq!(method["children"][1]["description"], "\"with #{name}\"");
    assert_eq!(
        value["stats"],
        json!({
            "total_contexts": 4, "total_examples": 3, "max_nesting_depth": 3, "has_subject": true,
            "has_let": true, "has_let!": true, "has_before": true,
        })
    );
    assert_eq!(read(SPEC).warnings(), Vec::<String>::new());
}

#[test]
fn forms_of_groups_and_examples() {
    for (ruby, expected) in [
        ("describe 'a' do end", json!(["a", "describe", null, null])),
        (
            "RSpec.context('a') { }",
            json!(["a", "context", null, null]),
        ),
        (
            "RSpec.feature 'a' do end",
            json!(["a", "describe", null, null]),
        ),
        (
            "fdescribe described_class do end",
            json!(["described_class", "describe", true, null]),
        ),
        ("xcontext do end", json!(["unknown", "context", null, true])),
        (
            "module M; describe A, type: :model do end; end",
            json!(["A", "describe", null, null]),
        ),
    ] {
        let group = &read(ruby).to_json()["describe_blocks"][0];
        let found = json!([
            group["description"],
            group["type"],
            group["focused"],
            group["pending"]
        ]);
        assert_eq!(found, expected, "{ruby}");
    }
    assert_eq!(read("x.describe 'a' do end\ndescribe 'b'").groups.len(), 0);
    assert_eq!(read("describe('a') { }\ndescribe('b') { }").groups.len(), 2);
    let shared = read("describe('a') { shared_examples('s') { it('x') { } }\nit_behaves_like 's'\nfit('y') { }\nit 'z' }").to_json();
    let group = &shared["describe_blocks"][0];
    assert_eq!(group["shared_examples"], json!(["s"]));
    assert_eq!(group["it_behaves_like"], json!(["s"]));
    assert_eq!(group["children"][0]["focused"], json!(true));
    assert_eq!(group["children"][1]["pending"], json!(true));
}

#[test]
fn warnings_for_depth_and_empty_groups() {
    let deep = "describe('a') { context('b') { context('c') { context('d') { context('e') { it('f') { } } } } } }";
    assert_eq!(
        read(deep).warnings(),
        ["groups are nested 5 levels deep; more than 4 are hard to follow"]
    );
    assert_eq!(
        read("describe 'a' do\n  context('b') { }\nend").warnings(),
        ["line 2: context 'b' has no examples"]
    );
}
