//! What a class of records lets one set, and what its questions then answer: so that a test can bring a state about.

use super::analyze::{Analysis, RubyError, analyze_all, attributes_of};
use super::method::MethodType;
use super::outcome::Outcome;
use super::reading::Reading;

/// What is known about a class of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordFacts {
    /// Attributes that are read as they were set.
    pub attributes: Vec<String>,
    /// Questions that one attribute decides.
    pub answers: Vec<Answer>,
}

/// A method that is true or false by the value of one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its name, with its mark.
    pub method: String,
    /// The attribute.
    pub attribute: String,
    /// A value that makes it true, and one that makes it false, as Ruby writes them.
    pub values: [Option<String>; 2],
}

/// What a file says about a class.
pub fn record(source: &[u8], file: &str, class: &str) -> Result<RecordFacts, RubyError> {
    let attributes = attributes_of(source, class)?;
    let answers = analyze_all(source, file, Reading::default())?
        .into_iter()
        .flatten()
        .filter(|found| found.method.class == class)
        .filter_map(|found| answer(&found, &attributes))
        .collect();
    Ok(RecordFacts {
        attributes,
        answers,
    })
}

fn answer(found: &Analysis, attributes: &[String]) -> Option<Answer> {
    let [only] = found.characteristics.as_slice() else {
        return None;
    };
    let attribute = only
        .tested
        .as_ref()
        .filter(|name| attributes.contains(name))?;
    let is_question =
        found.method.method_type == MethodType::Instance && found.parameters.is_empty();
    let value = |truth: bool| {
        let wanted = Outcome::Returns(truth.to_string());
        let branch = found.branches.iter().find(|branch| {
            branch.characteristic == only.name
                && branch.is_certain
                && branch.outcome.as_ref() == Some(&wanted)
        })?;
        let at = only
            .states
            .iter()
            .position(|state| *state == branch.state)?;
        only.values.get(at).cloned().flatten()
    };
    is_question.then(|| Answer {
        method: found.method.name.clone(),
        attribute: attribute.clone(),
        values: [value(true), value(false)],
    })
}
