//! `design skeleton`: what it writes, and what it leaves alone.

use super::{CART, METADATA, project};

#[test]
fn a_small_not_goes_through_all_steps_and_the_reviewer_tells() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let review = |options: &str| {
        for step in [
            format!("skeleton {METADATA} {options}"),
            format!("architect {METADATA}"),
            format!("implement {METADATA}"),
        ] {
            project.casebook(&format!("design {step}")).run().exits(0);
        }
        let line = format!("design review {METADATA} --json");
        project.casebook(&line).run().exits(0).stdout
    };
    let loud = review("");
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(spec.contains("context 'but NOT express' do"), "{spec}");
    assert!(!loud.contains("lower-not"), "{loud}");
    let small = review("--small-not");
    let spec = project.read("spec/lib/cart_spec.rb");
    assert!(spec.contains("context 'but not express' do"), "{spec}");
    assert!(
        small.contains("'but not express' has a small not"),
        "{small}"
    );
    assert!(!small.contains("missing-state"), "{small}");
}
