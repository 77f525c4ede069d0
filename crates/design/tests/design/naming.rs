//! Names by format and by naming profile: rules N1 and N2.

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read::{Entry, Layout, plan};
use casebook_design::metadata::write::{DocumentHeader, Format, flat, plugin};
use casebook_design::ruby::{Analysis, MethodQuery, analyze};
use casebook_design::{NamingProfile, on_deep_stack};

fn header(names: NamingProfile, models: &[&str]) -> DocumentHeader {
    DocumentHeader {
        timestamp: "2026-01-02T03:04:05Z".to_owned(),
        source_mtime: 7,
        file: "lib/sample.rb".to_owned(),
        spec_path: "spec/lib/sample_spec.rb".to_owned(),
        factories: serde_json::Map::default(),
        is_library: false,
        models: models.iter().map(|&model| model.to_owned()).collect(),
        names,
    }
}

fn analysis(ruby: &str, layout: Layout) -> Analysis {
    let query = MethodQuery {
        options: layout.analysis_options(),
        ..MethodQuery::default()
    };
    on_deep_stack(|| analyze(ruby.as_bytes(), "lib/sample.rb", &query)).unwrap()
}

fn shown(document: &Document) -> String {
    let line = |entry: &Entry| {
        let parent = entry.depends_on.as_ref();
        let parent = parent.map_or_else(String::new, |parent| {
            format!(" < {parent}={}", entry.when_parent.join("|"))
        });
        format!("{} [{}]{parent}", entry.name, entry.states.join(" "))
    };
    let entries = plan(document, None).unwrap().entries;
    entries.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The names in a document of one method, in format 1.3 or 2.0.
fn written(ruby: &str, format: Format, names: NamingProfile, models: &[&str]) -> String {
    let analysis = analysis(ruby, Layout::V1_3);
    let (document, _) = flat(analysis, &header(names, models), format);
    shown(&Document::new(document))
}

/// Checks the names of the characteristics of each body of `def m(user, order, n)` in a class `Cart`.
#[track_caller]
fn names(format: Format, models: &[&str], bodies: &[(&str, &str)]) {
    for (body, expected) in bodies {
        let ruby = format!("class Cart\ndef m(user, order, n)\n{body}\nend\nend\n");
        let all = written(&ruby, format, NamingProfile::of(format), models);
        let found = all.lines().filter_map(|line| line.split(' ').next());
        assert_eq!(found.collect::<Vec<_>>().join(" "), *expected, "\n{body}");
    }
}

const BOTH: [&str; 2] = ["user", "order"];

#[test]
fn format_1_3_keeps_every_receiver() {
    names(
        Format::V1_3,
        &BOTH,
        &[
            ("a if user.active?", "user_active"),
            ("a if @user.active?", "user_active"),
            ("a if order.user.active?", "user_active"),
        ],
    );
}

#[test]
fn format_2_0_drops_the_record_that_a_method_is_about() {
    names(
        Format::V2_0,
        &BOTH,
        &[
            ("a if user.active?", "active"),
            ("a if @user.active?", "active"),
            ("a if self.user.active?", "active"),
            ("a if current.user.active?", "active"),
            ("a if user[:role] == 'admin'", "role"),
            ("a if user.items.empty?", "items_present"),
            ("a if user.age > 18 && user.age < 65", "age_range"),
            (
                "case user.role\nwhen :a then 1\nwhen :b then 2\nend",
                "role",
            ),
            ("if user.done?\n1\nelsif user.late?\n2\nend", "status"),
            ("a if user.update(x: 1)", "updated"),
            // Without the record these names would be empty.
            (
                "return if user.nil?\na if user.active?",
                "user_present active",
            ),
            ("a if user.is_a?(Admin)", "user_type"),
            ("a if user == order", "user"),
            // Conditions without a receiver are ignored.
            ("a if n > 1\nb if user.active?", "n active"),
            // The attribute itself begins with the name of the record.
            ("a if user.user_name == 'x'", "user_name"),
            // The same name with another limit.
            ("a if user.age > 18\nb if user.age > 65", "age age_65"),
        ],
    );
}

#[test]
fn format_2_0_keeps_the_record_if_a_method_uses_several() {
    names(
        Format::V2_0,
        &BOTH,
        &[
            (
                "a if user.active?\nb if order.paid?",
                "user_active order_paid",
            ),
            (
                "a if user.active?\nb if user.card.valid?",
                "user_active card_valid",
            ),
            (
                "a if user.active?\nb if Etc.nprocessors > 1",
                "user_active etc_nprocessors",
            ),
            // One type of record, from two receivers.
            ("a if user.active?\nb if order.user.vip?", "active vip"),
        ],
    );
    // The method's own record counts, too.
    names(
        Format::V2_0,
        &["cart", "user"],
        &[("a if empty?\nb if user.active?", "present user_active")],
    );
}

#[test]
fn format_2_0_keeps_receivers_that_are_not_records() {
    names(
        Format::V2_0,
        &[],
        &[
            ("a if user.active?", "user_active"),
            ("a if @user.vip?", "user_vip"),
        ],
    );
    names(
        Format::V2_0,
        &BOTH,
        &[
            (
                "a if user.active?\nb if user.pay!",
                "active user_pay_present",
            ),
            ("a if user.born_on < Date.today", "user_born_on"),
            ("a if User.active?", "user_active"),
        ],
    );
}

#[test]
fn the_plugin_layout_has_a_receiver_only_on_collision() {
    names(
        Format::Plugin,
        &[],
        &[
            ("a if user.active?\nb if order.paid?", "active paid"),
            ("a if order.user.active?", "active"),
            ("a if Etc.nprocessors > 1", "nprocessors"),
            (
                "a if user.active?\nb if order.active?\nc if user.vip?",
                "user_active order_active vip",
            ),
            ("a if active?\nb if user.active?", "active user_active"),
            (
                "a if user.active?\nb if order.active?\nc if active?",
                "user_active order_active active",
            ),
            // With its receiver it has the same name as the other one without.
            (
                "a if order.user_role == 1\nb if user.role == 2",
                "order_user_role role",
            ),
            (
                "case n\nin { op: :add } then 1\nin { op: :drop } then 2\nend",
                "op",
            ),
            (
                "return if user.nil?\na if user.active?",
                "user_present active",
            ),
        ],
    );
}

#[test]
fn reserved_names_are_not_used() {
    for format in [Format::V2_0, Format::Plugin] {
        names(
            format,
            &BOTH,
            &[
                // Ruby, RSpec and the skeleton use these names.
                ("a if user.class == Admin", "user_class"),
                ("a if user.name == 'x'", "user_name"),
                ("a if user.result == 1", "user_result"),
                ("a if user.if == 1", "user_if"),
                // Parameters have these names.
                ("a if user.n == 1", "user_n"),
                ("a if user.order > 1", "user_order"),
                // Not a valid name in Ruby.
                ("a if user['2.5'] == 1", "user_2_5"),
            ],
        );
    }
}

#[test]
fn a_parameter_named_like_a_record_needs_an_attribute() {
    let ruby = "def m(user_name, user)\na if user_name == 'x'\nb if user.vip?\nend\n";
    let (document, _) = flat(
        analysis(ruby, Layout::V1_3),
        &header(NamingProfile::Domain, &["user"]),
        Format::V2_0,
    );
    let setup = |index: usize| &document["characteristics"][index]["setup"];
    assert_eq!(setup(0)["type"], "data");
    assert_eq!(setup(1)["type"], "factory");
    assert_eq!(
        shown(&Document::new(document)),
        "user_name [x not_x]\nvip [vip not_vip]"
    );
}

#[test]
fn class_methods_follow_the_same_names() {
    let ruby =
        "class Cart\ndef self.m(user)\nreturn unless user.active?\na if user.vip?\nend\nend\n";
    assert_eq!(
        written(ruby, Format::V2_0, NamingProfile::Domain, &["user"]),
        "active [active not_active]\nvip [vip not_vip] < active=active"
    );
}

#[test]
fn every_profile_in_every_format() {
    let ruby = "def m(user)\na if user.active?\nb if Etc.nprocessors > 1\nend\n";
    for format in [Format::V1_3, Format::Strict1_3, Format::V2_0] {
        for (names, expected) in [
            (NamingProfile::Full, ["user_active", "etc_nprocessors"]),
            (NamingProfile::Domain, ["user_active", "etc_nprocessors"]),
            (NamingProfile::Short, ["active", "nprocessors"]),
        ] {
            let found = written(ruby, format, names, &["user"]);
            let found = found.lines().filter_map(|line| line.split(' ').next());
            assert_eq!(found.collect::<Vec<_>>(), expected, "{format:?} {names:?}");
        }
    }
}

#[test]
fn references_to_a_name_are_renamed() {
    let ruby = "\
def m(user)
  if user[:active] == true
    user.vip? ? 1 : 2
  else
    user.vip? ? 3 : 4
  end
  5 if user.vip?
end
";
    let analysis = analysis(ruby, Layout::V1_3);
    let (document, warnings) = flat(analysis, &header(NamingProfile::Short, &[]), Format::V1_3);
    assert_eq!(
        shown(&Document::new(document)),
        "active [active not_active]\nvip [vip not_vip] < active=active|not_active"
    );
    assert_eq!(
        warnings,
        [
            "`vip` is tested again outside any branch; only its first place, under `active`, is listed"
        ]
    );
}

#[test]
fn alternatives_with_one_receiver_name_it_once() {
    for (body, full, short) in [
        (
            "a if user.blocked? || user.age < 18",
            "user_blocked_or_age_below_threshold",
            "blocked_or_age_below_threshold",
        ),
        (
            "a if user.blocked? || order.paid?",
            "user_blocked_or_order_paid",
            "user_blocked_or_order_paid",
        ),
        (
            "a if user.nil? || user.blocked?",
            "user_absent_or_user_blocked",
            "user_absent_or_user_blocked",
        ),
    ] {
        for (names, expected) in [(NamingProfile::Full, full), (NamingProfile::Short, short)] {
            let ruby = format!("def m(user, order)\n{body}\nend\n");
            let analysis = analysis(&ruby, Layout::Plugin);
            let document = plugin(vec![analysis], &header(names, &[]), 3);
            assert_eq!(
                shown(&Document::new(document)),
                format!("{expected} [{expected} not_{expected}]"),
                "{body}"
            );
        }
    }
}

#[test]
fn a_document_records_a_profile_that_is_not_the_default() {
    let ruby = "def m(user)\na if user.active?\nend\n";
    for (names, noted) in [
        (NamingProfile::Full, None),
        (NamingProfile::Short, Some("short")),
    ] {
        let analysis = analysis(ruby, Layout::V1_3);
        let (document, _) = flat(analysis, &header(names, &[]), Format::V1_3);
        assert_eq!(
            document["analyzer"]
                .get("names")
                .and_then(|names| names.as_str()),
            noted
        );
    }
    for (names, noted) in [
        (NamingProfile::Short, None),
        (NamingProfile::Full, Some("full")),
    ] {
        let analysis = analysis(ruby, Layout::Plugin);
        let document = plugin(vec![analysis], &header(names, &[]), 3);
        assert_eq!(
            document.get("names").and_then(|names| names.as_str()),
            noted
        );
    }
}
