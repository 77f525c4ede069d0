//! A project with a Gemfile where Bundler is not installed.

use super::sample;
use crate::support::{Call, Project};

const WARNING: &str =
    "warning: bundler is not installed: starting rspec without the gem versions of the Gemfile\n";

/// The sample with a Gemfile, and with `rspec` and `ruby` as the only programs in `bin`.
fn sample_without_bundler() -> Project {
    let project = sample();
    project.write("Gemfile", "");
    let link = "mkdir bin && ln -s \"$(type -P rspec)\" \"$(type -P ruby)\" bin/";
    project.bash(link).run().exits(0);
    project
}

/// The messages of a command that finds programs only in `bin`, and how many examples it recorded.
fn recorded(project: &Project, call: Call) -> (String, usize) {
    let messages = call.env("PATH", project.at("bin")).run().exits(0).stderr;
    let run = project.json("out/run.json");
    (messages, run["examples"].as_object().unwrap().len())
}

#[test]
fn rspec_starts_without_it_and_says_so() {
    for typed in [
        "rspec --record out -w 1 spec/slow_spec.rb",
        "record --record out -- rspec spec/slow_spec.rb",
        "record --record out -- bundle exec rspec spec/slow_spec.rb",
    ] {
        let project = sample_without_bundler();
        let (messages, examples) = recorded(&project, project.casebook(typed));
        assert!(messages.starts_with(WARNING), "{typed}: {messages}");
        assert!(examples > 0, "{typed}");
    }
}

#[test]
fn without_a_gemfile_there_is_no_warning() {
    let project = sample_without_bundler();
    std::fs::remove_file(project.at("Gemfile")).unwrap();
    for typed in ["rspec --record out -w 1", "record --record out -- rspec"] {
        let call = project.casebook(&format!("{typed} spec/slow_spec.rb"));
        let (messages, _) = recorded(&project, call);
        assert!(!messages.contains("bundler"), "{typed}: {messages}");
        std::fs::remove_dir_all(project.at("out")).unwrap();
    }
    let typed = "record -- bundle exec rspec";
    let call = project.casebook(typed).env("PATH", project.at("bin"));
    let stderr = call.run().exits(2).stderr;
    assert!(stderr.contains("cannot start `bundle`"), "{stderr}");
}

#[test]
fn a_typed_command_is_started_as_it_is() {
    let project = sample_without_bundler();
    let mut call = project.casebook("rspec -w 1").arg("--command");
    call = call.arg("bundle exec rspec").env("PATH", project.at("bin"));
    let stderr = call.run().exits(2).stderr;
    assert!(stderr.contains("bundle"), "{stderr}");
    assert!(!stderr.contains("not installed: starting"), "{stderr}");
}
