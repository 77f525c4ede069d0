//! Words for three or more groups of numbers: rule E12.

use ruby_prism::StatementsNode;

use crate::ruby::syntax::node::single;
use crate::ruby::syntax::words::literal;

/// The states of the groups, in the order of the branches. `ranks` has the rank of each branch, from the lowest
/// upwards. A `None` branch is a missing `else`.
pub(crate) fn tiers(branches: &[Option<StatementsNode<'_>>], ranks: &[usize]) -> Vec<String> {
    branch_words(branches).unwrap_or_else(|| {
        let words = ladder(branches.len());
        ranks.iter().map(|rank| words[*rank].clone()).collect()
    })
}

/// The values of the branches, if each is a symbol or string and all are different.
fn branch_words(branches: &[Option<StatementsNode<'_>>]) -> Option<Vec<String>> {
    let words: Vec<String> = branches
        .iter()
        .map(|branch| {
            let value = single(branch.as_ref())?;
            let is_word = value.as_symbol_node().is_some() || value.as_string_node().is_some();
            is_word.then(|| literal(&value)).flatten()
        })
        .collect::<Option<_>>()?;
    let distinct = words
        .iter()
        .enumerate()
        .all(|(index, word)| !words[..index].contains(word));
    (distinct
        && !words
            .iter()
            .any(|word| matches!(word.as_str(), "true" | "false")))
    .then_some(words)
}

/// Words from the lowest group to the highest.
fn ladder(count: usize) -> Vec<String> {
    let words: &[&str] = match count {
        3 => &["low", "medium", "high"],
        4 => &["low", "medium", "high", "very_high"],
        _ => return (1..=count).map(|tier| format!("tier_{tier}")).collect(),
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
