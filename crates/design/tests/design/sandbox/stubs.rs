//! The stubs of `casebook_sandbox.rb`, which name the call that the sandbox forbids.

use casebook_design::sandbox::{Limits, STUBS};

use super::Cell;

/// What each of these calls does in the sandbox with stubs: `blocked`, or the name of another class.
#[track_caller]
fn outcomes(calls: &[&str]) -> Option<String> {
    let cell = Cell::new(Limits::default())?;
    let attempts: Vec<_> = calls
        .iter()
        .map(|call| {
            format!("begin; {call}; puts 'done'; rescue CasebookSandbox::Blocked; puts 'blocked'; rescue Exception => e; puts e.class; end\n")
        })
        .collect();
    let code = format!(
        "{STUBS}\nCasebookSandbox.install(Dir.pwd)\n{}",
        attempts.join("")
    );
    Some(cell.printed(&code))
}

#[test]
fn starting_a_process_is_blocked() {
    let calls = [
        "system('true')",
        "`true`",
        "%x(true)",
        "spawn('true')",
        "exec('true')",
        "fork { }",
        "IO.popen('true')",
        "Kernel.system('true')",
        "Process.spawn('true')",
        "Process.fork { }",
        "Process.daemon",
        "Process.kill(0, 1)",
        "open('|true')",
        "Kernel.open('|true')",
        "IO.read('|true')",
        "IO.readlines('|true')",
        "syscall(39)",
        "Object.new.send(:system, 'true')",
    ];
    let Some(found) = outcomes(&calls) else {
        return;
    };
    assert_eq!(found, vec!["blocked"; calls.len()].join("\n"));
}

#[test]
fn changing_files_elsewhere_is_blocked() {
    let calls = [
        "File.write(\"#{project}/x\", '')",
        "File.open(\"#{project}/x\", 'w')",
        "File.open(\"#{project}/x\", mode: 'a')",
        "File.new(\"#{project}/x\", File::CREAT)",
        "open(\"#{project}/x\", 'w')",
        "IO.write(\"#{project}/x\", '')",
        "File.delete(\"#{project}/file.rb\")",
        "File.rename('x', \"#{project}/x\")",
        "File.symlink('x', \"#{project}/x\")",
        "File.chmod(0, \"#{project}/file.rb\")",
        "Dir.mkdir(\"#{project}/x\")",
        "Dir.rmdir(project)",
        "require 'fileutils'; FileUtils.rm_rf(\"#{project}/file.rb\")",
        "require 'pathname'; Pathname(project).join('x').write('')",
    ];
    let Some(found) = outcomes(&calls) else {
        return;
    };
    assert_eq!(found, vec!["blocked"; calls.len()].join("\n"));
}

#[test]
fn reading_and_the_own_directory_are_not_blocked() {
    let calls = [
        "File.read(\"#{project}/file.rb\")",
        "File.open(\"#{project}/file.rb\").read",
        "open(\"#{project}/file.rb\", 'r')",
        "File.write('x', '')",
        "File.open('x', 'a') { |file| file << 1 }",
        "File.delete('x')",
        "Dir.mkdir('y')",
        "require 'tempfile'; Tempfile.create('z') { }",
        "File.open('/dev/null', 'w') { }",
        "IO.readlines(\"#{project}/file.rb\", chomp: true)",
    ];
    let Some(found) = outcomes(&calls) else {
        return;
    };
    assert_eq!(found, vec!["done"; calls.len()].join("\n"));
}

#[test]
fn removing_the_stubs_does_not_remove_the_isolation() {
    let calls = [
        "Kernel.remove_method(:system); system(\"touch #{project}/x\")",
        "Kernel.singleton_class.remove_method(:spawn); Kernel.spawn(\"touch #{project}/x\")",
        "ObjectSpace.each_object(UnboundMethod) { |method| method.bind_call(Kernel, \"touch #{project}/x\") rescue nil }",
        "File.singleton_class.remove_method(:write); File.write(\"#{project}/x\", '')",
        "IO.for_fd(IO.instance_method(:fileno).bind_call($stdout)).puts; Object.send(:remove_const, :CasebookSandbox); CasebookSandbox = Class.new { const_set(:Blocked, Class.new(StandardError)) }",
    ];
    let Some(cell) = Cell::new(Limits::default()) else {
        return;
    };
    let attempts: Vec<_> = calls
        .iter()
        .map(|call| format!("begin; {call}; rescue Exception; end\n"))
        .collect();
    cell.ruby(&format!(
        "{STUBS}\nCasebookSandbox.install(Dir.pwd)\n{}",
        attempts.join("")
    ));
    cell.assert_project_is_intact();
}
