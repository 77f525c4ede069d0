//! Table tests, rule by rule.

use crate::support::{analysis, body, found, same};

/// Bodies of a method and what varies in them.
#[track_caller]
fn bodies(cases: &[(&str, &str)]) {
    for (ruby, expected) in cases {
        same(ruby, &body(ruby), expected);
    }
}

#[test]
fn e1_only_the_body_of_the_method_is_read() {
    let ruby = "
class Order
  validates :name, presence: true, if: :paid?
  before_save :x, if: -> { a? }
  def total
    check
    def inner
      x if y?
    end
    vip? ? 1 : 2
  end
  private
  def check
    raise if broken?
  end
end";
    same(ruby, &found(ruby), "vip binary [vip not_vip]");
}

#[test]
fn e1b_blocks_lambdas_begin_and_transactions_are_transparent() {
    bodies(&[
        (
            "Order.transaction do\n  a if b.ready?\nend",
            "b_ready binary [ready not_ready]",
        ),
        ("f = ->(x) { x.ok? ? 1 : 2 }", "x_ok binary [ok not_ok]"),
        ("begin\n  a if b?\nend", "b binary [b not_b]"),
        (
            "return if locked?\nitems.each do |item|\n  a if item.hot?\nend",
            "locked binary [locked not_locked]\nitem_hot binary [hot not_hot] < locked=not_locked",
        ),
        ("for x in xs\n  a if x.b?\nend", "x_b binary [b not_b]"),
    ]);
}

#[test]
fn e2_every_way_to_leave_makes_a_guard() {
    for exit in [
        "return",
        "return 1",
        "raise",
        "raise Late, 'x'",
        "fail 'x'",
        "throw :done",
        "exit",
        "exit 1",
        "abort 'x'",
        "Kernel.raise Late",
        "render(:a) and return",
        "(log; return)",
    ] {
        let ruby = format!("if a?\n  {exit}\nend\nb? ? 1 : 2");
        same(
            &ruby,
            &body(&ruby),
            "a binary [a not_a]\nb binary [b not_b] < a=not_a",
        );
    }
    for no_exit in ["log", "x.raise", "retry_later", "yield"] {
        let ruby = format!("if a?\n  {no_exit}\nend\nb? ? 1 : 2");
        same(
            &ruby,
            &body(&ruby),
            "a binary [a not_a]\nb binary [b not_b]",
        );
    }
}

#[test]
fn e2_guards_ignore_one_another_but_not_the_branch_around_them() {
    bodies(&[
        (
            "return if a?\nraise X unless b?\nreturn 1 if c > 2",
            "a binary [a not_a]\nb binary [b not_b]\nc range [sufficient insufficient]",
        ),
        (
            "return if a?\nif b?\n  return if c?\n  d? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b] < a=not_a\nc binary [c not_c] < b=b\nd binary [d not_d] < c=not_c",
        ),
        (
            "return if a?\nitems.each do |i|\n  next if i.b?\n  i.c? ? 1 : 2\nend\nd? ? 1 : 2",
            "a binary [a not_a]\ni_b binary [b not_b]\ni_c binary [c not_c] < i_b=not_b\nd binary [d not_d] < a=not_a",
        ),
    ]);
}

#[test]
fn e3_gates() {
    bodies(&[
        // Both sides survive, or both leave: no gate.
        (
            "if a?\n  x\nelse\n  y\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]",
        ),
        // The else side leaves.
        (
            "if a?\n  x\nelse\n  return\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        (
            "unless a?\n  return\nelse\n  x\nend\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        // A gate of an enclosing list is seen until a branch is crossed.
        (
            "return if a?\nif b?\n  c? ? 1 : 2\nend",
            "a binary [a not_a]\nb binary [b not_b] < a=not_a\nc binary [c not_c] < b=b",
        ),
        // A case with several survivors gates nothing, with one it does.
        (
            "case x\nwhen :a then return\nwhen :b then y\nelse z\nend\nb? ? 1 : 2",
            "x enum [a b other]\nb binary [b not_b]",
        ),
        (
            "case x\nwhen :a then return\nelse z\nend\nb? ? 1 : 2",
            "x enum [a other]\nb binary [b not_b] < x=other",
        ),
        // The value of an assignment may leave, too.
        (
            "v = if a? then 1 else return end\nb? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b] < a=a",
        ),
        // Guards of a combination: the state that falls through.
        (
            "return if a? || b?\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < b=not_b",
        ),
        (
            "return unless a? && b?\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < b=b",
        ),
        (
            "return if a? && b?\nc? ? 1 : 2",
            "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c] < a=not_a",
        ),
    ]);
}

#[test]
fn e3_rescue_and_ensure_see_no_gates() {
    let ruby = "
def sample
  return if a?
  work
rescue Late
  b? ? 1 : 2
ensure
  c? ? 1 : 2
end";
    same(
        ruby,
        &found(ruby),
        "a binary [a not_a]\nb binary [b not_b]\nc binary [c not_c]",
    );
    bodies(&[(
        "if z?\n  begin\n    return if a?\n    x\n  rescue\n    b? ? 1 : 2\n  end\nend",
        "z binary [z not_z]\na binary [a not_a] < z=z\nb binary [b not_b] < z=z",
    )]);
}

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
        (
            "case on\nwhen true then 1\nwhen false then 2\nend",
            "on enum [on not_on]",
        ),
    ]);
}

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
    ]);
}

#[test]
fn e9_case_when() {
    bodies(&[
        (
            "case p\nwhen Plan::FREE then x\nwhen Plan::PRO then y\nend",
            "p enum [free pro]",
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
            "now_hour range [sufficient insufficient]",
        ),
    ]);
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

#[test]
fn e14_repetition() {
    bodies(&[
        ("x if a?\ny if a?", "a binary [a not_a]"),
        (
            "x if n > 1\ny if n > 5",
            "n range [sufficient insufficient]\nn_5 range [sufficient insufficient]",
        ),
        (
            "x if s == :a\ny if s == :b\nz if s == :c",
            "s binary [a not_a]\ns_2 binary [b not_b]\ns_3 binary [c not_c]",
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
    let twice = analysis("def s\n  if a?\n    x if c?\n  end\n  if b?\n    y if c?\n  end\nend");
    assert_eq!(twice.characteristics[1].when_parent, ["a"]);
    assert_eq!(twice.warnings.len(), 1, "{:?}", twice.warnings);
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

#[test]
fn e16_levels_and_the_limit() {
    let nested = |depth: usize| {
        let mut ruby = "x".to_owned();
        for level in (1..=depth).rev() {
            ruby = format!("if c{level}?\n{ruby}\nend");
        }
        format!("def deep\n{ruby}\nend")
    };
    let levels: Vec<_> = analysis(&nested(6))
        .characteristics
        .iter()
        .map(|found| found.level)
        .collect();
    assert_eq!(levels, [1, 2, 3, 4, 5, 6]);
    let error = casebook_design::on_deep_stack(|| {
        casebook_design::ruby::analyze(
            nested(7).as_bytes(),
            "a.rb",
            &casebook_design::ruby::Wanted::default(),
        )
    });
    assert!(error.unwrap_err().to_string().contains("too complex"));
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
fn e18_what_is_no_characteristic() {
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
