//! The examples of a spec that a refactoring must not lose: those that run.

use crate::outline::{FocusMark, Group, outline};

/// The source of every example that is not pending, and of every inclusion of shared examples. Empty if the text is not
/// valid Ruby.
pub(super) fn kept_examples(spec: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(outline) = outline(spec.as_bytes(), "spec") {
        for group in outline.groups.iter().chain(&outline.shared) {
            collect(group, spec, &mut found);
        }
    }
    found
}

fn collect(group: &Group, spec: &str, found: &mut Vec<String>) {
    if group.mark == FocusMark::Pending {
        return;
    }
    let runs = group
        .examples()
        .filter(|example| !example.is_pending && !example.is_empty)
        .filter(|example| example.mark != FocusMark::Pending);
    found.extend(runs.map(|example| plain(&spec[example.span.0..example.span.1])));
    let includes = group.includes.iter();
    found.extend(includes.map(|name| format!("it_behaves_like {name}")));
    for inner in group.groups().chain(&group.shared) {
        collect(inner, spec, found);
    }
}

/// The text without indentation, so that examples of different depth can be compared.
fn plain(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n")
}

/// Whether every example of a spec, or of one of its blocks, that runs is also in the other text.
pub(super) fn has_all_examples(new: &str, old: &str) -> bool {
    let mut new = kept_examples(new);
    kept_examples(old).iter().all(|example| {
        let found = new.iter().position(|one| one == example);
        found.map(|at| new.swap_remove(at)).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_examples_need_not_be_kept() {
        for (inside, count) in [
            ("it('a') { expect(1).to eq 1 }", 1),
            ("it { is_expected.to be }\nspecify { check }", 2),
            ("it 'a'\nxit('b') { expect(1).to eq 1 }", 0),
            ("it('a') { skip 'To be completed: b' }", 0),
            ("it('a') { pending 'b'; expect(1).to eq 2 }", 0),
            ("it('a', :skip) { expect(1).to eq 1 }", 0),
            ("it('a', pending: 'b') { expect(1).to eq 2 }", 0),
            ("it('a', skip: false) { expect(1).to eq 1 }", 1),
            ("it('a') { }", 0),
            ("xdescribe('b') { it('a') { expect(1).to eq 1 } }", 0),
            ("context('when b') { it('a') { expect(1).to eq 1 } }", 1),
            ("it_behaves_like 'a list'", 1),
            ("shared_examples('s') { it('a') { expect(1).to eq 1 } }", 1),
        ] {
            let spec = format!("describe A do\n{inside}\nend\n");
            assert_eq!(kept_examples(&spec).len(), count, "{inside}");
        }
    }

    #[test]
    fn examples_are_compared_without_indentation() {
        let old = "describe A do\n  it 'a' do\n    expect(1).to eq(1)\n  end\nend\n";
        let deeper = "describe A do\n  context 'when b' do\n    it 'a' do\n      expect(1).to eq(1)\n    end\n  end\nend\n";
        assert!(has_all_examples(deeper, old));
        let twice = old.replace("  it", "  it('b') { expect(1).to eq 1 }\n  it");
        assert!(!has_all_examples(old, &twice));
        assert!(!has_all_examples(&old.replace("eq(1)", "eq(2)"), old));
    }
}
