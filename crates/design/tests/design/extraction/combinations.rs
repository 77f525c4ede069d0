//! Combined conditions: rules E7 and E8.

use casebook_design::metadata::read::Layout;
use casebook_design::on_deep_stack;
use casebook_design::ruby::analyze_all;

use super::bodies;
use crate::support::{same, shown};

#[test]
fn e7_combinations() {
    bodies(&[
        (
            "if a? && (b? || c?)\n  d? ? 1 : 2\nelse\n  e? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c]\nd binary [d not_d] < b=b\ne binary [e not_e] < a=not_a",
        ),
        (
            "unless a? && b?\n  c? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < a=not_a",
        ),
        (
            "if !(a? || b?)\n  c? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < b=not_b",
        ),
        (
            "x if a? and not b?",
            "a binary [a not_a]\nb binary [b not_b]",
        ),
        (
            "x if n > 1 && n < 9 && a?",
            "n_range range [within_range outside_range]\na binary [a not_a]",
        ),
        (
            "x if 0 < n && n < 9",
            "n_range range [within_range outside_range]",
        ),
        (
            "x if n < 1 || n > 9",
            "n range [below_threshold above_threshold]\nn_9 range [sufficient insufficient]",
        ),
    ]);
}

#[test]
fn e8_chains() {
    bodies(&[
        (
            "if n < 1\n a\nelsif n < 2\n b\nend",
            "n range [low medium high]",
        ),
        (
            "if n > 9\n a\nelsif n > 5\n b\nelse\n c\nend",
            "n range [high medium low]",
        ),
        (
            "if n > 9\n a\nelsif n > 7\n b\nelsif n > 5\n c\nelse\n d\nend",
            "n range [very_high high medium low]",
        ),
        (
            "if n < 1\n a\nelsif n < 2\n b\nelsif n < 3\n c\nelsif n < 4\n d\nelse\n e\nend",
            "n range [tier_1 tier_2 tier_3 tier_4 tier_5]",
        ),
        ("if k == :a\n x\nelsif k == :b\n y\nend", "k enum [a b]"),
        ("if t.a?\n x\nelsif t.b?\n y\nend", "t_status enum [a b]"),
        (
            "if a?\n x\nelsif b?\n y\nelse\n z\nend",
            "status enum [a b other]",
        ),
        (
            "case\nwhen n < 1 then a\nwhen n < 2 then b\nelse c\nend",
            "n range [low medium high]",
        ),
        (
            "case\nwhen t.a? then x\nelse y\nend",
            "t_a binary [a not_a]",
        ),
        (
            "if u.nil?\n x\nelsif u.admin?\n y\nelse\n z\nend",
            "u_present binary [present absent]\nu_admin binary [admin not_admin] < u_present=present",
        ),
        (
            "if a.b?\n x\nelsif c.d?\n y\nelsif c.e?\n z\nend",
            "a_b binary [b not_b]\nc_d binary [d not_d] < a_b=not_b\nc_e binary [e not_e] < c_d=not_d",
        ),
        (
            "if a? && b?\n x\nelsif c?\n y\nend",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < a=not_a",
        ),
        // `&.` and `self` do not change the subject (rule E11s).
        (
            "if f&.kind == 'a'\n x\nelsif f.kind == 'b'\n y\nend",
            "f_kind enum [a b]",
        ),
        (
            "if self.kind == :a\n x\nelsif kind == :b\n y\nelse\n z\nend",
            "kind enum [a b other]",
        ),
        // A negated condition, another subject or another kind of condition: nested.
        (
            "if !(n > 5)\n x\nelsif n > 10\n y\nend",
            "n range [sufficient insufficient]\nn_10 range [sufficient insufficient] < n=sufficient",
        ),
        (
            "if k == :a\n x\nelsif k != :b\n y\nend",
            "k binary [a not_a]\nk_b binary [b not_b] < k=not_a",
        ),
        (
            "if n < 0\n x\nelsif n == 0\n y\nelse\n z\nend",
            "n range [below_threshold above_threshold]\nn_is_0 binary [0 not_0] < n=above_threshold",
        ),
        (
            "if t.a?\n q? ? 1 : 2\nelsif t.b?\n q? ? 1 : 2\nelse\n w? ? 1 : 2\nend",
            "t_status enum [a b other]\nq binary [q not_q] < t_status=a|b\nw binary [w not_w] < t_status=other",
        ),
        (
            "if t.a?\n return\nelsif t.b?\n return\nelse\n x\nend\nc? ? 1 : 2",
            "t_status enum [a b other]\nc binary [c not_c] < t_status=other",
        ),
    ]);
}

#[test]
fn e12_groups_of_numbers_are_ranked_where_they_are() {
    bodies(&[
        (
            "if n > 100\n x\nelsif n < 10\n y\nelse\n z\nend",
            "n range [high low medium]",
        ),
        (
            "if n < LOW\n x\nelsif n > HIGH\n y\nelse\n z\nend",
            "n range [low high medium]",
        ),
        (
            "if n < 10\n x\nelsif n >= 10 && n < 20\n y\nelse\n z\nend",
            "n range [low medium high]",
        ),
        (
            "if n.between?(20, 29)\n x\nelsif n.between?(0, 9)\n y\nelsif n.between?(10, 19)\n z\nend",
            "n range [high low medium very_high]",
        ),
        (
            "if n >= LIMIT\n x\nelsif n >= OTHER\n y\nend",
            "n range [high medium low]",
        ),
        (
            "case n\nwhen 50..99 then x\nwhen 0..9 then y\nwhen 10..49 then z\nend",
            "n range [high low medium]",
        ),
        (
            "case n\nwhen 0..LOW then x\nwhen LOW..HIGH then y\nelse z\nend",
            "n range [low medium high]",
        ),
    ]);
}

#[test]
fn e7_one_for_all_operands_in_the_plugin_layout() {
    let read = |ruby: &str| {
        let ruby = format!("def sample(*)\n{ruby}\nend");
        let found = on_deep_stack(|| {
            analyze_all(ruby.as_bytes(), "a.rb", Layout::Plugin.analysis_options())
        })
        .unwrap();
        shown(&found[0].as_ref().unwrap().characteristics)
    };
    for (ruby, expected) in [
        (
            "if page.public? || viewer.member?\n page.cached? ? 1 : 2\nelse\n viewer.invited? ? 1 : 2\nend",
            "page_public_or_viewer_member binary [page_public_or_viewer_member not_page_public_or_viewer_member]
             page_cached binary [cached not_cached] < page_public_or_viewer_member=page_public_or_viewer_member
             viewer_invited binary [invited not_invited] < page_public_or_viewer_member=not_page_public_or_viewer_member",
        ),
        (
            "return if user.nil? || !a? || n > 5\nb? ? 1 : 2",
            "user_absent_or_not_a_or_n_sufficient binary [user_absent_or_not_a_or_n_sufficient not_user_absent_or_not_a_or_n_sufficient]
             b binary [b not_b] < user_absent_or_not_a_or_n_sufficient=not_user_absent_or_not_a_or_n_sufficient",
        ),
        (
            "x if a? && (b? || c?)",
            "a binary [a not_a]
             b_or_c binary [b_or_c not_b_or_c]",
        ),
        (
            "k == :a || k == :b && c?",
            "k_a_or_k_b_and_c binary [k_a_or_k_b_and_c not_k_a_or_k_b_and_c]",
        ),
        ("x if a? && b?", "a binary [a not_a]\nb binary [b not_b]"),
    ] {
        same(ruby, &read(ruby), expected);
    }
}
