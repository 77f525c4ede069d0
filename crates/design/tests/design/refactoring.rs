//! The conservative refactoring of old specs: rule P7.

use casebook_design::on_deep_stack;
use casebook_design::refactor::{RefactoredParts, RefactoredSpec, refactor as refactor_parts};
use casebook_design::ruby::RubyError;

/// All changes.
fn refactor(spec: &str) -> Result<RefactoredSpec, RubyError> {
    let parts = RefactoredParts {
        wording: true,
        literals: true,
    };
    refactor_parts(spec, parts)
}

fn changed(inside: &str) -> String {
    let spec = format!("# frozen_string_literal: true\n\n{inside}\n");
    let text = on_deep_stack(|| refactor(&spec)).unwrap().text;
    text.lines().skip(2).collect::<Vec<_>>().join("\n")
}

#[test]
fn should_becomes_expect() {
    for (old, new) in [
        ("x.should eq(1)", "expect(x).to eq(1)"),
        ("x.y(2).should eq 1", "expect(x.y(2)).to eq 1"),
        ("x.should_not be_nil", "expect(x).not_to be_nil"),
        ("x.should == 1", "expect(x).to eq(1)"),
        ("x.should_not == 1", "expect(x).not_to eq(1)"),
        ("x.should==1", "expect(x).to eq(1)"),
        ("x.should ==1", "expect(x).to eq(1)"),
        ("x.should>1", "expect(x).to be >1"),
        ("x.should =~ /a/", "expect(x).to match(/a/)"),
        ("x.should =~ [1, 2]", "expect(x).to match_array([1, 2])"),
        ("x.should =~ y", "x.should =~ y"),
        ("x.should > 3", "expect(x).to be > 3"),
        ("x.should(eq(1))", "expect(x).to(eq(1))"),
        (
            "-> { go }.should raise_error",
            "expect { go }.to raise_error",
        ),
        (
            "->{ go }.should raise_error",
            "expect { go }.to raise_error",
        ),
        (
            "->() { go }.should raise_error",
            "expect { go }.to raise_error",
        ),
        (
            "-> do go end.should change { x }.by(1)",
            "expect do go end.to change { x }.by(1)",
        ),
        (
            "lambda { go }.should_not change(A, :count)",
            "expect { go }.not_to change(A, :count)",
        ),
        (
            "x.should_receive(:go).with(1).and_return(2)",
            "expect(x).to receive(:go).with(1).and_return(2)",
        ),
        ("x.should_not_receive(:go)", "expect(x).not_to receive(:go)"),
        ("it { should be_valid }", "it { is_expected.to be_valid }"),
        (
            "it { should_not be_valid }",
            "it { is_expected.not_to be_valid }",
        ),
        ("it { should == 4 }", "it { is_expected.to eq(4) }"),
        (
            "should 'be another library' do\nend",
            "should 'be another library' do\nend",
        ),
        ("x&.should eq(1)", "x&.should eq(1)"),
        ("\"x.should eq 1\"", "\"x.should eq 1\""),
    ] {
        assert_eq!(changed(old), new, "{old}");
    }
}

#[test]
fn nested_assertions_are_rewritten() {
    for (old, new) in [
        (
            "baz.should == run { |v| v.should == 1 }",
            "expect(baz).to eq(run { |v| expect(v).to eq(1) })",
        ),
        (
            "\"äöü\".should == run { |äv| äv.should_not_receive(:é) }",
            "expect(\"äöü\").to eq(run { |äv| expect(äv).not_to receive(:é) })",
        ),
        (
            "run { x.should eq 1 }.should eq(run { y.should == 2 })",
            "expect(run { expect(x).to eq 1 }).to eq(run { expect(y).to eq(2) })",
        ),
        (
            "lambda { x.should == 1 }.should raise_error { |e| e.to_s.should =~ /1/ }",
            "expect { expect(x).to eq(1) }.to raise_error { |e| expect(e.to_s).to match(/1/) }",
        ),
        (
            "x.should == <<~A\n  y.should == 1 # no comment\nA",
            "expect(x).to eq(<<~A)\n  y.should == 1 # no comment\nA",
        ),
        (
            "x.should == [ # one\n  1, # two\n  2\n]",
            "expect(x).to eq([ # one\n  1, # two\n  2\n])",
        ),
    ] {
        assert_eq!(changed(old), new, "{old}");
    }
}

#[test]
fn uncertain_assertions_are_not_changed() {
    for text in [
        // The replaced text contains a comment or a line break.
        "foo\n  # the sum\n  .should == 3",
        "foo # the sum\n  .should eq(3)",
        "foo\n  .should eq(3)",
        "foo.\n  should eq(3)",
        "bar.should == # why\n  4",
        "bar.should ==\n  4",
        "bar.should == \\\n  4",
        // Not the plain form.
        "x.should.==(4)",
        "x.should. == 4",
        "x.should() == 5",
        "x.should() > 5",
        "x::should eq(1)",
        "x.should",
        "x.should be_a Foo do\nend",
        "x.should(&matcher)",
        // RSpec rejects it with a message.
        "x.should != 1",
        // Part of a larger expression, which `expect(x).to eq(1)` would change.
        "x.should == 1 && y",
        "x.should == 1 and y",
        "foo(x.should == 1, 2)",
        "[x.should == 1]",
        "y = x.should == 1",
        "c ? x.should == 1 : y.should == 2",
        "x.should == 1 rescue nil",
        "m = x.should_receive(:go)",
        "x.should_receive(:go) == 1",
        "x.should_receive(:go) do\n  1\nend.with(1)",
        "x.should_receive(:go, 1)",
        "X.any_instance.should_receive(:go)",
        // A block with a matcher that takes none, or no block with one that requires it.
        "lambda { go }.should be_a(Proc)",
        "lambda { go }.should == 1",
        "lambda { |x| go }.should raise_error",
        "->(x) { go }.should raise_error",
        "->(;x) { go }.should raise_error",
        "-> { _1 }.should raise_error",
        "lambda(&go).should raise_error",
        "-> { return 1 }.should raise_error",
        "lambda { break }.should_not raise_error",
        "x.should raise_error",
        "it { should raise_error }",
        // `expect` may not be available there.
        "class A\n  def a = b.should(eq(1))\nend",
        "module A\n  def a\n    b.should == 1\n  end\nend",
        "Class.new { def a() b.should(eq(1)) end }",
        "x.instance_eval { @y.should == 1 }",
        "its(:size) { should == 1 }",
        // `should` is not RSpec's.
        "def should(x) = x\nit { should 1 }",
        "let(:should) { 1 }\nit { should eq(1) }",
        "RSpec.configure { |c| c.syntax = :should }\nx.should eq(1)",
        "should = 1\nshould == 1",
        "x = <<A\ny.should == 1\nA",
        "x = 1\n__END__\nx.should == 1",
        "=begin\nx.should == 1\n=end",
        "# x.should == 1",
    ] {
        assert_eq!(changed(text), text, "{text}");
    }
}

#[test]
fn an_assertion_that_cannot_be_rewritten_does_not_affect_others() {
    assert_eq!(
        changed("x.should == 1\nc ? x.should == 1 : 2\ny.should == 2"),
        "expect(x).to eq(1)\nc ? x.should == 1 : 2\nexpect(y).to eq(2)"
    );
}

#[test]
fn only_verbs_are_conjugated() {
    for text in [
        "should == 3",
        "should `quit`",
        "should not == 3",
        "should :go",
        "should Return",
        "should returns 1",
        "should the user go",
        "should immediately go",
        "should",
        "should ",
        "should écrire",
        "it should == 3",
    ] {
        let new = text.replace(" not ", " NOT ");
        let (old, new) = (format!("it '{text}' do end"), format!("it '{new}' do end"));
        assert_eq!(changed(&old), new);
    }
}

#[test]
fn descriptions_state_what_happens() {
    for (old, new) in [
        ("it 'should return 1' do end", "it 'returns 1' do end"),
        ("it \"should be valid\" do end", "it \"is valid\" do end"),
        ("it 'should have items'", "it 'has items'"),
        (
            "it 'should not be valid' do end",
            "it 'is NOT valid' do end",
        ),
        ("it 'should not raise' do end", "it 'does NOT raise' do end"),
        (
            "it \"shouldn't raise\" do end",
            "it \"does NOT raise\" do end",
        ),
        (
            "it 'should always pass' do end",
            "it 'always passes' do end",
        ),
        (
            "it 'must apply the rule' do end",
            "it 'applies the rule' do end",
        ),
        ("it 'will go' do end", "it 'goes' do end"),
        ("it 'can be empty' do end", "it 'is empty' do end"),
        (
            "it 'returns what should be' do end",
            "it 'returns what should be' do end",
        ),
        ("it 'is not valid' do end", "it 'is NOT valid' do end"),
        ("context 'if x' do end", "context 'when x' do end"),
        ("context 'when not x' do end", "context 'when NOT x' do end"),
        ("it \"should #{go}\" do end", "it \"should #{go}\" do end"),
        ("x.it 'should go'", "x.it 'should go'"),
    ] {
        assert_eq!(changed(old), new, "{old}");
    }
}

#[test]
fn literals_are_frozen_once() {
    for (old, new) in [
        ("a\n", "# frozen_string_literal: true\n\na\n"),
        ("\n\na\n", "# frozen_string_literal: true\n\na\n"),
        (
            "#!/usr/bin/env ruby\na\n",
            "#!/usr/bin/env ruby\n# frozen_string_literal: true\n\na\n",
        ),
        // Lines that must be first stay first.
        (
            "# encoding: ascii-8bit\na\n",
            "# encoding: ascii-8bit\n# frozen_string_literal: true\n\na\n",
        ),
        (
            "#!/usr/bin/ruby\n# -*- coding: utf-8 -*-\n# A.\n",
            "#!/usr/bin/ruby\n# -*- coding: utf-8 -*-\n# frozen_string_literal: true\n\n# A.\n",
        ),
        (
            "\u{feff}x.should == 1\n",
            "\u{feff}# frozen_string_literal: true\n\nexpect(x).to eq(1)\n",
        ),
        (
            "a\r\nx.should == 1\r\n",
            "# frozen_string_literal: true\r\n\r\na\r\nexpect(x).to eq(1)\r\n",
        ),
        (
            "# -*- frozen-string-literal: true -*-\na\n",
            "# -*- frozen-string-literal: true -*-\na\n",
        ),
        (
            "# frozen_string_literal: false\na\n",
            "# frozen_string_literal: false\na\n",
        ),
    ] {
        assert_eq!(on_deep_stack(|| refactor(old)).unwrap().text, new);
    }
    assert!(on_deep_stack(|| refactor("describe do")).is_err());
}
