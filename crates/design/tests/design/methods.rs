//! The methods of a file (rule E1) and their test levels (rules T1 to T5).

use casebook_design::on_deep_stack;
use casebook_design::ruby::{
    AnalysisOptions, MethodQuery, MethodType, analyze, analyze_all, methods,
};

fn ids(ruby: &str) -> Vec<String> {
    let found = on_deep_stack(|| methods(ruby.as_bytes())).unwrap();
    found
        .iter()
        .map(|method| {
            let hidden = if method.is_public { "" } else { " (hidden)" };
            format!("{}{hidden}", method.id())
        })
        .collect()
}

#[test]
fn e1_methods_and_their_classes() {
    for (ruby, expected) in [
        ("def a; end", vec!["Object#a"]),
        (
            "class A; def b; end; def self.c; end; end",
            vec!["A#b", "A.c"],
        ),
        (
            "module A; class B::C; def d; end; end; end",
            vec!["A::B::C#d"],
        ),
        (
            "class A; class << self; def b; end; private; def c; end; end; end",
            vec!["A.b", "A.c (hidden)"],
        ),
        ("module A; module_function; def b; end; end", vec!["A.b"]),
        ("module A; def b; end; module_function :b; end", vec!["A.b"]),
        ("module A; extend self; def b; end; end", vec!["A.b"]),
        ("module A; def b; end; extend self; end", vec!["A.b"]),
        (
            "class A; private; def b; end; public; def c; end; end",
            vec!["A#b (hidden)", "A#c"],
        ),
        ("class A; def b; end; private :b; end", vec!["A#b (hidden)"]),
        (
            "class A; private def b; end; def c; end; end",
            vec!["A#b (hidden)", "A#c"],
        ),
        (
            "class A; def self.b; end; private_class_method :b; end",
            vec!["A.b (hidden)"],
        ),
        ("class A; private; def self.b; end; end", vec!["A.b"]),
        (
            "class A; def respond_to_missing?(*); end; def initialize_copy(b); end; end",
            vec![
                "A#respond_to_missing? (hidden)",
                "A#initialize_copy (hidden)",
            ],
        ),
        ("P = Struct.new(:x) do def y; end; end", vec!["P#y"]),
        ("class A; def initialize; end; def b; end; end", vec!["A#b"]),
        ("class A; def b; 1; end; def b; 2; end; end", vec!["A#b"]),
        (
            "module A; extend ActiveSupport::Concern; class_methods do; def b; end; end; end",
            vec!["A.b"],
        ),
        ("class A; def A.b; end; end", vec!["A.b"]),
        ("class A; def b; def c; end; end; end", vec!["A#b"]),
    ] {
        assert_eq!(ids(ruby), expected, "{ruby}");
    }
}

#[test]
fn e1_a_method_is_selected_or_the_methods_are_listed() {
    let ruby = b"class A; def b; end; def self.b; end; def c; end; def e; end; end; class B; def e; end; end";
    let choose = |name: Option<&str>, method_type| {
        let query = MethodQuery {
            name: name.map(ToOwned::to_owned),
            method_type,
            ..MethodQuery::default()
        };
        on_deep_stack(|| analyze(ruby, "a.rb", &query)).map(|found| found.method.id())
    };
    assert_eq!(choose(Some("c"), None).unwrap(), "A#c");
    assert_eq!(choose(Some("b"), Some(MethodType::Class)).unwrap(), "A.b");
    let elsewhere = MethodQuery {
        class: Some("C".to_owned()),
        name: Some("b".to_owned()),
        ..MethodQuery::default()
    };
    let error = on_deep_stack(|| analyze(ruby, "a.rb", &elsewhere)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "class `C` not found, or it has no methods"
    );
    // An exact class name is preferred to a suffix, and the last definition to earlier ones.
    let ruby = b"class C; def m(x) = x.a? ? 1 : 2; end; module N; class C; def m; end; end; end; class C; def m(x) = x.b? ? 1 : 2; end";
    let nearest = |class: &str| {
        let query = MethodQuery {
            class: Some(class.to_owned()),
            name: Some("m".to_owned()),
            ..MethodQuery::default()
        };
        let found = on_deep_stack(|| analyze(ruby, "a.rb", &query)).unwrap();
        let names = found.characteristics.iter().map(|one| one.name.as_str());
        format!(
            "{} {}",
            found.method.id(),
            names.collect::<Vec<_>>().join(" ")
        )
    };
    assert_eq!(nearest("C"), "C#m x_b");
    assert_eq!(nearest("N::C"), "N::C#m ");
    let all = on_deep_stack(|| analyze_all(ruby, "a.rb", AnalysisOptions::default())).unwrap();
    let ids: Vec<_> = all
        .into_iter()
        .map(|one| one.unwrap().method.id())
        .collect();
    assert_eq!(ids, ["C#m", "N::C#m"]);
    // `#` refers to instance methods.
    assert_eq!(choose(Some("b"), None).unwrap(), "A#b");
    for (name, reason) in [
        (
            Some("e"),
            "several methods are named `e`; name the class as well",
        ),
        (Some("d"), "method `d` not found"),
        (None, "several public methods found; name one"),
    ] {
        assert_eq!(choose(name, None).unwrap_err().to_string(), reason);
    }
}

#[test]
fn t1_to_t5_test_levels() {
    let level = |class: &str, file: &str, body: &str| {
        let ruby = format!("class {class}\n  def m(params2 = nil)\n    {body}\n  end\nend");
        let query = MethodQuery::default();
        let found = on_deep_stack(|| analyze(ruby.as_bytes(), file, &query)).unwrap();
        format!(
            "{}{}",
            found.test_level.as_str(),
            if found.uses_models { "+models" } else { "" }
        )
    };
    for (class, file, body, expected) in [
        ("UsersController", "lib/a.rb", "x", "request"),
        ("Users", "app/controllers/users.rb", "x", "request"),
        ("A", "lib/a.rb", "render :x", "request"),
        ("A", "lib/a.rb", "redirect_to x", "request"),
        ("A", "lib/a.rb", "head :ok", "request"),
        ("A", "lib/a.rb", "view.render :x", "unit"),
        ("A", "lib/a.rb", "params[:id]", "request"),
        ("A", "lib/a.rb", "session[:id]", "request"),
        ("A", "lib/a.rb", "session[:id] ||= 1", "request"),
        ("A", "lib/a.rb", "session[:id] = 1", "unit"),
        ("A", "lib/a.rb", "params = {}; params[:id]", "unit"),
        (
            "A",
            "lib/a.rb",
            "User.find(1); Order.where(a: 1)",
            "integration+models",
        ),
        (
            "A",
            "lib/a.rb",
            "User.active.where(a: 1); Order.open.first",
            "integration+models",
        ),
        ("A", "lib/a.rb", "User.find(1); User.first", "unit+models"),
        ("A", "lib/a.rb", "a.save; b.save!", "integration"),
        ("A", "lib/a.rb", "a.save", "unit"),
        ("A", "lib/a.rb", "transaction { x }", "integration"),
        (
            "A",
            "lib/a.rb",
            "Order.transaction do x end",
            "integration+models",
        ),
        (
            "A",
            "lib/a.rb",
            "Pay.call(1); Ship.new(2).call",
            "integration",
        ),
        (
            "A",
            "lib/a.rb",
            "PayService.run(1); ShipCommand.new(2).run",
            "integration",
        ),
        ("A", "lib/a.rb", "Pay.call(1)", "unit"),
        (
            "A",
            "lib/a.rb",
            "LIST.first; File.exists?(x); Time.at(1)",
            "unit",
        ),
        ("A < ApplicationRecord", "lib/a.rb", "x", "unit+models"),
        ("A", "app/models/a.rb", "x", "unit+models"),
    ] {
        assert_eq!(level(class, file, body), expected, "{class} {file} {body}");
    }
}
