//! `casebook design`: output, exit codes and files.

pub(crate) mod application;
mod concurrency;
mod generated;
mod learning;
mod messages;
mod metadata;
mod names;
mod operators;
mod paths;
mod plugin;
mod records;
mod refactor;
mod several_methods;
mod skeleton;
mod update;

use crate::support::Project;

/// A project with this Ruby file in `lib/`.
fn project(ruby: &str) -> Project {
    let project = Project::with("lib/cart.rb", ruby);
    project.write("Gemfile", "");
    project
}

const CART: &str = "\
class Cart
  def total(user, express: false)
    return 0 if user.nil?

    case user.role
    when :vip then 1
    when 'no' then express ? 1 : 2
    else 3
    end
  end
end
";

const METADATA: &str = "tmp/rspec_claude_metadata/metadata_lib_cart.yml";
