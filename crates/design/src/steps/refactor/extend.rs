//! Adds the blocks of a draft to a spec that has examples that run, which are all kept.

use super::kept_examples::{has_all_examples, kept_examples};
use crate::metadata::read::Plan;
use crate::skeleton::{Block, Existing, Merge, MergeError, find_blocks, merge};
use crate::steps::update::manual_edits;

/// A spec with blocks of a draft.
pub(super) struct ExtendedSpec {
    pub(super) text: String,
    /// The number of blocks from the draft.
    pub(super) written: usize,
    /// The methods whose blocks were kept.
    kept: Vec<String>,
    /// The methods without a block, because all of its examples would be pending.
    pub(super) pending: Vec<String>,
}

impl ExtendedSpec {
    /// What was not written, and why.
    pub(super) fn notes(&self, source: &str) -> Vec<String> {
        let kept = (!self.kept.is_empty()).then(|| {
            let methods = self.kept.join(", ");
            format!("existing blocks that were kept, because examples would be lost: {methods}")
        });
        let pending = (!self.pending.is_empty()).then(|| {
            format!(
                "methods without a block, because all examples would be pending: {}; \
                 to add one, run `casebook design pipeline {source}#METHOD`",
                self.pending.join(", ")
            )
        });
        kept.into_iter().chain(pending).collect()
    }
}

/// Inserts the blocks of a draft that have an example that runs. A block of the spec is replaced only if that loses no example that runs and, unless
/// `discards_edits`, no manual edit.
pub(super) fn extend(
    spec: &str,
    draft: &str,
    plans: &[Plan],
    discards_edits: bool,
) -> Result<ExtendedSpec, MergeError> {
    let mut extended = ExtendedSpec {
        text: spec.to_owned(),
        written: 0,
        kept: Vec::new(),
        pending: Vec::new(),
    };
    let (old, new) = (find_blocks(spec, plans)?, find_blocks(draft, plans)?);
    for ((plan, old), new) in plans.iter().zip(old).zip(new) {
        let Some(new) = new else { continue };
        let is_pending = old.is_none() && kept_examples(&new.text).is_empty();
        let is_kept = old.is_some_and(|old| {
            !has_all_examples(&new.text, &old.text)
                || !discards_edits && !manual_edits(&old.text).is_empty()
        });
        if is_kept {
            extended.kept.push(plan.id());
        } else if is_pending {
            extended.pending.push(plan.id());
        } else if let Existing::Merged(text) =
            merge(&extended.text, plan, &lines(draft, &new), Merge::Upsert)?
        {
            extended.text = text;
            extended.written += 1;
        }
    }
    Ok(extended)
}

/// The lines of a block without the indentation of its first line.
fn lines(draft: &str, block: &Block) -> Vec<String> {
    let first = draft.lines().nth(block.line - 1).unwrap_or_default();
    let indent = first.len() - first.trim_start().len();
    let dedented = |line: &str| {
        let spaces = line.len() - line.trim_start().len();
        line[spaces.min(indent)..].to_owned()
    };
    let mut lines = block.text.lines();
    let first = lines.next().map(str::to_owned);
    first.into_iter().chain(lines.map(dedented)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::document::Document;
    use crate::metadata::read::plan;

    const DRAFT: &str = "\
RSpec.describe Cart do
  describe '#total' do
    it 'returns 1' do
      expect(1).to eq(1)
    end

    it 'completes total' do
      skip 'To be completed'
    end
  end
end
";

    fn total() -> Plan {
        let text = "target: {class: Cart, method: total}\ncharacteristics: []\n";
        plan(&Document::parse("a.yml", text).unwrap(), None).unwrap()
    }

    #[track_caller]
    fn check(spec: &str, discards_edits: bool, expected: &str, written: usize) {
        let extended = extend(spec, DRAFT, &[total()], discards_edits).unwrap();
        assert_eq!(extended.text, expected);
        assert_eq!(
            (extended.written, extended.kept.len()),
            (written, 1 - written)
        );
    }

    #[test]
    fn a_block_with_only_pending_examples_is_not_added() {
        let spec = "RSpec.describe Cart do\n  it('adds') { expect(2).to eq(2) }\nend\n";
        let draft = DRAFT.replace("expect(1).to eq(1)", "skip 'To be completed'");
        let extended = extend(spec, &draft, &[total()], false).unwrap();
        assert_eq!((extended.text.as_str(), extended.written), (spec, 0));
        assert_eq!(extended.pending, ["Cart#total"]);
    }

    #[test]
    fn a_missing_block_is_added_to_the_examples() {
        let by_hand = "  it 'adds' do\n    expect(2).to eq(2)\n  end\n";
        let spec = format!("RSpec.describe Cart do\n{by_hand}end\n");
        let block = DRAFT.strip_prefix("RSpec.describe Cart do\n").unwrap();
        check(
            &spec,
            false,
            &format!("RSpec.describe Cart do\n{by_hand}\n{block}"),
            1,
        );
    }

    #[test]
    fn a_block_with_examples_that_run_is_kept() {
        let spec = "describe Cart do\n  describe '#total' do\n    it('adds') { expect(2).to eq(2) }\n  end\nend\n";
        check(spec, false, spec, 0);
        check(spec, true, spec, 0);
    }

    #[test]
    fn a_block_whose_examples_are_in_the_draft_is_replaced() {
        let old = DRAFT.replace("completes total", "is pending");
        check(&old, false, DRAFT, 1);
    }

    #[test]
    fn a_block_with_manual_edits_is_replaced_only_on_request() {
        let old = "RSpec.describe Cart do\n  describe '#total' do\n    # CUSTOM: mine\n    it 'is pending'\n  end\nend\n";
        check(old, false, old, 0);
        check(old, true, DRAFT, 1);
    }
}
