//! Repeated conditions, additions of later formats, and expressions that are not conditions: rules E14, E17 and E18.

use super::bodies;
use crate::support::{analysis, found};

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
            "n range [sufficient insufficient]\nn_5 range [sufficient insufficient]\nn_limit range [sufficient insufficient]\nn_minus_5 range [sufficient insufficient]",
        ),
        (
            "x if s == :a\ny if s == :b\nz if s == :c",
            "s binary [a not_a]\ns_b binary [b not_b]\ns_c binary [c not_c]",
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
    // The same condition on another subject is another characteristic.
    bodies(&[
        (
            "if A.include?(k)\n  x\nelsif B.include?(k)\n  y\nend",
            "k_included binary [included not_included]\nk_included_in_b binary [included not_included] < k_included=not_included",
        ),
        (
            "x if s =~ /a/\ny if s.match?(/b/)\nz if s.match?(/a/)",
            "s_match binary [match not_match]\ns_match_b binary [match not_match]",
        ),
    ]);
    let twice = analysis("def s\n  if a?\n    x if c?\n  end\n  if b?\n    y if c?\n  end\nend");
    assert_eq!(twice.characteristics[1].when_parent, ["a"]);
    assert_eq!(twice.warnings.len(), 1, "{:?}", twice.warnings);
}

#[test]
fn e14_decided_conditions_are_skipped() {
    bodies(&[
        (
            "case k\nwhen :a\n  x if k == :a\n  y if z?\nwhen :b\n  1\nend",
            "k enum [a b]\nz binary [z not_z] < k=a",
        ),
        (
            "case k\nwhen :a then 1\nelse\n  x if k == :a\n  y if k == :b\nend",
            "k enum [a other]\nk_b binary [b not_b] < k=other",
        ),
        (
            "case k\nwhen :a, :b\n  1 if k == :a\n  2 if k == :c\nelse\n  1\nend",
            "k enum [a_or_b other]\nk_a binary [a not_a] < k=a_or_b",
        ),
        // Unreachable code is not read. Code that is always reached depends on the enclosing states.
        (
            "case k\nwhen :a\n  if k == :b\n    x if never?\n  else\n    y if always?\n  end\nwhen :b\n  1\nend",
            "k enum [a b]\nalways binary [always not_always] < k=a",
        ),
        (
            "if k == :a\n  1 if k == :b || z?\n  2 if k != :b && w?\nend",
            "k binary [a not_a]\nz binary [z not_z] < k=a\nw binary [w not_w] < k=a",
        ),
        // A variable with a new value is undecided again.
        (
            "if u.nil?\n  u = find\n  if u\n    x if a?\n  end\nend",
            "u_present binary [present absent]\nu_from_find_present binary [present absent] < u_present=absent\na binary [a not_a] < u_from_find_present=present",
        ),
        // A value that is not nil may be empty. Another receiver with the same name is another subject.
        (
            "if list.nil?\n  x\nelsif list.empty?\n  a? ? 1 : 2\nend",
            "list_present binary [present absent]\nlist_content_present binary [present absent] < list_present=present\na binary [a not_a] < list_content_present=absent",
        ),
        (
            "if a.b.c?\n  x\nelsif d.b.c?\n  e? ? 1 : 2\nend",
            "b_c binary [c not_c]\nd_b_c binary [c not_c] < b_c=not_c\ne binary [e not_e] < d_b_c=c",
        ),
        (
            "if f.on?(u)\n  x\nelsif f.on?(v)\n  e? ? 1 : 2\nend",
            "f_on binary [on not_on]\nf_on_v binary [on not_on] < f_on=not_on\ne binary [e not_e] < f_on_v=on",
        ),
        // A class matches its subclasses, too.
        (
            "case v\nwhen Integer\n  x if v == 5\nelse\n  1\nend",
            "v enum [integer other]\nv_is_5 binary [5 not_5] < v=integer",
        ),
        // Predicates before the matching one are false; those after it are undecided.
        (
            "if t.a?\n  x if t.a? || t.b?\nelsif t.b?\n  y if t.a?\nelse\n  z if t.b?\nend",
            "t_status enum [a b other]",
        ),
        (
            "if t.a?\n  x if t.b?\nelsif t.b?\n  y\nend",
            "t_status enum [a b]\nt_b binary [b not_b] < t_status=a",
        ),
        (
            "if n > 10\n  1 if n > 5\n  2 if n < 3\n  3 if n > 20\nelse\n  4 if n > 10.5\nend",
            "n range [sufficient insufficient]\nn_20 range [sufficient insufficient] < n=sufficient",
        ),
        (
            "case\nwhen k == :a then x\nwhen z?\n  case\n  when k == :a then y\n  when w? then z\n  end\nend",
            "k binary [a not_a]\nz binary [z not_z] < k=not_a\nw binary [w not_w] < z=z",
        ),
    ]);
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
fn e18_expressions_that_are_not_characteristics() {
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

/// Whether a condition is evaluated again when it replaces `ASK` in the branch that it decides.
fn is_evaluated_again(condition: &str, branch: &str) -> bool {
    let repeated = format!("({condition} ? 1 : (unless_decided? ? 2 : 3))");
    let branch = branch.replace("ASK", &repeated);
    let found = found(&format!(
        "def s(job, other, list, n)\n  if {condition}\n    {branch}\n  end\nend"
    ));
    found.contains("unless_decided")
}

#[test]
fn e14_unchanged_conditions_stay_decided() {
    for (condition, branch) in [
        ("job.ready?", "ASK"),
        ("job.state == :queued", "ASK"),
        ("job.total > 10", "log(:start)\nASK"),
        ("job.ready?", "other.start!\nASK"),
        ("job.ready?", "other.start!(n) if job.urgent?\nASK"),
        ("job.ready?", "puts job\nlist << n\nASK"),
        ("job.ready?", "1 if job.name == other.name\nASK"),
        ("job.ready?", "other.save ? ASK : 1"),
        ("job.ready?", "list.each { |one| one.start!; ASK }"),
        (
            "job.ready?",
            "if other.ready?\n  job.start!\nelse\n  ASK\nend",
        ),
        (
            "job.ready?",
            "case n\nwhen 1 then job.start!\nelse ASK\nend",
        ),
        ("ready?", "job.start!\nASK"),
        ("params[:kind] == 'a'", "ASK"),
        // A local variable keeps its value, even if it is passed to other code.
        ("n > 10", "job.take(n)\nyield n\nASK"),
        ("n == :a", "start(n)\nASK"),
        ("n.nil?", "start(n)\nASK"),
        ("n", "start(n)\nASK"),
    ] {
        assert!(
            !is_evaluated_again(condition, branch),
            "{condition}: {branch}"
        );
    }
    bodies(&[(
        "if job.ready?\n  job.start!\nelsif other.late? && !job.ready?\n  1\nend",
        "job_ready binary [ready not_ready]\nother_late binary [late not_late] < job_ready=not_ready",
    )]);
}

#[test]
fn e14_possibly_changed_conditions_are_evaluated_again() {
    for (condition, branch) in [
        ("job.ready?", "job.start!\nASK"),
        ("job.ready?", "job.start\nASK"),
        ("job.state == :queued", "job.state = :running\nASK"),
        ("job.total > 10", "job.tries += 1\nASK"),
        ("job.total > 10", "job[:a] ||= 1\nASK"),
        ("job.owner.ready?", "job.items.clear\nASK"),
        ("job.ready?", "start(job)\nASK"),
        ("job.ready?", "Starter.new(job: job).call\nASK"),
        ("job.ready?", "list << job\nASK"),
        ("job.ready?", "list.each(&job)\nASK"),
        ("job.ready?", "yield\nASK"),
        ("job.ready?", "super\nASK"),
        ("job.ready?", "job.start! if other.ready?\nASK"),
        ("job.ready?", "other.ready? ? 1 : job.start!\nASK"),
        ("job.ready?", "x = [job.save]\nASK"),
        ("job.ready?", "begin\n  job.start!\nrescue Late\n  ASK\nend"),
        (
            "job.ready?",
            "begin\n  ASK\n  job.start!\nrescue Late\n  retry\nend",
        ),
        ("job.ready?", "other.take(job.start!, ASK)"),
        ("job.ready?", "job.save ? ASK : 1"),
        // The condition itself has a side effect.
        ("job.ready? && job.start!", "ASK"),
        ("job.save", "ASK"),
        ("job.pop == :a", "ASK"),
        ("list.any? { |one| one.start! }", "ASK"),
        // Code in a loop may be affected by changes further down, deferred code by changes anywhere.
        ("job.ready?", "list.each { ASK; job.start! }"),
        ("job.ready?", "1 while job.step!\nASK"),
        ("job.ready?", "while other.ready?\n  ASK\n  job.start!\nend"),
        ("job.ready?", "for one in list\n  ASK\n  job.start!\nend"),
        ("job.ready?", "job.with_lock { ASK }"),
        ("job.ready?", "-> { ASK }"),
        // Calls on the object itself may change its state.
        ("ready?", "start(1)\nASK"),
        ("@job.ready?", "start\nASK"),
        ("ready?", "@state = 1\nASK"),
        ("ready?", "job.start!(self)\nASK"),
        ("Mode.on?", "Mode.reset\nASK"),
        ("n == ''", "n << 'a'\nASK"),
    ] {
        assert!(
            is_evaluated_again(condition, branch),
            "{condition}: {branch}"
        );
    }
    bodies(&[
        (
            "if job.state == :queued\n  job.start!\n  if job.state == :running then :ok else :stuck end\nend",
            "job_state binary [queued not_queued]\njob_state_running binary [running not_running] < job_state=queued",
        ),
        (
            "if order.total > 10\n  order.discount!\n  if order.total > 5 then 1 else 2 end\nend",
            "order_total range [sufficient insufficient]\norder_total_5 range [sufficient insufficient] < order_total=sufficient",
        ),
        (
            "if job.a.b.nil?\n  1\nelsif Mode.a.b.nil?\n  d? ? 1 : 2\nend",
            "a_b_present binary [present absent]\nmode_a_b_present binary [present absent] < a_b_present=present\nd binary [d not_d] < mode_a_b_present=absent",
        ),
    ]);
}
