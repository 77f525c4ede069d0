//! Old specs in the present style: section 10, "refactor legacy".

use casebook_design::on_deep_stack;
use casebook_design::refactor::refactor;

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
        ("x.should != 1", "expect(x).not_to eq(1)"),
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
fn descriptions_say_what_happens() {
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
        (
            "# frozen_string_literal: false\na\n",
            "# frozen_string_literal: false\na\n",
        ),
    ] {
        assert_eq!(on_deep_stack(|| refactor(old)).unwrap().text, new);
    }
    assert!(on_deep_stack(|| refactor("describe do")).is_err());
}
