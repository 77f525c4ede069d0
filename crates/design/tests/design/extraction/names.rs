//! Types, names and states of single conditions: rules E4 to E6.

use super::bodies;
use crate::support::{body, found, same};

#[test]
fn e4_types() {
    bodies(&[
        ("x if a < 1", "a range [below_threshold above_threshold]"),
        ("x if a <= 1", "a range [below_threshold above_threshold]"),
        ("x if a > 1", "a range [sufficient insufficient]"),
        ("x if a >= 1", "a range [sufficient insufficient]"),
        (
            "x if a.between?(1, 2)",
            "a range [within_range outside_range]",
        ),
        (
            "x if (1..5).cover?(a)",
            "a range [within_range outside_range]",
        ),
        ("case a\nwhen 1 then x\nwhen 2 then y\nend", "a enum [1 2]"),
        ("x if a == 1", "a binary [1 not_1]"),
    ]);
}

#[test]
fn e5_names_of_values() {
    bodies(&[
        ("x if @user.vip?", "user_vip binary [vip not_vip]"),
        (
            "x if order.customer.vip?",
            "customer_vip binary [vip not_vip]",
        ),
        (
            "x if order.order_total > 1",
            "order_total range [sufficient insufficient]",
        ),
        (
            "x if Etc.nprocessors > 1",
            "etc_nprocessors range [sufficient insufficient]",
        ),
        (
            "x if params[:role] == 'admin'",
            "role binary [admin not_admin]",
        ),
        (
            "x if options[:user][:name] == 'a'",
            "user_name binary [a not_a]",
        ),
        (
            "x if session[:user_id].present?",
            "session_user_id_present binary [present absent]",
        ),
        ("x if self.ready?", "ready binary [ready not_ready]"),
        (
            "x if name.strip.downcase == 'bob'",
            "name binary [bob not_bob]",
        ),
        (
            "x if user.name.to_s.empty?",
            "user_name_present binary [present absent]",
        ),
        (
            "x if price * count + 1 > 10",
            "price range [sufficient insufficient]",
        ),
        (
            "x if 2 * count > 10",
            "count range [sufficient insufficient]",
        ),
        ("x if $verbose", "verbose_present binary [present absent]"),
        ("x if Admin::Flag.on?", "flag_on binary [on not_on]"),
    ]);
}

#[test]
fn e5_names_of_characteristics() {
    bodies(&[
        (
            "x if a.include?(0)",
            "a_included binary [included not_included]",
        ),
        ("x if $1", "match_1_present binary [present absent]"),
        ("x if '-w'.y?", "w_y binary [y not_y]"),
        ("x if a.false?", "a_false binary [a_false not_a_false]"),
        (
            "x if feature.enabled?(:beta)",
            "feature_enabled_beta binary [enabled not_enabled]",
        ),
        (
            "x if feature.enabled?('beta-2')",
            "feature_enabled_beta_2 binary [enabled not_enabled]",
        ),
        (
            "x if feature.enabled?(user)",
            "feature_enabled binary [enabled not_enabled]",
        ),
        (
            "x if user.can_edit?",
            "user_editable binary [editable not_editable]",
        ),
        ("x if user.is_admin?", "user_admin binary [admin not_admin]"),
        (
            "x if cart.has_items?",
            "cart_items_present binary [present absent]",
        ),
        (
            "x if account.balance >= price",
            "account_balance range [sufficient insufficient]",
        ),
        (
            "x if a.owner == current_user",
            "a_owner binary [current_user not_current_user]",
        ),
        (
            "x if list.include?(code)",
            "code_included binary [included not_included]",
        ),
        (
            "x if code.in?(list)",
            "code_included binary [included not_included]",
        ),
        ("x if user.save", "user_saved binary [saved not_saved]"),
        (
            "x if user.update(a: 1)",
            "user_updated binary [updated not_updated]",
        ),
        (
            "x if User.create(a: 1)",
            "user_created binary [created not_created]",
        ),
        (
            "x if user.destroy",
            "user_destroyed binary [destroyed not_destroyed]",
        ),
        (
            "x if user.delete",
            "user_deleted binary [deleted not_deleted]",
        ),
        ("x if save", "saved binary [saved not_saved]"),
        ("x if name =~ /a/", "name_match binary [match not_match]"),
        (
            "x if name.match?(/a/)",
            "name_match binary [match not_match]",
        ),
        (
            "x if /a/.match?(name)",
            "name_match binary [match not_match]",
        ),
        ("x if name !~ /a/", "name_match binary [match not_match]"),
        (
            "x if value.is_a?(Hash)",
            "value_type binary [hash not_hash]",
        ),
        (
            "x unless user.blocked?",
            "user_blocked binary [blocked not_blocked]",
        ),
        (
            "x if user.invalid?",
            "user_invalid binary [invalid not_invalid]",
        ),
    ]);
}

#[test]
fn e6_literals_as_states() {
    bodies(&[
        (
            "x if a == 'In Progress'",
            "a binary [in_progress not_in_progress]",
        ),
        ("x if a == Plan::FREE", "a binary [free not_free]"),
        ("x if a != :draft", "a binary [draft not_draft]"),
        ("x if :draft == a", "a binary [draft not_draft]"),
        ("x if a == true", "a binary [a not_a]"),
        ("x if a == false", "a binary [a not_a]"),
        ("x if a == ''", "a binary [empty not_empty]"),
        ("x if a == ' '", "a binary [blank not_blank]"),
        ("x if a == '<='", "a binary [less_equals not_less_equals]"),
        (
            "case op\nwhen '+' then 1\nwhen '-' then 2\nwhen '*' then 3\nelse 4\nend",
            "op enum [plus minus star other]",
        ),
        (
            "case on\nwhen true then 1\nwhen false then 2\nend",
            "on enum [on not_on]",
        ),
    ]);
}

#[test]
fn e6_negative_words_are_not_negated_again() {
    bodies(&[
        ("x if not_due_yet?", "due_yet binary [not_due_yet due_yet]"),
        ("x if a.not_found?", "a_found binary [not_found found]"),
        (
            "not_ready = a? || b?\nx if not_ready",
            "ready binary [not_ready ready]",
        ),
        (
            "x if status == :not_found",
            "status binary [not_found other]",
        ),
        ("x if e.is_a?(NotFound)", "e_type binary [not_found other]"),
    ]);
    let ruby = "def s(not_ready = false)\n  not_ready ? 1 : 2\nend";
    same(
        ruby,
        &found(ruby),
        "ready binary [not_ready ready] default=ready",
    );
}

#[test]
fn e6_only_amounts_are_sufficient() {
    for subject in ["balance", "a.weight", "job.retry_count", "file.size", "n"] {
        let ruby = format!("x if {subject} > 30");
        assert!(
            body(&ruby).ends_with("range [sufficient insufficient]"),
            "{ruby}"
        );
    }
    for condition in [
        "a.expires_at > b",
        "starts_on >= b",
        "index > 0",
        "response.status >= 500",
        "errors.size > 3",
        "login_attempts > 3",
        "size > MAX_SIZE",
        "items.count >= max",
        "a.b > 3.days.ago",
        "a.b >= Date.today - 7",
        "Gem.ruby_version >= '2.7'",
    ] {
        let ruby = format!("x if {condition}");
        assert!(
            body(&ruby).ends_with("range [above_threshold below_threshold]"),
            "{ruby}: {}",
            body(&ruby)
        );
    }
    bodies(&[(
        "case error_count\nwhen 5.. then a\nelse b\nend",
        "error_count range [above_threshold below_threshold]",
    )]);
}
