//! The factory optimizer: rule W8.

use casebook_design::on_deep_stack;
use casebook_design::optimize::{Rewritten, factory_calls, optimize};

fn rewritten(spec: &str, is_unit: bool) -> Rewritten {
    let traits = ["admin", "role_boss", "paid"]
        .map(ToOwned::to_owned)
        .to_vec();
    let factories = [("user".to_owned(), traits)];
    on_deep_stack(|| optimize(spec, &factories, is_unit)).unwrap()
}

#[test]
fn verbs_become_cheaper_if_no_saved_record_is_needed() {
    for (spec, expected) in [
        (
            "let(:u) { create(:user) }",
            "let(:u) { build_stubbed(:user) }",
        ),
        (
            "let!(:u) { build(:user, :admin) }",
            "let!(:u) { build_stubbed(:user, :admin) }",
        ),
        (
            "let(:u) { FactoryBot.create(:user) }",
            "let(:u) { FactoryBot.build_stubbed(:user) }",
        ),
    ] {
        assert_eq!(rewritten(spec, true).text, expected);
        assert_eq!(rewritten(spec, false).text, spec, "not above unit level");
    }
    for unsafe_use in [
        "u.id",
        "u.persisted?",
        "u.reload",
        "u.orders.create(a: 1)",
        "u.orders << x",
        "User.where(id: u)",
        "User.find_by(u: u)",
        "Job.perform_later(u)",
        "Pay.call(u)",
    ] {
        let spec = format!("let(:u) {{ create(:user) }}\nit {{ {unsafe_use} }}");
        assert_eq!(rewritten(&spec, true).text, spec, "{unsafe_use}");
    }
    for unsure in [
        "before { create(:user) }",
        "let(:u) { create(:user, :with_orders) }",
        "let(:u) { create(:user, team: team) }",
        "let(:u) { x.create(:user) }",
        "let(:u) { create(:user) { |u| u.go } }",
        "let(:u) { create(:user, team: @team) }",
        "let(:u) { create(:user, team:) }",
        "let(:u) { create(:user, **given) }",
        "let(:u) { create(:user, given) }",
        "let(:u) { create(:user, *traits) }",
        "let(:u) { create(:user) }\nlet(:owner) { u }\nlet(:boss) { owner }\nit { boss.reload }",
        "let(:u) { create(:user) }\nit { u&.id }",
    ] {
        assert_eq!(rewritten(unsure, true).text, unsure);
    }
}

#[test]
fn attributes_become_traits_if_the_factory_has_one() {
    for (spec, expected) in [
        (
            "build_stubbed(:user, admin: true)",
            "build_stubbed(:user, :admin)",
        ),
        (
            "build_stubbed(:user, role: :boss)",
            "build_stubbed(:user, :role_boss)",
        ),
        (
            "build_stubbed(:user, state: 'paid', a: 1)",
            "build_stubbed(:user, :paid, a: 1)",
        ),
        (
            "build_stubbed(:user, admin: false)",
            "build_stubbed(:user, admin: false)",
        ),
        (
            "build_stubbed(:order, admin: true)",
            "build_stubbed(:order, admin: true)",
        ),
    ] {
        assert_eq!(rewritten(spec, true).text, expected);
    }
    assert_eq!(
        rewritten("build_stubbed(:user, vip: true)", true).warnings,
        ["line 1: consider a trait :vip of 'user' for `vip: true`"]
    );
    let thrice = "build_stubbed(:user, :admin, :paid)\n".repeat(3);
    assert_eq!(
        rewritten(&thrice, true).warnings,
        ["'user' is used 3 times with :admin, :paid; consider one trait for them"]
    );
}

#[test]
fn a_spec_without_factories_has_no_calls() {
    assert_eq!(
        factory_calls("it { create_user; x.create(:a); build }").unwrap(),
        0
    );
}
