//! Output formats of RSpec runs.

use insta::assert_snapshot;

use super::sample;
use super::workers::workers;

#[test]
fn examples_are_listed_without_running_them() {
    let project = sample();
    let listed = project
        .casebook("rspec --list -w 3 spec/shop_spec.rb:11 spec/shop_spec.rb:42 spec/slow_spec.rb:5")
        .run();
    assert_snapshot!(listed.exits(0).stdout, @"
    spec/shop_spec.rb:11  Shop › prices › adds up  [fast, type:model]
    spec/shop_spec.rb:42  Shop › later › is not written yet  (skipped)
    spec/slow_spec.rb:5  Slow › takes its time 0
    spec/slow_spec.rb:5  Slow › takes its time 1
    spec/slow_spec.rb:5  Slow › takes its time 2
    spec/slow_spec.rb:5  Slow › takes its time 3
    ");
    assert!(!project.exists(".casebook"));
    let broken = project.casebook("rspec --list broken/load_spec.rb").run();
    assert_snapshot!(broken.shown(), @"
    exit code 2
    --- stderr
    error: error while loading ./broken/load_spec.rb: cannot load such file -- shop
    ");
}

#[test]
fn formats_go_to_standard_output_or_to_files() {
    let project = sample();
    let outcome = workers(
        &project,
        "-w 1 spec/shop_spec.rb:20 spec/slow_spec.rb --format tap --format junit=j.xml --html h.html",
    )
    .run()
    .exits(1);
    let shown = outcome.stdout;
    assert!(shown.starts_with("TAP version 13\n1..5\n# spec/shop_spec.rb\nnot ok 1 Shop › prices › says what was wrong\n"), "{shown}");
    assert!(shown.ends_with("ok 5 Slow › takes its time 3\n"), "{shown}");
    assert!(project.read("j.xml").contains("tests=\"5\""));
    assert!(project.read("h.html").contains("says what was wrong"));
    let dots = project.casebook("rspec -w 1 --record none --ui quiet spec/slow_spec.rb");
    assert!(dots.run().exits(0).stdout.starts_with("....\n"));
    project.casebook("rspec --ui interactive").run().exits(2);
}

#[test]
fn a_closed_standard_output_stops_the_run() {
    let project = sample();
    let call = workers(&project, "-w 1 --format tap spec/slow_spec.rb").closed_stdout();
    let stderr = call.run().exits(141).stderr;
    assert!(stderr.contains("examples not run"), "{stderr}");
}
