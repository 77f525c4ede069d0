//! RSpec processes that stop sending events.

use serde_json::Value;

use super::workers::workers;
use super::{example, results, sample};

fn exception(run: &Value, description: &str) -> [String; 2] {
    let exception = &example(run, description)["exception"];
    ["class_name", "message"].map(|field| exception[field].as_str().unwrap().to_owned())
}

#[test]
fn an_example_that_takes_too_long_is_killed_and_the_others_continue() {
    let project = sample();
    project.write(
        "spec/hang_spec.rb",
        "RSpec.describe('Hang') { it('is first') {}; it('hangs') { sleep 600 }; it('is last') {} }",
    );
    workers(&project, "-w 1 --timeout 5 spec/hang_spec.rb")
        .run()
        .exits(1);
    let run = project.json("par/run.json");
    assert_eq!(
        results(&run),
        "passed Hang::is first\nfailed Hang::hangs Casebook::Timeout\npassed Hang::is last\n"
    );
    assert_eq!(exception(&run, "hangs")[1], "timed out after 5 s");
}

#[test]
fn an_example_times_out_while_others_send_many_events() {
    let project = sample();
    project.write(
        "spec/hang_spec.rb",
        "RSpec.describe('Hang') { it('hangs') { sleep 600 } }",
    );
    project.write(
        "spec/busy_spec.rb",
        "RSpec.describe('Busy') { 3000.times { |n| it(n) { sleep 0.01 } } }",
    );
    workers(
        &project,
        "-w 2 --timeout 2 --fail-fast spec/hang_spec.rb spec/busy_spec.rb",
    )
    .run()
    .exits(1);
    let run = project.json("par/run.json");
    assert_eq!(exception(&run, "hangs")[0], "Casebook::Timeout");
    let busy = run["examples"].as_object().unwrap().len() - 1;
    assert!(busy < 3000, "it was killed only after all other examples");
}

#[test]
fn a_process_that_is_stopped_is_replaced() {
    let project = sample();
    project.write(
        "spec/stop_spec.rb",
        "RSpec.describe('Stop') { it('stops') { Process.kill(:STOP, Process.pid) }; it('is last') {} }",
    );
    workers(&project, "-w 1 --worker-silence 1 spec/stop_spec.rb")
        .run()
        .exits(1);
    let run = project.json("par/run.json");
    assert_eq!(
        exception(&run, "stops"),
        [
            "Casebook::WorkerDied",
            "the RSpec process was killed while running this example: it was stopped by a signal for 1 s"
        ]
    );
    assert_eq!(example(&run, "is last")["status"], "passed");
}

/// A hook that exits its process does so in the replacement too: the examples that need it fail, the others run.
#[test]
fn a_crashing_hook_fails_only_the_examples_that_need_it() {
    for hook in ["exit! 7", "sleep 600"] {
        let project = sample();
        project.write(
            "spec/hook_spec.rb",
            format!(
                "RSpec.describe('Hook') {{ before(:context) {{ {hook} }}; it('one') {{}}; it('two') {{}} }}
                 RSpec.describe('Other') {{ it('runs') {{}} }}"
            ),
        );
        workers(&project, "-w 1 --timeout 5 spec/hook_spec.rb")
            .run()
            .exits(1);
        let run = project.json("par/run.json");
        assert_eq!(
            results(&run),
            "failed Hook::one Casebook::WorkerDied\nfailed Hook::two Casebook::WorkerDied\npassed Other::runs\n",
            "{hook}"
        );
        let message = &exception(&run, "one")[1];
        let how = if hook == "exit! 7" {
            "exited"
        } else {
            "was killed"
        };
        let expected = format!("the RSpec process {how} before this example started: ");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn processes_that_exit_early_are_replaced_only_a_few_times() {
    let project = sample();
    project.write(
        "spec/suite_spec.rb",
        "RSpec.configure { |c| c.before(:suite) { File.write('starts', 'x', mode: 'a'); exit! 7 } }
         RSpec.describe('Suite') { 50.times { |i| it(\"runs #{i}\") {} } }",
    );
    let outcome = workers(&project, "-w 2 spec/suite_spec.rb").run().exits(1);
    assert!(outcome.stderr.contains("examples not run"), "{outcome:#?}");
    assert!(project.read("starts").len() < 6);
}
