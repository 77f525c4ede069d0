//! Names with and without receivers, through all steps.

use serde_json::Value;

use super::application::shop;
use super::{METADATA, project};
use crate::support::Project;

const CART: &str = "\
class Cart
  def total(user, order)
    return 0 unless user.active?

    order.paid? ? 1 : 2
  end
end
";

fn names(project: &Project, metadata: &str) -> String {
    let text = project.read(metadata);
    let mut lines = text.lines().map(str::trim);
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("- name: ")
            && lines
                .next()
                .is_some_and(|next| !next.starts_with("method_mode"))
        {
            found.push(name.to_owned());
        }
    }
    found.join(" ")
}

#[test]
fn a_document_with_other_names_is_not_fresh() {
    let project = project(CART);
    // The completion of later steps is reset when a document is regenerated.
    let done = "automation:\n  architect_completed: true\n";
    let analyze = |options: &str| {
        let line = format!("design analyze lib/cart.rb {options}");
        project.casebook(&line).run().exits(0);
        let document = project.read(METADATA);
        let is_new = !document.contains(done);
        if is_new {
            project.write(METADATA, document.replace("automation:\n", done));
        }
        is_new
    };
    for (options, expected) in [
        ("", "user_active order_paid"),
        ("--names short", "active paid"),
        ("--names full", "user_active order_paid"),
        ("--format 2.0", "user_active order_paid"),
        ("--format 2.0 --names short", "active paid"),
        ("", "user_active order_paid"),
    ] {
        assert!(analyze(options), "regenerated: {options}");
        assert_eq!(names(&project, METADATA), expected, "{options}");
        assert!(!analyze(options), "fresh: {options}");
    }
    assert!(!analyze("--names full"), "full is the default of 1.3");
    assert!(!project.read(METADATA).contains("names:"));
    let line = format!("design validate {METADATA}");
    assert!(analyze("--names short"));
    project.casebook(&line).run().exits(0);
}

#[test]
fn a_document_of_many_methods_with_other_names_is_not_fresh() {
    let project = project(&CART.replace("order.paid?", "order.active?"));
    let metadata = "tmp/rspec_metadata/lib_cart.yml";
    for (options, expected) in [
        ("", "total user_active order_active"),
        ("--names full", "total user_active order_active"),
    ] {
        let line = format!("design analyze lib {options}");
        project.casebook(&line).run().exits(0);
        assert!(names(&project, metadata).ends_with(expected), "{options}");
        let is_noted = project.read(metadata).contains("\nnames: full\n");
        assert_eq!(is_noted, options == "--names full");
        let line = format!("design validate --stage code-analyzer {metadata}");
        project.casebook(&line).run().exits(0);
    }
}

#[test]
fn an_unknown_profile_is_rejected() {
    let outcome = project(CART)
        .casebook("design analyze lib/cart.rb --names tiny")
        .run();
    assert_ne!(outcome.code, 0);
    let choices = "[possible values: full, domain, short]";
    assert!(outcome.stderr.contains(choices), "{outcome:#?}");
}

#[test]
fn names_without_receivers_are_accepted() {
    let project = project(
        &CART
            .replace("user.active?", "user.zero?")
            .replace("order.paid? ? 1 : 2", "order.even? ? 1 : 2"),
    );
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let by_hand = project
        .read(METADATA)
        .replace("user_zero", "zero")
        .replace("order_even", "even");
    project.write(METADATA, by_hand);
    for step in ["skeleton", "architect", "implement"] {
        let line = format!("design {step} lib/cart.rb");
        project.casebook(&line).run().exits(0);
    }
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(spec.contains("# Set up `even`: even."), "{spec}");
    assert!(!spec.contains("does not describe this source"), "{spec}");
}

/// The number of examples, failures and pending examples after all writing steps.
fn implemented(project: &Project) -> (u64, u64, u64) {
    let specs = "for spec in $(find spec -name '*_spec.rb'); do ruby -c $spec; done";
    project.bash(&format!("set -e; {specs}")).run().exits(0);
    project.bash("rspec --dry-run").run().exits(0);
    let ran = project.bash("rspec --format json").run();
    let start = ran.stdout.find('{').unwrap_or_default();
    let ran: Value = serde_json::from_str(&ran.stdout[start..]).unwrap();
    let count = |name: &str| ran["summary"][name].as_u64().unwrap();
    (
        count("example_count"),
        count("failure_count"),
        count("pending_count"),
    )
}

/// Every method of the sample application in format 2.0, with these names.
fn in_format_2_0(profile: &str) -> (u64, u64, u64) {
    let project = shop();
    let survey = project.casebook("design survey --json").run().exits(0);
    let methods: Value = serde_json::from_str(&survey.stdout).unwrap();
    for method in methods.as_array().unwrap() {
        let file = method["file"].as_str().unwrap();
        let method = method["method"].as_str().unwrap();
        for step in [
            format!("analyze {file}#{method} --force --format 2.0 {profile}"),
            format!("skeleton {file} --merge upsert"),
            format!("architect {file}"),
            format!("implement {file}"),
        ] {
            let done = project.casebook(&format!("design {step}")).run();
            assert_ne!(done.code, 1, "{step}: {}", done.stderr);
        }
    }
    implemented(&project)
}

/// Every file of the sample application in the plugin layout, with these names.
fn in_plugin_layout(profile: &str) -> (u64, u64, u64) {
    let project = shop();
    for dir in ["app", "lib"] {
        let line = format!("design analyze {dir} {profile}");
        assert_ne!(project.casebook(&line).run().code, 1);
    }
    for metadata in project.files("tmp/rspec_metadata") {
        for step in ["skeleton --level unit", "architect", "implement"] {
            let line = format!("design {step} tmp/rspec_metadata/{metadata}");
            let done = project.casebook(&line).run();
            assert_ne!(done.code, 1, "{line}: {}", done.stderr);
        }
    }
    implemented(&project)
}

#[test]
fn the_number_of_certain_examples_does_not_depend_on_the_names() {
    let with_receivers = in_format_2_0("--names full");
    assert_eq!(with_receivers, (72, 0, 13));
    assert_eq!(in_format_2_0(""), with_receivers);
    assert_eq!(in_plugin_layout("--names full"), with_receivers);
    assert_eq!(in_plugin_layout(""), with_receivers);
}
