//! [`LearnedMethod`]: what the helper reports about one method.

use std::time::Duration;

use serde_json::Value;

use super::LearnMethod;

/// What was learned about one method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearnedMethod {
    /// The id of the method.
    pub id: String,
    /// One for each leaf.
    pub leaves: Vec<LeafResult>,
    /// How long it took.
    pub time: Duration,
    /// Why the method could not be run, if it could not.
    pub failure: Option<String>,
}

/// What was learned about one leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafResult {
    /// An example.
    Example(LearnedExample),
    /// No example.
    Pending(PendingReason),
}

/// A call that reaches the leaf, and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedExample {
    /// The code of the object that the method is called on.
    pub receiver: String,
    /// The code after the receiver, such as `.call(1)`.
    pub call: String,
    /// What the call did.
    pub expectation: Expectation,
}

/// What a call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// It returned this value, as code.
    Value(String),
    /// It raised an error of this class.
    Error(String),
    /// It yielded these lists of arguments, as code.
    Yield(Vec<Vec<String>>),
    /// It returned an object with these attributes, names and code.
    Attributes(Vec<(String, String)>),
    /// It changed an attribute of the object.
    Change {
        /// The name of the attribute.
        attribute: String,
        /// The code of its value before.
        from: String,
        /// The code of its value afterwards.
        to: String,
    },
}

macro_rules! reasons {
    ($($variant:ident $code:literal $text:literal)*) => {
        /// Why a leaf has no example.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum PendingReason {
            $(#[doc = $text] $variant,)*
        }

        impl PendingReason {
            /// All reasons.
            pub const ALL: &[PendingReason] = &[$(PendingReason::$variant,)*];

            /// The code in reports and pending examples.
            pub fn code(self) -> &'static str {
                match self { $(PendingReason::$variant => $code,)* }
            }

            /// What it means.
            pub fn text(self) -> &'static str {
                match self { $(PendingReason::$variant => $text,)* }
            }
        }
    };
}

reasons! {
    NotLoaded "not_loaded" "the source could not be loaded in the sandbox"
    NotFound "not_found" "the loaded code has no such method"
    NotPublic "not_public" "the method is not public"
    NoReceiver "no_receiver" "no object of the class could be created"
    NotReached "not_reached" "no input was found that reaches this state"
    AccidentalError "accidental_error" "only calls with an error that the code does not raise itself reach this state"
    NoLiteral "no_literal" "the result is not a literal, an error, a change or a yield"
    NotProven "not_proven" "the result is the same when the state is inverted"
    NotRepeatable "not_repeatable" "fresh processes give different results"
    ChangesGlobalState "changes_global_state" "the call changes global state"
    NotGreen "not_green" "the example does not pass in the finished spec"
    Stopped "stopped" "the search was stopped: it took too long or ended its process"
}

/// Reads the lines of the helper, one per method. A method without a line was not finished.
pub(super) fn read(lines: &[u8], methods: &[LearnMethod]) -> Vec<LearnedMethod> {
    let text = String::from_utf8_lossy(lines);
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let reported: Vec<_> = lines.filter_map(|line| method(&line)).collect();
    let stopped = |id: String, leaves: usize| LearnedMethod {
        id,
        leaves: vec![LeafResult::Pending(PendingReason::Stopped); leaves],
        time: Duration::ZERO,
        failure: None,
    };
    let found = methods.iter().map(|planned| {
        let id = planned.analysis.method.id();
        let own = reported.iter().find(|one| one.id == id).cloned();
        own.unwrap_or_else(|| stopped(id, planned.leaves.len()))
    });
    found.collect()
}

fn method(line: &Value) -> Option<LearnedMethod> {
    let leaves = line["leaves"].as_array()?.iter();
    Some(LearnedMethod {
        id: text(&line["id"])?,
        leaves: leaves.map(leaf).collect(),
        time: Duration::from_secs_f64(line["seconds"].as_f64()?.clamp(0.0, 1e6)),
        failure: text(&line["failure"]),
    })
}

fn leaf(value: &Value) -> LeafResult {
    example(value).map_or_else(
        || {
            let reasons = PendingReason::ALL.iter().copied();
            let reason = reasons.clone().find(|one| value["reason"] == one.code());
            LeafResult::Pending(reason.unwrap_or(PendingReason::Stopped))
        },
        LeafResult::Example,
    )
}

fn example(value: &Value) -> Option<LearnedExample> {
    Some(LearnedExample {
        receiver: text(&value["receiver"])?,
        call: text(&value["call"])?,
        expectation: expectation(&value["expectation"])?,
    })
}

fn expectation(value: &Value) -> Option<Expectation> {
    Some(match value["kind"].as_str()? {
        "value" => Expectation::Value(text(&value["source"])?),
        "error" => Expectation::Error(text(&value["class"])?),
        "yield" => Expectation::Yield(lists(&value["arguments"])?),
        "attributes" => Expectation::Attributes(pairs(&value["values"])?),
        "change" => Expectation::Change {
            attribute: text(&value["attribute"])?,
            from: text(&value["from"])?,
            to: text(&value["to"])?,
        },
        _ => return None,
    })
}

fn pairs(value: &Value) -> Option<Vec<(String, String)>> {
    let pairs = value.as_object()?.iter();
    pairs
        .map(|(name, code)| Some((name.clone(), text(code)?)))
        .collect()
}

fn lists(value: &Value) -> Option<Vec<Vec<String>>> {
    let lists = value.as_array()?.iter();
    lists
        .map(|list| list.as_array()?.iter().map(text).collect())
        .collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}
