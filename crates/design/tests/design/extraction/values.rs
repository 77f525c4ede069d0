//! Presence, flags, comparisons and defaults: rules E11, E12 and E15.

use super::bodies;
use crate::support::{body, found, same};

#[test]
fn e11_presence_and_flags() {
    for test in [
        "a.present?",
        "a.blank?",
        "a.nil?",
        "a.empty?",
        "a.any?",
        "a.none?",
        "a.exists?",
        "a == nil",
        "a",
        "!a",
    ] {
        let ruby = format!("x if {test}");
        same(&ruby, &body(&ruby), "a_present binary [present absent]");
    }
    bodies(&[
        ("x if a.any? { |b| b.c? }", "a_any binary [any not_any]"),
        ("ok = a > 1\nx if ok", "ok binary [ok not_ok]"),
        ("ok = a? && b?\nx if ok", "ok binary [ok not_ok]"),
        ("ok = find\nx if ok", "ok_present binary [present absent]"),
        ("x if (u = find(1))", "u_present binary [present absent]"),
        (
            "x if u&.name&.present?",
            "u_name_present binary [present absent]",
        ),
        ("x unless empty?", "present binary [present absent]"),
        ("x if a & MASK", "a_present binary [present absent]"),
        ("x if a.b? ^ c.d?", "a_b_present binary [present absent]"),
    ]);
    let ruby = "def sample(strict = false)\n  strict ? 1 : 2\nend";
    same(
        ruby,
        &found(ruby),
        "strict binary [strict not_strict] default=not_strict",
    );
}

#[test]
fn e12_subjects_are_swapped() {
    bodies(&[
        ("x if 18 <= age", "age range [sufficient insufficient]"),
        ("x if LIMIT < size", "size range [sufficient insufficient]"),
        (
            "x if Time.current >= a.b",
            "a_b range [below_threshold above_threshold]",
        ),
        (
            "x if 3.days.ago > a.b",
            "a_b range [below_threshold above_threshold]",
        ),
        (
            "x if Time.now.hour > 5",
            "now_hour range [above_threshold below_threshold]",
        ),
        ("x if nil == a", "a_present binary [present absent]"),
        ("x if 'pdf' == a.kind", "a_kind binary [pdf not_pdf]"),
        (
            "x if '2.5.0' == VERSION",
            "version binary [2_5_0 not_2_5_0]",
        ),
        (
            "x if 0 < ARGV.length",
            "argv_length range [sufficient insufficient]",
        ),
        ("x if FREE == plan", "plan binary [free not_free]"),
        // The left side of an equality gives the name, even if it is a constant.
        (
            "x if Current.user == owner",
            "current_user binary [owner not_owner]",
        ),
    ]);
}

#[test]
fn e15_defaults() {
    for (ruby, expected) in [
        (
            "def s(by = 'date')\n  x if by == :date\nend",
            "by binary [date not_date] default=date",
        ),
        (
            "def s(by: nil)\n  x if by\nend",
            "by_present binary [present absent]",
        ),
        (
            "def s(by: :size)\n  x if by == :date\nend",
            "by binary [date not_date]",
        ),
        (
            "def s(n: 5)\n  x if n > 3\nend",
            "n range [sufficient insufficient]",
        ),
    ] {
        same(ruby, &found(ruby), expected);
    }
}
