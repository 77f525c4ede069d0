//! Conditions with the same name that are not the same condition (rule E14).

use super::bodies;
use crate::support::{analysis, found, same};

#[test]
fn e14_arguments_blocks_and_receivers_make_a_difference() {
    bodies(&[
        (
            "x if u.all?(&:admin?)\ny if u.all?(&:active?)\nz if u.all?(&:admin?)",
            "u_all binary [all not_all]\nu_all_active binary [all not_all]",
        ),
        (
            "x if a.any? { |b| b.paid? }\ny if a.any? { |b| b.late? }\nz if a.any? { |b| b.kind == :c }",
            "a_any binary [any not_any]\na_any_late binary [any not_any]\na_any_c binary [any not_any]",
        ),
        (
            "x if f.on?(u)\ny if f.on?(v)\nz if f.on?(v, 2)",
            "f_on binary [on not_on]\nf_on_v binary [on not_on]\nf_on_v_2 binary [on not_on]",
        ),
        (
            "x if find(a)\ny if find(b)",
            "find_present binary [present absent]\nfind_b_present binary [present absent]",
        ),
        (
            "x if order.customer.vip?\ny if cart.customer.vip?",
            "customer_vip binary [vip not_vip]\ncart_customer_vip binary [vip not_vip]",
        ),
        (
            "x if a.include?(1)\ny if a.include?(2)",
            "a_included binary [included not_included]\na_included_2 binary [included not_included]",
        ),
        (
            "x if k.in?(%w[a b])\ny if k.in?(LIST)",
            "k_included binary [included not_included]\nk_included_in_list binary [included not_included]",
        ),
        (
            "x if a == b.id\ny if a == c.id",
            "a binary [b_id not_b_id]\na_c_id binary [c_id not_c_id]",
        ),
    ]);
}

#[test]
fn e14_names_use_every_word_of_the_code() {
    let ruby = "def s(host)\n  x if host\n  y if self.host\nend";
    same(
        ruby,
        &found(ruby),
        "host_present binary [present absent]\nself_host_present binary [present absent]",
    );
    bodies(&[
        (
            "x if File.exist?(a)\ny if File.exist?(b)",
            "file_present binary [present absent]\nfile_b_present binary [present absent]",
        ),
        (
            "if v = @near[k]\n  x\nend\nif v = @far[k]\n  y\nend",
            "v_present binary [present absent]\nv_from_far_k_present binary [present absent]",
        ),
        (
            "x if a.update(b: 1)\ny if a.update(c: 1)",
            "a_updated binary [updated not_updated]\na_updated_c binary [updated not_updated]",
        ),
        (
            "x if options['paths']\ny if options[:paths]",
            "paths_present binary [present absent]",
        ),
    ]);
}

#[test]
fn e14_constants_in_different_modules_are_different() {
    bodies(&[
        (
            "x if defined?(A::C)\ny if defined?(B::C)",
            "c_defined binary [defined not_defined]\nb_c_defined binary [defined not_defined]",
        ),
        (
            "x if v.is_a?(Hash)\ny if v.is_a?(Array)",
            "v_type binary [hash not_hash]\nv_type_array binary [array not_array]",
        ),
        (
            "x if v.is_a?(A::C)\ny if v.is_a?(B::C)",
            "v_type binary [c not_c]\nv_type_b_c binary [c not_c]",
        ),
    ]);
}

#[test]
fn e14_bounds_and_patterns_make_a_difference() {
    bodies(&[
        (
            "x if n > 5\ny if n < 5\nz if n >= 5",
            "n range [sufficient insufficient]\nn_below_5 range [below_threshold above_threshold]\nn_at_least_5 range [sufficient insufficient]",
        ),
        (
            "x if s =~ /\\A\\d+\\z/\ny if s =~ /-admin$/\nz if s =~ PATTERN",
            "s_match binary [match not_match]\ns_match_admin binary [match not_match]\ns_match_pattern binary [match not_match]",
        ),
        (
            "case k\nwhen :a then 1\nwhen :b then 2\nend\ncase k\nwhen :c then 1\nelse 2\nend",
            "k enum [a b]\nk_c enum [c other]",
        ),
        (
            "x if n.between?(1, 3)\ny if n.between?(5, 8)\nz if RANGE.cover?(n)",
            "n range [within_range outside_range]\nn_between_5_8 range [within_range outside_range]\nn_in_range range [within_range outside_range]",
        ),
        // Nothing in the code is a better word than a number.
        (
            "x if find(a)\ny if find(a_very_long_name_of_a_method_that_nobody_reads)",
            "find_present binary [present absent]\nfind_present_2 binary [present absent]",
        ),
        (
            "x if s =~ /\\A\\d+\\z/\ny if s =~ /\\A\\s+\\z/",
            "s_match binary [match not_match]\ns_match_2 binary [match not_match]",
        ),
    ]);
}

#[test]
fn e14_what_makes_no_difference() {
    bodies(&[
        (
            "x if @user.vip?\ny if self.user.vip?\nz if user&.vip?",
            "user_vip binary [vip not_vip]",
        ),
        (
            "x if name.strip == 'a'\ny if name == 'a'",
            "name binary [a not_a]",
        ),
        (
            "x if list.nil? || list.empty?",
            "list_present binary [present absent]",
        ),
        (
            "x if list && list.any?",
            "list_present binary [present absent]",
        ),
        (
            "x if list.blank?\ny if list.nil?",
            "list_present binary [present absent]",
        ),
    ]);
}

#[test]
fn e14_a_local_variable_with_another_value_is_another_condition() {
    bodies(&[
        (
            "if a?\n  u = find(1)\n  x if u.ok?\nend\nif b?\n  u = load(2)\n  y if u.ok?\nend",
            "a binary [a not_a]\nu_ok binary [ok not_ok] < a=a\nb binary [b not_b]\nu_ok_from_load binary [ok not_ok] < b=b",
        ),
        // Also if the same expression is assigned again, below another characteristic.
        (
            "if a?\n  u = find\n  x if u.ok?\nend\nif b?\n  u = find\n  y if u.ok?\nend",
            "a binary [a not_a]\nu_ok binary [ok not_ok] < a=a\nb binary [b not_b]\nu_ok_under_b binary [ok not_ok] < b=b",
        ),
        (
            "if a?\n  u = find\n  x if u.ok?\nelse\n  u = find\n  y if u.ok?\nend",
            "a binary [a not_a]\nu_ok binary [ok not_ok] < a=a|not_a",
        ),
        (
            "u = find\nx if u\nu = u.parent\ny if u",
            "u_present binary [present absent]\nu_from_parent_present binary [present absent]",
        ),
        // The branch that was not taken assigned nothing.
        (
            "u = find\nif a?\n  u = load\n  x if u\nelse\n  y if u\nend\nz if u",
            "a binary [a not_a]\nu_present binary [present absent] < a=a\nu_from_find_present binary [present absent] < a=not_a\nu_present_2 binary [present absent]",
        ),
        (
            "if (u = find(1))\n  x if u\nend\ny if u",
            "u_present binary [present absent]",
        ),
        (
            "admins.each { |u| x if u.ok? }\nguests.each { |u| y if u.ok? }\nadmins.map { |u| z if u.ok? }",
            "u_ok binary [ok not_ok]\nu_ok_from_guests binary [ok not_ok]",
        ),
        // The parameter of a block hides the variable only in the block.
        (
            "u = find\nx if u.ok?\nlist.each { |u| log(u) }\ny if u.ok?",
            "u_ok binary [ok not_ok]",
        ),
    ]);
    let ruby = "def s(u)\n  if a?\n    x if u.ok?\n  end\n  if b?\n    y if u.ok?\n  end\nend";
    same(
        ruby,
        &found(ruby),
        "a binary [a not_a]\nu_ok binary [ok not_ok] < a=a\nb binary [b not_b]",
    );
    assert_eq!(
        analysis(ruby).warnings,
        ["`u_ok` is tested again under `b`; only its first place, under `a`, is listed"]
    );
}
