//! The factory inventory: rules F1 and F2.

use std::fs;

use casebook_design::factories::factories;
use casebook_design::on_deep_stack;

/// Scans files below `spec/factories`; returns the inventory and the warnings.
fn scan(files: &[(&str, &str)]) -> (String, Vec<String>) {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let found = on_deep_stack(|| factories(root.path(), None)).unwrap();
    let shown: Vec<_> = found
        .found
        .iter()
        .map(|(name, factory)| format!("{name}{}", factory["traits"]))
        .collect();
    (shown.join(" "), found.warnings)
}

fn one(inside: &str) -> String {
    scan(&[(
        "spec/factories/a.rb",
        &format!("FactoryBot.define do\n{inside}\nend"),
    )])
    .0
}

#[test]
fn definitions_that_count() {
    for (ruby, expected) in [
        ("factory :x do\ntrait :t do\nend\nend", r#"x["t"]"#),
        (
            "factory(:x, class: 'User', aliases: [:y], traits: [:z]) { trait(:t) {} }",
            r#"x["t"]"#,
        ),
        ("factory 'x' do\ntrait 't'\nend", r#"x["t"]"#),
        ("factory :x", "x[]"),
        (
            "factory :x do\ntrait(:a) {}\nfactory :y do\ntrait(:b) {}\nend\ntrait(:c) {}\nend",
            r#"x["a","c"] y["b"]"#,
        ),
        (
            "factory :x do\ntrait :a do\nname { 1 }\nafter(:create) { |u| trait :no }\nend\ntrait(:b) {}\nend",
            r#"x["a","b"]"#,
        ),
        ("trait :global do\nend\nfactory :x", "x[]"),
        (
            "factory :x do\ntransient { trait_count { 1 } }\nsequence(:email) { |n| n }\nassociation :user\ninitialize_with { new }\nto_create { |i| i }\nend",
            "x[]",
        ),
        (
            "# factory :no\nfactory :x do\nname { 'factory :y' }\ntext { <<~T }\n  factory :z\nT\nend",
            "x[]",
        ),
        ("factory :x, parent: :y", "x[]"),
        ("if true\nfactory :x\nend", "x[]"),
        (
            "factory :x do\nname { trait(:no) { factory :no } }\nadd_attribute(:trait) { 1 }\ntrait(:yes) {}\nend",
            r#"x["yes"]"#,
        ),
        (
            "factory :'a/b' do\ntrait \"two words\"\nend",
            r#"a/b["two words"]"#,
        ),
        ("factory \"x_#{1}\" do\ntrait :t\nend", ""),
    ] {
        assert_eq!(one(ruby), expected, "{ruby}");
    }
    for (file, expected) in [
        ("::FactoryBot.define { factory :x }", "x[]"),
        ("FactoryGirl.define { factory :x }", "x[]"),
        ("factory(:x) { trait :t }", r#"x["t"]"#),
        (
            "FactoryBot.define { factory :x }\nFactoryBot.modify { factory(:x) { trait :t } }",
            "x[]",
        ),
    ] {
        assert_eq!(scan(&[("spec/factories/a.rb", file)]).0, expected, "{file}");
    }
    assert_eq!(
        scan(&[(
            "spec/factories/a.rb",
            "FactoryBot.define { factory :x }\nFactoryBot.define { factory :y }"
        )])
        .0,
        "x[] y[]"
    );
}

#[test]
fn searched_directories_and_warnings() {
    let with_trait = "FactoryBot.define { factory(:x) { trait(:t) {} } }";
    let without = "FactoryBot.define { factory :y }";
    for (files, found, warnings) in [
        (
            vec![("spec/factories/a.rb", with_trait)],
            r#"x["t"]"#,
            vec![],
        ),
        (vec![("spec/factories.rb", with_trait)], r#"x["t"]"#, vec![]),
        (
            vec![("test/factories/deep/a.rb", with_trait)],
            r#"x["t"]"#,
            vec![],
        ),
        (
            vec![("spec/factories/a.rb", without)],
            "y[]",
            vec!["no factory has a trait"],
        ),
        (
            vec![("spec/factories/a.rb", "1")],
            "",
            vec!["no factories found: no file calls `factory` or `Fabricator`"],
        ),
        (
            vec![("spec/factories/a.txt", "1")],
            "",
            vec!["no Ruby files found in spec/factories"],
        ),
        (
            vec![],
            "",
            vec!["directory not found: spec/factories or test/factories"],
        ),
        (
            vec![
                ("spec/factories/y/a.rb", with_trait),
                ("spec/factories/y.rb", without),
            ],
            r#"y[] x["t"]"#,
            vec![],
        ),
        (
            vec![
                ("spec/factories/a.rb", without),
                ("spec/factories/b.rb", without),
            ],
            "y[]",
            vec![
                "factory 'y' in spec/factories/b.rb replaces the one in spec/factories/a.rb",
                "no factory has a trait",
            ],
        ),
        (
            vec![
                ("spec/factories/b.rb", with_trait),
                (
                    "spec/factories/a.rb",
                    "FactoryBot.define { factory :x; factory :y }",
                ),
            ],
            r#"x["t"] y[]"#,
            vec!["factory 'x' in spec/factories/b.rb replaces the one in spec/factories/a.rb"],
        ),
    ] {
        assert_eq!(
            scan(&files),
            (
                found.to_owned(),
                warnings.iter().map(ToString::to_string).collect()
            ),
            "{files:?}"
        );
    }
}

#[test]
fn an_explicit_directory_has_no_fallback() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("spec/factories")).unwrap();
    fs::write(
        root.path().join("spec/factories/a.rb"),
        "FactoryBot.define { factory :x }",
    )
    .unwrap();
    let found = factories(root.path(), Some("elsewhere".as_ref())).unwrap();
    assert!(found.found.is_empty());
    assert_eq!(found.warnings, ["directory not found: elsewhere"]);
}

#[test]
fn broken_ruby_is_reported_with_its_line() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("spec/factories")).unwrap();
    fs::write(
        root.path().join("spec/factories/a.rb"),
        "FactoryBot.define do\n  factory :x do |\nend",
    )
    .unwrap();
    let error = on_deep_stack(|| factories(root.path(), None)).unwrap_err();
    assert!(
        error.to_string().starts_with("spec/factories/a.rb: line "),
        "{error}"
    );
}

#[test]
fn fabricators_are_read_like_factories() {
    let fabricator = "Fabricator(:user) do\n  name 'x'\nend\nFabricator :admin, from: :user\n";
    for (files, expected) in [
        (
            vec![("spec/fabricators/users.rb", fabricator)],
            "user[] admin[]",
        ),
        (vec![("spec/fabricators.rb", fabricator)], "user[] admin[]"),
        (
            vec![("test/fabricators/a/users.rb", fabricator)],
            "user[] admin[]",
        ),
        (
            vec![
                (
                    "spec/factories/a.rb",
                    "FactoryBot.define { factory(:x) { trait(:t) {} } }",
                ),
                ("spec/fabricators/users.rb", fabricator),
            ],
            r#"x["t"]"#,
        ),
    ] {
        let (found, warnings) = scan(&files);
        assert_eq!(found, expected, "{files:?}");
        assert_eq!(warnings, Vec::<String>::new(), "{files:?}");
    }
}
