//! Makes the factory calls of a spec cheaper (rule W8). Calls that may need a saved record are not changed.

mod calls;
mod traits;
mod usage;

use std::collections::BTreeMap;

use calls::{Argument, FactoryCall};

use crate::edits::{Edit, apply_edits};
use crate::ruby::RubyError;

pub(crate) use traits::count as count_traits;

/// A spec after the optimization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The new text.
    pub text: String,
    /// Warnings, each with the line.
    pub warnings: Vec<String>,
    /// The number of changed calls.
    pub changed: usize,
}

/// Factories and their traits.
type Factories = [(String, Vec<String>)];

/// The number of factory calls in a spec.
pub fn factory_calls(spec: &str) -> Result<usize, RubyError> {
    Ok(calls::find(spec)?.calls.len())
}

/// Uses `build_stubbed` on unit level, and traits instead of attributes where the factory has one.
pub fn optimize(spec: &str, factories: &Factories, is_unit: bool) -> Result<Rewritten, RubyError> {
    let found = calls::find(spec)?;
    let mut edits: Vec<Edit> = Vec::new();
    let mut warnings = Vec::new();
    for call in &found.calls {
        if is_unit && call.verb != "build_stubbed" && is_safe(call, &found) {
            edits.push((
                call.verb_span.0,
                call.verb_span.1,
                "build_stubbed".to_owned(),
            ));
        }
        traits(call, factories, &mut edits, &mut warnings);
    }
    warnings.extend(composites(&found.calls));
    let edits: Vec<_> = edits.into_iter().map(|edit| vec![edit]).collect();
    let (text, changed) = apply_edits(spec, &edits);
    Ok(Rewritten {
        text,
        warnings,
        changed,
    })
}

/// Whether nothing in the spec requires more than a stub.
fn is_safe(call: &FactoryCall, found: &calls::FactoryUsage) -> bool {
    let Some(name) = &call.bound_to else {
        return false;
    };
    let plain = call.arguments.iter().all(|argument| match argument {
        Argument::Trait(name) => !name.starts_with("with_"),
        Argument::Attribute { is_record, .. } => !is_record,
        Argument::Unknown => false,
    });
    plain && !call.has_block && !found.persisted_names.contains(name)
}

/// Replaces attributes by traits with their name or value.
fn traits(
    call: &FactoryCall,
    factories: &Factories,
    edits: &mut Vec<Edit>,
    warnings: &mut Vec<String>,
) {
    let Some((_, traits)) = factories.iter().find(|(name, _)| *name == call.factory) else {
        return;
    };
    for argument in &call.arguments {
        let Argument::Attribute {
            name,
            value: Some(value),
            span,
            ..
        } = argument
        else {
            continue;
        };
        let candidates = trait_names(name, value);
        let Some(best) = candidates.first() else {
            continue;
        };
        let known = candidates.iter().find(|name| traits.contains(name));
        match known {
            // Traits come before attributes, so only the first attribute can be replaced.
            Some(known) if call.is_first_attribute(*span) => {
                edits.push((span.0, span.1, format!(":{known}")));
            }
            Some(known) => warnings.push(format!(
                "line {}: trait :{known} of '{}' is the same as `{name}: {value}`",
                call.line, call.factory
            )),
            None => warnings.push(format!(
                "line {}: consider a trait :{} of '{}' for `{name}: {value}`",
                call.line, best, call.factory
            )),
        }
    }
}

/// The names that a trait for an attribute's value may have, the best first.
fn trait_names(name: &str, value: &str) -> Vec<String> {
    match value {
        // The implementer writes these for "any other value"; a trait for them would not be useful.
        "false" | "something_else" | "something else" | "value" => Vec::new(),
        "true" => vec![name.to_owned()],
        word => vec![
            word.to_owned(),
            format!("{name}_{word}"),
            format!("{word}_{name}"),
        ],
    }
}

/// Suggests a trait for combinations of at least two traits that are used at least three times.
fn composites(calls: &[FactoryCall]) -> Vec<String> {
    let mut uses: BTreeMap<(String, Vec<String>), usize> = BTreeMap::new();
    for call in calls {
        let mut traits: Vec<String> = call
            .arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Trait(name) => Some(name.clone()),
                Argument::Attribute { .. } | Argument::Unknown => None,
            })
            .collect();
        traits.sort();
        if traits.len() >= 2 {
            *uses.entry((call.factory.clone(), traits)).or_default() += 1;
        }
    }
    uses.into_iter()
        .filter(|(_, count)| *count >= 3)
        .map(|((factory, traits), count)| {
            format!(
                "'{factory}' is used {count} times with :{}; consider one trait for them",
                traits.join(", :")
            )
        })
        .collect()
}
