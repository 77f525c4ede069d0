//! Operators as methods: from `survey` to a spec that passes.

use super::{METADATA, project};

const CART: &str = "\
class Cart
  def ==(other)
    return false if other.nil?

    :unknown
  end

  def [](key)
    case key
    when :size then 1
    else raise KeyError
    end
  end

  def []=(key, value)
    raise ArgumentError if value.nil?

    key == :size ? 1 : 2
  end

  def -@
    @size == 1 ? 1 : 2
  end
end
";

#[test]
fn every_surveyed_operator_becomes_a_spec() {
    let surveyed = project(CART).casebook("design survey lib").run().exits(0);
    for (operator, call, end) in [
        ("==", "service == other", "2 examples, 0 failures"),
        ("[]", "service[key]", "2 examples, 0 failures"),
        // An assignment returns the assigned value, whatever the method returns.
        (
            "[]=",
            "service[key] = value",
            "3 examples, 0 failures, 2 pending",
        ),
        ("-@", "-service", "2 examples, 0 failures"),
    ] {
        assert!(surveyed.stdout.contains(&format!("Cart#{operator} ")));
        let project = project(CART);
        let method = format!("lib/cart.rb#{operator}");
        project
            .casebook(&format!("design analyze {method}"))
            .run()
            .exits(0);
        project
            .casebook(&format!("design validate {METADATA}"))
            .run()
            .exits(0);
        let piped = project.casebook(&format!("design pipeline {method}")).run();
        assert_ne!(piped.code, 1, "{operator}: {}", piped.stderr);
        let spec = project.read("spec/lib/cart_spec.rb");
        assert!(
            spec.contains(&format!("describe '#{operator}' do")),
            "{spec}"
        );
        assert!(
            spec.contains(&format!("subject(:result) {{ {call} }}")),
            "{spec}"
        );
        let ran = project.bash("rspec -r ./lib/cart.rb").run().exits(0);
        assert!(
            ran.stdout.contains(end),
            "{operator}: {}\n{spec}",
            ran.stdout
        );
    }
}
