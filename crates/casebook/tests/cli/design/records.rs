//! Records whose attributes are plain columns of a database table.

use super::application::{copy_of, methods};

#[test]
fn columns_are_set_if_they_return_the_given_value() {
    let project = copy_of("tests/fixtures/design/records");
    for method in &methods(&project) {
        let piped = project.casebook(&format!("design pipeline {method}")).run();
        assert_ne!(piped.code, 1, "{method}: {}", piped.stderr);
    }
    let ran = project.bash("rspec").run().exits(0);
    // A symbol in a text column remains pending.
    let expected = "24 examples, 0 failures, 2 pending";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    let spec = project.read("spec/services/greeting_spec.rb");
    let given = r#"build_stubbed(:user, active: true, role: "vip")"#;
    assert!(spec.contains(given), "{spec}");
    assert!(spec.contains("set up `user_role`: vip"), "{spec}");
    let spec = project.read("spec/models/user_spec.rb");
    let given = "build_stubbed(:user, active: true, plan: 'pro')";
    assert!(spec.contains(given), "{spec}");
}

#[test]
fn columns_that_may_change_remain_pending() {
    for (file, from, to) in [
        (
            "app/models/user.rb",
            "ApplicationRecord\n",
            "ApplicationRecord\n  after_initialize :fill\n\n  def fill = nil\n",
        ),
        (
            "app/models/application_record.rb",
            "abstract_class = true\n",
            "abstract_class = true\n  include Comparable\n",
        ),
        ("db/schema.rb", "create_table", "create_other"),
    ] {
        let project = copy_of("tests/fixtures/design/records");
        project.write(file, project.read(file).replacen(from, to, 1));
        let method = "app/services/greeting.rb#adult";
        project.casebook(&format!("design pipeline {method}")).run();
        let spec = project.read("spec/services/greeting_spec.rb");
        assert!(spec.contains("set up `user_age`"), "{file}\n{spec}");
    }
}
