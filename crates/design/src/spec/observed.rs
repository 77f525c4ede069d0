//! Writes examples that were learned by running the code.

use super::behavior::describe_outcome;
use super::expected::{ContextPath, ExpectedResult};
use crate::learn::{Expectation, LeafResult, LearnedExample, LearnedMethod, PendingReason};
use crate::ruby::BranchOutcome;
use crate::skeleton::{Context, leaves_of};

/// The comment above such an example: its result was not derived from a requirement.
pub(crate) const OBSERVED: &str = "# observed, not specified";

/// In a longer line, the receiver gets a name.
const MAX_LINE: usize = 100;

/// The leaves of a method, with what was learned about each.
pub(super) struct LearnedLeaves<'a>(Vec<(ContextPath<'a>, &'a LeafResult)>);

impl<'a> LearnedLeaves<'a> {
    pub(super) fn of(tree: &'a [Context], learned: Option<&'a LearnedMethod>) -> LearnedLeaves<'a> {
        let leaves = learned.map(|learned| leaves_of(tree).into_iter().zip(&learned.leaves));
        LearnedLeaves(leaves.into_iter().flatten().collect())
    }

    /// What was learned about an example of a single leaf. An observed result is not an effect.
    pub(super) fn about(
        &self,
        expected: &ExpectedResult<'_>,
    ) -> Option<Result<&'a LearnedExample, PendingReason>> {
        let [path] = expected.paths.as_slice() else {
            return None;
        };
        let (_, result) = self.0.iter().find(|(leaf, _)| leaf == path)?;
        Some(match result {
            LeafResult::Example(example)
                if expected.is_effect && !is_effect(&example.expectation) =>
            {
                Err(PendingReason::NoLiteral)
            }
            LeafResult::Example(example) => Ok(example),
            LeafResult::Pending(reason) => Err(*reason),
        })
    }
}

/// An example as written in the spec.
pub(super) struct ObservedLines {
    /// Defines the receiver for the example, if its line would otherwise be too long or name it twice.
    pub(super) setup: Option<String>,
    /// The lines of the example; the last one is the expectation.
    pub(super) body: Vec<String>,
}

/// `class` is the class that the spec describes.
pub(super) fn lines(example: &LearnedExample, class: &str) -> ObservedLines {
    let receiver = with_described_class(&example.receiver, class);
    let single = expectation(example, &receiver);
    let is_named = matches!(example.expectation, Expectation::Change { .. })
        || single.len() > MAX_LINE && receiver != "described_class";
    let line = if is_named {
        expectation(example, "receiver")
    } else {
        single
    };
    ObservedLines {
        setup: is_named.then(|| format!("let(:receiver) {{ {receiver} }}")),
        body: vec![OBSERVED.to_owned(), line],
    }
}

/// What the example does, as its description.
pub(super) fn title(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Value(value) if value.len() <= 40 => format!("returns {value}"),
        Expectation::Value(_) => "returns the observed value".to_owned(),
        Expectation::Attributes(_) => "returns the observed attributes".to_owned(),
        Expectation::Error(class) => format!("raises {class}"),
        Expectation::Yield(lists) if lists.is_empty() => "does NOT yield".to_owned(),
        Expectation::Yield(_) => "yields".to_owned(),
        Expectation::Change { attribute, .. } => format!("changes {attribute}"),
    }
}

/// Whether the outcome that the code suggests was observed.
pub(super) fn agrees(outcome: &BranchOutcome, expectation: &Expectation) -> bool {
    match (outcome, expectation) {
        (BranchOutcome::Raises(None), Expectation::Error(_)) => true,
        (BranchOutcome::Raises(Some(class)), Expectation::Error(observed)) => {
            observed.ends_with(class.trim_start_matches("::"))
        }
        (_, Expectation::Value(value)) if outcome.is_error_hash() => value.starts_with('{'),
        (_, Expectation::Value(value)) => {
            describe_outcome(outcome) == describe_outcome(&BranchOutcome::Returns(value.clone()))
        }
        _ => false,
    }
}

/// Whether the expectation is about an effect, not about the result.
fn is_effect(expectation: &Expectation) -> bool {
    matches!(
        expectation,
        Expectation::Yield(_) | Expectation::Change { .. }
    )
}

fn expectation(example: &LearnedExample, receiver: &str) -> String {
    let call = format!("{receiver}{}", example.call);
    match &example.expectation {
        Expectation::Value(value) => format!("expect({call}).to {}", equal(value)),
        Expectation::Attributes(pairs) => {
            let pairs = pairs.iter().map(|(name, code)| format!("{name}: {code}"));
            let pairs: Vec<_> = pairs.collect();
            format!("expect({call}).to have_attributes({})", pairs.join(", "))
        }
        Expectation::Error(class) => format!("expect {{ {call} }}.to raise_error({class})"),
        Expectation::Yield(lists) => format!("expect {{ |block| {call} }}.{}", yields(lists)),
        Expectation::Change {
            attribute,
            from,
            to,
        } => {
            format!("expect {{ {call} }}.to change({receiver}, :{attribute}).from({from}).to({to})")
        }
    }
}

fn equal(value: &str) -> String {
    match value {
        "nil" => "be_nil".to_owned(),
        "true" | "false" => format!("be({value})"),
        _ => format!("eq({value})"),
    }
}

fn yields(lists: &[Vec<String>]) -> String {
    match lists {
        [] => "not_to yield_control".to_owned(),
        [list] if list.is_empty() => "to yield_with_no_args".to_owned(),
        [list] => format!("to yield_with_args({})", list.join(", ")),
        _ => {
            let each = lists.iter().map(|list| match list.as_slice() {
                [single] => single.clone(),
                several => format!("[{}]", several.join(", ")),
            });
            format!(
                "to yield_successive_args({})",
                each.collect::<Vec<_>>().join(", ")
            )
        }
    }
}

/// Replaces the name of the described class at the start of the code.
fn with_described_class(code: &str, class: &str) -> String {
    match code.strip_prefix(class) {
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '[']) => {
            format!("described_class{rest}")
        }
        _ => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(receiver: &str, call: &str, expectation: Expectation) -> String {
        let example = LearnedExample {
            receiver: receiver.to_owned(),
            call: call.to_owned(),
            expectation,
        };
        let written = lines(&example, "Shop::Cart");
        let lines = written.setup.into_iter().chain(written.body);
        let lines: Vec<_> = lines.filter(|line| line != OBSERVED).collect();
        lines.join("\n")
    }

    #[test]
    fn a_guessed_outcome_agrees_with_the_same_result_only() {
        let returns = |text: &str| BranchOutcome::Returns(text.to_owned());
        let raises = |class: &str| BranchOutcome::Raises(Some(class.to_owned()));
        let value = |text: &str| Expectation::Value(text.to_owned());
        let error = |class: &str| Expectation::Error(class.to_owned());
        for (outcome, expectation, expected) in [
            (returns(":fine"), value(":fine"), true),
            (returns("\"a b\""), value("'a b'"), true),
            (returns(":fine"), value(":bad"), false),
            (returns(":fine"), error("Late"), false),
            (BranchOutcome::ReturnsNothing, value("nil"), true),
            (BranchOutcome::ReturnsTruthy(true), value("false"), false),
            (BranchOutcome::ReturnsError, value("{ error: 'x' }"), true),
            (raises("Late"), error("Shop::Late"), true),
            (raises("Late"), value("nil"), false),
            (BranchOutcome::Raises(None), error("Late"), true),
        ] {
            let found = agrees(&outcome, &expectation);
            assert_eq!(found, expected, "{outcome:?} {expectation:?}");
        }
    }

    #[test]
    fn each_kind_of_result_has_its_matcher() {
        let value = |text: &str| Expectation::Value(text.to_owned());
        let lists = |lists: &[&[&str]]| {
            let list = |list: &&[&str]| list.iter().map(ToString::to_string).collect();
            Expectation::Yield(lists.iter().map(list).collect())
        };
        for (receiver, call, expectation, expected) in [
            (
                "Shop::Cart.new(1)",
                ".total",
                value("2"),
                "expect(described_class.new(1).total).to eq(2)",
            ),
            (
                "Shop::Cart",
                ".build",
                value("nil"),
                "expect(described_class.build).to be_nil",
            ),
            (
                "Shop::Carts.new",
                ".any?",
                value("true"),
                "expect(Shop::Carts.new.any?).to be(true)",
            ),
            (
                "Shop::Cart.new",
                " == (1)",
                value("false"),
                "expect(described_class.new == (1)).to be(false)",
            ),
            (
                "Shop::Cart.new",
                ".add(nil)",
                Expectation::Error("Shop::Empty".to_owned()),
                "expect { described_class.new.add(nil) }.to raise_error(Shop::Empty)",
            ),
            (
                "Shop::Cart.new",
                ".each(&block)",
                lists(&[&["1"], &["2", "3"]]),
                "expect { |block| described_class.new.each(&block) }.to yield_successive_args(1, [2, 3])",
            ),
            (
                "Shop::Cart.new",
                ".each(&block)",
                lists(&[]),
                "expect { |block| described_class.new.each(&block) }.not_to yield_control",
            ),
            (
                "Shop::Cart.new",
                ".add(1)",
                Expectation::Change {
                    attribute: "size".to_owned(),
                    from: "0".to_owned(),
                    to: "1".to_owned(),
                },
                "let(:receiver) { described_class.new }\n\
                 expect { receiver.add(1) }.to change(receiver, :size).from(0).to(1)",
            ),
        ] {
            assert_eq!(written(receiver, call, expectation), expected);
        }
    }
}
