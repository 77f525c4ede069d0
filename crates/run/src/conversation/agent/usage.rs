//! The numbers that an agent reports. A negative one is an error, so that it cannot pass a check.

use serde_json::Value;

use crate::transcript::Tokens;

/// The number of tokens; `None` if it is missing or not a whole number.
pub(super) fn count(what: &str, value: Option<&Value>) -> Result<Option<u64>, String> {
    check(what, value)?;
    Ok(value.and_then(Value::as_u64))
}

/// An amount; `None` if it is missing or not a number.
pub(super) fn amount(what: &str, value: Option<&Value>) -> Result<Option<f64>, String> {
    check(what, value)?;
    Ok(value.and_then(Value::as_f64))
}

/// Input and output tokens; `None` if one of them is missing.
pub(super) fn tokens(
    input: Option<&Value>,
    output: Option<&Value>,
) -> Result<Option<Tokens>, String> {
    let input = count("number of input tokens", input)?;
    let output = count("number of output tokens", output)?;
    Ok(input
        .zip(output)
        .map(|(input, output)| Tokens { input, output }))
}

fn check(what: &str, value: Option<&Value>) -> Result<(), String> {
    match value.and_then(Value::as_f64) {
        Some(number) if number < 0.0 => Err(format!(
            "the agent reported a negative {what}: {number}; it must be 0 or more"
        )),
        _ => Ok(()),
    }
}
