//! `case`, patterns, ternaries and lifecycles: rules E9, E9p, E10 and E13.

use casebook_design::on_deep_stack;
use casebook_design::ruby::{AnalysisOptions, MethodQuery, analyze};

use super::bodies;
use crate::support::{found, same, shown};

#[test]
fn e9_case_when() {
    bodies(&[
        (
            "case p\nwhen Plan::FREE then x\nwhen Plan::PRO then y\nend",
            "p enum [free pro]",
        ),
        // Two states of numbers by rule E6, for any branches.
        (
            "case a\nwhen 0..17 then :minor\nwhen 18.. then :adult\nend",
            "a range [within_range outside_range]",
        ),
        (
            "case a\nwhen ..17 then :minor\nelse :adult\nend",
            "a range [below_threshold above_threshold]",
        ),
        (
            "case a\nwhen 0..5, 60..99 then x\nelse y\nend",
            "a range [within_range outside_range]",
        ),
        (
            "case p\nwhen /a/ then x\nwhen /b/ then y\nelse z\nend",
            "p enum [pattern_1 pattern_2 other]",
        ),
        (
            "case p\nwhen 'a b', 'c' then x\nwhen nil then y\nend",
            "p enum [a_b_or_c nil]",
        ),
        (
            "case n\nwhen 0..5 then x\nelse y\nend",
            "n range [within_range outside_range]",
        ),
        (
            "case n\nwhen 18.. then x\nelse y\nend",
            "n range [sufficient insufficient]",
        ),
        (
            "case n\nwhen 90.. then x\nwhen 50...90 then y\nelse z\nend",
            "n range [high medium low]",
        ),
        (
            "case n\nwhen 0..5 then :few\nwhen 6..9 then :some\nelse :many\nend",
            "n range [few some many]",
        ),
        ("case p\nwhen :a then x\nend", "p enum [a other]"),
        (
            "case p\nwhen :a then b? ? 1 : 2\nelse c? ? 1 : 2\nend",
            "p enum [a other]\nb binary [b not_b] < p=a\nc binary [c not_c] < p=other",
        ),
    ]);
}

#[test]
fn e9p_case_in() {
    bodies(&[
        (
            "case r\nin [:ok, v] then v\nin [:error, _] then nil\nend",
            "r enum [ok error]",
        ),
        (
            "case r\nin Integer | Float then 1\nin String then 2\nend",
            "r enum [integer_or_float string]",
        ),
        (
            "case r\nin 1 then x\nin nil then y\nin _ then z\nend",
            "r enum [1 nil other]",
        ),
        (
            "case r\nin {kind: :a, n:} then x\nin {kind: :b} then y\nin {kind: :a} then z\nend",
            "r_kind enum [a b]",
        ),
        (
            "case r\nin {kind: :a | :b} then x\nin {kind: :c} then y\nend",
            "r_kind enum [a_or_b c]",
        ),
        (
            "case r\nin {kind: :a} | {kind: :b, n: 1} then x\nin {kind: :c} then y\nelse z\nend",
            "r_kind enum [a_or_b c other]",
        ),
        (
            "case r\nin Integer => n if n > 5 then x\nin String then y\nelse z\nend",
            "r enum [integer string other]\nn range [sufficient insufficient] < r=integer",
        ),
        (
            "case r\nin {code: 200..299} then 1\nin {code: 404} then 2\nelse 3\nend",
            "r_code enum [200_to_299 404 other]",
        ),
        (
            "case r\nin {type: Circle} then 1\nin {type: Square} then 2\nend",
            "r_type enum [circle square]",
        ),
        // Patterns that match anything leave the decision to the conditions after them.
        (
            "case n\nin x if x > 100 then :big\nin x if x > 10 then :mid\nelse :small\nend",
            "x range [big mid small]",
        ),
        (
            "case n\nin x if x.a? then 1\nin x unless y.b? then 2\nin _ then z? ? 1 : 2\nend",
            "x_a binary [a not_a]\ny_b binary [b not_b] < x_a=not_a\nz binary [z not_z] < y_b=b",
        ),
        ("case n\nin x then 1\nend", ""),
        (
            "case r\nin {ok: true} then 1\nin {ok: false} then 2\nend",
            "r_ok enum [ok not_ok]",
        ),
        (
            "case r\nin {ok: true} then 1\nin {error: message} then 2\nend",
            "r enum [ok error]",
        ),
        (
            "case r\nin Point(x:, y:) then 1\nin Line then 2\nend",
            "r enum [point line]",
        ),
    ]);
}

#[test]
fn e10_ternaries_count_anywhere() {
    bodies(&[
        ("send_mail(to: vip? ? a : b)", "vip binary [vip not_vip]"),
        ("\"#{vip? ? 1 : 2}\"", "vip binary [vip not_vip]"),
        ("@x ||= vip? ? 1 : 2", "vip binary [vip not_vip]"),
    ]);
}

#[test]
fn e10_ternaries_are_skipped_on_request() {
    let ruby = "def s(a)\n  x = a.b? ? (c? ? 1 : 2) : 3\n  if d?\n    e if f?\n  end\nend";
    let query = MethodQuery {
        options: AnalysisOptions {
            skips_ternaries: true,
            ..AnalysisOptions::default()
        },
        ..MethodQuery::default()
    };
    let found = on_deep_stack(|| analyze(ruby.as_bytes(), "a.rb", &query)).unwrap();
    let expected = "d binary [d not_d]\nf binary [f not_f] < d=d";
    same(ruby, &shown(&found.characteristics), expected);
}

#[test]
fn e13_lifecycles_are_declared() {
    let machine = |declaration: &str, test: &str| {
        found(&format!(
            "class Claim\n{declaration}\ndef banner\n{test}\nend\nend"
        ))
    };
    let case = "case stage\nwhen 'settled' then 3\nwhen 'filed' then 1\nend";
    for (declaration, test, expected) in [
        (
            "aasm column: :stage do\nstate :filed, initial: true\nstate :assessed\nstate :settled\nend",
            case,
            "stage sequential [filed settled] default=filed",
        ),
        (
            "state_machine :stage, initial: :filed do\nstate :filed\nstate :settled\nend",
            case,
            "stage sequential [filed settled] default=filed",
        ),
        (
            "aasm column: :stage do\nstate :filed\nstate :settled\nend",
            "case stage\nwhen 'filed' then 1\nwhen 'lost' then 2\nend",
            "stage enum [filed lost]",
        ),
        (
            "aasm column: :phase do\nstate :filed\nstate :settled\nend",
            case,
            "stage enum [settled filed]",
        ),
        // Only a `case` distinguishes the states of a lifecycle (rule E4).
        (
            "aasm column: :stage do\nstate :filed, initial: true\nstate :settled\nend",
            "if stage == 'settled'\n3\nelsif stage == 'filed'\n1\nend",
            "stage enum [settled filed]",
        ),
        (
            "",
            "case stage\nwhen :pending then 1\nwhen :approved then 2\nend",
            "stage enum [pending approved]",
        ),
        (
            "workflow do\nstate :new do\nevent :go, transitions_to: :done\nend\nstate :done\nend",
            "case workflow_state\nwhen 'done' then b? ? 1 : 2\nelse 2\nend",
            "workflow_state sequential [done other]\nb binary [b not_b] < workflow_state=done",
        ),
    ] {
        same(declaration, &machine(declaration, test), expected);
    }
}
