//! Whether RSpec can be started by Bundler: a project with a Gemfile may be tested where Bundler is not installed.

use std::env::split_paths;
use std::ffi::{OsStr, OsString};

use crate::context::Context;

const NOT_INSTALLED: &str =
    "bundler is not installed: starting rspec without the gem versions of the Gemfile";

/// The command that starts RSpec in this project.
pub(crate) fn rspec_command(context: &Context) -> &'static str {
    if !has_gemfile(context) {
        "rspec"
    } else if is_installed(context) {
        "bundle exec rspec"
    } else {
        context.messages.warn(NOT_INSTALLED);
        "rspec"
    }
}

/// The typed command without `bundle exec` if it would start RSpec and Bundler is not installed.
pub(crate) fn without_missing<'a>(
    program: &'a OsStr,
    arguments: &'a [OsString],
    context: &Context,
) -> (&'a OsStr, &'a [OsString]) {
    let rspec = match arguments {
        _ if program == "rspec" => (program, arguments),
        [exec, rspec, options @ ..]
            if program == "bundle" && exec == "exec" && rspec == "rspec" =>
        {
            (rspec.as_os_str(), options)
        }
        _ => return (program, arguments),
    };
    if !has_gemfile(context) || is_installed(context) {
        return (program, arguments);
    }
    context.messages.warn(NOT_INSTALLED);
    rspec
}

fn has_gemfile(context: &Context) -> bool {
    context.dir.join("Gemfile").exists() || context.environment.contains_key("BUNDLE_GEMFILE")
}

fn is_installed(context: &Context) -> bool {
    let path = context.environment.get("PATH");
    path.is_some_and(|path| {
        split_paths(path).any(|dir| context.dir.join(dir).join("bundle").is_file())
    })
}
