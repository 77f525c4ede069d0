//! The reviewer on various forms of Ruby: checks depend on the code, not on its formatting.

#![expect(clippy::too_many_lines, reason = "tables, one row per form")]

use casebook_design::on_deep_stack;
use casebook_design::review::{ReviewContext, Severity, review};
use casebook_design::ruby::TestLevel;

fn at_level(spec: &str, path: &str, level: Option<TestLevel>) -> Vec<(&'static str, usize)> {
    let about = ReviewContext {
        path,
        level,
        ..ReviewContext::default()
    };
    let review = on_deep_stack(|| review(spec, &about));
    let findings = review.findings.iter();
    findings
        .map(|finding| (finding.check.slug, finding.line))
        .collect()
}

fn lines(spec: &str, slug: &str) -> Vec<usize> {
    let all = at_level(spec, "spec/services/a_spec.rb", None);
    let matching = all.into_iter().filter(|(found, _)| *found == slug);
    matching.map(|(_, line)| line).collect()
}

/// Checks the lines on which each check fires.
#[track_caller]
fn table(rows: &[(&str, &str, &[usize])]) {
    let mut wrong = Vec::new();
    for (slug, spec, expected) in rows {
        for spec in [(*spec).to_owned(), spec.replace('\n', "\r\n")] {
            let found = lines(&spec, slug);
            if found != *expected {
                wrong.push(format!("{slug}: {found:?}, not {expected:?}\n{spec}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
}

#[test]
fn wording() {
    table(&[
        (
            "modal-wording",
            "describe A do\n  it('cannot be sold') { }\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  it(\"shouldn't sell\") { }\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  it(\"won't sell\") { }\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  it 'Must sell'\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  it(\"should sell #{thing}\") { }\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  it 'sells, ' \\\n     'and should pay' do\n  end\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  shared_examples 's' do\n    it('should sell') { }\n  end\nend",
            &[3],
        ),
        (
            "modal-wording",
            "RSpec.shared_examples 's' do\n  it('should sell') { }\nend",
            &[2],
        ),
        (
            "modal-wording",
            "describe A do\n  %w[a b].each do |x|\n    specify(\"will #{x}\") { }\n  end\nend",
            &[3],
        ),
        (
            "modal-wording",
            "describe A do\n  it('lists candidates and scans willows, mustard') { }\nend",
            &[],
        ),
        (
            "modal-wording",
            "describe A do\n  # it should sell\n  it { is_expected.to be_ok }\nend",
            &[],
        ),
        (
            "modal-wording",
            "describe A do\n  context('when it should') { }\nend",
            &[],
        ),
        (
            "lower-not",
            "describe A do\n  context \"when not #{x}\" do\n  end\nend",
            &[2],
        ),
        (
            "lower-not",
            "describe A do\n  it('does not sell') { }\nend",
            &[2],
        ),
        (
            "lower-not",
            "describe A do\n  it('renders not_found for a knot') { }\nend",
            &[],
        ),
        (
            "lower-not",
            "describe 'what is not a context' do\n  it('sells') { }\nend",
            &[],
        ),
        (
            "context-word",
            "describe A do\n  context \"if #{x}\" do\n  end\nend",
            &[2],
        ),
        (
            "context-word",
            "describe A do\n  context \"#{word} open\" do\n  end\nend",
            &[],
        ),
        (
            "context-word",
            "describe A do\n  context '\"quoted\" thing' do\n  end\nend",
            &[2],
        ),
        (
            "context-word",
            "describe A do\n  context('When open') { }\nend",
            &[2],
        ),
        (
            "context-word",
            "describe A do\n  context('whenever open') { }\nend",
            &[2],
        ),
        (
            "context-word",
            "describe A do\n  context('when open') { context('without roof') { } }\nend",
            &[],
        ),
        (
            "context-word",
            "describe A do\n  context('and open') { }\nend",
            &[2],
        ),
        (
            "context-word",
            "describe A do\n  context('when a') {\n describe('#m') {\n context('with b') { } } }\nend",
            &[4],
        ),
        ("context-word", "RSpec.context 'if open' do\nend", &[1]),
        (
            "context-word",
            "RSpec.context 'when open' do\n  context('with roof') { }\nend",
            &[],
        ),
        (
            "context-word",
            "describe A do\n  xcontext('given a') { }\n  fcontext('as b') { }\nend",
            &[2, 3],
        ),
        (
            "context-word",
            "describe A do\n  shared_examples('s') do\n    context('with a') { }\n    context('if a') { }\n  end\nend",
            &[4],
        ),
        (
            "state-in-example",
            "describe A do\n  it('sells without asking') { }\nend",
            &[2],
        ),
        (
            "state-in-example",
            "describe A do\n  it('sells but asks') { }\n  it(\"pays #{x} when asked\") { }\nend",
            &[2, 3],
        ),
        (
            "state-in-example",
            "describe A do\n  it('withdraws within a day, whenever') { }\nend",
            &[],
        ),
    ]);
}

#[test]
fn arrangement() {
    let siblings = |one: &str, two: &str| {
        format!(
            "describe A do\n  context 'when a' do\n{one}\n  end\n  context 'when b' do\n{two}\n  end\nend"
        )
    };
    let same_let = siblings("let(:x) { 1 }", "let(:x) do\n  1\nend");
    let same_hook = siblings("before(:each) { go }", "before { go }");
    let other_scope = siblings("before(:all) { go }", "before { go }");
    let eager = siblings("let!(:x) { 1 }", "let(:x) { 1 }");
    let twice = siblings("let(:x) { 1 }\nlet(:x) { 1 }", "let(:x) { 2 }");
    let heredocs = siblings("let(:x) { <<~A }\n  one\nA", "let(:x) { <<~A }\n  two\nA");
    let same_heredocs = siblings("let(:x) { <<~A }\n  one\nA", "let(:x) { <<~A }\n  one\nA");
    let commented = siblings("let(:x) { 1 } # first", "# second\nlet(:x) { 1 }");
    table(&[
        ("duplicate-let", &same_let, &[3]),
        ("duplicate-let", &eager, &[3]),
        ("duplicate-let", &twice, &[]),
        ("duplicate-let", &heredocs, &[]),
        ("duplicate-let", &same_heredocs, &[3]),
        ("duplicate-let", &commented, &[3]),
        (
            "duplicate-let",
            "describe A do\n  describe('#a') { let(:x) { 1 } }\n  describe('#b') { let(:x) { 1 } }\nend",
            &[],
        ),
        (
            "duplicate-let",
            "describe A do\n  let(:x) { 0 }\n  context('when a') { let(:x) { 1 } }\n  context('when b') { let(:x) { 1 } }\n  context('when c') { let(:y) { 1 } }\nend",
            &[],
        ),
        (
            "duplicate-let",
            "describe A do\n  let(:x) { 0 }\n  context('when a') { let(:x) { 1 } }\n  context('when b') { let(:x) { 1 } }\nend",
            &[3],
        ),
        ("duplicate-before", &same_hook, &[3]),
        (
            "context-setup",
            "describe A do\n  context 'when a' do\n    it('sells') { skip 'later' }\n  end\n  context 'when b' do\n    it('pays') { pay }\n  end\nend",
            &[5],
        ),
        (
            "happy-path-first",
            "describe A do\n  context('when a lost') { let(:x) { 1 } }\n  context('when a NOT lost') { let(:x) { 2 } }\n  context('when a late') { let(:x) { 3 } }\nend",
            &[],
        ),
        (
            "happy-path-first",
            "describe A do\n  context('when a NOT lost') { let(:x) { 2 } }\n  context('when a lost') { let(:x) { 1 } }\nend",
            &[2],
        ),
        ("duplicate-before", &other_scope, &[]),
        (
            "context-setup",
            "describe A do\n  context 'when a' do\n    it_behaves_like 's'\n  end\nend",
            &[2],
        ),
        (
            "context-setup",
            "describe A do\n  context 'when a' do\n    include_context 's'\n    it('sells') { }\n  end\nend",
            &[],
        ),
        (
            "context-setup",
            "describe A do\n  context 'when a' do\n    # let(:x) { 1 }\n    subject(:y) { 1 }\n    after { go }\n  end\nend",
            &[2],
        ),
        (
            "context-setup",
            "describe A do\n  context('when a') { let!(:x) { 1 } }\n  context('when b') { before { go } }\nend",
            &[],
        ),
        (
            "context-setup",
            "describe A do\n  context 'when a' do\n    context 'with b' do\n      let(:x) { 1 }\n    end\n  end\nend",
            &[2],
        ),
        (
            "context-setup",
            "describe A do\n  context 'when a' do\n    %w[x y].each { |name| let(name) { 1 } }\n  end\nend",
            &[],
        ),
        (
            "both-directions",
            "describe A do\n  describe '#m' do\n    context 'when a' do\n      it('sells') { }\n      it('pays') { }\n    end\n  end\nend",
            &[2],
        ),
        (
            "both-directions",
            "describe A do\n  describe '#m' do\n    it('sells') { }\n    it('pays') { }\n  end\nend",
            &[],
        ),
        (
            "both-directions",
            "describe 'GET /a' do\n  context('when a') { it('sells') { } }\nend",
            &[1],
        ),
        (
            "both-directions",
            "describe A do\n  describe('.m') {\n    context('when a') { it('sells') { } }\n    context('when b') { it('pays') { } } }\nend",
            &[],
        ),
        (
            "both-directions",
            "describe A do\n  describe '#m' do\n    it_behaves_like 's'\n    it_behaves_like 't'\n  end\nend",
            &[],
        ),
        (
            "both-directions",
            "describe A do\n  describe '#m' do\n    context 'when a' do\n      context('with b') { it('sells') { } }\n      context('but c') { it('pays') { } }\n    end\n  end\nend",
            &[],
        ),
        (
            "both-directions",
            "describe A do\n  describe '#m' do\n    it 'sells'\n  end\nend",
            &[2],
        ),
        (
            "named-subject",
            "describe A do\n  subject! { 1 }\nend",
            &[2],
        ),
        (
            "named-subject",
            "describe A do\n  subject { described_class.new }\n  it { is_expected.to be }\nend",
            &[2],
        ),
        (
            "named-subject",
            "describe A do\n  subject(:a) { 1 }\n  describe('#m') { subject('b') { 2 } }\nend",
            &[],
        ),
        (
            "named-subject",
            "describe A do\n  context('when a') do\n    context 'with b' do\n      subject(:x) { 1 }\n    end\n  end\nend",
            &[4],
        ),
        (
            "depth",
            "describe A do\n  describe('#m') { context('when a') { context('with b') {\n    context('and c') { it('sells') { } } } } }\nend",
            &[],
        ),
        (
            "depth",
            "describe A do\n  describe('#m') { context('when a') { context('with b') { context('and c') {\n    context('but d') { it('sells') { } } } } } }\nend",
            &[3],
        ),
    ]);
    let severity = |spec: &str, slug: &str| {
        let review = on_deep_stack(|| review(spec, &ReviewContext::default()));
        let mut all = review.findings.into_iter();
        all.find(|finding| finding.check.slug == slug)
            .map(|finding| finding.severity)
    };
    let some = same_let.replace(
        "\nend\n  end\nend",
        "\nend\n  end\n  context('when c') { let(:x) { 3 } }\nend",
    );
    assert_eq!(
        severity(&same_let, "duplicate-let"),
        Some(Severity::Violation)
    );
    assert_eq!(severity(&some, "duplicate-let"), Some(Severity::Warning));
}

#[test]
fn code_repeated_in_every_leaf() {
    let leaf = |state: &str, text: &str| {
        format!("    context('when {state}') {{ let(:x) {{ :{state} }}\n it('{text}') {{ }} }}\n")
    };
    let three = leaf("a", "sells") + &leaf("b", "sells") + &leaf("c", "sells");
    let two = leaf("a", "sells") + &leaf("b", "sells");
    let method = |name: &str, inside: &str| format!("  describe '{name}' do\n{inside}  end\n");
    let spec = |inside: &str| format!("describe A do\n{inside}end\n");
    let other = method("#n", &(leaf("a", "pays") + &leaf("b", "asks")));
    table(&[
        ("invariant-example", &spec(&method("#m", &three)), &[4]),
        (
            "invariant-example",
            &spec(&(method("#m", &three) + &other)),
            &[4],
        ),
        (
            "invariant-example",
            &spec(&(other.clone() + &method("#m", &three))),
            &[10],
        ),
        ("invariant-example", &spec(&method("#m", &two)), &[]),
        (
            "invariant-example",
            &spec(&(method("#m", &two) + &method("#n", &two))),
            &[4],
        ),
        (
            "invariant-example",
            &spec(&method("#m", &(two.clone() + &leaf("c", "pays")))),
            &[],
        ),
        (
            "invariant-example",
            &spec(&method(
                "#m",
                &(three.clone() + "    context('when d') { it_behaves_like 's' }\n"),
            )),
            &[],
        ),
    ]);
}

#[test]
fn stubs() {
    let double = "describe A do\n  let(:store) { instance_double(Store) }\n  it('sells') { allow(store).to receive(:create).and_return(1) }\nend";
    let row = "describe A do\n  let(:order) { build(:order) }\n  it('sells') { allow(order).to receive(:save!) }\nend";
    let own = "describe A do\n  subject(:total) { order.total }\n  let(:order) { build(:order) }\n  it('sells') { allow(order).to receive(:tax) }\nend";
    let made = "describe A do\n  let(:cart) { described_class.new(1) }\n  it('sells') { allow(cart).to receive(:tax).and_return(2) }\nend";
    let expected = "describe A do\n  subject(:cart) { described_class.new }\n  it('sells') { expect(cart).to receive(:tax).once }\nend";
    let asserted = "describe A do\n  subject(:cart) { described_class.new }\n  it('sells') { expect(cart).to eq 1 }\nend";
    let service = "describe A do\n  let(:service) { instance_double(Pay) }\n  it('sells') { allow(service).to receive(:charge) }\nend";
    table(&[
        ("stub-own-method", double, &[]),
        ("stub-own-method", row, &[3]),
        ("stub-own-method", own, &[4]),
        ("stub-own-method", made, &[3]),
        ("stub-own-method", expected, &[3]),
        ("stub-own-method", asserted, &[]),
        ("stub-own-method", service, &[]),
        (
            "stub-own-method",
            "describe A do\n  it('a') { allow(order).to receive_messages(save: true, tax: 1) }\nend",
            &[2],
        ),
        (
            "stub-own-method",
            "describe A do\n  it('a') { expect(described_class).not_to receive(:tax) }\nend",
            &[2],
        ),
        (
            "stub-own-method",
            "describe A do\n  it('a') { allow(Gateway).to receive(:charge) { 1 } }\nend",
            &[],
        ),
        (
            "stub-own-method",
            "describe A do\n  subject { described_class.new }\n  before { allow(subject).to receive(:tax) }\nend",
            &[3],
        ),
        (
            "stub-own-method",
            "describe A do\n  it('a') { x.send(:secret, 1) }\n  it('b') { x.__send__(:secret) }\n  it('c') { send(:helper) }\nend",
            &[2, 3],
        ),
        (
            "any-instance",
            "describe A do\n  it('a') { expect_any_instance_of(B).to receive(:x) }\n  it('b') { B.any_instance.stub(:x) }\nend",
            &[2, 3],
        ),
        (
            "any-instance",
            "describe A do\n  # allow_any_instance_of(B)\n  it('any_instance') { }\nend",
            &[],
        ),
        (
            "plain-double",
            "describe A do\n  let(:a) { double }\n  let(:b) { double 'b', x: 1 }\nend",
            &[2, 3],
        ),
        (
            "plain-double",
            "describe A do\n  let(:double) { 2 }\n  it('a') { expect(double).to eq(a.double) }\nend",
            &[],
        ),
        (
            "plain-double",
            "describe A do\n  let(:a) { class_double(B) }\n  let(:b) { spy }\nend",
            &[],
        ),
        (
            "should-syntax",
            "describe A do\n  it('a') { x.should_not be_nil }\n  it { should be_nil }\nend",
            &[2],
        ),
    ]);
}

#[test]
fn phases_and_behaviors() {
    table(&[
        (
            "phases",
            "describe A do\n  before do\n    @a, @b = 1, 2\n  end\nend",
            &[2],
        ),
        (
            "phases",
            "describe A do\n  before(:each) { @a ||= 1 }\nend",
            &[2],
        ),
        (
            "phases",
            "describe A do\n  before { create(:user); described_class.call(1) }\nend",
            &[2],
        ),
        (
            "phases",
            "describe A do\n  before { FactoryBot.create(:user)\n  get '/users' }\nend",
            &[2],
        ),
        (
            "phases",
            "describe A do\n  before { create(:user) }\n  before { get '/users' }\nend",
            &[],
        ),
        (
            "phases",
            "describe A do\n  it 'a' do\n    create(:user)\n    expect(x).to eq 1\n  end\nend",
            &[3],
        ),
        (
            "phases",
            "describe A do\n  it 'a' do\n    @user = User.new\n    expect(x).to eq 1\n  end\nend",
            &[3],
        ),
        (
            "phases",
            "describe A do\n  scenario 'a' do\n    user = FactoryBot.build(:user)\n  end\nend",
            &[3],
        ),
        (
            "phases",
            "describe A do\n  it 'a' do\n    expect { create(:user) }.to change(User, :count)\n  end\nend",
            &[],
        ),
        (
            "phases",
            "describe A do\n  let(:user) { create(:user) }\n  it('a') { expect(user).to eq 1 }\nend",
            &[],
        ),
        (
            "one-behaviour",
            "describe A do\n  it 'a', :aggregate_failures do\n    expect(x.a).to eq 1\n    expect(x.b).to eq 1\n  end\nend",
            &[],
        ),
        (
            "one-behaviour",
            "describe A do\n  it 'a',\n     :aggregate_failures do\n    expect(x.a).to eq 1\n    expect(x.b).to eq 1\n  end\nend",
            &[],
        ),
        (
            "one-behaviour",
            "describe A, :aggregate_failures do\n  it 'a' do\n    expect(x.a).to eq 1\n    expect(x.b).to eq 1\n  end\nend",
            &[],
        ),
        (
            "one-behaviour",
            "describe A do\n  context 'when a', aggregate_failures: true do\n    it 'a' do\n      expect(x.a).to eq 1\n      expect(x.b).to eq 1\n    end\n  end\nend",
            &[],
        ),
        (
            "one-behaviour",
            "describe A do\n  it 'aggregate_failures' do\n    expect(x.a).to eq 1\n    expect(x.b).to eq 1\n  end\nend",
            &[2],
        ),
        (
            "one-behaviour",
            "describe A do\n  fit 'a' do\n    expect(x).to eq 1\n    is_expected.to eq 1\n  end\nend",
            &[2],
        ),
        (
            "one-behaviour",
            "describe A do\n  it('a') { expect { x }.to change(B, :a).by(1) }\n  it('b') { expect(x).to eq(1).or eq(2) }\nend",
            &[],
        ),
        (
            "one-behaviour",
            "describe A do\n  it 'a', :aggregate_failures do\n    expect(user.name).to eq 1\n    expect(order.total).to eq 1\n  end\nend",
            &[2],
        ),
        (
            "long-example",
            &format!(
                "describe A do\n  it 'a' do\n{}  end\nend",
                "    x\n".repeat(10)
            ),
            &[],
        ),
        (
            "long-example",
            &format!(
                "describe A do\n  it 'a' do\n{}  end\nend",
                "    x\n".repeat(11)
            ),
            &[2],
        ),
        (
            "long-example",
            &format!(
                "describe A, type: :system do\n  it 'a' do\n{}  end\nend",
                "    x\n".repeat(11)
            ),
            &[],
        ),
        (
            "long-example",
            &format!(
                "describe A do\n  shared_examples 's' do\n  it 'a' do\n{}  end\nend\nend",
                "    x\n".repeat(11)
            ),
            &[3],
        ),
    ]);
}

#[test]
fn logic() {
    table(&[
        (
            "logic-in-test",
            "describe A do\n  it 'a' do\n    case x\n    in 1 then y\n    end\n  end\nend",
            &[3],
        ),
        (
            "logic-in-test",
            "describe A do\n  %w[a b].each do |x|\n    it(x) { }\n  end\nend",
            &[2],
        ),
        (
            "logic-in-test",
            "describe A do\n  before { 3.times { create(:user) } }\nend",
            &[2],
        ),
        (
            "logic-in-test",
            "describe A do\n  let(:a) { list.map { |x| x + 1 } }\nend",
            &[],
        ),
        (
            "logic-in-test",
            "describe A do\n  it('a') { x unless y }\n  it('b') { x while y }\nend",
            &[2, 3],
        ),
        (
            "logic-in-test",
            "describe A do\n  private\n\n  def help = 1\nend",
            &[2],
        ),
        (
            "logic-in-test",
            "describe A do\n  private def help = 1\nend",
            &[2],
        ),
        ("logic-in-test", "describe A do\n  def help = 1\nend", &[]),
        (
            "logic-in-test",
            "describe A do\n  let(:q) { <<~SQL }\n    SELECT *\n    FROM users\n  SQL\nend",
            &[2],
        ),
        (
            "logic-in-test",
            "describe A do\n  let(:q) { \"UPDATE users SET a = #{x}\" }\n  let(:r) { 'delete from users' }\nend",
            &[2],
        ),
        (
            "logic-in-test",
            "describe A do\n  before { connection.execute('delete from users') }\nend",
            &[2],
        ),
        (
            "logic-in-test",
            "describe A do\n  it('lets people select one from many') { }\nend",
            &[],
        ),
        (
            "logic-in-test",
            "describe A, if: x do\n  # if y\n  it('if z') { \"if\" }\nend",
            &[],
        ),
    ]);
}

#[test]
fn matchers() {
    table(&[
        (
            "json-string",
            "describe A do\n  it('a') { expect(JSON.parse(response.body)['name']).to eq('Bob') }\nend",
            &[],
        ),
        (
            "json-string",
            "describe A do\n  it('a') { expect(response.body).to eq(<<~JSON) }\n    {}\n  JSON\nend",
            &[2],
        ),
        (
            "json-string",
            "describe A do\n  it('a') { expect(response.body).to eq \"{\\\"id\\\":#{id}}\" }\nend",
            &[2],
        ),
        (
            "json-string",
            "describe A do\n  it('a') { expect(response.body).to include('Bob') }\nend",
            &[],
        ),
        (
            "order-bound-array",
            "describe A do\n  it('a') { expect(x).to eq %w[a b] }\n  it('b') { expect(x).to contain_exactly(1, 2) }\nend",
            &[2],
        ),
        (
            "order-bound-array",
            "describe A do\n  it('lists the newest first') { expect(x).to eq [b, a] }\n  it('returns orders') { expect(x).to eq [b, a] }\nend",
            &[3],
        ),
        (
            "order-bound-array",
            "describe A do\n  describe '.sorted' do\n    it('a') { expect(x).to eq [b, a] }\n  end\nend",
            &[],
        ),
        (
            "order-bound-array",
            "describe A do\n  it('a') { expect(A.order(:b).to_a).to eq [b, a] }\n  it('b') { expect(x.map(&:b).sort).to eq %w[a b] }\n  it('c') { expect(A.all.to_a).to eq [b, a] }\nend",
            &[4],
        ),
        (
            "order-bound-array",
            "describe A do\n  it('a') { expect(x).to eq [200, {}, 'ok'] }\n  it('b') { expect(x).to eq [1, nil] }\n  it('c') { expect(x).to eq [1, y] }\nend",
            &[4],
        ),
        (
            "controller-spec",
            "describe A, :type => :controller do\nend",
            &[1],
        ),
        (
            "controller-spec",
            "RSpec.describe(A, type: 'controller') { }",
            &[1],
        ),
        (
            "controller-spec",
            "describe A, type: :controller_helper do\nend",
            &[],
        ),
        (
            "leftover",
            "describe A do\n  it('a') { x(\"#{API_KEY}\") }\n  it('b') { FOO }\nend",
            &[],
        ),
        (
            "leftover",
            "describe A do\n  # {SETUP_CODE}\n  # Logic: a.rb:1\n  # rspec-testing:x\nend",
            &[2, 3, 4],
        ),
    ]);
}

#[test]
fn time() {
    table(&[
        (
            "frozen-time",
            "describe A do\n  context 'when a' do\n    before { freeze_time }\n    after { travel_back }\n    it('a') { Time.now }\n  end\n  it('b') { Time.now }\nend",
            &[7],
        ),
        (
            "frozen-time",
            "describe A do\n  around { |example| freeze_time { example.run } }\n  it('a') { Date.today }\nend",
            &[],
        ),
        (
            "frozen-time",
            "describe A do\n  before { Timecop.freeze }\n  after { Timecop.return }\n  it('a') { ::Time.now }\nend",
            &[],
        ),
        (
            "frozen-time",
            "describe A do\n  it('a') { bus.travel_to(x) }\n  it('b') { Time.now }\nend",
            &[3],
        ),
        (
            "frozen-time",
            "describe A do\n  before { freeze_time }\n  it('a') { 1 }\nend",
            &[2],
        ),
        (
            "frozen-time",
            "describe A do\n  it('a') { travel_to(x, &block) }\n  it('b') { Time.current }\n  # Time.now\nend",
            &[],
        ),
        (
            "frozen-time",
            "describe A do\n  let(:now) { Time.now }\n  before { travel_to(now) }\n  after { travel_back }\nend",
            &[],
        ),
        (
            "time-dst",
            "describe A do\n  it('a') { travel_to(Time.zone.local(2026, 3, 29, 3, 59)) { } }\n  it('b') { travel_to(Time.zone.local(2026, 3, 29, 4)) { } }\nend",
            &[2],
        ),
        (
            "time-dst",
            "describe A do\n  it('a') { travel_to Time.zone.parse('2026-03-29T00:30:00Z') do\n 1 end }\n  it('b') { travel_to('2026-03-29 23:02:03 +02:00') { } }\nend",
            &[2],
        ),
        (
            "time-dst",
            "describe A do\n  it('a') { travel_to(Time.zone.now.change(hour: 2)) { } }\n  it('b') { travel_to(x.change(hour: 12)) { } }\nend",
            &[2],
        ),
        (
            "time-precision",
            "describe A do\n  it('a') { expect(x.at).to eq(Time.now) }\n  it('b') { expect(Time.now).to eq x }\n  it('c') { expect(x).to be > Time.now }\nend",
            &[2, 3],
        ),
        (
            "time-zone",
            "describe A do\n  let(:a) { Date.parse('x') }\n  let(:b) { ::Time.parse('x') }\n  let(:c) { JSON.parse('x') }\nend",
            &[2, 3],
        ),
        (
            "time-weekday",
            "describe A do\n  it('a') { x.wday }\n  let(:q) { <<~SQL }\n    select extract(dow from a)\n  SQL\nend",
            &[2],
        ),
        (
            "time-week-start",
            "describe A do\n  it('a') { x.beginning_of_week }\n  let(:q) { \"DATE_TRUNC('week', a)\" }\nend",
            &[2],
        ),
        (
            "time-week-start",
            "describe A do\n  it('a') { x.beginning_of_week }\n  let(:q) { \"date_trunc('month', a)\" }\nend",
            &[],
        ),
    ]);
}

#[test]
fn saved_records_in_unit_tests() {
    let rows = |spec: &str, path: &str| {
        let all = at_level(spec, path, Some(TestLevel::Unit));
        all.iter()
            .filter(|(slug, _)| *slug == "create-in-unit")
            .count()
    };
    for (spec, path, expected) in [
        (
            "describe A do\n  let(:x) { create 'user' }\nend",
            "spec/services/a_spec.rb",
            1,
        ),
        (
            "describe A do\n  let(:x) { FactoryBot.create(:user) }\nend",
            "spec/services/a_spec.rb",
            1,
        ),
        (
            "describe A do\n  let(:x) { create_list(:user, 3) }\nend",
            "spec/services/a_spec.rb",
            1,
        ),
        (
            "describe A do\n  let(:x) { User.create(:user) }\nend",
            "spec/services/a_spec.rb",
            0,
        ),
        (
            "describe A, type: :model do\n  let(:x) { create(:user) }\nend",
            "spec/a_spec.rb",
            0,
        ),
        (
            "describe A do\n  let(:x) { build_stubbed(:user) }\n  # create(:user)\nend",
            "spec/services/a_spec.rb",
            0,
        ),
    ] {
        assert_eq!(rows(spec, path), expected, "{spec}");
    }
}
