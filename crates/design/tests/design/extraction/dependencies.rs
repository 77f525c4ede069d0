//! The positions of conditions and their dependencies: rules E1 to E3 and E16.

use super::bodies;
use crate::support::{analysis, body, found, same};

#[test]
fn e1_only_the_body_of_the_method_is_read() {
    let ruby = "
class Order
  validates :name, presence: true, if: :paid?
  before_save :x, if: -> { a? }
  def total
    check
    def inner
      x if y?
    end
    vip? ? 1 : 2
  end
  private
  def check
    raise if broken?
  end
end";
    same(ruby, &found(ruby), "vip binary [vip not_vip]");
}

#[test]
fn e1b_blocks_lambdas_begin_and_transactions_are_transparent() {
    bodies(&[
        (
            "Order.transaction do\n  a if b.ready?\nend",
            "b_ready binary [ready not_ready]",
        ),
        ("f = ->(x) { x.ok? ? 1 : 2 }", "x_ok binary [ok not_ok]"),
        ("begin\n  a if b?\nend", "b binary [b not_b]"),
        (
            "return if locked?\nitems.each do |item|\n  a if item.hot?\nend",
            "locked binary [locked not_locked]\nitem_hot binary [hot not_hot] < locked=not_locked",
        ),
        ("for x in xs\n  a if x.b?\nend", "x_b binary [b not_b]"),
    ]);
}

#[test]
fn e2_every_early_exit_makes_a_guard() {
    for exit in [
        "return",
        "return 1",
        "raise",
        "raise Late, 'x'",
        "fail 'x'",
        "throw :done",
        "exit",
        "exit 1",
        "abort 'x'",
        "Kernel.raise Late",
        "render(:a) and return",
        "(log; return)",
    ] {
        let ruby = format!("if a?\n  {exit}\nend\nb? ? 1 : 2");
        same(
            &ruby,
            &body(&ruby),
            "a binary [a not_a]\nb binary [b not_b] < a=not_a",
        );
    }
    for no_exit in ["log", "x.raise", "retry_later", "yield"] {
        let ruby = format!("if a?\n  {no_exit}\nend\nb? ? 1 : 2");
        same(
            &ruby,
            &body(&ruby),
            "a binary [a not_a]\nb binary [b not_b]",
        );
    }
}

#[test]
fn e2_guards_ignore_one_another_but_not_the_branch_around_them() {
    bodies(&[
        (
            "return if a?\nraise X unless b?\nreturn 1 if c > 2",
            "a binary [a not_a]\nb binary [b not_b]\nc range [sufficient insufficient]",
        ),
        (
            "return if a?\nif b?\n  return if c?\n  d? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b] < a=not_a\nc binary [c not_c] < b=b\nd binary [d not_d] < c=not_c",
        ),
        (
            "return if a?\nitems.each do |i|\n  next if i.b?\n  i.c? ? 1 : 2\nend\nd? ? 1 : 2",
            "a binary [a not_a]\ni_b binary [b not_b]\ni_c binary [c not_c] < i_b=not_b\nd binary [d not_d] < a=not_a",
        ),
    ]);
}

#[test]
fn e3_gates() {
    bodies(&[
        // Both branches continue, or both exit: no gate.
        (
            "if a?\n  x\nelse\n  y\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]",
        ),
        // The else branch exits.
        (
            "if a?\n  x\nelse\n  return\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        (
            "unless a?\n  return\nelse\n  x\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        // A gate of an enclosing list applies until a branch is entered.
        (
            "return if a?\nif b?\n  c? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b] < a=not_a\nc binary [c not_c] < b=b",
        ),
        // A case with several continuing branches is not a gate, with one it is.
        (
            "case x\nwhen :a then return\nwhen :b then y\nelse z\nend\nb? ? 1 : 2",
            "x enum [a b other]\nb binary [b not_b]",
        ),
        (
            "case x\nwhen :a then return\nelse z\nend\nb? ? 1 : 2",
            "x enum [a other]\nb binary [b not_b] < x=other",
        ),
        // The value of an assignment may exit, too.
        (
            "v = if a? then 1 else return end\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        // Guards of a combination: the state in which the method continues.
        (
            "return if a? || b?\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < b=not_b",
        ),
        (
            "return unless a? && b?\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < b=b",
        ),
        (
            "return if a? && b?\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < a=not_a",
        ),
    ]);
}

#[test]
fn e3_rescue_and_ensure_see_no_gates() {
    let ruby = "
def sample
  return if a?
  work
rescue Late
  b? ? 1 : 2
ensure
  c? ? 1 : 2
end";
    same(
        ruby,
        &found(ruby),
        "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c]",
    );
    bodies(&[(
        "if z?\n  begin\n    return if a?\n    x\n  rescue\n    b? ? 1 : 2\n  end\nend",
        "z binary [z not_z]\na binary [a not_a] < z=z\nb binary [b not_b] < z=z",
    )]);
}

#[test]
fn e16_levels_and_the_limit() {
    let nested = |depth: usize| {
        let mut ruby = "x".to_owned();
        for level in (1..=depth).rev() {
            ruby = format!("if c{level}?\n{ruby}\nend");
        }
        format!("def deep\n{ruby}\nend")
    };
    let levels: Vec<_> = analysis(&nested(6))
        .characteristics
        .iter()
        .map(|found| found.level)
        .collect();
    assert_eq!(levels, [1, 2, 3, 4, 5, 6]);
    let error = casebook_design::on_deep_stack(|| {
        casebook_design::ruby::analyze(
            nested(7).as_bytes(),
            "a.rb",
            &casebook_design::ruby::MethodQuery::default(),
        )
    });
    assert!(error.unwrap_err().to_string().contains("too complex"));
}
