//! What comes twice, what later formats add, what is no condition: E14, E17, E18.

use super::bodies;
use crate::support::analysis;

#[test]
fn e14_repetition() {
    bodies(&[
        ("x if a?\ny if a?", "a binary [a not_a]"),
        (
            "x if n > 1\ny if n > 5",
            "n range [sufficient insufficient]\nn_5 range [sufficient insufficient]",
        ),
        (
            "x if n > 1\ny if n > 5\nz if n > LIMIT\nq if n > -5",
            "n range [sufficient insufficient]\nn_5 range [sufficient insufficient]\nn_2 range [sufficient insufficient]\nn_minus_5 range [sufficient insufficient]",
        ),
        (
            "x if s == :a\ny if s == :b\nz if s == :c",
            "s binary [a not_a]\ns_2 binary [b not_b]\ns_3 binary [c not_c]",
        ),
        (
            "if a?\n  x if a?\n  y if b?\nend",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        ("return unless a?\nx if a?", "a binary [a not_a]"),
        (
            "case k\nwhen :a then v? ? 1 : 2\nwhen :b then 3\nwhen :c then v? ? 1 : 2\nend",
            "k enum [a b c]\nv binary [v not_v] < k=a|c",
        ),
    ]);
    let twice = analysis("def s\n  if a?\n    x if c?\n  end\n  if b?\n    y if c?\n  end\nend");
    assert_eq!(twice.characteristics[1].when_parent, ["a"]);
    assert_eq!(twice.warnings.len(), 1, "{:?}", twice.warnings);
}

#[test]
fn e17_lines_terminal_states_and_thresholds() {
    let ruby = "def s(n)\n  return if n > 1_000\n  case k\n  when :a\n    raise Late\n  else\n    x\n  end\nend";
    let found = analysis(ruby).characteristics;
    assert_eq!(found[0].lines, (2, 2));
    assert_eq!(found[1].lines, (3, 8));
    assert_eq!(found[0].terminal_states, ["sufficient"]);
    assert_eq!(found[1].terminal_states, ["a"]);
    let threshold = found[0].threshold.clone().unwrap();
    assert_eq!(
        (threshold.operator.as_str(), threshold.value.as_deref()),
        (">", Some("1000"))
    );
}

#[test]
fn e18_what_is_no_characteristic() {
    bodies(&[
        ("a ||= b?\nc &&= d?\nx = e || 'f'", ""),
        ("until done?\n  x\nend\ny while busy?", ""),
        ("items.select { |i| i.ready? && i.hot? }\nx", ""),
        ("log(a?, b: c?)\nx", ""),
        ("begin\n x\nrescue Late\n retry\nend", ""),
        ("a? && go\nx", ""),
    ]);
}

#[test]
fn e18r_results() {
    bodies(&[
        ("a? && b?", "a binary [a not_a]\nb binary [b not_b]"),
        ("role == :admin", "role binary [admin not_admin]"),
        ("age >= 18", "age range [sufficient insufficient]"),
        ("return age >= 18", "age range [sufficient insufficient]"),
        ("!(a? || b?)", "a binary [a not_a]\nb binary [b not_b]"),
        ("a?", ""),
        ("!a?", ""),
        ("user.admin?", ""),
        ("user && user.admin?", ""),
        ("find(1) || 'none'", ""),
        ("if a?\n b? && c?\nend", "a binary [a not_a]"),
        (
            "return if a?\nb? && c?",
            "a binary [a not_a]\nb binary [b not_b] < a=not_a\nc binary [c not_c] < a=not_a",
        ),
    ]);
}
