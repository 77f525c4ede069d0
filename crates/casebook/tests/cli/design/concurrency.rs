//! Concurrent writers, and killed ones.

use std::thread;

use super::{CART, METADATA, project};

#[test]
fn concurrent_writers_lose_nothing() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    project
        .casebook("design skeleton lib/cart.rb")
        .run()
        .exits(0);
    thread::scope(|scope| {
        for writer in 0..12 {
            let project = &project;
            scope.spawn(move || {
                let arguments = format!(
                    "design mark architect {METADATA} --set automation.architect_k{writer}={writer}"
                );
                project.casebook(&arguments).run().exits(0);
                project
                    .casebook(&format!("design validate {METADATA}"))
                    .run()
                    .exits(0);
            });
        }
    });
    let text = project.read(METADATA);
    for writer in 0..12 {
        assert!(
            text.contains(&format!("architect_k{writer}: {writer}\n")),
            "{text}"
        );
    }
    let left: Vec<_> = project.files("tmp/rspec_claude_metadata");
    assert_eq!(left, ["metadata_lib_cart.yml"]);
}

#[test]
fn a_killed_writer_leaves_a_complete_file() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    let script = "for i in $(seq 40); do $CASEBOOK design analyze lib/cart.rb --force >/dev/null & pid=$!; sleep 0.0$((i % 10)); kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; done; true";
    project.bash(script).run().exits(0);
    project
        .casebook(&format!("design validate {METADATA}"))
        .run()
        .exits(0);
}

#[test]
fn a_step_writes_only_its_own_sections_and_in_order() {
    let project = project(CART);
    project
        .casebook("design analyze lib/cart.rb")
        .run()
        .exits(0);
    for (arguments, message) in [
        (
            "architect lib/cart.rb",
            "Error: skeleton has not been done; run `casebook design skeleton METADATA` first\n",
        ),
        (
            "polisher lib/cart.rb --set test_level=e2e",
            "Error: `polish` cannot set `test_level`; it can set `automation.polisher_*`, `automation.linter` and `automation.warnings`\n",
        ),
        (
            "painter lib/cart.rb",
            "Error: unknown step `painter`; the steps are: analyze, validate, skeleton, architect, implement, optimize, polish, review\n",
        ),
    ] {
        let outcome = project
            .casebook(&format!("design mark {arguments}"))
            .run()
            .exits(1);
        assert_eq!(outcome.stderr, message);
    }
    project
        .casebook("design skeleton lib/cart.rb")
        .run()
        .exits(0);
    project
        .casebook("design mark architect lib/cart.rb")
        .run()
        .exits(0);
    let outcome = project.casebook("design status").run().exits(0);
    insta::assert_snapshot!(outcome.stdout, @r"
    METHOD      DONE                                 NEXT       METADATA
    Cart#total  analyze validate skeleton architect  implement  metadata is fresh and completed
    ");
}
