//! Writes expectations as RSpec matchers.

use super::inputs::Inputs;
use crate::ruby::BranchOutcome;

/// Error classes that Ruby itself defines.
const BUILTIN: [&str; 24] = [
    "ArgumentError",
    "EncodingError",
    "EOFError",
    "Errno::ENOENT",
    "FiberError",
    "FloatDomainError",
    "FrozenError",
    "IndexError",
    "Interrupt",
    "IOError",
    "KeyError",
    "LoadError",
    "LocalJumpError",
    "NameError",
    "NoMethodError",
    "NotImplementedError",
    "RangeError",
    "RegexpError",
    "RuntimeError",
    "SecurityError",
    "StandardError",
    "StopIteration",
    "TypeError",
    "ZeroDivisionError",
];

/// The line that expects an outcome, or the reason why it cannot be written.
pub(super) fn matcher(inputs: &Inputs<'_>, outcome: &BranchOutcome) -> Result<String, String> {
    Ok(match outcome {
        BranchOutcome::Raises(None) => "expect { result }.to raise_error(StandardError)".to_owned(),
        BranchOutcome::Raises(Some(class)) => {
            let class = resolved(inputs, class)
                .ok_or_else(|| format!("cannot find the definition of {class}"))?;
            format!("expect {{ result }}.to raise_error({class})")
        }
        BranchOutcome::ReturnsTruthy(true) => "expect(result).to be_truthy".to_owned(),
        BranchOutcome::ReturnsTruthy(false) => "expect(result).to be_falsey".to_owned(),
        BranchOutcome::ReturnsError => {
            return Err("the content of the result is unknown".to_owned());
        }
        BranchOutcome::ReturnsNothing => "expect(result).to be_nil".to_owned(),
        BranchOutcome::Returns(value) if matches!(value.as_str(), "true" | "false") => {
            format!("expect(result).to be({value})")
        }
        BranchOutcome::Returns(value) => format!("expect(result).to eq({value})"),
    })
}

/// The full name of an error class, resolved from inside the method's class.
fn resolved(inputs: &Inputs<'_>, class: &str) -> Option<String> {
    let constants = &inputs.analysis.constants;
    let name = class.trim_start_matches("::");
    inputs
        .in_scope(class, |path| constants.iter().any(|known| known == path))
        .or_else(|| BUILTIN.contains(&name).then(|| class.to_owned()))
}
