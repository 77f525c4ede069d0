//! Examples that run other examples, and nested metadata.

use serde_json::{Value, json};

use super::{example, record, results};
use crate::support::Project;

/// Examples that run groups with the reporter of the run, as RSpec's own specs and those of its extensions do.
const NESTED: &str = r#"
RSpec.describe "Outer" do
  3.times do |number|
    it "runs others #{number}" do
      2.times do
        group = RSpec.describe("Inner") { it("passes") {}; it("fails") { raise "inside" } }
        group.run(RSpec.configuration.reporter)
        RSpec.world.example_groups.delete(group)
      end
    end
  end
  it("runs none") {}
end
"#;

fn assert_all_are_recorded(run: &Value, stderr: &str) {
    let examples = run["examples"].as_object().unwrap();
    assert_eq!(examples.len(), 16, "{}", results(run));
    for (id, example) in examples {
        assert_eq!(example["metadata"].get("attempts"), None, "{id}");
        let is_inner = example["canonical_path"]
            .as_str()
            .unwrap()
            .starts_with("Inner");
        let inside = example["metadata"]["inside"].as_str();
        assert_eq!(inside.is_some(), is_inner, "{id}");
        if let Some(outer) = inside {
            assert!(
                examples.contains_key(outer) && id.starts_with(outer),
                "{id}"
            );
        }
        let rerun = example["metadata"]["rerun"].as_str();
        assert!(rerun.is_none_or(|rerun| !rerun.contains('>')), "{rerun:?}");
    }
    let warning = "runs other examples; each is recorded separately";
    assert!(stderr.contains(warning), "{stderr}");
}

#[test]
fn examples_inside_examples_are_recorded_separately() {
    let project = Project::with("spec/outer_spec.rb", NESTED);
    let outcome = record(&project, "").run();
    assert_all_are_recorded(&project.json("out/run.json"), &outcome.stderr);
    let outcome = project.casebook("rspec -w 2 --record par").run();
    assert_all_are_recorded(&project.json("par/run.json"), &outcome.stderr);
}

#[test]
fn maps_and_lists_in_metadata_are_recorded() {
    let spec = r#"
RSpec.describe "Shop", area: { name: :north } do
  it("sells", :fast, custom: { db: { rows: 1 }, "list" => [1, :two, nil] }, ids: [1, 2], tags: [:own], none: []) {}
end
"#;
    let project = Project::with("spec/shop_spec.rb", spec);
    record(&project, "").run().exits(0);
    let run = project.json("out/run.json");
    let expected = json!({"area": {"name": "north"}, "custom": {"db": {"rows": 1}, "list": [1, "two", null]},
        "ids": [1, 2], "rspec_tags": ["own"], "tags": ["fast"]});
    assert_eq!(example(&run, "sells")["metadata"], expected);
}
