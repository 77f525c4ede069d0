//! Branches without `if`: operators that leave, blocks that leave, and `rescue` with `else` (rules E2 and E18).

use super::bodies;
use crate::support::{analysis, body, same};

#[test]
fn e2_operators_whose_right_side_leaves_are_guards() {
    for guard in [
        "a? && return",
        "a? and return :b",
        "a? and raise Late",
        "a? && (log; return 1)",
        "!a? || return",
        "not_a? or raise Late",
        "v = a? && return",
    ] {
        let ruby = format!("{guard}\nb? ? 1 : 2");
        let found = body(&ruby);
        let (first, second) = found.split_once('\n').unwrap_or((&found, ""));
        assert!(first.starts_with("a binary"), "{ruby}: {found}");
        assert_eq!(second, "b binary [b not_b] < a=not_a", "{ruby}");
    }
    bodies(&[
        (
            "x.valid? or raise Late\nb? ? 1 : 2",
            "x_valid binary [valid not_valid]\nb binary [b not_b] < x_valid=valid",
        ),
        // A guard depends on the branch around it only.
        (
            "return if a?\nb? && return\nif c?\n  d? or raise Late\nend",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < b=not_b\nd binary [d not_d] < c=c",
        ),
        (
            "a? && b? && return\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < a=not_a",
        ),
        (
            "list.each do |one|\n  one.ok? or next\n  one.hot? ? 1 : 2\nend",
            "one_ok binary [ok not_ok]\none_hot binary [hot not_hot] < one_ok=ok",
        ),
        // A value that is assigned gives its variable the name.
        (
            "u = find(1) || raise(Late)\n@b = c.d or return",
            "u_present binary [present absent]\nb_present binary [present absent]",
        ),
        (
            "u = find(1) or return\nx if u.ok?",
            "u_present binary [present absent]\nu_ok binary [ok not_ok] < u_present=present",
        ),
        ("log(x || raise(Late))", "x_present binary [present absent]"),
    ]);
}

#[test]
fn e2_operators_that_only_choose_a_value_are_no_branches() {
    bodies(&[
        ("a? && go\nx", ""),
        ("find(1) || 'none'\nx", ""),
        // The response is always prepared, so the rest is never reached.
        (
            "if a?\n  render(:new) and return\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=not_a",
        ),
        ("redirect_to(x) and return", ""),
        ("errors.add(:a, :b) && return", ""),
        ("refuse!(x) and return", ""),
        // A branch that leaves only sometimes is no guard.
        (
            "if a?\n  b? && return\nend\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a\nc binary [c not_c]",
        ),
    ]);
}

#[test]
fn e2_terminal_states_and_outcomes_of_operators() {
    let found =
        analysis("def s(x)\n  x.bad? and return :bad\n  x.valid? or raise Late\n  :ok\nend");
    let ends: Vec<_> = found
        .characteristics
        .iter()
        .map(|one| one.terminal_states.join(" "))
        .collect();
    assert_eq!(ends, ["bad", "not_valid"]);
    let outcomes: Vec<_> = found
        .branches
        .iter()
        .map(|branch| format!("{:?} {}", branch.outcome, branch.is_certain))
        .collect();
    assert_eq!(
        outcomes,
        [
            "Some(Returns(\":bad\")) true",
            "None true",
            "Some(Raises(Some(\"Late\"))) true",
            "None true"
        ]
    );
}

#[test]
fn e2_blocks_that_leave_are_guards() {
    bodies(&[
        (
            "v = config.fetch(:host) { return :none }\nb? ? 1 : 2",
            "config_host_present binary [present absent]\nb binary [b not_b] < config_host_present=present",
        ),
        (
            "fetch(k) { raise Late }\nx",
            "k_present binary [present absent]",
        ),
        (
            "opts.delete(:a) { |key| raise Late, key }\nx",
            "a_present binary [present absent]",
        ),
        (
            "LIST.fetch(k) { a? ? (return 1) : (return 2) }",
            "list_k_present binary [present absent]\na binary [a not_a] < list_k_present=absent",
        ),
        // The block only gives another value.
        ("config.fetch(:host) { :none }\nx", ""),
        ("config.fetch(:host) { next :none }\nx", ""),
    ]);
    let found = analysis("def s(k)\n  LIST.fetch(k) { return :none }\nend").characteristics;
    assert_eq!(found[0].terminal_states, ["absent"]);
}

#[test]
fn e18_rescue_with_else_is_a_branch() {
    bodies(&[
        (
            "begin\n  rows = parse(1)\nrescue Late\n  return :late\nelse\n  b? ? 1 : 2\nend\nc? ? 1 : 2",
            "parse_completed binary [completed not_completed]\nb binary [b not_b] < parse_completed=completed\nc binary [c not_c] < parse_completed=completed",
        ),
        (
            "begin\n  Net.get(1)\nrescue Late, Lost\n  a? ? 1 : 2\nrescue\n  2\nelse\n  3\nensure\n  d? ? 1 : 2\nend",
            "net_get_outcome enum [completed late_or_lost error]\na binary [a not_a] < net_get_outcome=late_or_lost\nd binary [d not_d]",
        ),
        (
            "return if z?\nbegin\n  x if a?\nrescue\n  1\nelse\n  2\nend",
            "z binary [z not_z]\na binary [a not_a] < z=not_z\nbody_completed binary [completed not_completed] < z=not_z",
        ),
        ("begin\n  work\nrescue Late\n  1\nend", ""),
    ]);
    let ruby = "def s\n  save\nrescue Late\n  raise Lost\nelse\n  :ok\nend";
    let found = analysis(ruby).characteristics;
    assert_eq!(found[0].terminal_states, ["not_completed"]);
    assert_eq!(found[0].lines, (3, 7));
    same(
        ruby,
        &crate::support::shown(&found),
        "save_completed binary [completed not_completed]",
    );
}
