//! Decodes checks that combine other checks: `anyOf` and `not`.

use casebook_source::yaml::{Node, NodeKind};

use super::checks::Checks;
use crate::codes::{CONFLICT, VACUOUS};
use crate::model::conversation::{ConversationCheck, Expectation};

impl Checks<'_, '_, '_> {
    /// Decodes the alternatives of `anyOf`; `None` with a problem if one is invalid.
    pub(super) fn any_of(&mut self, node: &Node) -> Option<ConversationCheck> {
        let NodeKind::List(nodes) = &node.kind else {
            let message = format!("`anyOf` must be a list of checks, not {}", node.describe());
            self.reader.type_error(node, message);
            return None;
        };
        if nodes.len() < 2 {
            let message = "`anyOf` requires at least two checks";
            self.reader.note(VACUOUS, node.span, message);
            return None;
        }
        let alternatives: Vec<_> = nodes.iter().map(|node| self.alternative(node)).collect();
        let alternatives = alternatives.into_iter().collect::<Option<_>>();
        alternatives.map(ConversationCheck::AnyOf)
    }

    /// A check with several values, such as `contains: [a, b]`, is one alternative.
    fn alternative(&mut self, node: &Node) -> Option<ConversationCheck> {
        let mut checks = self.nested("anyOf", node)?;
        if checks.len() == 1 {
            return checks.pop();
        }
        Some(ConversationCheck::AllOf(checks))
    }

    /// Decodes the check of `not`. With several values it would not be clear whether one or all of them must not pass.
    pub(super) fn not(&mut self, node: &Node) -> Option<ConversationCheck> {
        let mut checks = self.nested("not", node)?;
        if let [check] = checks.as_slice()
            && !matches!(check, ConversationCheck::Not(_))
        {
            return checks
                .pop()
                .map(|check| ConversationCheck::Not(Box::new(check)));
        }
        let (message, help) = match checks.len() {
            1 => ("`not` in `not` has no effect".to_owned(), "remove both"),
            count => (
                format!("`not` requires one condition, not {count}"),
                "write a `not` for each, or `not: {anyOf: […]}`",
            ),
        };
        self.reader
            .note(CONFLICT, node.span, message)
            .help_last(help);
        None
    }

    /// The checks of one mapping; `None` with a problem if it is invalid.
    fn nested(&mut self, field: &str, node: &Node) -> Option<Vec<ConversationCheck>> {
        let before = self.reader.problems.len();
        let mut nested: Vec<Expectation> = Vec::new();
        self.check(field, node, true, &mut nested);
        let is_valid = self.reader.problems.len() == before && !nested.is_empty();
        is_valid.then(|| nested.into_iter().map(|one| one.check).collect())
    }
}
